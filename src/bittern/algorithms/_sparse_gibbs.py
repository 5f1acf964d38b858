"""Exact Gibbs draws that look only at the topics a word has.

Biterms come grouped by the more frequent of their words, v. For each group h_k = factor_k
(n_v|k + beta) is kept for all topics, and so is its sum H. Then the weights of a biterm

    factor_k (n_v|k + beta) (n_w|k + beta)  =  h_k n_w|k  +  beta h_k

are a sum over the few topics that the rarer word w has, and beta H.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, random_unit, scratch
from bittern.algorithms._gibbs_kernels import pick, topic_factor, topic_factors


class Lists(NamedTuple):
    """The topics of each word w and their counts: `size[w]` of them, from index `start[w]`."""

    topics: NDArray[np.uint32]  # unsigned: no check for negative indices
    counts: NDArray[np.float32]
    start: NDArray[np.int64]
    size: NDArray[np.int64]


def from_dense(words: NDArray[np.float32], max_topics: NDArray[np.float64]) -> Lists:
    """Convert a count matrix (W, K); no word will ever have more than `max_topics` topics."""
    n_topics = words.shape[1]
    room = np.minimum(max_topics, n_topics).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(room)])
    lists = Lists(
        np.zeros(start[-1], np.uint32),
        np.zeros(start[-1], np.float32),
        start,
        np.zeros(len(words), np.int64),
    )
    for word, row in enumerate(words.copy()):
        _write(row, lists, word)
    return lists


def to_dense(lists: Lists, n_topics: int) -> NDArray[np.float32]:
    """Return the count matrix (W, K)."""
    words = np.zeros((len(lists.size), n_topics), np.float32)
    for word, row in enumerate(words):
        _read(lists, word, row)
    return words


@kernel
def _read(lists: Any, word: int, row: Any) -> None:
    """Fill a row (K,) from the list of a word."""
    row[:] = 0
    for j in range(lists.start[word], lists.start[word] + lists.size[word]):
        row[lists.topics[j]] = lists.counts[j]


@kernel
def _write(row: Any, lists: Any, word: int) -> None:
    """Set the list of a word from a row, which becomes 0; topics it had stay in their order."""
    topics, counts = lists.topics, lists.counts
    first, n = lists.start[word], 0
    for j in range(first, first + lists.size[word]):
        k = topics[j]
        if row[k] > 0:
            topics[first + n] = k
            counts[first + n] = row[k]
            row[k] = 0
            n += 1
    for k in range(len(row)):
        if row[k] > 0:
            topics[first + n] = k
            counts[first + n] = row[k]
            n += 1
    lists.size[word] = n


@kernel
def _find(topics: Any, topic: int, n: int) -> int:
    """The index of a topic among the first n; n if it is not there."""
    j = 0
    while j < n and topics[j] != topic:
        j += 1
    return j


@kernel
def sparse_sweep(block: Any, topics: Any, lists: Any, biterms: Any, seed: Any, prior: Any) -> Any:
    """Resample the topic of each biterm in turn; changes topics, lists and biterms.

    Returns the sum over biterms of the log of the weights' sum.
    """
    first, second = block.first, block.second
    list_topics, list_counts, start, size = lists.topics, lists.counts, lists.start, lists.size
    n_words, n_topics, beta = len(size), len(biterms), np.float32(prior.word)
    factors = topic_factors(biterms, prior, n_words)
    row, h, weights = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    log_likelihood, product, sum_h = 0.0, 1.0, 0.0
    word = -1
    for i in range(len(first)):
        w, k = second[i], topics[i]
        if first[i] != word:
            if word >= 0:
                _write(row, lists, word)
            word = first[i]
            _read(lists, word, row)
            sum_h = 0.0
            for j in range(n_topics):
                h[j] = factors[j] * (row[j] + beta)
                sum_h += h[j]
        if w == word:  # a word with itself: its list is the current row
            row[k] -= 1
        row[k] -= 1
        biterms[k] -= 1
        factors[k] = topic_factor(biterms[k], prior, n_words)
        sum_h -= h[k]
        h[k] = factors[k] * (row[k] + beta)
        sum_h += h[k]

        if w == word:
            total = 0.0
            for j in range(n_topics):
                weights[j] = h[j] * (row[j] + beta)
                total += weights[j]
            k = pick(weights, n_topics, random_unit(seed, i) * total)
            row[k] += 1
        else:
            its_topics, its_counts = list_topics[start[w] :], list_counts[start[w] :]
            n = size[w]
            j = _find(its_topics, k, n)
            its_counts[j] -= 1
            if its_counts[j] == 0:
                n -= 1
                its_topics[j] = its_topics[n]
                its_counts[j] = its_counts[n]
            sparse = np.float32(0)
            for j in range(n):
                weights[j] = h[its_topics[j]] * its_counts[j]
                sparse += weights[j]
            total = float(sparse) + prior.word * sum_h
            target = random_unit(seed, i) * total
            if target < sparse:
                j = pick(weights, n, target)
                k = its_topics[j]
            else:
                k = pick(h, n_topics, (target - sparse) / prior.word)
                j = _find(its_topics, k, n)
            if j == n:
                its_topics[n] = k
                its_counts[n] = 0
                n += 1
            its_counts[j] += 1
            size[w] = n
            if j > 0 and its_counts[j] > its_counts[j - 1]:  # keep frequent topics in front
                its_topics[j], its_topics[j - 1] = its_topics[j - 1], its_topics[j]
                its_counts[j], its_counts[j - 1] = its_counts[j - 1], its_counts[j]

        topics[i] = k
        product *= total
        if i % 8 == 7:  # one logarithm for eight biterms
            log_likelihood += np.log(product)
            product = 1.0
        row[k] += 1
        biterms[k] += 1
        factors[k] = topic_factor(biterms[k], prior, n_words)
        sum_h -= h[k]
        h[k] = factors[k] * (row[k] + beta)
        sum_h += h[k]
    if word >= 0:
        _write(row, lists, word)
    return log_likelihood + np.log(product)
