"""What is measured of a state: the likelihood of held-out and of learned biterms, and its size."""

from typing import Any

import numpy as np

from bittern._core.numba import kernel, scratch
from bittern.algorithms import Prior, TopicCounts
from bittern.algorithms.sdm import SDMState
from bittern.biterms.biterms import Biterms


def leave_one_out(topics: TopicCounts, biterms: Biterms, prior: Prior) -> float:
    """The mean of log p(biterm | all the others), of biterms that have been learned.

    The paper's section 3.2: sum_k of the weights of a biterm's topics, over N - 1 + K gamma, with
    the biterm's own expected counts taken out first.
    """
    total = _leave_one_out(
        biterms.first, biterms.second, topics.biterms, topics.words, prior.topic, prior.word
    )
    n = max(float(topics.biterms.sum()), 1.0)
    return float(total / len(biterms) - np.log(n - 1 + len(topics.biterms) * prior.topic))


def count_error(topics: TopicCounts, biterms: Biterms) -> float:
    """How far the counts of the words are from those of the biterms, relative: sum over topics."""
    counts = biterms.counts()
    found = topics.words.sum(axis=1, dtype=np.float64)
    return float(np.abs(found - counts).sum() / counts.sum())


def residual(state: SDMState, biterms: Biterms, prior: Prior) -> float:
    """How far SDM is from the fixed point of the paper's appendix.

    It is || b - beta - (the sum of q over the biterms of a word) ||, relative to the norm of the
    sum: 0 at a stationary point of the divergence.
    """
    expected = np.zeros(state.rows.shape, np.float32)
    _expect(biterms.first, biterms.second, state.rows, state.mass, state.totals, *prior, expected)
    squares, distance = _distance(state.rows, state.mass, expected)
    return float(np.sqrt(distance / squares))


def n_bytes(state: Any) -> int:
    """What the arrays of a state take."""
    if isinstance(state, tuple):
        return sum(n_bytes(value) for value in state)
    return int(getattr(state, "nbytes", 0))


@kernel
def _leave_one_out(
    first: Any, second: Any, biterms: Any, words: Any, topic_prior: float, word_prior: float
) -> float:
    """Sum over biterms of the log of sum_k weight_k, counts less the share q_k of the biterm.

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
def _expect(
    first: Any,
    second: Any,
    rows: Any,
    mass: Any,
    totals: Any,
    topic_prior: float,
    word_prior: float,
    expected: Any,
) -> None:
    """Add to `expected`, for each word, the shares of its biterms as SDM sees them now."""
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
