"""The SDM pass over biterms."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import (
    PREFETCH_DISTANCE,
    disable_interleaving,
    kernel,
    prefetch_row,
    scratch,
)
from bittern.algorithms._word_rows import SETTLE_INTERVAL, count_update, step_size


class StepSizes(NamedTuple):
    """The step size of update t is (1 + t) ** -kappa; the first ones are in a table."""

    table: NDArray[np.float32]
    kappa: float


class Seeds(NamedTuple):
    """Seed words: 1 + the topic of each word, 0 for none; a share of each stays in its topic."""

    topics: NDArray[np.int32]
    share: float


@kernel
def train(
    block: Any, state: Any, mass: Any, steps: Any, prior: Any, seeds: Any, background: Any
) -> Any:
    """Train on the biterms of a block in their order; changes state.rows, totals and updates.

    With mass m, rows p, totals t and c_k = t_k + W beta,

        q_k ∝ (t_k / 2 + gamma) (m_v p_v,k + beta) (m_w p_w,k + beta) / (c_k (c_k + 1)),

    then p_w += rho (q - p_w) for both words, and t follows. A seed word moves toward
    (1 - share) q, and toward its topic for the rest.

    With a background, a word comes with probability h from the frequencies f instead of from its
    topic: x_v = (1 - h) (m_v p_v,k + beta) / c_k + h f_v, q_k ∝ (t_k / 2 + gamma) x_v x_w, and p_v
    moves toward q times the topic's part in x_v: rows sum to what is not background.

    Returns the sum over biterms of log sum_k q_k before normalization; with a background, relative
    to sum_k (t_k / 2 + gamma).
    """
    first, second = block.first, block.second
    rows, totals, updates, cooling = state.rows, state.totals, state.updates, state.cooling
    n_words, n_topics = rows.shape
    half, one, zero = np.float32(0.5), np.float32(1), np.float32(0)
    beta, gamma = np.float32(prior.word), np.float32(prior.topic)
    all_words_prior = np.float32(n_words * prior.word)
    q, settled, change = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    settled[:] = totals
    change[:] = 0
    if seeds is not None:  # None is a type of its own: its code has no such branch
        share, seed_topics = np.float32(seeds.share), seeds.topics
    if background is not None:
        h, frequencies = np.float32(background.probability), background.words
        topic_v, topic_w = scratch(n_topics), scratch(n_topics)  # q times the topic's parts
    log_likelihood, product = 0.0, 1.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(rows, np.uint32(first[i + PREFETCH_DISTANCE]))
            prefetch_row(rows, np.uint32(second[i + PREFETCH_DISTANCE]))
        v, w = np.uint32(first[i]), np.uint32(second[i])  # unsigned: no check for negative indices
        row_v, row_w = rows[v], rows[w]
        mass_v, mass_w = mass[v], mass[w]

        weight = np.float32(0)
        if background is None:
            for k in range(n_topics):
                t = max(settled[k] + change[k], zero)  # rounding may leave a zero slightly below 0
                c = t + all_words_prior
                a = half * t + gamma
                b = (mass_v * row_v[k] + beta) * (mass_w * row_w[k] + beta)
                q[k] = a * b / (c * (c + one))
                weight += q[k]
            product *= float(weight)
        else:
            common_v, common_w = h * frequencies[v], h * frequencies[w]
            all_topics = np.float32(0)
            for k in range(n_topics):
                t = max(settled[k] + change[k], zero)
                a = half * t + gamma
                per_word = (one - h) / (t + all_words_prior)
                own_v = (mass_v * row_v[k] + beta) * per_word
                own_w = (mass_w * row_w[k] + beta) * per_word
                x_v, x_w = own_v + common_v, own_w + common_w
                topic_v[k] = a * own_v * x_w
                topic_w[k] = a * own_w * x_v
                weight += a * x_v * x_w
                all_topics += a
            product *= float(weight) / float(all_topics)
        if i % 8 == 7:  # one logarithm for eight biterms
            log_likelihood += np.log(product)
            product = 1.0

        rho_v = step_size(updates[v], cooling[v], steps.table, steps.kappa)
        count_update(updates, v)
        rho_w = step_size(updates[w], cooling[w], steps.table, steps.kappa)
        count_update(updates, w)
        if v == w:  # two steps of one row, as one
            rho_v += rho_w - rho_v * rho_w
            rho_w = np.float32(0)
        towards_v, towards_w = rho_v / weight, rho_w / weight
        if seeds is not None:
            towards_v *= one - share if seed_topics[v] > 0 else one
            towards_w *= one - share if seed_topics[w] > 0 else one
        for k in range(n_topics):
            if background is None:
                goal_v, goal_w = towards_v * q[k], towards_w * q[k]
            else:
                goal_v, goal_w = towards_v * topic_v[k], towards_w * topic_w[k]
            step_v, step_w = goal_v - rho_v * row_v[k], goal_w - rho_w * row_w[k]
            row_v[k] += step_v
            row_w[k] += step_w
            change[k] += mass_v * step_v + mass_w * step_w
        if seeds is not None:
            if seed_topics[v] > 0:
                row_v[seed_topics[v] - 1] += share * rho_v
                change[seed_topics[v] - 1] += mass_v * share * rho_v
            if seed_topics[w] > 0:
                row_w[seed_topics[w] - 1] += share * rho_w
                change[seed_topics[w] - 1] += mass_w * share * rho_w

        if i % SETTLE_INTERVAL == SETTLE_INTERVAL - 1:
            totals += change
            settled[:] = totals
            change[:] = 0
    totals += change
    disable_interleaving()
    return log_likelihood + np.log(product)
