"""What every inference algorithm is: `init`, then `step` on block after block, then `topics`."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern.biterms.biterms import Biterms, Block
from bittern.biterms.lazy import Pass, Source
from bittern.corpus.corpus import Corpus


class Prior(NamedTuple):
    """The Dirichlet priors: `topic` (gamma) of each topic's share, `word` (beta) of each word."""

    topic: float
    word: float


class Topics(NamedTuple):
    """What was learned, as expected counts.

    `biterms` (K,) counts the biterms of each topic (n_k), `words` (W, K) how often each word is
    in each topic (n_w|k). Both words of a biterm are in its topic: `words` sums to 2 `biterms`.
    """

    biterms: NDArray[np.float64]
    words: NDArray[np.float32]


class Record(NamedTuple):
    """A point of the learning curve: the mean log-likelihood of the biterms just learned."""

    epoch: int
    biterms: int
    log_likelihood: float


class Algorithm:
    """An inference algorithm: a frozen dataclass of settings, checked when it is made.

    It keeps nothing of its own: what it knows is in the state, a NamedTuple of arrays and
    numbers that holds all that the next step needs, and nothing else.
    """

    name: ClassVar[str]
    state_type: ClassVar[type[Any]]
    threads: ClassVar[bool] = False
    """Whether `merge` is so cheap that learning in several threads pays."""

    def cut(self, data: Corpus | Biterms) -> list[tuple[str, Corpus | Biterms]]:
        """The slices in which `fit` is to learn the data, one after the other, with their names."""
        return [("", data)]

    def passes(self, n_biterms: float) -> int:
        """How often `step` is to see each of so many biterms."""
        raise NotImplementedError

    def arrange(self, biterms: Source, n_topics: int, rng: np.random.Generator) -> Any:
        """The biterms as the algorithm wants them, before anything else."""
        return biterms

    def order(self, biterms: Any, rng: np.random.Generator) -> Pass:
        """The arranged biterms as the next pass is to show them."""
        as_they_are: Pass = biterms
        return as_they_are

    def init(self, biterms: Any, n_topics: int, prior: Prior, rng: np.random.Generator) -> Any:
        """The state before the first of the arranged biterms."""
        raise NotImplementedError

    def step(
        self, state: Any, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[Any, float]:
        """Learn a block of biterms. The old state is dead: its arrays may be reused.

        Also gives the sum over the block of log p(biterm | all the others), as the algorithm
        saw it when the biterm came by: the running leave-one-out likelihood.
        """
        raise NotImplementedError

    def topics(self, state: Any, prior: Prior) -> Topics:
        """What has been learned so far, in arrays of its own."""
        raise NotImplementedError

    def current_slice(self, state: Any) -> Topics | None:
        """What the slice that was learned last has by itself, where that is known."""
        return None

    def drawn(self, phi: NDArray[np.float32], state: Any) -> NDArray[np.float32]:
        """The topics (K, W) as words are drawn from them, for likelihoods."""
        return phi

    @property
    def topic_names(self) -> dict[int, str]:
        """The topics that have a name before anything is learned."""
        return {}

    def renumber(self, state: Any, numbers: NDArray[np.int64]) -> Any | None:
        """The state when topics get new numbers: equal ones become one, those below 0 go.

        None where an algorithm cannot go on learning after that.
        """
        return None

    def merge(self, base: Any, parts: list[Any], prior: Prior) -> Any:
        """One state from several that went on from `base`, each with its own biterms.

        The arrays of base and parts may be reused.
        """
        raise NotImplementedError

    def synchronize(self, base: Any, parts: list[Any], prior: Prior) -> list[Any]:
        """Base and parts again, all of them merged, for the next round."""
        merged = self.merge(base, parts, prior)
        return [copy_state(merged, old) for old in (base, *parts)]


class OnlineAlgorithm(Algorithm):
    """An algorithm that can go on learning from data that was not there at the start."""

    def repeats(self) -> int:
        """How often `step` is to see each biterm of such data."""
        return 1

    def grow(self, state: Any, biterms: Any, prior: Prior, rng: np.random.Generator) -> Any:
        """The state before more of the arranged biterms.

        Their vocabulary may be longer than that of the state: the rest of it is new.
        """
        raise NotImplementedError


def copy_state(state: Any, old: Any = None) -> Any:
    """A state with arrays of its own: those of an `old` state where they have the right shape."""

    def copied(value: Any, place: Any) -> Any:
        if isinstance(value, tuple):
            return copy_state(value, place)
        if not isinstance(value, np.ndarray) or value is place:
            return value
        if place is None or place.shape != value.shape:
            return value.copy()
        np.copyto(place, value)
        return place

    return type(state)(*map(copied, state, old or [None] * len(state)))


def log_scale(n_biterms: float, n_topics: int, prior: Prior) -> float:
    """The log of what p(biterm | the others) has for all topics alike: N - 1 + K gamma."""
    return float(np.log(max(n_biterms - 1, 0) + n_topics * prior.topic))


def estimate(topics: Topics, prior: Prior) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The share of each topic, theta (K,), and its words, phi (W, K): each column sums to 1.

    The counts are used up: phi takes their place in memory.
    """
    theta = topics.biterms + prior.topic
    words = topics.words
    words += np.float32(prior.word)
    words *= (1 / words.sum(axis=0, dtype=np.float64)).astype(np.float32)
    return theta / theta.sum(), words
