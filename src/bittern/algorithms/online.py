"""Online BTM: Gibbs sampling in time slices, each with the last one's counts as its prior."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.validation import check_integer, check_number
from bittern.algorithms._gibbs_kernels import sweep
from bittern.algorithms.contract import OnlineAlgorithm, Prior, Topics, log_scale
from bittern.algorithms.gibbs import add_changes, check_countable, random_start
from bittern.biterms.biterms import Biterms, Block
from bittern.biterms.lazy import Source
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError

PERIODS = {"day": "1d", "week": "1w", "month": "1mo"}


class State(NamedTuple):
    """The topics of the slice at hand, and counts: those of the slice and of its prior, added."""

    topics: NDArray[np.int32]  # (B_t,): of the biterms of the slice
    words: NDArray[np.float32]  # (W, K): n_w|k + beta_k,w - beta
    biterms: NDArray[np.float64]  # (K,): n_k + gamma_k - gamma
    prior_words: NDArray[np.float32]  # (W, K): beta_k,w - beta, from the slices before
    prior_biterms: NDArray[np.float64]  # (K,)


@dataclass(frozen=True)
class OnlineBTM(OnlineAlgorithm):
    """Online BTM: Gibbs sampling in time slices.

    What one slice learned is the prior of the next: gamma_k += decay n_k and beta_k,w += decay
    n_w|k. Time O(sweeps K) per biterm, memory O(B + K W) where B is the largest slice.

    Parameters
    ----------
    sweeps : int
        Gibbs sweeps over each slice.
    decay : float
        How much of a slice's counts goes into the prior of the next: 0 forgets, 1 keeps all.
    slices : int or str
        How `fit` cuts the data: into so many equal slices, or by the "day", "week" or "month"
        of the documents' times. `partial_fit` takes what it is given as one slice.
    """

    sweeps: int = 10
    decay: float = 1.0
    slices: int | str = 10

    name: ClassVar[str] = "online"
    state_type: ClassVar[type[Any]] = State

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1)
        check_number("decay", self.decay, 0, 1)
        if self.slices not in PERIODS:
            check_integer("slices", self.slices, 1, "or " + ", ".join(PERIODS))

    def cut(self, data: Corpus | Biterms) -> list[tuple[str, Corpus | Biterms]]:
        """Slices of time where there are times, else of the order that the data is in."""
        times = getattr(data, "times", None)
        if isinstance(self.slices, str):
            if times is None:
                raise InputError(f'slices="{self.slices}" needs documents with times')
            if times.null_count():
                row = int(times.is_null().arg_max() or 0)
                raise InputError(f'slices="{self.slices}": document {row} has no time')
            if times.dtype not in (pl.Date, pl.Datetime):
                raise InputError(f'slices="{self.slices}" needs dates or times, not {times.dtype}')
            starts = times.dt.truncate(PERIODS[self.slices]).dt.date().cast(pl.String)
            return [
                (start, data[np.flatnonzero(starts == start)]) for start in starts.unique().sort()
            ]
        order = np.arange(len(data)) if times is None else times.arg_sort().to_numpy()
        parts = np.array_split(order, self.slices)
        return [(str(i), data[part]) for i, part in enumerate(parts) if len(part)]

    def passes(self, n_biterms: float) -> int:
        """A pass is a sweep over a slice."""
        return self.sweeps

    def repeats(self) -> int:
        """A pass is a sweep over a slice."""
        return self.sweeps

    def arrange(self, biterms: Source, n_topics: int, rng: np.random.Generator) -> Biterms:
        """One random order for all sweeps."""
        return biterms.materialize().shuffled(rng)

    def init(
        self, biterms: Biterms, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        """The first slice has a prior that knows nothing."""
        n_words = len(biterms.vocabulary)
        nothing = np.zeros((n_words, n_topics), np.float32), np.zeros(n_topics)
        return _slice(biterms, *nothing, rng)

    def grow(self, state: State, biterms: Biterms, prior: Prior, rng: np.random.Generator) -> State:
        """The slice becomes part of the prior, and the next one starts at random."""
        n_new = len(biterms.vocabulary) - len(state.words)
        mine = self.current_slice(state)
        words = state.prior_words + np.float32(self.decay) * mine.words
        return _slice(
            biterms,
            np.pad(words, ((0, n_new), (0, 0))),
            state.prior_biterms + self.decay * mine.biterms,
            rng,
        )

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Draw the topics of a block's biterms anew."""
        topics = state.topics[block.start : block.start + len(block.first)]
        seed = rng.integers(np.iinfo(np.uint64).max, dtype=np.uint64)
        log_likelihood = sweep(
            block.first, block.second, topics, state.words, state.biterms, seed, *prior
        )
        scale = log_scale(state.biterms.sum(), len(state.biterms), prior)
        return state, log_likelihood - scale * len(topics)

    def topics(self, state: State, prior: Prior) -> Topics:
        """The counts of the slice and of its prior."""
        return Topics(state.biterms.copy(), state.words.copy())

    def current_slice(self, state: State) -> Topics:
        """The counts of the slice alone."""
        words = np.rint(state.words - state.prior_words)  # adding up blurred whole numbers
        return Topics(np.rint(state.biterms - state.prior_biterms), words)

    def merge(self, base: State, parts: list[State], prior: Prior) -> State:
        """The counts change by the sum of what each part changed."""
        return base._replace(**add_changes(base, parts))


def _slice(
    biterms: Biterms,
    prior_words: NDArray[np.float32],
    prior_biterms: NDArray[np.float64],
    rng: np.random.Generator,
) -> State:
    check_countable(prior_words.sum(axis=1, dtype=np.float64) + biterms.counts())
    start = random_start(biterms, len(prior_biterms), rng)
    return State(
        start.topics,
        prior_words + start.words,
        prior_biterms + start.biterms,
        prior_words,
        prior_biterms,
    )
