"""Evidence: which documents stand for a topic, and which biterms put a document there."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.analysis.documents import texts_table
from bittern.biterms.biterms import extract_biterms, window_span
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError

WORDS_FOR_TRUST = 5.0  # a document of so many words counts half for what it seems to be


def representative(shares: NDArray[Any], lengths: NDArray[Any], n: int) -> NDArray[np.int64]:
    """The n documents that stand best for each topic, (K, n), the best first.

    `shares` (documents, K) are the topics of the documents, `lengths` how many different words they
    have: of two that are wholly of a topic the longer one says more. share * length / (length + 5)
    counts.
    """
    n = min(n, len(shares))
    if n == 0:
        return np.empty((shares.shape[1], 0), np.int64)
    weight = trust(lengths)
    best = np.empty((shares.shape[1], n), np.int64)
    for k in range(shares.shape[1]):
        values = shares[:, k] * weight
        least = np.partition(values, len(values) - n)[len(values) - n]
        some = np.flatnonzero(values >= least)  # of equals the first: chunks find the same
        best[k] = some[np.argsort(-values[some], kind="stable")[:n]]
    return best


def trust(lengths: NDArray[Any]) -> NDArray[np.float64]:
    """How far to trust what documents of so many words seem to be: nearer to 1 with each word."""
    return np.asarray(lengths / (lengths + WORDS_FOR_TRUST))


def representative_table(corpus: Corpus, shares: NDArray[Any], n: int) -> pl.DataFrame:
    """The representative documents of each topic, with their texts where the corpus has them.

    Of documents with the same text only the first is there.
    """
    some = distinct_documents(corpus)
    if len(some) == 0:
        raise InputError("there are no documents with known words to choose from")
    best = some[representative(shares[some], count_distinct_words(corpus)[some], n)]
    topics = np.repeat(np.arange(len(best)), best.shape[1])
    return texts_table(corpus[best.ravel()]).select(
        pl.Series("topic", topics),
        pl.Series("rank", np.tile(np.arange(best.shape[1]), len(best))),
        pl.col("id"),
        pl.Series("probability", shares[best.ravel(), topics]),
        pl.exclude("id"),
    )


def distinct_documents(corpus: Corpus) -> NDArray[np.int64]:
    """The documents that have words; of those with the same text, where it was kept, the first."""
    good = np.diff(corpus.indptr) > 0
    if corpus.texts is not None:
        good &= corpus.texts.is_first_distinct().to_numpy()
    return np.flatnonzero(good)


def count_distinct_words(corpus: Corpus) -> NDArray[np.int64]:
    """How many different words each document has."""
    return np.asarray(_count_different(corpus.indptr, corpus.tokens, len(corpus.vocabulary)))


@kernel
def _count_different(indptr: Any, tokens: Any, n_words: int) -> Any:
    """The number of different tokens of each document."""
    last_seen = np.full(n_words, -1)
    different = np.zeros(len(indptr) - 1, np.int64)
    for d in range(len(different)):
        for i in range(indptr[d], indptr[d + 1]):
            different[d] += last_seen[tokens[i]] != d
            last_seen[tokens[i]] = d
    return different


def explain(
    theta: NDArray[Any], phi: NDArray[Any], document: Corpus, topic: int, window: int | None = 15
) -> pl.DataFrame:
    """The biterms of a document that speak for a topic, the strongest first.

    `probability` is p(topic | biterm). p(topic | document) is the mean of these, and `share` is the
    part of it that a biterm has: the shares sum to 1. Equal biterms are added up.
    """
    found = extract_biterms(document, window).merged()
    joint = theta[:, np.newaxis] * phi[:, found.first] * phi[:, found.second]
    probability = joint[topic] / joint.sum(axis=0)
    part = probability * found.weight
    names = np.array(document.vocabulary, object)
    table = pl.DataFrame(
        {
            "first": pl.Series(names[found.first], dtype=pl.String),
            "second": pl.Series(names[found.second], dtype=pl.String),
            "topic": np.full(len(part), topic),
            "probability": probability,
            "share": part / part.sum(),
        }
    )
    return table.sort("share", descending=True, maintain_order=True)


def documents_with(
    corpus: Corpus, first: str, second: str, window: int | None = 15
) -> NDArray[np.int64]:
    """The documents that have a biterm: their places in the corpus."""
    place = {word: i for i, word in enumerate(corpus.vocabulary)}
    for word in (first, second):
        if word not in place:
            raise InputError(f'the word "{word}" is not in the vocabulary')
    if first == second:
        raise InputError("a biterm has two different words")
    span = window_span(window if corpus.counts is None else None)
    has = _has_biterm(corpus.indptr, corpus.tokens, span, place[first], place[second])
    return np.flatnonzero(has)


@kernel
def _has_biterm(indptr: Any, tokens: Any, window: int, v: int, w: int) -> Any:
    """Whether each document has v and w less than `window` apart."""
    has = np.zeros(len(indptr) - 1, np.bool_)
    for d in range(len(has)):
        last_v, last_w = -window, -window
        for i in range(indptr[d], indptr[d + 1]):
            at = i - indptr[d]
            if tokens[i] == v:
                has[d] |= at - last_w < window
                last_v = at
            if tokens[i] == w:
                has[d] |= at - last_v < window
                last_w = at
    return has
