"""The topics of documents: p(topic | document)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._compile import kernel, scratch
from bittern.biterms import span_of
from bittern.corpus import Corpus
from bittern.parallel import in_threads


def document_topics(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    corpus: Corpus,
    window: int | None = 15,
    n_threads: int = 1,
) -> NDArray[np.float32]:
    """The share of each topic in each document, (documents, K).

    It is the mean of p(topic | biterm) over the document's biterms. A document without a biterm
    gets the mean of p(topic | word) over its words, one without words gets theta.
    """
    words = np.ascontiguousarray(phi.T, np.float32)
    counts = np.empty(0, np.float32) if corpus.counts is None else corpus.counts
    span = span_of(window if corpus.counts is None else None)
    shares = np.empty((len(corpus), len(theta)), np.float32)
    in_threads(
        lambda part: _mean_over_biterms(
            corpus.indptr[part.start : part.stop + 1],
            corpus.tokens,
            counts,
            span,
            theta,
            words,
            shares[part],
        ),
        len(corpus),
        n_threads,
    )
    return shares


@kernel
def _mean_over_biterms(
    indptr: Any, tokens: Any, counts: Any, window: int, theta: Any, words: Any, shares: Any
) -> None:
    """shares_d = mean over biterms (v, w) of theta words_v words_w, normalised."""
    n_topics = len(theta)
    q, prior = scratch(n_topics), scratch(n_topics)
    prior[:] = theta
    for d in range(len(indptr) - 1):
        share = shares[d]
        share[:] = 0
        start, end = indptr[d], indptr[d + 1]
        total = 0.0
        for i in range(start, end):
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
        if total == 0:
            for i in range(start, end):
                row = words[tokens[i]]
                sum_q = np.float32(0)
                for k in range(n_topics):
                    sum_q += prior[k] * row[k]
                weight = counts[i] if len(counts) else np.float32(1)
                total += float(weight)
                weight /= sum_q
                for k in range(n_topics):
                    share[k] += weight * prior[k] * row[k]
        if total == 0:
            share[:] = prior
            continue
        total = 0.0
        for k in range(n_topics):
            total += share[k]
        for k in range(n_topics):
            share[k] /= total
