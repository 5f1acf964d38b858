"""Incremental BTM: each biterm is sampled as it comes, and some earlier ones again."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, random_below, random_unit, scratch
from bittern._core.validation import are_indices, check_integer
from bittern.algorithms._gibbs_kernels import resample, topic_factors
from bittern.algorithms.contract import OnlineAlgorithm, Prior, Topics
from bittern.algorithms.gibbs import check_countable
from bittern.biterms.biterms import Biterms, Block
from bittern.biterms.lazy import Source
from bittern.errors import InputError


class State(NamedTuple):
    """Biterms that may be sampled again, their topics, and the counts of all."""

    first: NDArray[np.int32]  # (H,): room for the biterms to remember
    second: NDArray[np.int32]
    topics: NDArray[np.int32]
    words: NDArray[np.float32]  # (W, K): n_w|k
    biterms: NDArray[np.float64]  # (K,): n_k
    remembered: int  # the first so many of H
    seen: int


@dataclass(frozen=True)
class IncrementalBTM(OnlineAlgorithm):
    """Incremental BTM: sample each biterm as it comes, then some of the earlier ones again.

    It must remember the biterms that it may sample again. Time O(rejuvenation K) per biterm,
    memory O(N + K W), or O(history + K W) with a limit.

    Parameters
    ----------
    rejuvenation : int
        How many earlier biterms are sampled again after each new one.
    history : int or None
        Remember only so many biterms, a uniform sample of all; the topics of the others stay.
    """

    rejuvenation: int = 10
    history: int | None = None

    name: ClassVar[str] = "incremental"
    state_type: ClassVar[type[Any]] = State

    def __post_init__(self) -> None:
        check_integer("rejuvenation", self.rejuvenation, 0)
        if self.history is not None:
            check_integer("history", self.history, 1, "or None")

    def passes(self, n_biterms: float) -> int:
        """One pass."""
        return 1

    def arrange(self, biterms: Source, n_topics: int, rng: np.random.Generator) -> Biterms:
        """As they come."""
        return biterms.materialize().repeated(rng)

    def init(
        self, biterms: Biterms, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        """No biterm yet, and room for those to come."""
        nothing = np.empty(0, np.int32)
        words = np.zeros((len(biterms.vocabulary), n_topics), np.float32)
        state = State(nothing, nothing, nothing, words, np.zeros(n_topics), 0, 0)
        return self.grow(state, biterms, prior, rng)

    def grow(self, state: State, biterms: Biterms, prior: Prior, rng: np.random.Generator) -> State:
        """Room for more biterms and words."""
        _check_history(state)
        n_new = len(biterms.vocabulary) - len(state.words)
        words = np.pad(state.words, ((0, n_new), (0, 0)))
        check_countable(words.sum(axis=1, dtype=np.float64) + biterms.counts())
        keep = np.arange(state.remembered)
        room = state.remembered + len(biterms)
        if self.history is not None:
            room = min(room, self.history)
            if len(keep) > room:  # the limit has been lowered
                keep = rng.choice(keep, room, replace=False)
        more = (0, room - len(keep))
        return state._replace(
            first=np.pad(state.first[keep], more),
            second=np.pad(state.second[keep], more),
            topics=np.pad(state.topics[keep], more),
            words=words,
            remembered=len(keep),
        )

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Sample the biterms of a block, one after the other, with rejuvenation."""
        seeds = rng.integers(np.iinfo(np.uint64).max, size=3, dtype=np.uint64)
        log_likelihood, remembered = learn(
            block.first, block.second, *state, self.rejuvenation, seeds, *prior
        )
        n, k = len(block.first), len(state.biterms)
        others = np.arange(state.seen, state.seen + n)
        log_likelihood -= np.log(others + k * prior.topic).sum()
        return state._replace(remembered=remembered, seen=state.seen + n), log_likelihood

    def topics(self, state: State, prior: Prior) -> Topics:
        """The counts."""
        return Topics(state.biterms.copy(), state.words.copy())


def _check_history(state: State) -> None:
    """Refuse what is not a history of biterms, as a damaged file may have: the kernel trusts it."""
    n_words, n_topics = state.words.shape
    n = state.remembered
    for numbers, end in ((state.first, n_words), (state.second, n_words), (state.topics, n_topics)):
        if not 0 <= n <= len(numbers) or not are_indices(numbers[:n], end):
            raise InputError("the biterms that the model remembers are damaged: fit it anew")


@kernel
def learn(
    first: Any,
    second: Any,
    old_first: Any,
    old_second: Any,
    old_topics: Any,
    words: Any,
    biterms: Any,
    remembered: int,
    seen: int,
    rejuvenation: int,
    seeds: Any,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Sample new biterms in their order, and after each some old ones; changes all arrays.

    The history is a reservoir: when it is full, the i-th biterm replaces one of its H at random
    with probability H / i. Gives the sum of the logs of the new biterms' normalisers, and how
    many are remembered now.
    """
    n_words, n_topics = words.shape
    factors = topic_factors(biterms, topic_prior, n_words * word_prior)
    weights = scratch(n_topics)
    log_likelihood = 0.0
    draws = 0
    for i in range(len(first)):
        topic, total = resample(
            first[i],
            second[i],
            -1,
            words,
            biterms,
            factors,
            weights,
            random_unit(seeds[0], i),
            topic_prior,
            word_prior,
        )
        log_likelihood += np.log(total)
        if remembered < len(old_first):
            place = remembered
            remembered += 1
        else:
            place = random_below(seeds[1], i, seen + i + 1)
        if place < len(old_first):
            old_first[place] = first[i]
            old_second[place] = second[i]
            old_topics[place] = topic
        for _ in range(rejuvenation):
            j = random_below(seeds[2], 2 * draws, remembered)
            old_topics[j], _ = resample(
                old_first[j],
                old_second[j],
                old_topics[j],
                words,
                biterms,
                factors,
                weights,
                random_unit(seeds[2], 2 * draws + 1),
                topic_prior,
                word_prior,
            )
            draws += 1
    return log_likelihood, remembered
