"""Online BTM: Gibbs sampling in time slices, each with the counts of earlier ones as its prior."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import MAX_REPEATS, check_integer, check_number
from bittern.algorithms._gibbs_kernels import sweep
from bittern.algorithms.contract import (
    Algorithm,
    Field,
    Prior,
    TopicCounts,
    copy_state,
    log_normalizer,
)
from bittern.algorithms.gibbs import MAX_COUNT, add_changes, check_countable, random_topics
from bittern.biterms import PERIODS, BitermSource, Block, Order


class OnlineState(NamedTuple):
    """The topics of the current slice, and its counts together with those of its prior."""

    topics: NDArray[np.int32]  # (B_t,): of the biterms of the slice
    words: NDArray[np.float32]  # (W, K): n_w|k + beta_k,w - beta
    biterms: NDArray[np.float64]  # (K,): n_k + gamma_k - gamma
    prior_words: NDArray[np.float32]  # (W, K): beta_k,w - beta, from earlier slices
    prior_biterms: NDArray[np.float64]  # (K,)


@dataclass(frozen=True, repr=False)
class OnlineBTM(Algorithm[OnlineState]):
    """Online BTM: Gibbs sampling in time slices.

    The counts of a slice are the prior of the next one: gamma_k += decay n_k and beta_k,w += decay
    n_w|k. Time O(sweeps K) per biterm, memory O(B + K W) where B is the size of the largest slice.

    Parameters
    ----------
    sweeps : int
        Gibbs sweeps over each slice.
    decay : float
        Fraction of a slice's counts that enters the prior of the next: 0 forgets, 1 keeps all.
    slices : int or str
        How `fit` splits the data: a number of equal slices, or "hour", "day", "week", "month",
        "quarter" or "year" for the times of the documents. `BTM.partial_fit` treats its data as one
        slice.
    """

    sweeps: int = 10
    decay: float = 1.0
    slices: int | str = 10

    name: ClassVar[str] = "online"
    state_type = OnlineState
    order: ClassVar[Order] = "shuffled"
    layout: ClassVar[Mapping[str, Field]] = {
        "topics": Field("int32", "B", into="K"),
        "words": Field("float32", "WK", high=2 * MAX_COUNT),
        "biterms": Field("float64", "K"),
        "prior_words": Field("float32", "WK", high=2 * MAX_COUNT),
        "prior_biterms": Field("float64", "K"),
    }

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1, maximum=MAX_REPEATS)
        check_number("decay", self.decay, 0, 1)
        if self.slices not in PERIODS:
            check_integer("slices", self.slices, 1, "or " + ", ".join(PERIODS))

    @property
    def epochs(self) -> int:
        """A pass is a sweep over a slice."""
        return self.sweeps

    @property
    def update_epochs(self) -> int:
        """A pass is a sweep over a slice."""
        return self.sweeps

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> OnlineState:
        """Start the first slice, with nothing learned before it."""
        n_words = len(biterms.vocabulary)
        return _start_slice(
            biterms, np.zeros((n_words, n_topics), np.float32), np.zeros(n_topics), rng
        )

    def grow(
        self, state: OnlineState, biterms: BitermSource, prior: Prior, rng: np.random.Generator
    ) -> OnlineState:
        """Make the finished slice part of the prior, and start the next one at random."""
        n_new = len(biterms.vocabulary) - len(state.words)
        finished = self.slice_counts(state)
        words = state.prior_words + np.float32(self.decay) * finished.words
        return _start_slice(
            biterms,
            np.pad(words, ((0, n_new), (0, 0))),
            state.prior_biterms + self.decay * finished.biterms,
            rng,
        )

    def step(
        self, state: OnlineState, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[OnlineState, float]:
        """Resample the topics of a block."""
        topics = state.topics[block.start : block.start + len(block.first)]
        seed = rng.integers(np.iinfo(np.uint64).max, dtype=np.uint64)
        log_likelihood = sweep(block, topics, state.words, state.biterms, seed, prior)
        normalizer = log_normalizer(state.biterms.sum(), len(state.biterms), prior)
        return state, log_likelihood - normalizer * len(topics)

    def topics(self, state: OnlineState, prior: Prior) -> TopicCounts:
        """Return the counts of the slice and of its prior."""
        return TopicCounts(state.biterms.copy(), state.words.copy())

    def merge(self, base: OnlineState, parts: list[OnlineState], prior: Prior) -> list[OnlineState]:
        """Add up what each part changed."""
        merged = base._replace(**add_changes(base, parts))
        return [copy_state(merged, old) for old in (base, *parts)]

    @property
    def carry(self) -> float:
        """The fraction of a slice's counts that becomes part of the next slice's prior."""
        return self.decay

    def slice_counts(self, state: OnlineState) -> TopicCounts:
        """Return the counts of the slice alone: integers, which adding up has blurred."""
        return TopicCounts(
            np.maximum(np.rint(state.biterms - state.prior_biterms), 0),
            np.maximum(np.rint(state.words - state.prior_words), 0),
        )


def _start_slice(
    biterms: BitermSource,
    prior_words: NDArray[np.float32],
    prior_biterms: NDArray[np.float64],
    rng: np.random.Generator,
) -> OnlineState:
    check_countable(prior_words.sum(axis=1, dtype=np.float64) + biterms.counts())
    start = random_topics(biterms.materialize(), len(prior_biterms), rng)
    return OnlineState(
        start.topics,
        prior_words + start.words,
        prior_biterms + start.biterms,
        prior_words,
        prior_biterms,
    )
