"""Drawn corpora of any size, with the shape of tweets: for benchmarks, and for trying things out.

By default they have the figures of the Tweets2011 collection as the paper used it: 3.5 million
documents of 6.94 words, 95 million biterms, and a vocabulary in which the frequency of a word falls
with its rank (Zipf's law).
"""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer
from bittern.corpus.corpus import Corpus
from bittern.text.preprocessing import stop_word_list

MEAN_LENGTH, SHAPE = 6.94, 2.5  # words in a document: 2 and a negative binomial of that shape
OF_ITS_TOPIC = 0.8  # of the words of a document; the others are of no topic
SHARPNESS = 0.1  # of topics: the smaller, the fewer words each of them has
BATCH = 200_000  # documents that are drawn together


class Batch(NamedTuple):
    """Some documents: how many words each has, the words, and each document's topic."""

    lengths: NDArray[np.int64]
    tokens: NDArray[np.int32]
    topics: NDArray[np.int64]


def draw_corpus(
    n_documents: int = 3_500_000, n_topics: int = 100, n_words: int = 100_000, seed: int = 0
) -> Corpus:
    """A drawn corpus; `labels` are the topics that the documents were drawn from."""
    batches = list(draw(n_documents, n_topics, n_words, seed))
    lengths, tokens, topics = (np.concatenate(part) for part in zip(*batches, strict=True))
    return Corpus.from_indices(word_names(n_words), lengths, tokens, labels=topics)


def draw_texts(
    n_documents: int = 3_500_000, n_topics: int = 100, n_words: int = 100_000, seed: int = 0
) -> Iterator[str]:
    """The documents of the same corpus as texts, one after the other."""
    names = word_names(n_words)
    for batch in draw(n_documents, n_topics, n_words, seed):
        words = iter([names[token] for token in batch.tokens.tolist()])
        for length in batch.lengths.tolist():
            yield " ".join(islice(words, length))


def draw(n_documents: int, n_topics: int, n_words: int, seed: int) -> Iterator[Batch]:
    """Draw documents in batches: memory does not grow with their number."""
    check_integer("the number of documents", n_documents, 1)
    check_integer("n_topics", n_topics, 1)
    check_integer("n_words", n_words, 2)
    rng = np.random.default_rng(seed)
    zipf = 1 / (np.arange(n_words) + 2.7)
    sums = np.cumsum(
        np.vstack([zipf * rng.gamma(SHARPNESS, size=(n_topics, n_words)), zipf]), axis=1
    )
    sums /= sums[:, -1:]
    shares = rng.dirichlet(np.full(n_topics, 5.0))
    for start in range(0, n_documents, BATCH):
        yield _draw_batch(min(BATCH, n_documents - start), sums, shares, rng)


def _draw_batch(
    n: int, sums: NDArray[Any], shares: NDArray[Any], rng: np.random.Generator
) -> Batch:
    """`sums` are running sums of word probabilities, a row per topic; the last is of no topic."""
    lengths = 2 + rng.negative_binomial(SHAPE, SHAPE / (SHAPE + MEAN_LENGTH - 2), size=n)
    topics = rng.choice(len(shares), size=n, p=shares)
    row = np.repeat(topics, lengths)
    row[rng.random(len(row)) > OF_ITS_TOPIC] = len(sums) - 1
    order = np.argsort(row.astype(np.uint16), kind="stable")
    ends = np.cumsum(np.bincount(row, minlength=len(sums)))
    tokens = np.empty(len(row), np.int32)
    for topic, places in enumerate(np.split(order, ends[:-1])):
        tokens[places] = np.searchsorted(sums[topic], rng.random(len(places)))
    return Batch(lengths, tokens, topics)


def word_names(n: int) -> list[str]:
    """So many different words that can be spoken, none of them an English stop word."""
    syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    stop_words = set(stop_word_list("english"))
    words = ("".join(parts) for k in range(2, 9) for parts in product(syllables, repeat=k))
    return list(islice((word for word in words if word not in stop_words), n))
