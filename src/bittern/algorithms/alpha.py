"""SDM for other alpha-divergences than the paper's choice."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, scratch
from bittern._core.validation import check_number
from bittern.algorithms._sdm_kernel import StepSizes
from bittern.algorithms._word_rows import add_totals, count_update, step_size, step_sizes
from bittern.algorithms.changes import Changes, apply_changes, find_changes
from bittern.algorithms.contract import Algorithm, Auto, Field, Prior, TopicCounts, log_normalizer
from bittern.algorithms.sdm import SDM, SDMState, merge_states
from bittern.biterms import BitermSource, Block, Order

MAX_VARIANCE = 1.0  # relative to the squared mean; beyond it the expansion means nothing


class AlphaSDMState(NamedTuple):
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
        """SDM's part, in the same arrays."""
        return SDMState(*self[:-1])

    @classmethod
    def from_sdm(cls, state: SDMState, spread: NDArray[np.float32]) -> "AlphaSDMState":
        """Add spreads to SDM's state, which has no background."""
        return cls(*state[:-1], spread)

    @property
    def mass(self) -> NDArray[np.float32]:
        """The weight of each row, as in SDM."""
        return self.sdm.mass


@dataclass(frozen=True, repr=False)
class AlphaSDM(Algorithm[AlphaSDMState]):
    """Stochastic divergence minimization for any alpha.

    The paper projects with the alpha-divergence of alpha = 1, where a word's count in a topic is
    replaced by E[n + beta]. For other alphas it is the power mean E[(n + beta)^alpha]^(1/alpha),
    here by its second-order expansion around the mean, with the variance of n tracked by the same
    stochastic step. alpha = 1 is SDM, alpha = 0 the geometric mean. Time O(K) per biterm as for
    SDM, but with two powers for each topic; memory O(K W), twice that of SDM.

    Parameters
    ----------
    alpha : float
        The divergence, from -10 to 10.
    kappa : float
        How fast step sizes shrink: update t of a word has step size (1 + t) ** -kappa. In
        (0.5, 1].
    cooldown : float
        Fraction of each word's updates, at the end, in which its row becomes an average instead of
        a fading memory. In [0, 1); 0 is the paper's algorithm.
    epochs : int or "auto"
        Passes over the biterms; "auto" uses 1 on large corpora and up to 10 on small ones. 1 is
        the paper's algorithm.
    """

    alpha: float = 1.0
    kappa: float = 0.51
    cooldown: float = 0.3
    epochs: Auto = "auto"

    name: ClassVar[str] = "alpha-sdm"
    state_type = AlphaSDMState
    order: ClassVar[Order] = "reshuffled"
    parallel: ClassVar[bool] = True
    layout: ClassVar[Mapping[str, Field]] = {
        name: field for name, field in SDM.layout.items() if name != "background"
    } | {"spread": Field("float32", "WK", high=1)}

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, -10, 10)
        self._sdm()  # checks the other settings

    def _sdm(self) -> SDM:
        return SDM.paper(kappa=self.kappa, cooldown=self.cooldown, epochs=self.epochs)

    def check_state(self, state: AlphaSDMState) -> None:
        """Check the state as SDM does."""
        self._sdm().check_state(state.sdm)

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> AlphaSDMState:
        """Start as SDM, with no spread."""
        state = self._sdm().init(biterms, n_topics, prior, rng)
        return AlphaSDMState.from_sdm(state, np.zeros_like(state.rows))

    def grow(
        self, state: AlphaSDMState, biterms: BitermSource, prior: Prior, rng: np.random.Generator
    ) -> AlphaSDMState:
        """Grow as SDM; new words have no spread."""
        grown = self._sdm().grow(state.sdm, biterms, prior, rng)
        n_new = len(grown.rows) - len(state.rows)
        spread = np.pad(state.spread, ((0, n_new), (0, 0)))
        return AlphaSDMState.from_sdm(grown, spread)

    def step(
        self, state: AlphaSDMState, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[AlphaSDMState, float]:
        """Train on the biterms of a block, one after the other."""
        steps = StepSizes(step_sizes(self.kappa), self.kappa)
        log_likelihood = train(block, state, state.mass, steps, self.alpha, prior)
        normalizer = log_normalizer(state.counts.sum() / 2, state.rows.shape[1], prior)
        return state, log_likelihood - len(block.first) * normalizer

    def topics(self, state: AlphaSDMState, prior: Prior) -> TopicCounts:
        """Return the counts as SDM does."""
        return self._sdm().topics(state.sdm, prior)

    def merge(
        self, base: AlphaSDMState, parts: list[AlphaSDMState], prior: Prior
    ) -> list[AlphaSDMState]:
        """Merge rows and spreads as if the updates of all parts had followed each other."""
        return merge_states(base, parts, self.kappa, ["rows", "spread"])

    def changes(self, base: AlphaSDMState, part: AlphaSDMState) -> Changes:
        """Return what a part has changed in rows and spreads."""
        return find_changes(base, part, self.kappa, ["rows", "spread"])

    def with_changes(self, state: AlphaSDMState, changes: Changes) -> AlphaSDMState:
        """Move rows and spreads as all updates together would have moved them."""
        apply_changes(state, changes, self.kappa, ["rows", "spread"])
        totals = np.zeros(state.rows.shape[1])
        add_totals(state.rows, state.mass, totals)
        return state._replace(totals=totals)


@kernel
def power_mean(mean: Any, variance: Any, alpha: float) -> Any:
    """E[x^alpha]^(1/alpha) to second order: mean (1 + alpha (alpha - 1) / 2 r)^(1/alpha).

    r is the variance over the squared mean, at most 1. For alpha = 0 it is mean exp(-r / 2).
    """
    if alpha == 1.0:
        return mean
    r = min(float(variance) / (float(mean) * float(mean)), MAX_VARIANCE)
    if alpha == 0.0:
        return np.float32(mean * math.exp(-r / 2))
    return np.float32(mean * math.exp(math.log1p(alpha * (alpha - 1) / 2 * r) / alpha))


@kernel
def train(block: Any, state: Any, mass: Any, steps: Any, alpha: float, prior: Any) -> Any:
    """SDM's kernel with the power mean of each count instead of its mean.

    Also moves the spreads: s_w += rho (q (1 - q) - s_w). The totals are sums over so many words
    that their power means equal their means.
    """
    first, second, rows, spread = block.first, block.second, state.rows, state.spread
    totals, updates, cooling = state.totals, state.updates, state.cooling
    n_words, n_topics = rows.shape
    beta = np.float32(prior.word)
    all_words_prior = n_words * prior.word
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
            q[k] = (0.5 * t + prior.topic) * b_v * b_w / (c * (c + 1))
            weight += q[k]
        log_likelihood += np.log(weight)
        for word in (v, w):
            rho = step_size(updates[word], cooling[word], steps.table, steps.kappa)
            count_update(updates, word)
            for k in range(n_topics):
                share = q[k] / weight
                step = rho * (share - rows[word, k])
                rows[word, k] += step
                totals[k] += mass[word] * step
                spread[word, k] += rho * (share * (1 - share) - spread[word, k])
    return log_likelihood
