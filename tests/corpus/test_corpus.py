from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import bittern.corpus.corpus
from bittern import Corpus
from bittern.errors import InputError

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


def test_chunks_make_no_difference(monkeypatch):
    texts = [f"word{i % 7} word{i % 5} word{i % 3}" for i in range(50)]
    whole = Corpus.from_texts(texts, min_df=2)
    monkeypatch.setattr(bittern.corpus.corpus, "CHUNK", 3)
    parts = Corpus.from_texts(texts, min_df=2)
    assert parts.vocabulary == whole.vocabulary
    assert named(parts) == named(whole)


@pytest.mark.parametrize(
    "make", [tuple, pl.Series, pd.Series, lambda x: np.array(x, object), iter], ids=str
)
def test_texts_come_in_any_sequence(make):
    assert named(Corpus.from_texts(make(TEXTS))) == named(Corpus.from_texts(TEXTS))


def test_pandas_missing_values_are_missing_texts():
    assert len(Corpus.from_texts(pd.Series(["a text", np.nan, None, pd.NA], dtype=object))) == 4


def test_from_tokens_takes_words_as_they_are():
    corpus = Corpus.from_tokens([["The", "the"], [], ["new york"]], labels=["x", "y", "z"])
    assert named(corpus) == [["The", "the"], [], ["new york"]]
    assert corpus.labels.to_list() == ["x", "y", "z"]
    assert corpus.options is None


def test_from_counts_leaves_the_matrix_as_it_was():
    matrix = csr_array((np.array([1.0, 0.0, 2.0]), np.array([2, 1, 2]), np.array([0, 3])))
    matrix.data.flags.writeable = False
    Corpus.from_counts(matrix)
    assert matrix.nnz == 3
    assert matrix.indices.tolist() == [2, 1, 2]


def test_times_and_labels_come_as_arrays_and_series():
    days = np.array(["2024-01-01", "2024-01-02"], "datetime64[us]")
    corpus = Corpus.from_texts(["a", "b"], times=days, labels=pd.Series(["x", np.nan]))
    assert corpus.times.dtype == pl.Datetime("us")
    assert corpus.labels.to_list() == ["x", None]


def test_from_counts_keeps_what_is_not_zero():
    matrix = csr_array([[0, 2, 0], [0, 0, 0], [1, 0, 0.5]])
    corpus = Corpus.from_counts(matrix, ["a", "b", "c"])
    assert named(corpus) == [["b"], [], ["a", "c"]]
    assert corpus.counts.tolist() == [2.0, 1.0, 0.5]


def test_indexing_takes_documents_with_all_that_belongs_to_them():
    corpus = Corpus.from_texts(TEXTS, labels=list("abcde"), times=DAYS)
    for index in ([4, 0], np.array([4, 0]), np.array([4, 0], np.int32)):
        part = corpus[index]
        assert named(part) == [["sky", "blue", "sky"], ["red", "green", "blue"]]
        assert part.ids.tolist() == [4, 0]
        assert part.labels.to_list() == ["e", "a"]
        assert part.times.to_list() == [DAYS[4], DAYS[0]]
    assert named(corpus[2:]) == named(corpus)[2:]
    assert corpus[corpus.ids % 2 == 1].ids.tolist() == [1, 3]
    with pytest.raises(InputError, match="indexed by"):
        corpus[1]


def test_documents_are_split_at_random():
    corpus = Corpus.from_texts([f"word{i}" for i in range(20)])
    train, test = corpus.split(0.25, np.random.default_rng(0))
    assert (len(train), len(test)) == (15, 5)
    assert sorted([*train.ids, *test.ids]) == list(range(20))
    again, _ = corpus.split(0.25, np.random.default_rng(0))
    assert again.ids.tolist() == train.ids.tolist() != list(range(15))


def test_another_vocabulary_leaves_out_the_other_words():
    corpus = Corpus.from_texts(TEXTS).with_vocabulary(["tree", "x", "blue"])
    assert named(corpus) == [["blue"], [], ["tree"], [], ["blue"]]
    counts = Corpus.from_counts([[1, 2], [3, 0]], ["a", "b"]).with_vocabulary(["b"])
    assert named(counts) == [["b"], []]
    assert counts.counts.tolist() == [2.0]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Corpus.from_texts("one text"), "list of texts"),
        (lambda: Corpus.from_texts(["a", 5]), "text 1 is not a string but int: 5"),
        (lambda: Corpus.from_texts(["a"], labels=[1, 2]), "1 documents but 2 labels"),
        (lambda: Corpus.from_tokens([["a"]], times=[]), "1 documents but 0 times"),
        (lambda: Corpus.from_tokens([["a", None]]), "null"),
        (lambda: Corpus.from_tokens(["a text"]), "there is from_texts"),
        (lambda: Corpus.from_tokens([[1, 2]]), "lists of strings"),
        (lambda: Corpus.from_texts(["fine", "half \ud800"]), "text 1 is not Unicode"),
        (lambda: Corpus.from_texts(["a b"], vocabulary=["x", "b", "b"]), '"b" is 2 times'),
        (lambda: Corpus.from_counts([[1, 2]], ["a", "a"]), '"a" is 2 times'),
        (lambda: Corpus.from_counts([1, 2]), "matrix"),
        (lambda: Corpus.from_counts([["x"]]), "no matrix"),
        (lambda: Corpus.from_counts([[1, -1]]), "negative"),
        (lambda: Corpus.from_counts([[1, np.nan]]), "NaN"),
        (lambda: Corpus.from_counts([[1, 2]], ["a"]), "2 columns but 1 words"),
    ],
)
def test_what_cannot_be_used_is_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (["2024-05-31", None], [date(2024, 5, 31), None]),
        (
            ["2024-05-31T12:30", "2024-06-01T00:00"],
            [datetime(2024, 5, 31, 12, 30), datetime(2024, 6, 1)],
        ),
        ([None, None], [None, None]),
        (pd.to_datetime(["2024-05-31", None]), [datetime(2024, 5, 31), None]),
    ],
)
def test_times_are_dates_or_strings(times, expected):
    assert Corpus.from_texts(["a", "b"], times=times).times.to_list() == expected
    assert Corpus.from_texts(["a", "b"]).with_times(times).times.to_list() == expected


@pytest.mark.parametrize(
    "times", [[1, 2], ["soon", "late"], [date(2024, 1, 1), 3], [[1], [2]], [10**30, 1]]
)
def test_other_times_are_refused(times):
    with pytest.raises(InputError, match="times must be dates"):
        Corpus.from_texts(["a", "b"], times=times)


def test_labels_of_different_kinds_become_strings():
    assert Corpus.from_texts(["a", "b"], labels=[1, "x"]).labels.to_list() == ["1", "x"]
    assert Corpus.from_texts(["a", "b"], labels=[1, None]).labels.to_list() == [1, None]
    mixed = np.array([1, 2.5, None], object)
    assert Corpus.from_texts(["a"] * 3, labels=mixed).labels.null_count() == 1
