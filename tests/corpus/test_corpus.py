from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import bittern.corpus.corpus
from bittern import Corpus
from bittern.errors import InputError
from bittern.text import preprocessing

DAYS = [date(2024, 1, day) for day in range(1, 6)]
TEXTS = ["red green blue", None, "green tree", "", "sky blue sky"]


def named(corpus):
    bounds = zip(corpus.indptr, corpus.indptr[1:], strict=False)
    return [[corpus.vocabulary[t] for t in corpus.tokens[a:b]] for a, b in bounds]


def test_documents_keep_their_rows_and_their_order():
    corpus = Corpus.from_texts(TEXTS)
    assert named(corpus) == [
        ["red", "green", "blue"], [], ["green", "tree"], [], ["sky", "blue", "sky"],
    ]  # fmt: skip
    assert corpus.vocabulary[:3] == ["blue", "green", "sky"]
    assert corpus.ids.tolist() == [0, 1, 2, 3, 4]
    assert repr(corpus) == "<Corpus: 5 documents, 5 words, 8 tokens>"


def test_the_size_of_chunks_does_not_change_the_corpus(monkeypatch):
    texts = [f"word{i % 7} word{i % 5} word{i % 3}" for i in range(50)]
    whole = Corpus.from_texts(texts, min_df=2)
    monkeypatch.setattr(bittern.corpus.corpus, "CHUNK", 3)
    parts = Corpus.from_texts(texts, min_df=2)
    assert parts.vocabulary == whole.vocabulary
    assert named(parts) == named(whole)


@pytest.mark.parametrize(
    "make", [tuple, pl.Series, pd.Series, lambda x: np.array(x, object), iter], ids=str
)
def test_texts_may_be_any_iterable(make):
    assert named(Corpus.from_texts(make(TEXTS))) == named(Corpus.from_texts(TEXTS))


def test_pandas_missing_values_are_missing_texts():
    assert len(Corpus.from_texts(pd.Series(["a text", np.nan, None, pd.NA], dtype=object))) == 4


def test_from_tokens_keeps_words_unchanged():
    corpus = Corpus.from_tokens([["The", "the"], [], ["new york"]], labels=["x", "y", "z"])
    assert named(corpus) == [["The", "the"], [], ["new york"]]
    assert corpus.labels.to_list() == ["x", "y", "z"]
    assert corpus.options is None


def test_from_tokens_accepts_generators():
    documents = (word for word in [iter(["late", "train"]), None, ("late",)])
    assert named(Corpus.from_tokens(documents)) == [["late", "train"], [], ["late"]]


def test_from_counts_does_not_change_the_matrix():
    matrix = csr_array((np.array([1.0, 0.0, 2.0]), np.array([2, 1, 2]), np.array([0, 3])))
    matrix.data.flags.writeable = False
    Corpus.from_counts(matrix)
    assert matrix.nnz == 3
    assert matrix.indices.tolist() == [2, 1, 2]


def test_times_and_labels_may_be_arrays_and_series():
    days = np.array(["2024-01-01", "2024-01-02"], "datetime64[us]")
    corpus = Corpus.from_texts(["a", "b"], times=days, labels=pd.Series(["x", np.nan]))
    assert corpus.times.dtype == pl.Datetime("us")
    assert corpus.labels.to_list() == ["x", None]


def test_from_counts_keeps_nonzero_counts():
    matrix = csr_array([[0, 2, 0], [0, 0, 0], [1, 0, 0.5]])
    corpus = Corpus.from_counts(matrix, ["a", "b", "c"])
    assert named(corpus) == [["b"], [], ["a", "c"]]
    assert corpus.counts.tolist() == [2.0, 1.0, 0.5]


def test_indexing_selects_documents_with_their_metadata():
    corpus = Corpus.from_texts(TEXTS, labels=list("abcde"), times=DAYS)
    for index in ([4, 0], np.array([4, 0]), np.array([4, 0], np.int32)):
        part = corpus[index]
        assert named(part) == [["sky", "blue", "sky"], ["red", "green", "blue"]]
        assert part.ids.tolist() == [4, 0]
        assert part.labels.to_list() == ["e", "a"]
        assert part.times.to_list() == [DAYS[4], DAYS[0]]
    assert named(corpus[2:]) == named(corpus)[2:]
    assert corpus[corpus.ids % 2 == 1].ids.tolist() == [1, 3]
    with pytest.raises(InputError, match="indexed by a slice, a mask or a list of indices"):
        corpus[1]


