"""Exact Gibbs draws that look only at the topics a word has.

Biterms come grouped by the more frequent of their words, v. While they do, h_k = factor_k
(n_v|k + beta) is kept at hand for all topics, and so is its sum H. Then the weights of a biterm

    factor_k (n_v|k + beta) (n_w|k + beta)  =  h_k n_w|k  +  beta h_k

are a sum over the few topics that the rarer word w has, and beta H.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, random_unit, scratch
from bittern.algorithms._gibbs_kernels import pick, topic_factor, topic_factors


class Lists(NamedTuple):
    """For each word w the topics it has, and how often: `size[w]` of them from `start[w]` on."""

    topics: NDArray[np.uint32]  # unsigned: as an index it needs no look at its sign
    counts: NDArray[np.float32]
    start: NDArray[np.int64]
    size: NDArray[np.int64]


def from_dense(words: NDArray[np.float32], most: NDArray[np.float64]) -> Lists:
    """The lists of a matrix of counts (W, K); no word will ever have more than `most` topics."""
    n_topics = words.shape[1]
    room = np.minimum(most, n_topics).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(room)])
    lists = Lists(
        np.zeros(start[-1], np.uint32),
        np.zeros(start[-1], np.float32),
        start,
        np.zeros(len(words), np.int64),
    )
    for word, row in enumerate(words.copy()):
        _write(row, lists.topics, lists.counts, lists.start, lists.size, word)
    return lists


def to_dense(lists: Lists, n_topics: int) -> NDArray[np.float32]:
    """The matrix of counts (W, K)."""
    words = np.zeros((len(lists.size), n_topics), np.float32)
    for word, row in enumerate(words):
        _read(lists.topics, lists.counts, lists.start, lists.size, word, row)
    return words


def sparse_sweep(
    first: Any,
    second: Any,
    topics: Any,
    lists: Lists,
    biterms: Any,
    seed: Any,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Resample the topic of each biterm in turn; changes topics, lists and biterms."""
    return _sweep(first, second, topics, *lists, biterms, seed, topic_prior, word_prior)


@kernel
def _read(topics: Any, counts: Any, start: Any, size: Any, word: int, row: Any) -> None:
    row[:] = 0
    for j in range(start[word], start[word] + size[word]):
        row[topics[j]] = counts[j]


@kernel
def _write(row: Any, topics: Any, counts: Any, start: Any, size: Any, word: int) -> None:
    """Make the list of a word that of a row; topics that it has stay in their order."""
    first, n = start[word], 0
    for j in range(first, first + size[word]):
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
    size[word] = n


@kernel
def _place(topics: Any, topic: int, n: int) -> int:
    """Where a topic is among the first n; n if it is not."""
    j = 0
    while j < n and topics[j] != topic:
        j += 1
    return j


@kernel
def _sweep(
    first: Any,
    second: Any,
    topics: Any,
    list_topics: Any,
    list_counts: Any,
    start: Any,
    size: Any,
    biterms: Any,
    seed: Any,
    topic_prior: float,
    word_prior: float,
) -> Any:
    n_topics, beta = len(biterms), np.float32(word_prior)
    all_words_prior = len(size) * word_prior
    factors = topic_factors(biterms, topic_prior, all_words_prior)
    row, h, weights = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    log_likelihood, product, sum_h = 0.0, 1.0, 0.0
    word = -1
    for i in range(len(first)):
        w, k = second[i], topics[i]
        if first[i] != word:
            if word >= 0:
                _write(row, list_topics, list_counts, start, size, word)
            word = first[i]
            _read(list_topics, list_counts, start, size, word, row)
            sum_h = 0.0
            for j in range(n_topics):
                h[j] = factors[j] * (row[j] + beta)
                sum_h += h[j]
        if w == word:  # a word with itself: its list is the row at hand
            row[k] -= 1
        row[k] -= 1
        biterms[k] -= 1
        factors[k] = topic_factor(biterms[k], topic_prior, all_words_prior)
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
            j = _place(its_topics, k, n)
            its_counts[j] -= 1
            if its_counts[j] == 0:
                n -= 1
                its_topics[j] = its_topics[n]
                its_counts[j] = its_counts[n]
            sparse = np.float32(0)
            for j in range(n):
                weights[j] = h[its_topics[j]] * its_counts[j]
                sparse += weights[j]
            total = float(sparse) + word_prior * sum_h
            target = random_unit(seed, i) * total
            if target < sparse:
                j = pick(weights, n, target)
                k = its_topics[j]
            else:
                k = pick(h, n_topics, (target - sparse) / word_prior)
                j = _place(its_topics, k, n)
            if j == n:
                its_topics[n] = k
                its_counts[n] = 0
                n += 1
            its_counts[j] += 1
            size[w] = n
            if j > 0 and its_counts[j] > its_counts[j - 1]:  # frequent topics come to the front
                its_topics[j], its_topics[j - 1] = its_topics[j - 1], its_topics[j]
                its_counts[j], its_counts[j - 1] = its_counts[j - 1], its_counts[j]

        topics[i] = k
        product *= total
        if i % 8 == 7:  # one logarithm for eight biterms
            log_likelihood += np.log(product)
            product = 1.0
        row[k] += 1
        biterms[k] += 1
        factors[k] = topic_factor(biterms[k], topic_prior, all_words_prior)
        sum_h -= h[k]
        h[k] = factors[k] * (row[k] + beta)
        sum_h += h[k]
    if word >= 0:
        _write(row, list_topics, list_counts, start, size, word)
    return log_likelihood + np.log(product)
