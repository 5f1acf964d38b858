"""The topics of documents: p(topic | document)."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel, prefetch_row, scratch
from bittern._core.threads import map_slices
from bittern.biterms.biterms import window_span
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError

WAYS = ("biterms", "words", "mix")
AHEAD = 8  # tokens, to ask for their rows before they are needed

Way = Literal["biterms", "words", "mix"]


def document_topics(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    corpus: Corpus,
    window: int | None = 15,
    by: Way = "biterms",
    n_threads: int = 1,
) -> NDArray[np.float32]:
    """The share of each topic in each document, (documents, K).

    `theta` (K,) are the shares of the topics and `phi` (K, W) their words, of any model; the corpus
    must be over the same words. By "biterms" it is the mean of p(topic | biterm) over the biterms
    of a document, and one without any goes by its words; by "words" the mean of p(topic | word). In
    a "mix" a document has one topic as a whole, p ∝ theta_k prod_w phi_k,w, which is mostly near 0
    or 1. A document without words gets theta.
    """
    if by not in WAYS:
        raise InputError(f'there is no way "{by}" to the topics: choose from {", ".join(WAYS)}')
    check_vocabulary(phi, corpus.vocabulary)
    words = np.ascontiguousarray(np.log(phi.T) if by == "mix" else phi.T, np.float32)
    counts = np.empty(0, np.float32) if corpus.counts is None else corpus.counts
    span = window_span(window if corpus.counts is None else None)
    shares = np.empty((len(corpus), len(theta)), np.float32)

    def work(part: slice) -> None:
        documents = corpus.indptr[part.start : part.stop + 1], corpus.tokens, counts
        if by == "mix":
            _as_a_whole(*documents, np.log(theta), words, shares[part])
            return
        missing = np.ones(part.stop - part.start, np.bool_)
        if by == "biterms":
            _mean_over_biterms(*documents, span, theta, words, shares[part], missing)
        _mean_over_words(*documents, theta, words, shares[part], missing)

    map_slices(work, len(corpus), n_threads)
    return shares


def check_vocabulary(phi: NDArray[Any], vocabulary: list[str]) -> None:
    """Refuse topics of other words than the data has: kernels trust them."""
    if phi.shape[1] != len(vocabulary):
        raise InputError(
            f"the topics have {phi.shape[1]:,} words and the data {len(vocabulary):,}: bring it to "
            "the words of the model with with_vocabulary"
        )


def document_table(corpus: Corpus, shares: NDArray[np.float32]) -> pl.DataFrame:
    """A row for each document: its topic and the runner-up, with their shares, and its text."""
    rows, topic = np.arange(len(shares)), shares.argmax(axis=1)
    others = shares.copy()
    if shares.shape[1] > 1:
        others[rows, topic] = -1
    second = others.argmax(axis=1)
    return texts_table(corpus).select(
        pl.col("id"),
        pl.Series("topic", topic),
        pl.Series("probability", shares[rows, topic]),
        pl.Series("runner_up", second),
        pl.Series("runner_up_probability", shares[rows, second]),
        pl.exclude("id"),
    )


def share_columns(shares: NDArray[np.float32]) -> pl.DataFrame:
    """A column for each topic."""
    return pl.DataFrame(shares, [f"topic_{k}" for k in range(shares.shape[1])])


def texts_table(corpus: Corpus) -> pl.DataFrame:
    """The ids of documents, and their texts where the corpus has kept them."""
    ids = pl.DataFrame({"id": corpus.ids})
    return ids if corpus.texts is None else ids.with_columns(corpus.texts.alias("text"))


def texts_of(corpus: Corpus) -> list[str]:
    """The texts of documents, or their words where the corpus has not kept them."""
    if corpus.texts is None:
        return [" ".join(words) for words in words_of(corpus)]
    return corpus.texts.fill_null("").to_list()


def words_of(corpus: Corpus) -> list[list[str]]:
    """The words of each document; where they are counted, each once."""
    words = [corpus.vocabulary[token] for token in corpus.tokens.tolist()]
    return [words[start:end] for start, end in pairwise(corpus.indptr.tolist())]


@kernel
def _mean_over_biterms(
    indptr: Any,
    tokens: Any,
    counts: Any,
    window: int,
    theta: Any,
    words: Any,
    shares: Any,
    missing: Any,
) -> None:
    """shares_d = mean over biterms (v, w) of theta words_v words_w, normalised; says what has none.

    Changes shares and missing, of documents that have a biterm.
    """
    n_topics = len(theta)
    q, prior, share = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    prior[:] = theta
    for d in range(len(indptr) - 1):
        share[:] = 0
        start, end = indptr[d], indptr[d + 1]
        total = 0.0
        for i in range(start, end):
            if i + AHEAD < len(tokens):
                prefetch_row(words, tokens[i + AHEAD])
            row_v = words[tokens[i]]
            for j in range(i + 1, min(end, i + window)):
                if tokens[i] != tokens[j]:
                    row_w = words[tokens[j]]
                    sum_q = np.float32(0)
                    for k in range(n_topics):
                        q[k] = prior[k] * row_v[k] * row_w[k]
                        sum_q += q[k]
                    weight = counts[i] * counts[j] if len(counts) else np.float32(1)
                    total += float(weight)
                    weight /= sum_q
                    for k in range(n_topics):
                        share[k] += weight * q[k]
        if total > 0:
            missing[d] = False
            _write_normalised(share, shares, d)


@kernel
def _mean_over_words(
    indptr: Any, tokens: Any, counts: Any, theta: Any, words: Any, shares: Any, wanted: Any
) -> None:
    """shares_d = mean over words w of theta words_w, normalised; of the documents that are wanted.

    Changes shares.
    """
    n_topics = len(theta)
    prior, share = scratch(n_topics), scratch(n_topics)
    prior[:] = theta
    for d in range(len(indptr) - 1):
        if not wanted[d]:
            continue
        share[:] = 0
        for i in range(indptr[d], indptr[d + 1]):
            row = words[tokens[i]]
            total = np.float32(0)
            for k in range(n_topics):
                total += prior[k] * row[k]
            weight = (counts[i] if len(counts) else np.float32(1)) / total
            for k in range(n_topics):
                share[k] += weight * prior[k] * row[k]
        if indptr[d] == indptr[d + 1]:
            share[:] = prior
        _write_normalised(share, shares, d)


@kernel
def _as_a_whole(
    indptr: Any, tokens: Any, counts: Any, log_theta: Any, log_words: Any, shares: Any
) -> None:
    """shares_d ∝ theta prod_w words_w, by sums of logarithms; changes shares."""
    n_topics = len(log_theta)
    logs, share = np.empty(n_topics), scratch(n_topics)
    for d in range(len(indptr) - 1):
        logs[:] = log_theta
        for i in range(indptr[d], indptr[d + 1]):
            row = log_words[tokens[i]]
            count = counts[i] if len(counts) else np.float32(1)
            for k in range(n_topics):
                logs[k] += count * row[k]
        share[:] = np.exp(logs - logs.max())
        _write_normalised(share, shares, d)


@kernel
def _write_normalised(share: Any, shares: Any, d: int) -> None:
    total = np.float32(0)
    for k in range(len(share)):
        total += share[k]
    for k in range(len(share)):
        shares[d, k] = share[k] / total
