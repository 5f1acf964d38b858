"""Gibbs draws that look at every topic."""

from typing import Any

import numpy as np

from bittern._core.numba import (
    PREFETCH_DISTANCE,
    kernel,
    prefetch_row,
    random_unit,
    scratch,
)

STRIDE = 8  # topics that a draw skips at a time


@kernel
def topic_factor(n: float, prior: Any, n_words: int) -> Any:
    """A topic's factor in a weight: (n + gamma) / (c (c + 1)), where c = 2 n + W beta."""
    c = 2 * n + n_words * prior.word
    return np.float32((n + prior.topic) / (c * (c + 1)))


@kernel
def topic_factors(biterms: Any, prior: Any, n_words: int) -> Any:
    """The factor of every topic."""
    factors = scratch(len(biterms))
    for k in range(len(biterms)):
        factors[k] = topic_factor(biterms[k], prior, n_words)
    return factors


@kernel
def pick(weights: Any, n: int, target: Any) -> Any:
    """The index among the first n weights at which their running sum passes `target`."""
    k = 0
    while k + STRIDE < n:
        some = np.float32(0)
        for j in range(k, k + STRIDE):
            some += weights[j]
        if target < some:
            break
        target -= some
        k += STRIDE
    last = min(n, k + STRIDE) - 1
    while k < last and target >= weights[k]:
        target -= weights[k]
        k += 1
    return k


@kernel
def resample(
    v: int,
    w: int,
    old: int,
    words: Any,
    biterms: Any,
    factors: Any,
    weights: Any,
    uniform: float,
    prior: Any,
) -> Any:
    """Draw a topic for the biterm (v, w) given all others; `old` < 0 if it has none yet.

    P(k) ∝ factor_k (n_v|k + beta) (n_w|k + beta), without the biterm itself. Changes words (W, K),
    biterms (K,) and factors to match. Returns the topic and the sum of the weights.
    """
    n_words, n_topics = words.shape
    beta = np.float32(prior.word)
    row_v, row_w = words[v], words[w]
    if old >= 0:
        row_v[old] -= 1
        row_w[old] -= 1
        biterms[old] -= 1
        factors[old] = topic_factor(biterms[old], prior, n_words)
    total = np.float32(0)
    for k in range(n_topics):
        weights[k] = factors[k] * (row_v[k] + beta) * (row_w[k] + beta)
        total += weights[k]
    new = pick(weights, n_topics, np.float32(uniform) * total)
    row_v[new] += 1
    row_w[new] += 1
    biterms[new] += 1
    factors[new] = topic_factor(biterms[new], prior, n_words)
    return new, total


@kernel
def sweep(block: Any, topics: Any, words: Any, biterms: Any, seed: Any, prior: Any) -> Any:
    """Resample the topic of each biterm in turn; changes topics, words and biterms.

    Returns the sum over biterms of the log of the weights' sum.
    """
    first, second = block.first, block.second
    n_words, n_topics = words.shape
    factors = topic_factors(biterms, prior, n_words)
    weights = scratch(n_topics)
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(words, first[i + PREFETCH_DISTANCE])
            prefetch_row(words, second[i + PREFETCH_DISTANCE])
        v, w, uniform = first[i], second[i], random_unit(seed, i)
        topics[i], total = resample(
            v, w, topics[i], words, biterms, factors, weights, uniform, prior
        )
        log_likelihood += np.log(total)
    return log_likelihood
