"""Collapsed Gibbs sampling: batch inference, sweep after sweep over all biterms."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.validation import check_integer
from bittern.algorithms._gibbs_kernels import sweep
from bittern.algorithms._sparse_gibbs import Lists, from_dense, sparse_sweep, to_dense
from bittern.algorithms.contract import Algorithm, Prior, Topics, log_scale
from bittern.biterms.biterms import Biterms, Block
from bittern.biterms.lazy import Source
from bittern.errors import InputError

MOST_COUNTED = 1 << 24  # the largest whole number that float32 can add one to
MANY_TOPICS = 200  # from here on the sparse sampler is the faster one


class State(NamedTuple):
    """The topic of each biterm, and the counts that follow from them."""

    topics: NDArray[np.int32]  # (N,)
    words: NDArray[np.float32] | Lists  # (W, K): n_w|k, whole numbers
    biterms: NDArray[np.float64]  # (K,): n_k
    sweeps: int  # finished so far
    sum_words: NDArray[np.float32] | None  # (W, K): of the samples to be averaged
    sum_biterms: NDArray[np.float64]


@dataclass(frozen=True)
class Gibbs(Algorithm):
    """Collapsed Gibbs sampling of the topics of all biterms, in sweeps.

    The first algorithm for the model, and the reference for the others: exact in the limit,
    slow to get there. Time O(K) per biterm and sweep, far less with many topics; memory
    O(N + K W).

    Parameters
    ----------
    sweeps : int
        How often the topic of each biterm is drawn anew.
    samples : int
        The topics are the mean of what the last so many sweeps found.
    sampler : str
        "dense" looks at every topic for every biterm, "sparse" only at those that its rarer
        word has; both draw from the same distribution. "auto" takes sparse from 200 topics on.
    """

    sweeps: int = 100
    samples: int = 1
    sampler: Literal["auto", "dense", "sparse"] = "auto"

    name: ClassVar[str] = "gibbs"
    state_type: ClassVar[type[Any]] = State

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1)
        check_integer("samples", self.samples, 1)
        if self.samples > self.sweeps:
            raise InputError(f"samples must be from 1 to sweeps, not {self.samples}")
        if self.sampler not in ("auto", "dense", "sparse"):
            raise InputError(f'sampler must be auto, dense or sparse, not "{self.sampler}"')

    def passes(self, n_biterms: float) -> int:
        """A pass is a sweep."""
        return self.sweeps

    def arrange(self, biterms: Source, n_topics: int, rng: np.random.Generator) -> Biterms:
        """One order for all sweeps; the sparse sampler needs the biterms of a word together."""
        whole = biterms.materialize().shuffled(rng)
        check_countable(whole.counts())
        return whole.grouped() if self._sparse(n_topics) else whole

    def init(
        self, biterms: Biterms, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        """A random topic for each biterm."""
        start = random_start(biterms, n_topics, rng)
        words: NDArray[np.float32] | Lists = start.words
        if self._sparse(n_topics):
            words = from_dense(start.words, biterms.counts())
        sum_words = np.zeros_like(start.words) if self.samples > 1 else None
        return State(start.topics, words, start.biterms, 0, sum_words, np.zeros(n_topics))

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Draw the topics of a block's biterms anew."""
        end = block.start + len(block.first)
        topics = state.topics[block.start : end]
        seed = rng.integers(np.iinfo(np.uint64).max, dtype=np.uint64)
        draw: Any = sparse_sweep if isinstance(state.words, Lists) else sweep
        log_likelihood = draw(
            block.first, block.second, topics, state.words, state.biterms, seed, *prior
        )
        log_likelihood -= log_scale(len(state.topics), len(state.biterms), prior) * len(topics)
        if end == len(state.topics):
            state = self._add_sample(state._replace(sweeps=state.sweeps + 1))
        return state, log_likelihood

    def topics(self, state: State, prior: Prior) -> Topics:
        """The counts, or their mean over the last sweeps."""
        n = state.sweeps - (self.sweeps - self.samples)
        if state.sum_words is None or n < 1:
            return Topics(state.biterms.copy(), _dense(state))
        return Topics(state.sum_biterms / n, state.sum_words / np.float32(n))

    def merge(self, base: State, parts: list[State], prior: Prior) -> State:
        """The counts change by the sum of what each part changed."""
        sweeps = max(part.sweeps for part in parts)
        counts = add_changes(
            base._replace(words=_dense(base)),
            [part._replace(words=_dense(part)) for part in parts],
        )
        if isinstance(base.words, Lists):
            counts["words"] = from_dense(counts["words"], np.diff(base.words.start))
        merged = base._replace(**counts, sweeps=sweeps)
        return self._add_sample(merged) if sweeps > base.sweeps else merged

    def _sparse(self, n_topics: int) -> bool:
        return self.sampler == "sparse" or (self.sampler == "auto" and n_topics >= MANY_TOPICS)

    def _add_sample(self, state: State) -> State:
        """After a sweep: its counts are one of the samples, if it is among the last."""
        if state.sum_words is not None and state.sweeps > self.sweeps - self.samples:
            state.sum_words[:] += _dense(state)
            state.sum_biterms[:] += state.biterms
        return state


class Start(NamedTuple):
    """Topics of biterms and their counts."""

    topics: NDArray[np.int32]
    words: NDArray[np.float32]
    biterms: NDArray[np.float64]


def random_start(biterms: Biterms, n_topics: int, rng: np.random.Generator) -> Start:
    """A uniformly random topic for each biterm."""
    topics = rng.integers(n_topics, size=len(biterms), dtype=np.int32)
    words = np.zeros((len(biterms.vocabulary), n_topics), np.float32)
    add_up(biterms.first, biterms.second, topics, words)
    return Start(topics, words, np.bincount(topics, minlength=n_topics).astype(np.float64))


def check_countable(counts: NDArray[np.float64]) -> None:
    """Refuse words that come more often than float32 can count by ones."""
    if counts.max(initial=0) > MOST_COUNTED:
        raise InputError(
            f"a word is in {counts.max():,.0f} biterms, and the samplers count to "
            f'{MOST_COUNTED:,}: drop it with max_df, or take "sdm", which has no such limit'
        )


def add_changes(base: Any, parts: list[Any]) -> dict[str, Any]:
    """Topics, words and biterms of `base`, changed by all that each part changed."""
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
def add_up(first: Any, second: Any, topics: Any, words: Any) -> None:
    """Count the topics of biterms for both of their words."""
    for i in range(len(first)):
        words[first[i], topics[i]] += 1
        words[second[i], topics[i]] += 1


def _dense(state: State) -> NDArray[np.float32]:
    if isinstance(state.words, Lists):
        return to_dense(state.words, len(state.biterms))
    return state.words.copy()
