"""The contract of inference algorithms: `init`, then `step` block by block, then `topics`.

An algorithm is a frozen dataclass of settings that are checked when it is created. It holds no
data: everything it knows is in its state, a NamedTuple of arrays and numbers with all that the next
step needs. What else differs between algorithms (the order of the biterms, the number of passes,
time slices) is declared as data on the class, and the driver acts on it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bittern.algorithms.changes import Changes
from bittern.biterms import BitermSource, Block, Order, Texts
from bittern.errors import InputError

Auto = int | Literal["auto"]
"""A number, or one that depends on the data."""

MAX_COUNT = 2.0**41
"""The largest count: with more, products of counts exceed what float32 can hold."""

State = TypeVar("State", bound=tuple[object, ...])
State_contra = TypeVar("State_contra", bound=tuple[object, ...], contravariant=True)


class Prior(NamedTuple):
    """The Dirichlet priors of topic shares and of the words in topics."""

    topic: float
    """The prior of each topic's share (gamma)."""
    word: float
    """The prior of each word in each topic (beta)."""


class Background(NamedTuple):
    """A word distribution shared by all topics, and the probability that a word comes from it."""

    probability: float
    words: NDArray[np.float32]  # (W,)


class TopicCounts(NamedTuple):
    """The result of training, as expected counts.

    `biterms` (K,) counts the biterms of each topic (n_k), `words` (W, K) how often each word is in
    each topic (n_w|k). Both words of a biterm are in its topic, so `words` sums to 2 `biterms`.
    """

    biterms: NDArray[np.float64]
    words: NDArray[np.float32]
    background: Background | None = None


class Field(NamedTuple):
    """What a field of a state is, so that a saved one can be checked before it is used."""

    dtype: str
    axes: str = ""
    """A letter for each axis: W words, K topics; another letter is a length of the state's own."""
    low: float = 0
    high: float | str = MAX_COUNT
    """The largest value, or the letter of an axis that no value exceeds."""
    into: str = ""
    """The letter of an axis that the values are indices into."""
    may_be_empty: bool = False


class Algorithm(ABC, Generic[State]):
    """An inference algorithm; subclasses are frozen dataclasses of settings, with repr=False.

    An algorithm that also has `grow`, `merge`, `changes`, `sweep`, `renumber` or `slice_counts` is
    `Growable`, `Mergeable`, `Distributable`, `Refinable`, `Editable` or `Sliced`.
    """

    name: ClassVar[str]
    state_type: ClassVar[type[tuple[object, ...]]]
    order: ClassVar[Order] = "shuffled"
    """The order in which `step` sees the biterms."""
    parallel: ClassVar[bool] = False
    """Whether `merge` is so cheap that training in several threads pays off."""

    @property
    def epochs(self) -> Auto:
        """Passes over the biterms of a fit."""
        return 1

    @property
    def update_epochs(self) -> int:
        """Passes over biterms that arrive later."""
        return 1

    @property
    def slices(self) -> int | str | None:
        """The time slices that `fit` trains on one after the other; None is all data at once."""
        return None

    @property
    def topic_names(self) -> Mapping[int, str]:
        """The names of topics that are named before training."""
        return {}

    layout: ClassVar[Mapping[str, Field]] = {}
    """The fields of the state, if the algorithm has `grow`: only such states are saved."""

    def matrices(self) -> list[str]:
        """Return the fields of the state that have a row for each word, and a column per topic."""
        return [name for name, field in self.layout.items() if field.axes == "WK"]

    def check_state(self, state: State) -> None:
        """Raise InputError if numbers of a loaded state that `layout` allows are contradictory."""

    def __repr__(self) -> str:
        """Return the settings that differ from the defaults, as scikit-learn does."""
        changed = {
            field.name: getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]  # subclasses are dataclasses
            if getattr(self, field.name) != field.default
        }
        shown = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        return f"{type(self).__name__}({shown})"

    def settings(self) -> dict[str, Any]:
        """Return the settings by name."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # subclasses are dataclasses

    @abstractmethod
    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        """Return the state before the first biterm."""

    @abstractmethod
    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Train on a block of biterms; the arrays of the old state may be reused.

        Also returns the sum over the block of log p(biterm | all others), as the algorithm saw it
        just before it learned the biterm: the running leave-one-out likelihood.
        """

    @abstractmethod
    def topics(self, state: State, prior: Prior) -> TopicCounts:
        """Return the expected counts so far, in new arrays."""


