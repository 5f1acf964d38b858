"""What every inference algorithm is: `init`, then `step` on block after block, then `topics`."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bittern.biterms import Biterms, Block

POINTS_PER_EPOCH = 20  # of the learning curve, as far as the block sizes allow
SMALLEST_BLOCK, LARGEST_BLOCK = 1 << 12, 1 << 18


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


class Algorithm(Protocol):
    """An inference algorithm: a frozen dataclass of settings, checked when it is made."""

    name: ClassVar[str]
    state_type: ClassVar[type[Any]]
    """A NamedTuple of arrays and numbers: all that the next step needs, and nothing else."""

    def passes(self, n_biterms: float) -> int:
        """How often `step` is to see each of so many biterms."""

    def init(
        self, counts: NDArray[np.float64], n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> Any:
        """The state before the first biterm; `counts` says how often each word will come."""

    def step(
        self, state: Any, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[Any, float]:
        """Learn a block of biterms. The old state is dead: its arrays may be reused.

        Also gives the sum over the block of log p(biterm | all the others), as the algorithm
        saw it when the biterm came by: the running leave-one-out likelihood.
        """

    def topics(self, state: Any, prior: Prior) -> Topics:
        """What has been learned so far."""


class Online(Algorithm, Protocol):
    """An algorithm that can go on learning from data that nobody counted beforehand."""

    def grow(
        self, state: Any, counts: NDArray[np.float64], prior: Prior, rng: np.random.Generator
    ) -> Any:
        """The state before more data: `counts` says how often each word comes in it.

        There may be more words than the state has rows: the rest are new.
        """


def estimate(topics: Topics, prior: Prior) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The share of each topic, theta (K,), and its words, phi (W, K): each column sums to 1."""
    theta = topics.biterms + prior.topic
    words = topics.words + np.float32(prior.word)
    words /= words.sum(axis=0, dtype=np.float64)
    return theta / theta.sum(), words


def run(
    algorithm: Algorithm,
    state: Any,
    biterms: Biterms,
    prior: Prior,
    rng: np.random.Generator,
    epochs: int,
    watch: Callable[[Record], None] = lambda record: None,
) -> Any:
    """Show the biterms to the algorithm, `epochs` times, shuffled anew each time.

    `watch` is called after every block with the learning curve's next point.
    """
    size = int(np.clip(-(-biterms.total // POINTS_PER_EPOCH), SMALLEST_BLOCK, LARGEST_BLOCK))
    seen = 0
    for epoch in range(epochs):
        for block in biterms.shuffled(rng).blocks(size):
            state, log_likelihood = algorithm.step(state, block, prior, rng)
            seen += len(block.first)
            watch(Record(epoch, seen, log_likelihood / len(block.first)))
    return state
