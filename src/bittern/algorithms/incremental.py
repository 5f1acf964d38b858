"""Incremental BTM: sample each biterm as it arrives, and resample some earlier ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, random_below, random_unit, scratch
from bittern._core.validation import MAX_REPEATS, are_indices, check_integer
from bittern.algorithms._gibbs_kernels import resample, topic_factors
from bittern.algorithms.contract import Algorithm, Field, Prior, TopicCounts
from bittern.algorithms.gibbs import MAX_COUNT, check_countable, count_topics
from bittern.biterms import BitermSource, Block, Order
from bittern.errors import InputError


class IncrementalState(NamedTuple):
    """Remembered biterms that may be resampled, their topics, and the counts of all biterms."""

    first: NDArray[np.int32]  # (H,): room for the biterms to remember
    second: NDArray[np.int32]
    topics: NDArray[np.int32]
    words: NDArray[np.float32]  # (W, K): n_w|k
    biterms: NDArray[np.float64]  # (K,): n_k
    remembered: int  # how many of the H are in use
    seen: int


@dataclass(frozen=True, repr=False)
class IncrementalBTM(Algorithm[IncrementalState]):
    """Incremental BTM: sample each biterm as it arrives, then resample some of the earlier ones.

    It must remember the biterms that it may resample. Time O(rejuvenation K) per biterm, memory
    O(N + K W), or O(history + K W) with a limit.

    Parameters
    ----------
    rejuvenation : int
        Number of earlier biterms that are resampled after each new one.
    history : int or None
        Remember at most this many biterms, a uniform sample of all; the topics of the others are
        fixed.
    """

    rejuvenation: int = 10
    history: int | None = None

    name: ClassVar[str] = "incremental"
    state_type = IncrementalState
    order: ClassVar[Order] = "sequential"
    layout: ClassVar[Mapping[str, Field]] = {
        "first": Field("int32", "H", into="W"),
        "second": Field("int32", "H", into="W"),
        "topics": Field("int32", "H", into="K"),
        "words": Field("float32", "WK", high=2 * MAX_COUNT),
        "biterms": Field("float64", "K"),
        "remembered": Field("int64", high="H"),
        "seen": Field("int64"),
    }

    def __post_init__(self) -> None:
        check_integer("rejuvenation", self.rejuvenation, 0, maximum=MAX_REPEATS)
        if self.history is not None:
            check_integer("history", self.history, 1, "or None")

    def check_state(self, state: IncrementalState) -> None:
        """Reject counts that are too small for the biterms that are remembered."""
        n, own = state.remembered, np.zeros_like(state.words)
        count_topics(state.first[:n], state.second[:n], state.topics[:n], own)
        biterms = np.bincount(state.topics[:n], minlength=len(state.biterms))
        if (state.words < own).any() or (state.biterms < biterms).any():
            raise InputError("its counts are too small for the biterms that it remembers")

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> IncrementalState:
        """Start without biterms, with room for those to come."""
        empty = np.empty(0, np.int32)
        words = np.zeros((len(biterms.vocabulary), n_topics), np.float32)
        state = IncrementalState(empty, empty, empty, words, np.zeros(n_topics), 0, 0)
        return self.grow(state, biterms, prior, rng)

    def grow(
        self,
        state: IncrementalState,
        biterms: BitermSource,
        prior: Prior,
        rng: np.random.Generator,
    ) -> IncrementalState:
        """Make room for more biterms and words."""
        _check_history(state)
        n_new = len(biterms.vocabulary) - len(state.words)
        words = np.pad(state.words, ((0, n_new), (0, 0)))
        check_countable(words.sum(axis=1, dtype=np.float64) + biterms.counts())
        keep = np.arange(state.remembered)
        room = state.remembered + len(biterms.materialize())
        if self.history is not None:
            room = min(room, self.history)
            if len(keep) > room:  # the limit was lowered
                keep = rng.choice(keep, room, replace=False)
        more = (0, room - len(keep))
        return state._replace(
            first=np.pad(state.first[keep], more),
            second=np.pad(state.second[keep], more),
            topics=np.pad(state.topics[keep], more),
            words=words,
            biterms=state.biterms.copy(),
            remembered=len(keep),
        )

    def step(
        self, state: IncrementalState, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[IncrementalState, float]:
        """Sample the biterms of a block one after the other, with rejuvenation."""
        seeds = rng.integers(np.iinfo(np.uint64).max, size=3, dtype=np.uint64)
        log_likelihood, remembered = train(block, state, self.rejuvenation, seeds, prior)
        n, n_topics = len(block.first), len(state.biterms)
        others = np.arange(state.seen, state.seen + n)
        log_likelihood -= np.log(others + n_topics * prior.topic).sum()
        return state._replace(remembered=remembered, seen=state.seen + n), log_likelihood

    def topics(self, state: IncrementalState, prior: Prior) -> TopicCounts:
        """Return the counts."""
        return TopicCounts(state.biterms.copy(), state.words.copy())


def _check_history(state: IncrementalState) -> None:
    """Reject a history that is damaged, as in a bad file: the kernel trusts it."""
    n_words, n_topics = state.words.shape
    n = state.remembered
    for numbers, end in ((state.first, n_words), (state.second, n_words), (state.topics, n_topics)):
        if not 0 <= n <= len(numbers) or not are_indices(numbers[:n], end):
            raise InputError("the biterms that the model remembers are damaged; call fit() again")


@kernel
def train(block: Any, state: Any, rejuvenation: int, seeds: Any, prior: Any) -> Any:
    """Sample the biterms of a block in their order, and after each some old ones.

    Changes all arrays of the state. The history is a reservoir: when it is full, the i-th biterm
    replaces one of its H at random with probability H / i. Returns the sum over the new biterms of
    the log of the weights' sum, and how many are remembered now.
    """
    first, second, words, biterms = block.first, block.second, state.words, state.biterms
    old_first, old_second, old_topics = state.first, state.second, state.topics
    n_words, n_topics = words.shape
    factors = topic_factors(biterms, prior, n_words)
    weights = scratch(n_topics)
    remembered, log_likelihood, draws = state.remembered, 0.0, 0
    for i in range(len(first)):
        v, w, uniform = first[i], second[i], random_unit(seeds[0], i)
        topic, total = resample(v, w, -1, words, biterms, factors, weights, uniform, prior)
        log_likelihood += np.log(total)
        if remembered < len(old_first):
            index = remembered
            remembered += 1
        else:
            index = random_below(seeds[1], i, state.seen + i + 1)
        if index < len(old_first):
            old_first[index] = v
            old_second[index] = w
            old_topics[index] = topic
        for _ in range(rejuvenation):
            j = random_below(seeds[2], 2 * draws, remembered)
            v, w, uniform = old_first[j], old_second[j], random_unit(seeds[2], 2 * draws + 1)
            old_topics[j], _ = resample(
                v, w, old_topics[j], words, biterms, factors, weights, uniform, prior
            )
            draws += 1
    return log_likelihood, remembered
