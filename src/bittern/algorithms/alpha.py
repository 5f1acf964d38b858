"""SDM for other alpha-divergences than the paper's choice."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, scratch
from bittern._core.validation import check_number
from bittern.algorithms._rows import step_size, step_sizes
from bittern.algorithms.contract import OnlineAlgorithm, Prior, Topics, log_scale
from bittern.algorithms.sdm import SDM, synchronize
from bittern.algorithms.sdm import State as SDMState
from bittern.biterms.biterms import Block
from bittern.biterms.lazy import Pass, Source

LARGEST_VARIANCE = 1.0  # relative to the squared mean; beyond it the expansion says nothing


class State(NamedTuple):
    """SDM's state, field by field, and the spread of each row."""

    rows: NDArray[np.float32]
    counts: NDArray[np.float64]
    left_out: float
    totals: NDArray[np.float64]
    updates: NDArray[np.int32]
    cooling: NDArray[np.int32]
    seeds: NDArray[np.int32]
    spread: NDArray[np.float32]  # (W, K): the mean of q (1 - q); times mass, the variance of n_w|k

    @property
    def sdm(self) -> SDMState:
        """What SDM knows of it; the arrays are the same."""
        return SDMState(*self[:-1])

    @property
    def mass(self) -> NDArray[np.float32]:
        """As SDM."""
        return self.sdm.mass


@dataclass(frozen=True)
class AlphaSDM(OnlineAlgorithm):
    """Stochastic divergence minimization for any alpha.

    The paper projects with the alpha-divergence of alpha = 1, where E[n + beta] takes the place of
    a word's count in a topic. For other alphas it is the power mean E[(n + beta)^alpha]^(1/alpha),
    here by its second-order expansion around the mean, with the variance of n tracked by the same
    stochastic step. alpha = 1 is SDM, alpha = 0 the geometric mean. Time O(K) per biterm as for
    SDM, but with two powers for each topic; memory O(K W), twice that of SDM.

    Parameters
    ----------
    alpha : float
        Which divergence: from -10 to 10.
    kappa : float
        How fast the steps shrink: the t-th update of a word weighs (1 + t) ** -kappa. In
        (0.5, 1].
    cooldown : float
        The last share of each word's updates in which the row becomes an average instead of a
        fading memory. In [0, 1).
    epochs : int or "auto"
        Passes over the biterms; "auto" takes 1 on large corpora and up to 10 on small ones.
    """

    alpha: float = 1.0
    kappa: float = 0.51
    cooldown: float = 0.3
    epochs: int | str = "auto"

    name: ClassVar[str] = "alpha-sdm"
    state_type: ClassVar[type[Any]] = State
    threads: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, -10, 10)
        self._sdm()

    def _sdm(self) -> SDM:
        return SDM(self.kappa, self.cooldown, self.epochs)  # type: ignore[arg-type]

    def passes(self, n_biterms: float) -> int:
        """As SDM."""
        return self._sdm().passes(n_biterms)

    def order(self, biterms: Source, rng: np.random.Generator) -> Pass:
        """As SDM."""
        return self._sdm().order(biterms, rng)

    def init(self, biterms: Source, n_topics: int, prior: Prior, rng: np.random.Generator) -> State:
        """As SDM, with no spread."""
        state = self._sdm().init(biterms, n_topics, prior, rng)
        return State(*state, np.zeros_like(state.rows))

    def grow(self, state: State, biterms: Source, prior: Prior, rng: np.random.Generator) -> State:
        """As SDM; new words have no spread."""
        grown = self._sdm().grow(state.sdm, biterms, prior, rng)
        n_new = len(grown.rows) - len(state.rows)
        return State(*grown, np.pad(state.spread, ((0, n_new), (0, 0))))

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Learn the biterms of a block, one after the other."""
        log_likelihood = learn(
            block.first,
            block.second,
            state.rows,
            state.spread,
            state.mass,
            state.totals,
            state.updates,
            state.cooling,
            step_sizes(self.kappa),
            self.kappa,
            self.alpha,
            *prior,
        )
        scale = log_scale(state.counts.sum() / 2, state.rows.shape[1], prior)
        return state, log_likelihood - len(block.first) * scale

    def topics(self, state: State, prior: Prior) -> Topics:
        """As SDM."""
        return self._sdm().topics(state.sdm, prior)

    def merge(self, base: State, parts: list[State], prior: Prior) -> State:
        """As SDM, the spreads like the rows."""
        return self.synchronize(base, parts, prior)[0]

    def synchronize(self, base: State, parts: list[State], prior: Prior) -> list[State]:
        """As SDM, the spreads like the rows."""
        return synchronize(base, parts, self.kappa, ["rows", "spread"])


@kernel
def power_mean(mean: Any, variance: Any, alpha: float) -> Any:
    """E[x^alpha]^(1/alpha) to the second order: mean (1 + alpha (alpha - 1) / 2 r)^(1/alpha).

    r is the variance over the squared mean, at most 1. For alpha = 0 it is mean exp(-r / 2).
    """
    if alpha == 1.0:
        return mean
    r = min(float(variance) / (float(mean) * float(mean)), LARGEST_VARIANCE)
    if alpha == 0.0:
        return np.float32(mean * math.exp(-r / 2))
    return np.float32(mean * math.exp(math.log1p(alpha * (alpha - 1) / 2 * r) / alpha))


@kernel
def learn(
    first: Any,
    second: Any,
    rows: Any,
    spread: Any,
    mass: Any,
    totals: Any,
    updates: Any,
    cooling: Any,
    rates: Any,
    kappa: float,
    alpha: float,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """SDM's kernel, with the power mean of each count in place of its mean.

    Also moves the spreads: s_w += rho (q (1 - q) - s_w). The totals are sums over so many words
    that their power means are their means.
    """
    n_words, n_topics = rows.shape
    beta = np.float32(word_prior)
    all_words_prior = n_words * word_prior
    q = scratch(n_topics)
    log_likelihood = 0.0
    for i in range(len(first)):
        v, w = first[i], second[i]
        weight = np.float32(0)
        for k in range(n_topics):
            t = max(totals[k], 0.0)
            c = t + all_words_prior
            b_v = power_mean(mass[v] * rows[v, k] + beta, mass[v] * spread[v, k], alpha)
            b_w = power_mean(mass[w] * rows[w, k] + beta, mass[w] * spread[w, k], alpha)
            q[k] = (0.5 * t + topic_prior) * b_v * b_w / (c * (c + 1))
            weight += q[k]
        log_likelihood += np.log(weight)
        for word in (v, w):
            rho = step_size(updates[word], cooling[word], rates, kappa)
            updates[word] += 1
            for k in range(n_topics):
                share = q[k] / weight
                step = rho * (share - rows[word, k])
                rows[word, k] += step
                totals[k] += mass[word] * step
                spread[word, k] += rho * (share * (1 - share) - spread[word, k])
    return log_likelihood
