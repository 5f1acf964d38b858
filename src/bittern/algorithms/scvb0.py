"""SCVB0: stochastic zero-order collapsed variational Bayes, one pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import (
    PREFETCH_DISTANCE,
    disable_interleaving,
    kernel,
    prefetch_row,
    scratch,
)
from bittern._core.validation import check_kappa, check_number
from bittern.algorithms._word_rows import SETTLE_INTERVAL, near_uniform
from bittern.algorithms.contract import (
    MAX_COUNT,
    Algorithm,
    Field,
    Prior,
    TopicCounts,
    check_total,
    copy_state,
    log_normalizer,
)
from bittern.biterms import BitermSource, Block, Order

MIN_SCALE = 1e-9


class SCVB0State(NamedTuple):
    """Estimates of the counts; those of the words are `scale` times `rows`."""

    rows: NDArray[np.float32]  # (W, K)
    scale: float
    biterms: NDArray[np.float64]  # (K,): N_k
    total: float  # biterms of the corpus, N_B
    steps: int  # biterms seen


@dataclass(frozen=True, repr=False)
class SCVB0(Algorithm[SCVB0State]):
    """Stochastic zero-order collapsed variational Bayes, one pass over the biterms.

    Each biterm is treated as if all others were like it, and moves all counts slightly in its
    direction. Time O(K) per biterm, memory O(K W).

    Parameters
    ----------
    tau : float
        Delay of the step sizes: step t has size (t + tau) ** -kappa. At least 2.
    kappa : float
        How fast step sizes shrink. In (0.5, 1].
    """

    tau: float = 1000.0
    kappa: float = 0.8

    name: ClassVar[str] = "scvb0"
    state_type = SCVB0State
    order: ClassVar[Order] = "reshuffled"
    min_scale: ClassVar[float] = MIN_SCALE
    """Below it the scale is multiplied into the rows, long before float32 underflows."""
    layout: ClassVar[Mapping[str, Field]] = {
        "rows": Field("float32", "WK", high=MAX_COUNT / MIN_SCALE),
        "scale": Field("float64", low=MIN_SCALE, high=1),
        "biterms": Field("float64", "K"),
        "total": Field("float64"),
        "steps": Field("int64", high=MAX_COUNT),
    }

    def __post_init__(self) -> None:
        check_kappa(self.kappa)
        check_number("tau", self.tau, 2, 1e12)  # with 1 the first step would forget everything else

    def check_state(self, state: SCVB0State) -> None:
        """Reject more words than float32 can add up."""
        check_total(state.rows.sum(axis=0, dtype=np.float64) * state.scale)

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> SCVB0State:
        """Start from nearly uniform rows with the counts of the words."""
        rows = near_uniform(len(biterms.vocabulary), n_topics, rng)
        rows *= biterms.counts().astype(np.float32)[:, np.newaxis]
        return SCVB0State(rows, 1.0, _half_sums(rows), biterms.total, 0)

    def step(
        self, state: SCVB0State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[SCVB0State, float]:
        """Train on the biterms of a block, one after the other."""
        n = len(block.first)
        sizes = self.step_sizes(state.steps, state.steps + n)
        log_likelihood, scale = train(block, sizes, state, self.min_scale, prior)
        log_likelihood -= n * log_normalizer(state.total + 1, len(state.biterms), prior)
        return state._replace(scale=scale, steps=state.steps + n), log_likelihood

    def topics(self, state: SCVB0State, prior: Prior) -> TopicCounts:
        """Return the estimates."""
        return TopicCounts(state.biterms.copy(), state.rows * np.float32(state.scale))

    def grow(
        self, state: SCVB0State, biterms: BitermSource, prior: Prior, rng: np.random.Generator
    ) -> SCVB0State:
        """Scale the estimates up to a larger corpus, and add new words."""
        fresh = self.init(biterms, len(state.biterms), prior, rng)
        if state.total == 0:
            return fresh
        total = state.total + biterms.total
        rows = fresh.rows  # of new words; the others are replaced
        old_words_total = 2 * total - biterms.counts()[len(state.rows) :].sum()
        factor = state.scale * old_words_total / (2 * state.total)
        np.multiply(state.rows, np.float32(factor), out=rows[: len(state.rows)])
        return SCVB0State(rows, 1.0, _half_sums(rows), total, state.steps)

    def merge(self, base: SCVB0State, parts: list[SCVB0State], prior: Prior) -> list[SCVB0State]:
        """Merge as if the parts had followed each other: each fades the rest and adds its own.

        A part that kept the fraction f of the old estimates added its own minus f times the old.
        """
        rows, biterms = base.rows * np.float32(base.scale), base.biterms
        old_rows, old_biterms = rows.copy(), base.biterms
        for part in parts:
            kept = np.prod(1 - self.step_sizes(base.steps, part.steps))
            rows = np.float32(kept) * (rows - old_rows) + part.rows * np.float32(part.scale)
            biterms = kept * (biterms - old_biterms) + part.biterms
        steps = base.steps + sum(part.steps - base.steps for part in parts)
        merged = SCVB0State(rows, 1.0, biterms, base.total, steps)
        return [copy_state(merged, old) for old in (base, *parts)]

    def step_sizes(self, start: int, end: int) -> NDArray[np.float64]:
        """Return the sizes of steps `start` to `end`."""
        return np.asarray((np.arange(start, end) + self.tau) ** -self.kappa)


def _half_sums(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Biterms from the counts of their words, two each."""
    return np.asarray(rows.sum(axis=0, dtype=np.float64) / 2)


@kernel
def train(block: Any, step_sizes: Any, state: Any, min_scale: float, prior: Any) -> Any:
    """Train on biterms in their order; changes state.rows and state.biterms.

    N <- (1 - rho) N + rho N_B q, where N_w|k = scale * rows_w,k and N_k likewise: only the scale,
    the two rows of the biterm and the topic counts are touched. Returns the sum over biterms of the
    log of q's normalizer, and the new scale.
    """
    first, second, rows, biterms = block.first, block.second, state.rows, state.biterms
    n_words, n_topics = rows.shape
    beta, gamma = np.float32(prior.word), np.float32(prior.topic)
    two, one = np.float32(2), np.float32(1)
    all_words_prior = np.float32(n_words * prior.word)
    q, settled, change = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    scale = state.scale
    sizes = biterms / scale
    settled[:] = sizes
    change[:] = 0
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(rows, first[i + PREFETCH_DISTANCE])
            prefetch_row(rows, second[i + PREFETCH_DISTANCE])
        row_v, row_w = rows[first[i]], rows[second[i]]
        a = np.float32(scale)
        weight = np.float32(0)
        for k in range(n_topics):
            n_k = a * (settled[k] + change[k])
            c = two * n_k + all_words_prior
            factor = (n_k + gamma) / (c * (c + one))
            q[k] = factor * (a * row_v[k] + beta) * (a * row_w[k] + beta)
            weight += q[k]
        log_likelihood += np.log(weight)
        rho = step_sizes[i]
        scale *= 1 - rho
        toward = np.float32(rho * state.total / (weight * scale))
        for k in range(n_topics):
            step = toward * q[k]
            row_v[k] += step
            row_w[k] += step
            change[k] += step
        if i % SETTLE_INTERVAL == SETTLE_INTERVAL - 1 or scale < min_scale:
            sizes += change
            change[:] = 0
            if scale < min_scale:
                rows *= np.float32(scale)
                sizes *= scale
                scale = 1.0
            settled[:] = sizes
    biterms[:] = scale * (sizes + change)
    disable_interleaving()
    return log_likelihood, scale