@runtime_checkable
class Growable(Protocol[State]):
    """An algorithm that can continue on new data."""

    def grow(
        self, state: State, biterms: BitermSource, prior: Prior, rng: np.random.Generator
    ) -> State:
        """Return the state before more biterms, in arrays that training may change.

        The vocabulary of the biterms may have new words at its end.
        """
        ...


@runtime_checkable
class Mergeable(Protocol[State]):
    """An algorithm whose states can be merged after they were trained apart."""

    def merge(self, base: State, parts: list[State], prior: Prior) -> list[State]:
        """Merge `parts` that continued from `base` on their own biterms.

        Returns base and parts, all with the merged state, each in arrays of its own; their old
        arrays may be reused.
        """
        ...


@runtime_checkable
class Distributable(Protocol[State]):
    """An algorithm whose parts can be trained on several machines."""

    def changes(self, base: State, part: State) -> Changes:
        """Return what a part has changed since it was equal to `base`."""
        ...

    def with_changes(self, state: State, changes: Changes) -> State:
        """Return the state with the changes of one part, or of several combined, in its arrays."""
        ...


@runtime_checkable
class Refinable(Protocol[State]):
    """An algorithm that can refine its state text by text, each one left out of what it is told.

    The *evidence*, (tokens, K), counts the biterms of each token in each topic, as expected.
    """

    @property
    def sweeps(self) -> Auto:
        """Sweeps over the texts of a fit, after the passes over its biterms."""
        ...

    def first_evidence(self, state: State, texts: Texts) -> NDArray[np.float32]:
        """Return evidence that agrees with the state."""
        ...

    def sweep(
        self,
        state: State,
        texts: Texts,
        order: NDArray[np.int64],
        evidence: NDArray[np.float32],
        step: float,
        prior: Prior,
    ) -> float:
        """Visit the texts in this order; change their evidence and the state in place.

        `step` is how far the evidence moves: 1 replaces it, more extrapolates. Returns the sum over
        biterms of log p(biterm | all other texts).
        """
        ...

    def with_evidence(self, state: State, texts: Texts, evidence: NDArray[np.float32]) -> State:
        """Return the state that follows from the evidence, in the same arrays."""
        ...


@runtime_checkable
class Editable(Protocol[State]):
    """An algorithm that can continue after topics were merged or removed."""

    def renumber(self, state: State, numbers: NDArray[np.int64]) -> State:
        """Return the state with new topic numbers: equal ones are merged, negative ones removed."""
        ...


@runtime_checkable
class Sliced(Protocol[State_contra]):
    """An algorithm that trains in time slices and knows the counts of each."""

    @property
    def carry(self) -> float:
        """The fraction of a slice's counts that becomes part of the next slice's prior."""
        ...

    def slice_counts(self, state: State_contra) -> TopicCounts:
        """Return the expected counts of the latest slice alone."""
        ...


def copy_state(state: State, target: State | None = None) -> State:
    """Copy a state, into the arrays of a `target` state where they have the right shape."""

    def copy(value: object, place: object) -> object:
        if isinstance(value, tuple):
            return copy_state(value, place if isinstance(place, tuple) else None)
        if not isinstance(value, np.ndarray) or value is place:
            return value
        if not isinstance(place, np.ndarray) or place.shape != value.shape:
            return value.copy()
        np.copyto(place, value)
        return place

    values = map(copy, state, target or [None] * len(state))
    make: Callable[..., State] = type(state)
    return make(*values)


def check_total(counts: NDArray[Any]) -> None:
    """Raise InputError if the counts of a loaded state add up to more than training can handle."""
    if not counts.sum(dtype=np.float64) <= MAX_COUNT:
        raise InputError(f"its counts add up to more than {MAX_COUNT:,.0f}")


def log_normalizer(n_biterms: float, n_topics: int, prior: Prior) -> float:
    """The part of log p(biterm | others) that all topics share: log(N - 1 + K gamma)."""
    return float(np.log(max(n_biterms - 1, 0) + n_topics * prior.topic))


def estimate(counts: TopicCounts, prior: Prior) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the topic shares, theta (K,), and the topics' words, phi (W, K).

    Every column of phi sums to 1. phi overwrites the counts.
    """
    theta = counts.biterms + prior.topic
    words = counts.words
    words += np.float32(prior.word)
    words *= (1 / words.sum(axis=0, dtype=np.float64)).astype(np.float32)
    return theta / theta.sum(), words
