"""Measures of a trained state: leave-one-out likelihood, errors and size."""

from typing import Any

import numpy as np

from bittern._core.numba import kernel, scratch
from bittern.algorithms import Prior, TopicCounts
from bittern.algorithms.sdm import SDMState
from bittern.biterms import Biterms


def leave_one_out(counts: TopicCounts, biterms: Biterms, prior: Prior) -> float:
    """Return the mean of log p(biterm | all others) over biterms that were trained on.

    The paper's section 3.2: the sum over topics of a biterm's weights, divided by N - 1 + K gamma,
    after its own expected counts have been subtracted.
    """
    total = _leave_one_out(
        biterms.first, biterms.second, counts.biterms, counts.words, prior.topic, prior.word
    )
    n = max(float(counts.biterms.sum()), 1.0)
    return float(total / len(biterms) - np.log(n - 1 + len(counts.biterms) * prior.topic))


def count_error(counts: TopicCounts, biterms: Biterms) -> float:
    """Return the relative error of the word counts, summed over topics."""
    expected = biterms.counts()
    found = counts.words.sum(axis=1, dtype=np.float64)
    return float(np.abs(found - expected).sum() / expected.sum())


def residual(state: SDMState, biterms: Biterms, prior: Prior) -> float:
    """Return SDM's relative distance from the fixed point of the paper's appendix.

    It is || b - beta - (sum of q over the biterms of each word) ||, relative to the norm of the
    sum: 0 at a stationary point of the divergence.
    """
    expected = np.zeros(state.rows.shape, np.float32)
    _add_expected(
        biterms.first, biterms.second, state.rows, state.mass, state.totals, *prior[:2], expected
    )
    squares, distance = _distance(state.rows, state.mass, expected)
    return float(np.sqrt(distance / squares))


def n_bytes(state: object) -> int:
    """Return the size of the arrays of a state."""
    if isinstance(state, tuple):
        return sum(n_bytes(value) for value in state)
    return int(getattr(state, "nbytes", 0))


@kernel
def _leave_one_out(
    first: Any, second: Any, biterms: Any, words: Any, topic_prior: float, word_prior: float
) -> float:
    """Sum over biterms of log sum_k weight_k, from counts without the biterm's own share q_k.

    weight_k = (n_k + gamma) (n_v|k + beta) (n_w|k + beta) / ((2 n_k + W beta) (2 n_k + W beta + 1))
    """
    all_words_prior = words.shape[0] * word_prior
    q = scratch(len(biterms))
    log_likelihood = 0.0
    for i in range(len(first)):
        row_v, row_w = words[first[i]], words[second[i]]
        total = 0.0
        for k in range(len(q)):
            c = 2 * biterms[k] + all_words_prior
            a = (biterms[k] + topic_prior) / (c * (c + 1))
            q[k] = a * (row_v[k] + word_prior) * (row_w[k] + word_prior)
            total += q[k]
        weight = 0.0
        for k in range(len(q)):
            share = q[k] / total
            n_k = max(biterms[k] - share, 0.0)
            c = 2 * n_k + all_words_prior
            b = (max(row_v[k] - share, 0.0) + word_prior) * (
                max(row_w[k] - share, 0.0) + word_prior
            )
            weight += (n_k + topic_prior) * b / (c * (c + 1))
        log_likelihood += np.log(weight)
    return log_likelihood


@kernel
def _add_expected(
    first: Any,
    second: Any,
    rows: Any,
    mass: Any,
    totals: Any,
    topic_prior: float,
    word_prior: float,
    expected: Any,
) -> None:
    """Add to `expected`, for each word, SDM's current topic shares of its biterms."""
    n_words, n_topics = rows.shape
    beta = np.float32(word_prior)
    c = totals + n_words * word_prior
    q, factor = scratch(n_topics), scratch(n_topics)
    factor[:] = (totals / 2 + topic_prior) / (c * (c + 1))
    for i in range(len(first)):
        v, w = first[i], second[i]
        row_v, row_w = rows[v], rows[w]
        total = np.float32(0)
        for k in range(n_topics):
            q[k] = factor[k] * (mass[v] * row_v[k] + beta) * (mass[w] * row_w[k] + beta)
            total += q[k]
        sum_v, sum_w = expected[v], expected[w]
        for k in range(n_topics):
            sum_v[k] += q[k] / total
            sum_w[k] += q[k] / total


@kernel
def _distance(rows: Any, mass: Any, expected: Any) -> Any:
    """The squared norms of `expected` and of mass_w rows_w,k minus it."""
    squares, distance = 0.0, 0.0
    for w in range(len(rows)):
        for k in range(rows.shape[1]):
            squares += float(expected[w, k]) ** 2
            distance += float(mass[w] * rows[w, k] - expected[w, k]) ** 2
    return squares, distance
