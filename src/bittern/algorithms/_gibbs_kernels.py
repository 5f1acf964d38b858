"""Gibbs draws that look at every topic."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import (
    PREFETCH_DISTANCE,
    kernel,
    prefetch_row,
    random_unit,
    scratch,
)
from bittern.algorithms._word_rows import word_prior_line

STRIDE = 8  # topics that a draw skips at a time


class TopicTerms(NamedTuple):
    """What a weight has of each topic besides the counts of words, kept up to date."""

    factors: NDArray[np.float32]  # (K,): (n + gamma) / (c (c + 1)), where c = 2 n + W beta_k
    priors: NDArray[np.float32]  # (K,): beta_k


@kernel
def make_terms(biterms: Any, prior: Any, n_words: int) -> Any:
    """The terms of all topics, and the line that gives the prior of a topic's words by its size."""
    line = word_prior_line(prior, biterms)
    terms = TopicTerms(scratch(len(biterms)), scratch(len(biterms)))
    for k in range(len(biterms)):
        update_terms(terms, k, biterms[k], prior, line, n_words)
    return terms, line


@kernel
def update_terms(terms: Any, k: int, n: float, prior: Any, line: Any, n_words: int) -> None:
    """Set the terms of topic k when it has n biterms."""
    beta = line[0] + line[1] * n
    c = 2 * n + n_words * beta
    terms.priors[k] = beta
    terms.factors[k] = (n + prior.topic) / (c * (c + 1))


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
    terms: Any,
    line: Any,
    weights: Any,
    uniform: float,
    prior: Any,
) -> Any:
    """Draw a topic for the biterm (v, w) given all others; `old` < 0 if it has none yet.

    P(k) ∝ factor_k (n_v|k + beta_k) (n_w|k + beta_k), without the biterm itself. Changes words
    (W, K), biterms (K,) and terms to match. Returns the topic and the sum of the weights.
    """
    n_words, n_topics = words.shape
    factors, priors = terms.factors, terms.priors
    row_v, row_w = words[v], words[w]
    if old >= 0:
        row_v[old] -= 1
        row_w[old] -= 1
        biterms[old] -= 1
        update_terms(terms, old, biterms[old], prior, line, n_words)
    total = np.float32(0)
    for k in range(n_topics):
        weights[k] = factors[k] * (row_v[k] + priors[k]) * (row_w[k] + priors[k])
        total += weights[k]
    new = pick(weights, n_topics, np.float32(uniform) * total)
    row_v[new] += 1
    row_w[new] += 1
    biterms[new] += 1
    update_terms(terms, new, biterms[new], prior, line, n_words)
    return new, total


@kernel
def sweep(block: Any, topics: Any, words: Any, biterms: Any, seed: Any, prior: Any) -> Any:
    """Resample the topic of each biterm in turn; changes topics, words and biterms.

    Returns the sum over biterms of the log of the weights' sum.
    """
    first, second = block.first, block.second
    n_words, n_topics = words.shape
    terms, line = make_terms(biterms, prior, n_words)
    weights = scratch(n_topics)
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(words, first[i + PREFETCH_DISTANCE])
            prefetch_row(words, second[i + PREFETCH_DISTANCE])
        v, w, uniform = first[i], second[i], random_unit(seed, i)
        topics[i], total = resample(
            v, w, topics[i], words, biterms, terms, line, weights, uniform, prior
        )
        log_likelihood += np.log(total)
    return log_likelihood
