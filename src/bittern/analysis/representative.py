"""Representative documents: those that show best what a topic is about."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.analysis.arrays import Floats, Integers
from bittern.analysis.documents import texts_table
from bittern.corpus import Corpus
from bittern.errors import InputError

HALF_WEIGHT_LENGTH = 5.0  # distinct words of a document that counts with half of its share


def representative_documents(shares: Floats, lengths: Integers, n: int) -> NDArray[np.int64]:
    """Return the indices of the n most representative documents of each topic, the best first.

    Documents are ranked by share * length / (length + 5): of two documents that are entirely
    about a topic, the longer one is more representative.

    Parameters
    ----------
    shares : ndarray of shape (n_documents, n_topics)
        The share of each topic in each document.
    lengths : ndarray of shape (n_documents,)
        The number of distinct words of each document.
    n : int
        Number of documents per topic.

    Returns
    -------
    ndarray of shape (n_topics, n)
        Indices of documents; fewer columns if there are fewer documents.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.representative import representative_documents
    >>> shares = np.array([[1.0, 0.0], [1.0, 0.0], [0.2, 0.8]])
    >>> representative_documents(shares, np.array([2, 8, 4]), n=1)
    array([[1],
           [2]])
    """
    n = min(n, len(shares))
    if n == 0:
        return np.empty((shares.shape[1], 0), np.int64)
    weight = length_weight(lengths)
    best = np.empty((shares.shape[1], n), np.int64)
    for k in range(shares.shape[1]):
        values = shares[:, k] * weight
        threshold = np.partition(values, len(values) - n)[len(values) - n]
        candidates = np.flatnonzero(values >= threshold)  # ties: the first, also in chunks
        best[k] = candidates[np.argsort(-values[candidates], kind="stable")[:n]]
    return best


def length_weight(lengths: Integers) -> NDArray[np.float64]:
    """Return the weight of documents with this many distinct words, which approaches 1."""
    return np.asarray(lengths / (lengths + HALF_WEIGHT_LENGTH))


def representative_table(corpus: Corpus, shares: Floats, n: int) -> pl.DataFrame:
    """Return a table of the n most representative documents of each topic.

    Of documents with the same text, only the first is used.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    shares : ndarray of shape (n_documents, n_topics)
        The share of each topic in each document.
    n : int
        Number of documents per topic.

    Returns
    -------
    polars.DataFrame
        Columns topic, rank, id and probability; also text, if the corpus has kept its texts.

    Raises
    ------
    InputError
        If no document has a known word.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern import Corpus
    >>> from bittern.analysis.representative import representative_table
    >>> corpus = Corpus.from_tokens([["cat", "purr"], ["dog", "bark"]])
    >>> shares = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> representative_table(corpus, shares, n=1).rows()
    [(0, 0, 0, 1.0), (1, 0, 1, 1.0)]
    """
    distinct = distinct_documents(corpus)
    if len(distinct) == 0:
        raise InputError("no documents with known words; use texts like those the model was fit on")
    lengths = count_distinct_words(corpus)[distinct]
    best = distinct[representative_documents(shares[distinct], lengths, n)]
    topics = np.repeat(np.arange(len(best)), best.shape[1])
    return texts_table(corpus[best.ravel()]).select(
        pl.Series("topic", topics),
        pl.Series("rank", np.tile(np.arange(best.shape[1]), len(best))),
        pl.col("id"),
        pl.Series("probability", shares[best.ravel(), topics]),
        pl.exclude("id"),
    )


def distinct_documents(corpus: Corpus) -> NDArray[np.int64]:
    """Return the indices of documents with words, without repeated texts where texts are kept."""
    usable = np.diff(corpus.indptr) > 0
    if corpus.texts is not None:
        usable &= corpus.texts.is_first_distinct().to_numpy()
    return np.flatnonzero(usable)


def count_distinct_words(corpus: Corpus) -> NDArray[np.int64]:
    """Count the distinct words of each document."""
    return np.asarray(_count_distinct(corpus.indptr, corpus.tokens, len(corpus.vocabulary)))


@kernel
def _count_distinct(indptr: Any, tokens: Any, n_words: int) -> Any:
    """Count the distinct tokens of each document."""
    last_seen = np.full(n_words, -1)
    distinct = np.zeros(len(indptr) - 1, np.int64)
    for d in range(len(distinct)):
        for i in range(indptr[d], indptr[d + 1]):
            distinct[d] += last_seen[tokens[i]] != d
            last_seen[tokens[i]] = d
    return distinct