def test_documents_are_split_at_random():
    corpus = Corpus.from_texts([f"word{i}" for i in range(20)])
    train, test = corpus.split(0.25, np.random.default_rng(0))
    assert (len(train), len(test)) == (15, 5)
    assert sorted([*train.ids, *test.ids]) == list(range(20))
    again, _ = corpus.split(0.25, np.random.default_rng(0))
    assert again.ids.tolist() == train.ids.tolist() != list(range(15))


def test_with_vocabulary_drops_other_words():
    corpus = Corpus.from_texts(TEXTS).with_vocabulary(["tree", "x", "blue"])
    assert named(corpus) == [["blue"], [], ["tree"], [], ["blue"]]
    counts = Corpus.from_counts([[1, 2], [3, 0]], ["a", "b"]).with_vocabulary(["b"])
    assert named(counts) == [["b"], []]
    assert counts.counts.tolist() == [2.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Corpus.from_texts("one text"),
            "texts must be a list of texts, not a single string",
        ),
        (lambda: Corpus.from_texts(["a", 5]), "text 1 is not a string but int: 5"),
        (
            lambda: Corpus.from_texts(["a"], labels=[1, 2]),
            "1 documents but 2 labels; give one for each document",
        ),
        (lambda: Corpus.from_tokens([["a"]], times=[]), "1 documents but 0 times"),
        (lambda: Corpus.from_tokens([["a", None]]), "a document contains a null word"),
        (
            lambda: Corpus.from_tokens(["a text"]),
            "from_tokens expects lists of words, not texts; use Corpus.from_texts",
        ),
        (lambda: Corpus.from_tokens(iter(["a text", "b"])), "use Corpus.from_texts"),
        (lambda: Corpus.from_tokens(text for text in ["a text"]), "use Corpus.from_texts"),
        (lambda: Corpus.from_tokens("a text"), "use Corpus.from_texts"),
        (lambda: Corpus.from_tokens([["a"], 5]), "documents must be lists of strings"),
        (lambda: Corpus.from_tokens([[1, 2]]), "documents must be lists of strings"),
        (lambda: Corpus.from_texts(["fine", "half \ud800"]), "text 1 is not valid Unicode"),
        (
            lambda: Corpus.from_texts(["a b"], vocabulary=["x", "b", "b"]),
            '"b" occurs 2 times in the vocabulary',
        ),
        (lambda: Corpus.from_counts([[1, 2]], ["a", "a"]), '"a" occurs 2 times in the vocabulary'),
        (lambda: Corpus.from_counts([1, 2]), "must be a matrix with one row for each document"),
        (lambda: Corpus.from_counts([["x"]]), "not a matrix of word counts"),
        (lambda: Corpus.from_counts([[1, -1]]), "must not be negative"),
        (lambda: Corpus.from_counts([[1, np.nan]]), "must be finite; replace NaN"),
        (lambda: Corpus.from_counts([[1, 1e20]]), r"from 1e-06 to 1e\+07, not 1e\+20; multiply"),
        (lambda: Corpus.from_counts([[1, 1e39]]), r"from 1e-06 to 1e\+07, not 1e\+39; multiply"),
        (lambda: Corpus.from_counts([[1, 1e-40]]), r"from 1e-06 to 1e\+07, not 1e-40; multiply"),
        (lambda: Corpus.from_counts([[1, 2]], ["a"]), "2 columns but the vocabulary has 1 words"),
    ],
)
def test_invalid_input_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_reasons_for_documents_without_words(monkeypatch):
    def only_english(texts, language):
        return texts.replace("der Zug", None)

    monkeypatch.setattr(preprocessing, "_filter_language", only_english)
    texts = ["late train", "der Zug", None, " \n", "unheard", "der Zug"]
    corpus = Corpus.from_texts(texts, language="en", vocabulary=["late"])
    other = "in another language"
    expected = [None, other, "empty", "empty", "no known words", other]
    assert corpus.missing_reasons().to_list() == expected
    assert corpus[::-1].missing_reasons().to_list() == expected[::-1]
    assert corpus.with_vocabulary(["train"]).missing_reasons()[0] == "no known words"
    tokens = Corpus.from_tokens([["late"], [], None])
    assert tokens.missing_reasons().to_list() == [None, "no known words", "no known words"]
