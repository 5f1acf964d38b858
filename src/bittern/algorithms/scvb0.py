"""SCVB0: zero-order collapsed variational inference, one pass."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, prefetch_row, scratch
from bittern._core.validation import check_kappa, check_number
from bittern.algorithms._gibbs_kernels import AHEAD, SETTLE
from bittern.algorithms._rows import near_uniform
from bittern.algorithms.contract import OnlineAlgorithm, Prior, Topics, log_scale
from bittern.biterms.biterms import Block
from bittern.biterms.lazy import Pass, Source


class State(NamedTuple):
    """Estimates of the counts; those of the words are `scale` times `rows`."""

    rows: NDArray[np.float32]  # (W, K)
    scale: float
    biterms: NDArray[np.float64]  # (K,): N_k
    total: float  # biterms of the corpus, N_B
    steps: int  # biterms seen


@dataclass(frozen=True)
class SCVB0(OnlineAlgorithm):
    """Stochastic zero-order collapsed variational inference, one pass over the biterms.

    Each biterm is taken as if all others were like it, and moves all counts a little in its
    direction. Time O(K) per biterm, memory O(K W).

    Parameters
    ----------
    tau : float
        Delays the steps: the t-th weighs (t + tau) ** -kappa. At least 2.
    kappa : float
        How fast the steps shrink. In (0.5, 1].
    """

    tau: float = 1000.0
    kappa: float = 0.8

    name: ClassVar[str] = "scvb0"
    state_type: ClassVar[type[Any]] = State
    smallest_scale: ClassVar[float] = 1e-9
    """Below it the scale is multiplied into the rows, long before float32 ends."""

    def __post_init__(self) -> None:
        check_kappa(self.kappa)
        check_number("tau", self.tau, 2, 1e12)  # at 1 the first step would forget all the rest

    def passes(self, n_biterms: float) -> int:
        """One pass."""
        return 1

    def order(self, biterms: Source, rng: np.random.Generator) -> Pass:
        """A random order."""
        return biterms.shuffled(rng)

    def init(self, biterms: Source, n_topics: int, prior: Prior, rng: np.random.Generator) -> State:
        """Nearly uniform rows with the counts of the words."""
        rows = near_uniform(len(biterms.vocabulary), n_topics, rng)
        rows *= biterms.counts().astype(np.float32)[:, np.newaxis]
        return State(rows, 1.0, _half_sums(rows), biterms.total, 0)

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Learn the biterms of a block, one after the other."""
        n = len(block.first)
        steps = self.step_sizes(state.steps, state.steps + n)
        log_likelihood, scale = learn(
            block.first,
            block.second,
            steps,
            state.rows,
            state.scale,
            state.biterms,
            state.total,
            self.smallest_scale,
            *prior,
        )
        log_likelihood -= n * log_scale(state.total + 1, len(state.biterms), prior)
        return state._replace(scale=scale, steps=state.steps + n), log_likelihood

    def topics(self, state: State, prior: Prior) -> Topics:
        """The estimates, as they are."""
        return Topics(state.biterms.copy(), state.rows * np.float32(state.scale))

    def grow(self, state: State, biterms: Source, prior: Prior, rng: np.random.Generator) -> State:
        """The estimates for a larger corpus: those of before, scaled up; new words come in."""
        fresh = self.init(biterms, len(state.biterms), prior, rng)
        if state.total == 0:
            return fresh
        total = state.total + biterms.total
        rows = fresh.rows  # of new words; the others' are replaced
        of_old_words = 2 * total - biterms.counts()[len(state.rows) :].sum()
        factor = state.scale * of_old_words / (2 * state.total)
        np.multiply(state.rows, np.float32(factor), out=rows[: len(state.rows)])
        return State(rows, 1.0, _half_sums(rows), total, state.steps)

    def merge(self, base: State, parts: list[State], prior: Prior) -> State:
        """As if the parts had come one after the other: each fades what is there and adds its own.

        A part that kept the share f of the old estimates has added its own minus f times the old.
        """
        rows, biterms = base.rows * np.float32(base.scale), base.biterms
        old_rows, old_biterms = rows.copy(), base.biterms
        for part in parts:
            kept = np.prod(1 - self.step_sizes(base.steps, part.steps))
            rows = np.float32(kept) * (rows - old_rows) + part.rows * np.float32(part.scale)
            biterms = kept * (biterms - old_biterms) + part.biterms
        steps = base.steps + sum(part.steps - base.steps for part in parts)
        return State(rows, 1.0, biterms, base.total, steps)

    def step_sizes(self, start: int, end: int) -> NDArray[np.float64]:
        """The weights of steps `start` to `end`."""
        return np.asarray((np.arange(start, end) + self.tau) ** -self.kappa)


def _half_sums(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Biterms from the counts of their words: two words each."""
    return np.asarray(rows.sum(axis=0, dtype=np.float64) / 2)


@kernel
def learn(
    first: Any,
    second: Any,
    steps: Any,
    rows: Any,
    scale: float,
    biterms: Any,
    total: float,
    smallest_scale: float,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Learn biterms in their order; changes rows and biterms, gives the new scale.

    N <- (1 - rho) N + rho N_B q, where N_w|k = scale * rows_w,k and N_k likewise: only the scale,
    the two rows of the biterm and the sizes of the topics are touched. Also gives the sum of the
    logs of q's normalisers.
    """
    n_words, n_topics = rows.shape
    beta, gamma = np.float32(word_prior), np.float32(topic_prior)
    two, one = np.float32(2), np.float32(1)
    all_words_prior = np.float32(n_words * word_prior)
    q, settled, change = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    sizes = biterms / scale
    settled[:] = sizes
    change[:] = 0
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + AHEAD < n:
            prefetch_row(rows, first[i + AHEAD])
            prefetch_row(rows, second[i + AHEAD])
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
        rho = steps[i]
        scale *= 1 - rho
        towards = np.float32(rho * total / (weight * scale))
        for k in range(n_topics):
            step = towards * q[k]
            row_v[k] += step
            row_w[k] += step
            change[k] += step
        if i % SETTLE == SETTLE - 1 or scale < smallest_scale:
            sizes += change
            change[:] = 0
            if scale < smallest_scale:
                rows *= np.float32(scale)
                sizes *= scale
                scale = 1.0
            settled[:] = sizes
    biterms[:] = scale * (sizes + change)
    return log_likelihood, scale
