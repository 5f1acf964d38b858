"""A skeleton to copy: plain EM for the biterm topic model, as an algorithm of bittern."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer
from bittern.algorithms.contract import Algorithm, Prior, Topics, estimate
from bittern.biterms.biterms import Biterms, Block


class State(NamedTuple):
    """The parameters, and the expected counts that this sweep has collected so far."""

    theta: NDArray[np.float64]  # (K,)
    phi: NDArray[np.float32]  # (W, K)
    topics: Topics  # of the last whole sweep
    collected: Topics
    n_biterms: int


@dataclass(frozen=True)
class Skeleton(Algorithm):
    """Expectation maximization, in sweeps over all biterms.

    Say here in two or three lines what the algorithm does, and what time and memory it takes.

    Parameters
    ----------
    sweeps : int
        How often all biterms are seen. The command line shows this text in its help.
    """

    sweeps: int = 40

    name: ClassVar[str] = "skeleton"
    state_type: ClassVar[type[Any]] = State

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1)

    def passes(self, n_biterms: float) -> int:
        return self.sweeps

    def arrange(self, biterms: Biterms, n_topics: int, rng: np.random.Generator) -> Biterms:
        return biterms.materialize().shuffled(rng)  # whole biterms: weights become copies

    def init(
        self, biterms: Biterms, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        shares = rng.dirichlet(np.ones(n_topics), size=len(biterms.vocabulary))
        words = (biterms.counts()[:, np.newaxis] * shares).astype(np.float32)
        topics = Topics(words.sum(axis=0, dtype=np.float64) / 2, words)
        return _after(topics, prior, len(biterms))

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        q = state.theta * state.phi[block.first] * state.phi[block.second]
        p = q.sum(axis=1, keepdims=True)
        q /= p
        state.collected.biterms[:] += q.sum(axis=0)
        np.add.at(state.collected.words, block.first, q)
        np.add.at(state.collected.words, block.second, q)
        if block.start + len(block.first) == state.n_biterms:  # the sweep is over
            topics = state.collected
            state = _after(topics, prior, state.n_biterms)
        return state, float(np.log(p).sum())

    def topics(self, state: State, prior: Prior) -> Topics:
        return Topics(state.topics.biterms.copy(), state.topics.words.copy())


def _after(topics: Topics, prior: Prior, n_biterms: int) -> State:
    """The state after a whole sweep that found these counts."""
    theta, phi = estimate(Topics(topics.biterms, topics.words.copy()), prior)
    nothing = Topics(np.zeros_like(topics.biterms), np.zeros_like(topics.words))
    return State(theta, phi, topics, nothing, n_biterms)
