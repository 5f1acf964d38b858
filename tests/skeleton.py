"""A skeleton to copy: plain EM for the biterm topic model, as an algorithm of bittern."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer
from bittern.algorithms import Algorithm, Prior, TopicCounts, estimate
from bittern.biterms import BitermSource, Block, Order


class State(NamedTuple):
    """The parameters, and the expected counts collected so far in this sweep."""

    theta: NDArray[np.float64]  # (K,)
    phi: NDArray[np.float32]  # (W, K)
    counts: TopicCounts  # of the last complete sweep
    collected: TopicCounts
    n_biterms: int


@dataclass(frozen=True, repr=False)
class Skeleton(Algorithm[State]):
    """Expectation maximization, in sweeps over all biterms.

    Describe here in two or three lines what the algorithm does, and its cost in time and memory.

    Parameters
    ----------
    sweeps : int
        Number of passes over all biterms. The command line shows this text in its help.
    """

    sweeps: int = 40

    name: ClassVar[str] = "skeleton"
    state_type = State
    order: ClassVar[Order] = "shuffled"  # one random order for all sweeps, weights as copies

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1)

    @property
    def epochs(self) -> int:
        return self.sweeps

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        shares = rng.dirichlet(np.ones(n_topics), size=len(biterms.vocabulary))
        words = (biterms.counts()[:, np.newaxis] * shares).astype(np.float32)
        counts = TopicCounts(words.sum(axis=0, dtype=np.float64) / 2, words)
        return _next_sweep(counts, prior, len(biterms.materialize()))

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        q = state.theta * state.phi[block.first] * state.phi[block.second]
        p = q.sum(axis=1, keepdims=True)
        q /= p
        state.collected.biterms[:] += q.sum(axis=0)
        np.add.at(state.collected.words, block.first, q)
        np.add.at(state.collected.words, block.second, q)
        if block.start + len(block.first) == state.n_biterms:  # the sweep is complete
            state = _next_sweep(state.collected, prior, state.n_biterms)
        return state, float(np.log(p).sum())

    def topics(self, state: State, prior: Prior) -> TopicCounts:
        return TopicCounts(state.counts.biterms.copy(), state.counts.words.copy())


def _next_sweep(counts: TopicCounts, prior: Prior, n_biterms: int) -> State:
    """Return the state after a complete sweep that found these counts."""
    theta, phi = estimate(counts._replace(words=counts.words.copy()), prior)
    nothing = TopicCounts(np.zeros_like(counts.biterms), np.zeros_like(counts.words))
    return State(theta, phi, counts, nothing, n_biterms)
