"""Mistakes of the user's own tokenizer are reported with the text."""

import pytest

import bittern.corpus.corpus
from bittern import Corpus
from bittern.errors import InputError


def fail(text):
    return 1 / 0 if "train" in text else text.split()


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (fail, 'the tokenizer failed on row 2, "late train": ZeroDivisionError: division by zero'),
        (lambda text: text, 'strings; on row 0, "dirty seats", it returned .dirty seats.'),
        (lambda text: None, 'strings; on row 0, "dirty seats", it returned None'),
        (lambda text: [text, 3], r"it returned \['dirty seats', 3\]"),
        (lambda text: (word for word in [3]), r"it returned \[3\]"),
    ],
)
def test_an_error_names_the_row(tokenizer, message, monkeypatch):
    monkeypatch.setattr(bittern.corpus.corpus, "CHUNK", 2)
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(["dirty seats", None, "late train"], tokenizer=tokenizer)


def test_the_exception_of_a_tokenizer_is_the_cause():
    with pytest.raises(InputError) as caught:
        Corpus.from_texts(["late train"], tokenizer=fail)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_tokenizer_may_return_any_iterable():
    for make in (tuple, iter, set, dict.fromkeys):
        corpus = Corpus.from_texts(["late train"], tokenizer=lambda text, f=make: f(text.split()))
        assert sorted(corpus.vocabulary) == ["late", "train"]
