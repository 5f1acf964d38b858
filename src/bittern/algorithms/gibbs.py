"""Collapsed Gibbs sampling: batch inference in sweeps over all biterms."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.validation import MAX_REPEATS, check_integer
from bittern.algorithms._gibbs_kernels import sweep
from bittern.algorithms._sparse_gibbs import Lists, from_dense, sparse_sweep, to_dense
from bittern.algorithms.contract import (
    Algorithm,
    Prior,
    TopicCounts,
    copy_state,
    log_normalizer,
)
from bittern.biterms import Biterms, BitermSource, Block, Order
from bittern.errors import InputError

MAX_COUNT = 1 << 24  # the largest integer that float32 can add one to
SPARSE_TOPICS = 200  # from this number of topics on, the sparse sampler is faster


class GibbsState(NamedTuple):
    """The topic of each biterm, and the counts that follow from them."""

    topics: NDArray[np.int32]  # (N,)
    words: NDArray[np.float32] | Lists  # (W, K): n_w|k, integers
    biterms: NDArray[np.float64]  # (K,): n_k
    sweeps: int  # finished so far
    sum_words: NDArray[np.float32] | None  # (W, K): of the samples to be averaged
    sum_biterms: NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Gibbs(Algorithm[GibbsState]):
    """Collapsed Gibbs sampling of the topics of all biterms, in sweeps.

    The original algorithm for the model, and the reference for the others: exact in the limit, but
    slow to get there. Time O(K) per biterm and sweep, far less with many topics; memory O(N + K W).

    Parameters
    ----------
    sweeps : int
        Number of times the topic of each biterm is resampled.
    samples : int
        Average the counts of this many of the last sweeps.
    sampler : str
        "dense" looks at every topic for every biterm, "sparse" only at those of its rarer word;
        both draw from the same distribution. "auto" uses "sparse" for 200 or more topics.
    """

    sweeps: int = 100
    samples: int = 1
    sampler: Literal["auto", "dense", "sparse"] = "auto"

    name: ClassVar[str] = "gibbs"
    state_type = GibbsState
    order: ClassVar[Order] = "grouped"

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1, maximum=MAX_REPEATS)
        check_integer("samples", self.samples, 1)
        if self.samples > self.sweeps:
            raise InputError(f"samples must be at most sweeps ({self.sweeps}), not {self.samples}")
        if self.sampler not in ("auto", "dense", "sparse"):
            raise InputError(f'unknown sampler "{self.sampler}"; choose from auto, dense, sparse')

    @property
    def epochs(self) -> int:
        """A pass is a sweep."""
        return self.sweeps

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> GibbsState:
        """Draw a random topic for each biterm."""
        counts = biterms.counts()
        check_countable(counts)
        start = random_topics(biterms.materialize(), n_topics, rng)
        words: NDArray[np.float32] | Lists = start.words
        if self.sampler == "sparse" or (self.sampler == "auto" and n_topics >= SPARSE_TOPICS):
            words = from_dense(start.words, counts)
        sum_words = np.zeros_like(start.words) if self.samples > 1 else None
        return GibbsState(start.topics, words, start.biterms, 0, sum_words, np.zeros(n_topics))

    def step(
        self, state: GibbsState, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[GibbsState, float]:
        """Resample the topics of a block."""
        end = block.start + len(block.first)
        topics = state.topics[block.start : end]
        seed = rng.integers(np.iinfo(np.uint64).max, dtype=np.uint64)
        draw = sparse_sweep if isinstance(state.words, Lists) else sweep
        log_likelihood = draw(block, topics, state.words, state.biterms, seed, prior)
        log_likelihood -= log_normalizer(len(state.topics), len(state.biterms), prior) * len(topics)
        if end == len(state.topics):
            state = self._add_sample(state._replace(sweeps=state.sweeps + 1))
        return state, log_likelihood

    def topics(self, state: GibbsState, prior: Prior) -> TopicCounts:
        """Return the counts, or their mean over the last sweeps."""
        n = state.sweeps - (self.sweeps - self.samples)
        if state.sum_words is None or n < 1:
            return TopicCounts(state.biterms.copy(), _dense(state))
        return TopicCounts(state.sum_biterms / n, state.sum_words / np.float32(n))

    def merge(self, base: GibbsState, parts: list[GibbsState], prior: Prior) -> list[GibbsState]:
        """Add up what each part changed."""
        sweeps = max(part.sweeps for part in parts)
        counts = add_changes(
            base._replace(words=_dense(base)),
            [part._replace(words=_dense(part)) for part in parts],
        )
        if isinstance(base.words, Lists):
            counts["words"] = from_dense(counts["words"], np.diff(base.words.start))
        merged = base._replace(**counts, sweeps=sweeps)
        if sweeps > base.sweeps:
            merged = self._add_sample(merged)
        return [copy_state(merged, old) for old in (base, *parts)]

    def _add_sample(self, state: GibbsState) -> GibbsState:
        """After a sweep, add its counts to the samples if it is among the last ones."""
        if state.sum_words is not None and state.sweeps > self.sweeps - self.samples:
            state.sum_words[:] += _dense(state)
            state.sum_biterms[:] += state.biterms
        return state


class RandomTopics(NamedTuple):
    """Random topics of biterms, and their counts."""

    topics: NDArray[np.int32]
    words: NDArray[np.float32]
    biterms: NDArray[np.float64]


def random_topics(biterms: Biterms, n_topics: int, rng: np.random.Generator) -> RandomTopics:
    """Draw a uniformly random topic for each biterm."""
    topics = rng.integers(n_topics, size=len(biterms), dtype=np.int32)
    words = np.zeros((len(biterms.vocabulary), n_topics), np.float32)
    count_topics(biterms.first, biterms.second, topics, words)
    return RandomTopics(topics, words, np.bincount(topics, minlength=n_topics).astype(np.float64))


def check_countable(counts: NDArray[np.float64]) -> None:
    """Reject words that are more frequent than float32 can count by ones."""
    if counts.max(initial=0) > MAX_COUNT:
        raise InputError(
            f"a word occurs in {counts.max():,.0f} biterms but samplers count to {MAX_COUNT:,}; "
            'drop it with max_df, or use algorithm="sdm", which has no such limit'
        )


def add_changes(base: Any, parts: list[Any]) -> dict[str, Any]:
    """Return topics, words and biterms of `base` with the changes of all parts."""
    topics = base.topics.copy()
    for part in parts:
        changed = part.topics != base.topics
        topics[changed] = part.topics[changed]
    return {
        "topics": topics,
        "words": base.words + sum(part.words - base.words for part in parts),
        "biterms": base.biterms + sum(part.biterms - base.biterms for part in parts),
    }


@kernel
def count_topics(first: Any, second: Any, topics: Any, words: Any) -> None:
    """Add the topics of biterms to the counts of both of their words."""
    for i in range(len(first)):
        words[first[i], topics[i]] += 1
        words[second[i], topics[i]] += 1


def _dense(state: GibbsState) -> NDArray[np.float32]:
    if isinstance(state.words, Lists):
        return to_dense(state.words, len(state.biterms))
    return state.words.copy()
