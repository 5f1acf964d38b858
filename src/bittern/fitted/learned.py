"""What a model has learned, beside its topics: what it takes to go on, and the way it came."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bittern.algorithms import Prior, Topics, estimate
from bittern.fitted.topics import renumber_columns

HISTORY = {"epoch": pl.Int64, "biterms": pl.Int64, "log_likelihood": pl.Float64}


class Slice(NamedTuple):
    """The counts of a time slice: `biterms` (K,) and, mostly zeros, `words` (W, K)."""

    name: str
    biterms: NDArray[np.float64]
    words: csr_array

    @classmethod
    def of(cls, name: str, topics: Topics) -> "Slice":
        """The counts of a slice under its name."""
        return cls(name, topics.biterms, csr_array(topics.words))

    def renumbered(self, numbers: NDArray[np.int64]) -> "Slice":
        """The counts of topics with new numbers; those with the same are added up."""
        words = renumber_columns(self.words.toarray(), numbers)
        return Slice(self.name, renumber_columns(self.biterms, numbers), csr_array(words))


def from_joint(joint: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Theta (K,) and phi (K, W) from the joint probabilities of words and topics, (W, K)."""
    shares = joint.sum(axis=0)
    return shares / shares.sum(), (joint / shares).T.astype(np.float32)


def slice_topics(slices: list[Slice], index: int, decay: float) -> Topics:
    """The counts of a slice and of its prior, the slices before it."""
    last = slices[index]
    biterms, words = last.biterms.copy(), last.words.toarray()
    for piece in slices[:index]:
        biterms += decay * piece.biterms
        words[: piece.words.shape[0]] += np.float32(decay) * piece.words.toarray()
    return Topics(biterms, words)


class Learned(NamedTuple):
    """The state of the algorithm, its random numbers, the learning curve, and the slices."""

    state: Any
    rng: np.random.Generator
    history: pl.DataFrame
    slices: list[Slice]


class Settings(NamedTuple):
    """What a model's parameters come to."""

    algorithm: Any
    prior: Prior
    rng: np.random.Generator
    n_topics: int


@dataclass(eq=False)
class Estimates:
    """Theta and phi of a state, worked out when they are first asked for: a stream may never."""

    how: Settings
    state: Any
    values: tuple[NDArray[np.float64], NDArray[np.float32]] | None = None
    drawn: NDArray[np.float32] | None = None

    def get(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Theta (K,) and phi (K, W)."""
        if self.values is None:
            topics = self.how.algorithm.topics(self.state, self.how.prior)
            theta, words = estimate(topics, self.how.prior)
            self.drawn = self.how.algorithm.drawn(words.T, self.state)
            self.values, self.state = (theta, words.T), None
        return self.values

    def for_likelihoods(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Theta, and phi as words are drawn from it: where there is a background, with that."""
        theta, phi = self.get()
        return theta, phi if self.drawn is None else self.drawn
