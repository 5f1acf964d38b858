"""How good a model is."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, prefetch_row
from bittern._core.threads import map_slices
from bittern.algorithms._gibbs_kernels import PREFETCH_DISTANCE
from bittern.analysis.documents import check_vocabulary, document_topics
from bittern.biterms.biterms import Biterms
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError


def log_likelihood(
    theta: NDArray[np.float64], phi: NDArray[np.float32], biterms: Biterms, n_threads: int = 1
) -> float:
    """The mean log-probability of a biterm: log sum_k theta_k phi_k,v phi_k,w.

    `phi` is (K, W), a topic a row. Higher is better; on biterms that were not learned it is the
    paper's measure of quality.
    """
    check_vocabulary(phi, biterms.vocabulary)
    words = np.ascontiguousarray(phi.T, np.float32)
    weight = np.empty(0, np.float32) if biterms.weight is None else biterms.weight
    total = sum(
        map_slices(
            lambda part: _log_likelihood(
                biterms.first[part], biterms.second[part], weight[part], theta, words
            ),
            len(biterms),
            n_threads,
        )
    )
    return float(total / biterms.total)


def document_log_likelihood(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    corpus: Corpus,
    window: int | None = 15,
    n_threads: int = 1,
) -> float:
    """The mean log-probability of a word, given half of the other words of its document.

    The topics of each document are found from its first, third, fifth ... word, and the second,
    fourth ... are predicted: log sum_k p(k | document) phi_k,w, averaged over all of them. The
    corpus must be in the words of phi: words that the model does not know are neither given nor
    predicted, and documents of one known word say nothing.
    """
    lengths = np.diff(corpus.indptr)
    place = np.arange(len(corpus.tokens)) - np.repeat(corpus.indptr[:-1], lengths)
    given = place % 2 == 0
    if given.all():
        raise InputError("no document has two words that the model knows")
    shares = document_topics(theta, phi, _only(corpus, given), window, n_threads=n_threads)
    rest = _only(corpus, ~given)
    words = np.ascontiguousarray(phi.T, np.float32)
    weight = np.empty(0, np.float32) if rest.counts is None else rest.counts
    totals = map_slices(
        lambda part: _log_predictive(
            rest.indptr[part.start : part.stop + 1], rest.tokens, weight, shares[part], words
        ),
        len(rest),
        n_threads,
    )
    return float(sum(totals) / (len(rest.tokens) if rest.counts is None else rest.counts.sum()))


def _only(corpus: Corpus, wanted: NDArray[np.bool_]) -> Corpus:
    """The same documents with some of their tokens."""
    ends = np.concatenate([[0], np.cumsum(wanted)])
    return replace(
        corpus,
        indptr=ends[corpus.indptr],
        tokens=corpus.tokens[wanted],
        counts=None if corpus.counts is None else corpus.counts[wanted],
    )


@kernel
def _log_predictive(indptr: Any, tokens: Any, weight: Any, shares: Any, words: Any) -> float:
    """Sum over the tokens of all documents of weight log sum_k shares_d,k words_w,k."""
    total = 0.0
    for d in range(len(indptr) - 1):
        share = shares[d]
        for i in range(indptr[d], indptr[d + 1]):
            row = words[tokens[i]]
            p = np.float32(0)
            for k in range(len(share)):
                p += share[k] * row[k]
            total += np.log(np.float64(p)) * (weight[i] if len(weight) else np.float32(1))
    return total


@kernel
def _log_likelihood(first: Any, second: Any, weight: Any, theta: Any, words: Any) -> float:
    """Sum over biterms of weight log sum_k theta_k words_v,k words_w,k."""
    shares = theta.astype(np.float32)
    total = 0.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(words, first[i + PREFETCH_DISTANCE])
            prefetch_row(words, second[i + PREFETCH_DISTANCE])
        row_v, row_w = words[first[i]], words[second[i]]
        p = np.float32(0)
        for k in range(len(shares)):
            p += shares[k] * row_v[k] * row_w[k]
        total += np.log(np.float64(p)) * (weight[i] if len(weight) else np.float32(1))
    return total
