"""Sweeps over texts: the topics of a text's biterms, judged by all other texts."""

from typing import Any

import numpy as np

from bittern._core.numba import disable_interleaving, kernel, scratch


@kernel
def count_biterms(indptr: Any, tokens: Any, counts: Any, window: int, degrees: Any) -> None:
    """Add the weight of all biterms that each token is part of to `degrees`."""
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if tokens[i] != tokens[j]:
                    weight = counts[i] * counts[j] if len(counts) else np.float32(1)
                    degrees[i] += weight
                    degrees[j] += weight


@kernel
def sum_evidence(tokens: Any, evidence: Any, word_counts: Any, rows: Any) -> None:
    """rows_w <- the sum of the evidence of all tokens that are w, over n_w, where n_w > 0."""
    for w in range(len(rows)):
        if word_counts[w] > 0:
            rows[w] = 0
    for i in range(len(tokens)):
        w = tokens[i]
        if word_counts[w] > 0:
            share = np.float32(1 / word_counts[w])
            for k in range(rows.shape[1]):
                rows[w, k] += share * evidence[i, k]


@kernel
def sweep(
    texts: Any,
    order: Any,
    word_counts: Any,
    rows: Any,
    totals: Any,
    evidence: Any,
    step: float,
    left_out: float,
    prior: Any,
    seeds: Any,
    background: Any,
) -> Any:
    """Visit texts in this order; changes rows, totals and evidence.

    With n_w|k = n_w rows_w,k and t_k = totals_k, both without the fraction `left_out` of the text's
    own evidence, background h and frequencies f,

        y_w,k = (1 - h) (n_w|k + beta) / (t_k + W beta),    x_w,k = y_w,k + h f_w,
        q_k ∝ (t_k / 2 + gamma) x_v,k x_w,k for each biterm (v, w),

    the evidence of a token w moves by `step` toward the sum of q y_w / x_w over its biterms, and
    rows and totals follow. For a seed word, a share of its biterms is in its topic.

    Returns the sum over biterms of log sum_k q_k before normalization, relative to
    sum_k (t_k / 2 + gamma).
    """
    indptr, tokens, counts = texts.indptr, texts.tokens, texts.counts
    n_words, n_topics = rows.shape
    half, one, zero = np.float32(0.5), np.float32(1), np.float32(0)
    beta, gamma = np.float32(prior.word), np.float32(prior.topic)
    all_words_prior = np.float32(n_words * prior.word)
    stride, away = np.float32(step), np.float32(left_out)
    if background is not None:
        h, frequencies = np.float32(background.probability), background.words
    longest = 0
    for d in order:
        longest = max(longest, indptr[d + 1] - indptr[d])
    factor, per_word, q = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    topic_part = scratch(longest * n_topics).reshape(longest, n_topics)
    word = scratch(longest * n_topics).reshape(longest, n_topics)
    goal = scratch(longest * n_topics).reshape(longest, n_topics)
    log_likelihood, product, n_factors = 0.0, 1.0, 0
    for d in order:
        start, length = indptr[d], indptr[d + 1] - indptr[d]
        if length < 2:
            continue
        per_word[:] = 0
        for i in range(length):  # take the text out
            w = tokens[start + i]
            share = away / np.float32(word_counts[w]) if word_counts[w] > 0 else zero
            for k in range(n_topics):
                rows[w, k] -= share * evidence[start + i, k]
                per_word[k] += away * evidence[start + i, k]
        all_topics = zero
        for k in range(n_topics):
            t = max(np.float32(totals[k]) - per_word[k], zero)
            factor[k] = half * t + gamma
            all_topics += factor[k]
            per_word[k] = one / (t + all_words_prior)
        for i in range(length):
            w = tokens[start + i]
            n_w = np.float32(word_counts[w])
            common = zero
            if background is not None:
                common = h * frequencies[w]
                n_w *= one - h
            for k in range(n_topics):
                smooth = beta if background is None else (one - h) * beta
                y = (max(n_w * rows[w, k], zero) + smooth) * per_word[k]
                topic_part[i, k] = y
                word[i, k] = y + common
                goal[i, k] = 0
        for i in range(length):
            for k in range(n_topics):
                per_word[k] = factor[k] * word[i, k]
            for j in range(i + 1, min(length, i + texts.window)):
                if tokens[start + i] == tokens[start + j]:
                    continue
                total = zero
                for k in range(n_topics):
                    q[k] = per_word[k] * word[j, k]
                    total += q[k]
                weight = one
                if len(counts):
                    weight = counts[start + i] * counts[start + j]
                    log_likelihood += weight * np.log(total / all_topics)
                else:  # one logarithm for eight biterms
                    product *= float(total / all_topics)
                    n_factors += 1
                    if n_factors % 8 == 0:
                        log_likelihood += np.log(product)
                        product = 1.0
                each = weight / total
                for k in range(n_topics):
                    q[k] *= each
                    goal[i, k] += q[k]
                    goal[j, k] += q[k]
        for i in range(length):  # put it back
            w = tokens[start + i]
            if word_counts[w] <= 0:
                continue
            share = one / np.float32(word_counts[w])
            if seeds is not None and seeds.topics[w] > 0:
                degree = goal[i].sum()
            for k in range(n_topics):
                if background is not None:
                    goal[i, k] *= topic_part[i, k] / word[i, k]
            if seeds is not None and seeds.topics[w] > 0:
                for k in range(n_topics):
                    goal[i, k] *= one - np.float32(seeds.share)
                goal[i, seeds.topics[w] - 1] += np.float32(seeds.share) * degree
            for k in range(n_topics):
                old = evidence[start + i, k]
                change = max(stride * (goal[i, k] - old), -old)
                evidence[start + i, k] = old + change
                rows[w, k] += share * (away * old + change)
                totals[k] += change
    disable_interleaving()
    return log_likelihood + np.log(product)
