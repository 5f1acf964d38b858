"""Synthetic corpora of any size with tweet-like statistics, for benchmarks and experiments.

The defaults match the Tweets2011 collection as the paper used it: 3.5 million documents with a mean
length of 6.94 words, 95 million biterms, and word frequencies that follow Zipf's law.
"""

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer
from bittern.corpus.corpus import Corpus
from bittern.text.stop_words import stop_word_list

MEAN_LENGTH = 6.94  # words per document
LENGTH_SHAPE = 2.5  # of the negative binomial distribution of lengths above 2
ON_TOPIC_FRACTION = 0.8  # of the words of a document; the others belong to no topic
TOPIC_CONCENTRATION = 0.1  # the smaller, the fewer words a topic has
ZIPF_OFFSET = 2.7  # of the Zipf-Mandelbrot law of word frequencies
BATCH_SIZE = 200_000  # documents that are sampled together


class Batch(NamedTuple):
    """Some synthetic documents."""

    lengths: NDArray[np.int64]  # number of words in each document
    tokens: NDArray[np.int32]  # the words, as indices into the vocabulary
    topics: NDArray[np.int64]  # topic of each document


def synthetic_corpus(
    n_documents: int = 3_500_000, n_topics: int = 100, n_words: int = 100_000, seed: int = 0
) -> Corpus:
    """Generate a synthetic corpus with known topics.

    Parameters
    ----------
    n_documents : int
        Number of documents.
    n_topics : int
        Number of topics.
    n_words : int
        Size of the vocabulary.
    seed : int
        Seed of the random numbers; the same seed gives the same corpus.

    Returns
    -------
    Corpus
        The documents; their topics are the `labels`.

    Examples
    --------
    >>> from bittern.corpus import synthetic_corpus
    >>> corpus = synthetic_corpus(n_documents=1000, n_topics=5, n_words=200)
    >>> corpus.shape
    (1000, 200)
    """
    batches = list(sample_batches(n_documents, n_topics, n_words, seed))
    lengths, tokens, topics = (np.concatenate(part) for part in zip(*batches, strict=True))
    return Corpus.from_indices(synthetic_words(n_words), lengths, tokens, labels=topics)


def synthetic_texts(
    n_documents: int = 3_500_000, n_topics: int = 100, n_words: int = 100_000, seed: int = 0
) -> Iterator[str]:
    """Generate the documents of `synthetic_corpus` as texts, in constant memory.

    Parameters
    ----------
    n_documents, n_topics, n_words, seed : int
        As for `synthetic_corpus`.

    Yields
    ------
    str
        The next text.

    Examples
    --------
    >>> from bittern.corpus import synthetic_texts
    >>> len(list(synthetic_texts(n_documents=10, n_topics=2, n_words=50)))
    10
    """
    words = synthetic_words(n_words)
    for batch in sample_batches(n_documents, n_topics, n_words, seed):
        tokens = iter([words[token] for token in batch.tokens.tolist()])
        for length in batch.lengths.tolist():
            yield " ".join(islice(tokens, length))


def sample_batches(n_documents: int, n_topics: int, n_words: int, seed: int) -> Iterator[Batch]:
    """Sample documents in batches, in constant memory."""
    check_integer("n_documents", n_documents, 1)
    check_integer("n_topics", n_topics, 1)
    check_integer("n_words", n_words, 2)
    rng = np.random.default_rng(seed)
    zipf = 1 / (np.arange(n_words) + ZIPF_OFFSET)
    topics = zipf * rng.gamma(TOPIC_CONCENTRATION, size=(n_topics, n_words))
    cumulative = np.cumsum(np.vstack([topics, zipf]), axis=1)
    cumulative /= cumulative[:, -1:]
    theta = rng.dirichlet(np.full(n_topics, 5.0))
    for start in range(0, n_documents, BATCH_SIZE):
        yield _sample_batch(min(BATCH_SIZE, n_documents - start), cumulative, theta, rng)


def _sample_batch(
    n: int, cumulative: NDArray[np.float64], theta: NDArray[np.float64], rng: np.random.Generator
) -> Batch:
    """Sample n documents; row k of `cumulative` sums up phi_k, the last row is of no topic."""
    p = LENGTH_SHAPE / (LENGTH_SHAPE + MEAN_LENGTH - 2)
    lengths = 2 + rng.negative_binomial(LENGTH_SHAPE, p, size=n)
    topics = rng.choice(len(theta), size=n, p=theta)
    rows = np.repeat(topics, lengths)
    rows[rng.random(len(rows)) > ON_TOPIC_FRACTION] = len(cumulative) - 1
    order = np.argsort(rows.astype(np.min_scalar_type(len(cumulative))), kind="stable")
    ends = np.cumsum(np.bincount(rows, minlength=len(cumulative)))
    tokens = np.empty(len(rows), np.int32)
    for row, positions in enumerate(np.split(order, ends[:-1])):
        tokens[positions] = np.searchsorted(cumulative[row], rng.random(len(positions)))
    return Batch(lengths, tokens, topics)


def synthetic_words(n: int) -> list[str]:
    """Return n distinct pronounceable words, none of them an English stop word."""
    syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    stop_words = set(stop_word_list("english"))
    words = ("".join(parts) for k in range(2, 9) for parts in product(syllables, repeat=k))
    return list(islice((word for word in words if word not in stop_words), n))
