"""SDM where a word of a biterm may come from the corpus as a whole instead of from the topic."""

from typing import Any

import numpy as np

from bittern._core.numba import kernel, prefetch_row, scratch
from bittern.algorithms._gibbs_kernels import AHEAD, SETTLE
from bittern.algorithms._rows import step_size


@kernel
def learn_with_background(
    first: Any,
    second: Any,
    rows: Any,
    mass: Any,
    totals: Any,
    updates: Any,
    cooling: Any,
    rates: Any,
    kappa: float,
    topic_prior: float,
    word_prior: float,
    seeds: Any,
    seed_share: float,
    frequencies: Any,
    background: float,
) -> Any:
    """Learn biterms in their order; changes rows, totals and updates.

    Each word is with probability h from the frequencies f of all words, else from the topic:
    x_v = (1 - h) phi_v,k + h f_v, and q_k ∝ (t_k / 2 + gamma) x_v x_w with SDM's totals t and
    phi_v,k = (m_v p_v,k + beta) / (t_k + W beta). Then p_v += rho (q (1 - h) phi_v / x_v - p_v): a
    row sums to what is not background. Seeds are as for SDM. Gives the sum of the logs of q's
    normalisers.
    """
    n_words, n_topics = rows.shape
    half, one, zero = np.float32(0.5), np.float32(1), np.float32(0)
    beta, gamma, h = np.float32(word_prior), np.float32(topic_prior), np.float32(background)
    all_words_prior = np.float32(n_words * word_prior)
    share = np.float32(seed_share)
    q, part_v, part_w = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    settled, change = scratch(n_topics), scratch(n_topics)
    settled[:] = totals
    change[:] = 0
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + AHEAD < n:
            prefetch_row(rows, first[i + AHEAD])
            prefetch_row(rows, second[i + AHEAD])
        v, w = np.uint32(first[i]), np.uint32(second[i])
        row_v, row_w = rows[v], rows[w]
        mass_v, mass_w = mass[v], mass[w]
        common_v, common_w = h * frequencies[v], h * frequencies[w]

        weight = np.float32(0)
        for k in range(n_topics):
            t = max(settled[k] + change[k], zero)
            per_word = (one - h) / (t + all_words_prior)
            own_v = (mass_v * row_v[k] + beta) * per_word
            own_w = (mass_w * row_w[k] + beta) * per_word
            x_v, x_w = own_v + common_v, own_w + common_w
            q[k] = (half * t + gamma) * x_v * x_w
            part_v[k] = own_v / x_v
            part_w[k] = own_w / x_w
            weight += q[k]
        log_likelihood += np.log(weight)

        rho_v = step_size(updates[v], cooling[v], rates, kappa)
        updates[v] += 1
        rho_w = step_size(updates[w], cooling[w], rates, kappa)
        updates[w] += 1
        if v == w:  # two steps of one row, as one
            rho_v += rho_w - rho_v * rho_w
            rho_w = np.float32(0)
        towards_v, towards_w = rho_v / weight, rho_w / weight
        if seeds is not None:
            towards_v *= one - share if seeds[v] > 0 else one
            towards_w *= one - share if seeds[w] > 0 else one
        for k in range(n_topics):
            step_v = towards_v * q[k] * part_v[k] - rho_v * row_v[k]
            step_w = towards_w * q[k] * part_w[k] - rho_w * row_w[k]
            row_v[k] += step_v
            row_w[k] += step_w
            change[k] += mass_v * step_v + mass_w * step_w
        if seeds is not None:
            if seeds[v] > 0:
                row_v[seeds[v] - 1] += share * rho_v
                change[seeds[v] - 1] += mass_v * share * rho_v
            if seeds[w] > 0:
                row_w[seeds[w] - 1] += share * rho_w
                change[seeds[w] - 1] += mass_w * share * rho_w

        if i % SETTLE == SETTLE - 1:
            totals += change
            settled[:] = totals
            change[:] = 0
    totals += change
    return log_likelihood
