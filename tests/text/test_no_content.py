"""Whole texts that say nothing, such as "n/a"."""

from importlib import resources

import pytest

from bittern import Corpus
from bittern.text.no_content import MAX_BYTES

LINES = resources.files("bittern.text").joinpath("no_content.txt").read_text("utf-8").splitlines()
ANSWERS = [line for line in LINES if line and not line.startswith("#")]


def reasons(texts, **options):
    return Corpus.from_texts(texts, **options).missing_reasons().to_list()


@pytest.mark.parametrize(
    "text",
    [
        *["n/a", "N/A.", " - n/a - ", "(none)", "NOTHING!!", "Don't know", "I don’t know...", "-"],
        *["?", "...", "Don't Know", "weiß nicht", "Keine Angabe", "rien", "¿nada?", "无", "なし。"],
        *["ninguno", "geen idee", "brak", "Не знаю", "bilmiyorum", "لا أعرف", "पता नहीं", "없음"],
    ],
)
def test_answers_without_content_have_no_words(text):
    corpus = Corpus.from_texts([text, "late train"], stop_words=None)
    assert corpus.missing_reasons().to_list() == ["no content", None]
    assert corpus.vocabulary == ["late", "train"]


def test_only_whole_texts_are_dropped():
    texts = ["nothing works", "none of the trains", "na na na", "n/a in the app", "no"]
    assert reasons(texts, stop_words=None) == [None] * 5


def test_empty_texts_are_empty_and_other_reasons_stay():
    assert reasons(["", " \n", None, "the", "none"]) == [
        *["empty", "empty", "empty"], "no known words", "no content",
    ]  # fmt: skip


def test_a_tokenizer_does_not_see_them():
    assert reasons(["n/a", "late train"], tokenizer=str.split) == ["no content", None]


def test_the_list_is_as_it_is_looked_up():
    assert len(set(ANSWERS)) == len(ANSWERS)
    assert all(answer == answer.strip(" .-?!").lower() for answer in ANSWERS)
    assert max(len(answer.encode()) for answer in ANSWERS) < MAX_BYTES
    assert set(reasons(ANSWERS)) == {"no content"}
    assert set(reasons([answer.upper() for answer in ANSWERS if "ß" not in answer])) == {
        "no content"
    }
