"""What the kernels of several algorithms share."""

from typing import Any

import numpy as np

from bittern._core.numba import kernel, prefetch_row, random_unit, scratch

AHEAD = 4  # biterms: how far ahead of their use rows are fetched from memory
STRIDE = 8  # topics that a draw steps over at a time
SETTLE = 1 << 12  # biterms after which the small changes of totals are added up in float64


@kernel
def topic_factor(n: float, topic_prior: float, all_words_prior: float) -> Any:
    """A topic's part in a weight: (n + gamma) / c (c + 1), where c = 2 n + W beta."""
    c = 2 * n + all_words_prior
    return np.float32((n + topic_prior) / (c * (c + 1)))


@kernel
def topic_factors(biterms: Any, topic_prior: float, all_words_prior: float) -> Any:
    """The factors of all topics."""
    factors = scratch(len(biterms))
    for k in range(len(biterms)):
        factors[k] = topic_factor(biterms[k], topic_prior, all_words_prior)
    return factors


@kernel
def pick(weights: Any, n: int, target: Any) -> Any:
    """The place among the first n weights at which their running sum passes `target`."""
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
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Draw a topic for the biterm (v, w) given all others; `old` < 0 if it has none yet.

    P(k) ∝ factor_k (n_v|k + beta) (n_w|k + beta), without the biterm itself. Changes words (W, K),
    biterms (K,) and factors to match. Gives the topic and the sum of the weights.
    """
    n_words, n_topics = words.shape
    beta = np.float32(word_prior)
    row_v, row_w = words[v], words[w]
    if old >= 0:
        row_v[old] -= 1
        row_w[old] -= 1
        biterms[old] -= 1
        factors[old] = topic_factor(biterms[old], topic_prior, n_words * word_prior)
    total = np.float32(0)
    for k in range(n_topics):
        weights[k] = factors[k] * (row_v[k] + beta) * (row_w[k] + beta)
        total += weights[k]
    new = pick(weights, n_topics, np.float32(uniform) * total)
    row_v[new] += 1
    row_w[new] += 1
    biterms[new] += 1
    factors[new] = topic_factor(biterms[new], topic_prior, n_words * word_prior)
    return new, total


@kernel
def sweep(
    first: Any,
    second: Any,
    topics: Any,
    words: Any,
    biterms: Any,
    seed: Any,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Resample the topic of each biterm in turn; changes topics, words and biterms.

    Gives the sum of the logs of the weights' sums.
    """
    n_words, n_topics = words.shape
    factors = topic_factors(biterms, topic_prior, n_words * word_prior)
    weights = scratch(n_topics)
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + AHEAD < n:
            prefetch_row(words, first[i + AHEAD])
            prefetch_row(words, second[i + AHEAD])
        topics[i], total = resample(
            first[i],
            second[i],
            topics[i],
            words,
            biterms,
            factors,
            weights,
            random_unit(seed, i),
            topic_prior,
            word_prior,
        )
        log_likelihood += np.log(total)
    return log_likelihood
