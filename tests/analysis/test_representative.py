"""Representative documents."""

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus
from bittern.analysis.representative import count_distinct_words, representative_documents
from bittern.errors import InputError
from known import blocks

TEXTS, TOPICS = blocks()


@pytest.fixture(scope="module")
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def test_representative_documents_belong_to_their_topic(fitted):
    best = fitted.representative(TEXTS, 3)
    assert best.shape == (12, 5)
    assert best["rank"].to_list() == [0, 1, 2] * 4
    shares = fitted.transform(TEXTS)
    np.testing.assert_array_equal(best["probability"], shares[best["id"], best["topic"]])
    assert (best["probability"] > 0.9).all()
    labels = best.with_columns(label=pl.Series(TOPICS).gather(best["id"]))
    assert labels.select("topic", "label").n_unique() == 4
    with pytest.raises(InputError, match="no documents"):
        fitted.representative([], 3)


def test_of_two_certain_documents_the_longer_is_representative():
    shares = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.4]])
    best = representative_documents(shares, np.array([2, 8, 50]), 2)
    assert best.tolist() == [[1, 2], [2, 0]]
    assert representative_documents(shares, np.array([2, 8, 50]), 10).shape == (2, 3)


def test_distinct_words_are_counted():
    corpus = Corpus.from_tokens([["a", "b", "a"], [], ["c"], ["a", "a"]])
    assert count_distinct_words(corpus).tolist() == [2, 0, 1, 1]
