"""The immutable result of a fit, which everything after it receives."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.arrays import sum_columns
from bittern._core.validation import (
    check_integer,
    check_list,
    check_text,
    check_words,
    shorten,
)
from bittern.algorithms import (
    Algorithm,
    Auto,
    Background,
    DataSize,
    Editable,
    Growable,
    Prior,
    Record,
    Slice,
    Trained,
    adaptive_word_prior,
    counts_after,
    estimate,
)
from bittern.errors import InputError
from bittern.fitted.numbering import check_topics, merged_numbers, remaining_numbers
from bittern.fitted.top_words import DEFAULT_RELEVANCE, default_names, top_words
from bittern.text import TextOptions

HISTORY_SCHEMA = {
    "epoch": pl.Int64,
    "biterms": pl.Int64,
    "log_likelihood": pl.Float64,
    "stage": pl.String,
}


MIN_RELATIVE_SIZE = 0.1  # of a topic in use, relative to the mean of all topics
UNUSED_NAME = "(hardly used)"

Duplicates: TypeAlias = Literal["keep", "once"]

RandomState: TypeAlias = int | Sequence[int] | np.random.Generator | np.random.RandomState | None


class FitSettings(NamedTuple):
    """The parameters of the estimator when it was fitted."""

    n_topics: int = 20
    topic_prior: float | None = None
    word_prior: float | Literal["auto"] = "auto"
    window: int | None = 15
    n_init: Auto = "auto"
    random_state: RandomState = None
    duplicates: Duplicates = "keep"

    def prior(self, size: DataSize) -> Prior:
        """Return the priors for data of this size."""
        topic = 50 / self.n_topics if self.topic_prior is None else self.topic_prior
        word = self.word_prior
        if word == "auto":
            word = adaptive_word_prior(size, self.n_topics)
        return Prior(float(topic), float(word))


class Distributions(NamedTuple):
    """Topic shares, theta (K,), the words of topics, phi (K, W), and what they follow from."""

    theta: NDArray[np.float64]
    phi: NDArray[np.float32]
    background: Background | None = None
    biterms: NDArray[np.float64] | None = None
    """The expected number of biterms of each topic, (K,), if it is known."""


@dataclass(frozen=True, eq=False, repr=False)
class FittedTopics:
    """A fitted model: its topics, and all that is needed to use, save or continue it.

    Nothing in it changes: editing returns a new one.
    """

    algorithm: Algorithm[Any]
    prior: Prior
    settings: FitSettings
    vocabulary: list[str]
    size: DataSize
    """How much data the model was trained on."""
    history: tuple[Record, ...] = ()
    slices: tuple[Slice, ...] = ()
    text_options: TextOptions | None = None
    """How the texts were preprocessed; None if the model was not fitted on texts."""
    given_names: Mapping[int, str] = field(default_factory=dict)
    set_aside: frozenset[int] = frozenset()
    """Topics whose texts are left out of results; inference does not change."""
    named_columns: bool = False
    """Whether the vocabulary is the column names of a data frame."""
    state: Any = None
    """What the algorithm needs to continue; None if it cannot."""
    rng: np.random.Generator | None = None
    distributions: Distributions | None = None
    """Theta and phi; None if they follow from the state, and are computed when first needed."""

    @classmethod
    def from_training(
        cls,
        algorithm: Algorithm[Any],
        prior: Prior,
        trained: Trained[Any],
        rng: np.random.Generator,
        **fields: Any,
    ) -> "FittedTopics":
        """Keep the outcome of training; the state only where the algorithm can continue from it."""
        kept: dict[str, Any] = {"state": trained.state, "rng": deepcopy(rng)}
        if not isinstance(algorithm, Growable):
            kept = {"distributions": _distributions(algorithm, prior, trained.state)}
        return cls(
            algorithm, prior, history=trained.history, slices=trained.slices, **kept, **fields
        )

    def __repr__(self) -> str:
        return (
            f"<FittedTopics: {self.n_topics:,} topics, {len(self.vocabulary):,} words, "
            f"{self.algorithm!r}>"
        )

    @cached_property
    def _distributions(self) -> Distributions:
        """Theta and phi, computed once: a stream of updates may never need them."""
        if self.distributions is not None:
            return self.distributions
        return _distributions(self.algorithm, self.prior, self.state)

    @property
    def theta(self) -> NDArray[np.float64]:
        """The share of each topic, (K,)."""
        return self._distributions.theta

    @property
    def phi(self) -> NDArray[np.float32]:
        """The probability of each word in each topic, (K, W)."""
        return self._distributions.phi

    @property
    def background(self) -> Background | None:
        """The word distribution that all topics share, if there is one."""
        return self._distributions.background

    @cached_property
    def mixed_phi(self) -> NDArray[np.float32]:
        """Phi mixed with the background, if there is one: the word probabilities of texts."""
        phi, background = self.phi, self.background
        if background is None:
            return phi
        probability = np.float32(background.probability)
        mixed: NDArray[np.float32] = (1 - probability) * phi
        mixed += probability * background.words
        return mixed

    @property
    def n_topics(self) -> int:
        """The number of topics."""
        return self.settings.n_topics

    @property
    def window(self) -> int | None:
        """The window of biterms."""
        return self.settings.window

    @cached_property
    def in_use(self) -> NDArray[np.bool_]:
        """Whether each topic has a tenth of the mean number of biterms, (K,).

        In tiny corpora, where empty topics have some because of the prior of topics, it must have
        half of the mean or twice the prior. The words of topics that are not in use follow from the
        prior of words alone: the texts support fewer topics.
        """
        gamma, biterms = self.prior.topic, self._distributions.biterms
        if biterms is None:
            n_biterms = self.size.n_biterms + self.n_topics * gamma
            biterms = np.maximum(self.theta * n_biterms - gamma, 0)
        mean = biterms.mean()
        return np.asarray(biterms >= max(MIN_RELATIVE_SIZE * mean, min(2 * gamma, mean / 2)))

    @cached_property
    def is_set_aside(self) -> NDArray[np.bool_]:
        """Whether each topic is set aside, (K,)."""
        return np.isin(np.arange(self.n_topics), list(self.set_aside))

    @cached_property
    def is_shown(self) -> NDArray[np.bool_]:
        """Whether each topic is in use and not set aside, (K,)."""
        return np.asarray(self.in_use & ~self.is_set_aside)

    @cached_property
    def topic_names(self) -> tuple[str, ...]:
        """The name of each topic: the one it was given, or its three most relevant words."""
        names = default_names(self.theta, self.phi, self.vocabulary)
        return tuple(
            self.given_names.get(topic, name if in_use else UNUSED_NAME)
            for topic, (name, in_use) in enumerate(zip(names, self.in_use, strict=True))
        )

    def top_words(self, n: int = 10, relevance: float = DEFAULT_RELEVANCE) -> list[list[str]]:
        """Return the n top words of each topic."""
        best = top_words(self.theta, self.phi, n, relevance)
        return [[self.vocabulary[word] for word in words] for words in best]

    def topic_info(
        self, n: int = 10, relevance: float = DEFAULT_RELEVANCE, as_text: bool = False
    ) -> pl.DataFrame:
        """Return a row for each topic: number, name, share, top words, and whether it is in use.

        Topics that are not in use have no words, and topics that are set aside have no row. With
        `as_text`, words are joined by commas, for formats without lists.
        """
        return self.all_topic_info(n, relevance, as_text).filter(~self.is_set_aside)

    def all_topic_info(
        self, n: int = 10, relevance: float = DEFAULT_RELEVANCE, as_text: bool = False
    ) -> pl.DataFrame:
        """Return what `topic_info` does, with the topics that are set aside."""
        words = zip(self.top_words(n, relevance), self.in_use, strict=True)
        shown = pl.Series(
            [best if in_use else [] for best, in_use in words], dtype=pl.List(pl.String)
        )
        return pl.DataFrame(
            {
                "topic": np.arange(self.n_topics),
                "name": list(self.topic_names),
                "share": self.theta,
                "words": shown.list.join(", ") if as_text else shown,
                "in_use": self.in_use,
            }
        )

    def history_table(self) -> pl.DataFrame:
        """Return the learning curve as a table."""
        return pl.DataFrame(self.history, schema=HISTORY_SCHEMA, orient="row")

    def slice_topics(self, index: int) -> Distributions:
        """Return theta and phi as they were after a time slice."""
        if not self.slices:
            raise InputError('the model has no time slices; fit it with algorithm="online"')
        check_integer("index", index, -len(self.slices))
        if not -len(self.slices) <= index < len(self.slices):
            raise InputError(
                f"slice {index} does not exist; slices are 0 to {len(self.slices) - 1}"
            )
        index %= len(self.slices)
        theta, words = estimate(counts_after(self.slices, index), self.prior)
        return Distributions(theta, words.T)

    def with_names(self, names: Mapping[int, str] | Sequence[str]) -> "FittedTopics":
        """Name topics by number, or all of them in order."""
        given = names if isinstance(names, Mapping) else dict(enumerate(check_list("names", names)))
        if not isinstance(names, Mapping) and len(given) != self.n_topics:
            raise InputError(
                f"names has {len(given)} names for {self.n_topics} topics; name some topics with a "
                "dict such as {0: 'delays'}"
            )
        check_topics(given, self.n_topics)
        for topic, name in given.items():
            check_name(topic, name)
        kept = {topic: name for topic, name in self.given_names.items() if topic not in given}
        return self._with(given_names=kept | {int(topic): given[topic] for topic in given})

    def with_set_aside(self, topics: Iterable[int]) -> "FittedTopics":
        """Set these topics aside, and no others."""
        topics = list(topics)
        check_topics(topics, self.n_topics)
        edited = self._with(set_aside=frozenset(map(int, topics)))
        if not edited.is_shown.any():
            raise InputError("cannot set aside all topics that are in use")
        return edited

    def without_set_aside(self, topics: Iterable[int]) -> "FittedTopics":
        """Restore topics that are set aside."""
        topics = list(topics)
        check_topics(topics, self.n_topics)
        for topic in topics:
            if topic not in self.set_aside:
                raise InputError(f"topic {topic} is not set aside")
        return self.with_set_aside(self.set_aside.difference(topics))

    def with_vocabulary(self, words: Sequence[str]) -> "FittedTopics":
        """Replace the words, for example the column numbers of a matrix of counts."""
        vocabulary = check_words("vocabulary", words)
        if len(vocabulary) != len(self.vocabulary):
            raise InputError(
                f"the model has {len(self.vocabulary)} words, not {len(vocabulary)}; pass as many"
            )
        return self._with(vocabulary=vocabulary)

    def _with(self, **changes: Any) -> "FittedTopics":
        """Return a copy with changes that leave theta and phi as they are."""
        known = self.__dict__.get("_distributions", self.distributions)
        return replace(self, distributions=known, **changes)

    def merge_topics(
        self, groups: Sequence[Sequence[int]]
    ) -> tuple["FittedTopics", NDArray[np.int64]]:
        """Merge the topics of each group; also return the new number of each old topic."""
        return self._renumber(merged_numbers(groups, self.n_topics))

    def remove_topics(self, topics: Sequence[int]) -> tuple["FittedTopics", NDArray[np.int64]]:
        """Remove topics; also return the new number of each old topic, -1 for those removed."""
        return self._renumber(remaining_numbers(topics, self.n_topics))

    def _renumber(self, numbers: NDArray[np.int64]) -> tuple["FittedTopics", NDArray[np.int64]]:
        changes: dict[str, Any] = {"state": None, "rng": None}
        if self.state is not None and isinstance(self.algorithm, Editable):
            state = self.algorithm.renumber(self.state, numbers)
            changes = {"state": state, "distributions": None}
        else:
            joint = sum_columns(self.theta * self.phi.T, numbers)
            shares = joint.sum(axis=0)
            phi = (joint / shares).T.astype(np.float32)
            changes["distributions"] = Distributions(shares / shares.sum(), phi)
        names = {  # a merged topic keeps the name that was given last
            int(numbers[topic]): name
            for topic, name in self.given_names.items()
            if numbers[topic] >= 0
        }
        kept = numbers[~self.is_set_aside]  # a topic merged with one of these is kept
        set_aside = frozenset(numbers[list(self.set_aside)].tolist()) - {-1, *kept.tolist()}
        if np.isin(kept, -1).all():
            raise InputError("cannot remove all topics that are not set aside")
        edited = replace(
            self,
            settings=self.settings._replace(n_topics=int(numbers.max()) + 1),
            slices=tuple(piece.renumbered(numbers) for piece in self.slices),
            given_names=names,
            set_aside=set_aside,
            **changes,
        )
        return edited, numbers


def check_name(topic: int, name: object) -> None:
    """Reject a name that is not a text."""
    check_text(f"the name of topic {topic}", name)
    if not str(name).strip():
        raise InputError(f"the name of topic {topic} must be a text, not {name!r}")


def check_duplicates(duplicates: object) -> None:
    """Reject an unknown way to count duplicates."""
    if not isinstance(duplicates, str) or duplicates not in get_args(Duplicates):
        raise InputError(f'duplicates must be "keep" or "once", not {shorten(duplicates)}')


class FittedModel(Protocol):
    """An estimator that has been fitted."""

    @property
    def fitted_(self) -> FittedTopics:
        """The result of the fit."""
        ...


def as_fitted(model: FittedTopics | FittedModel) -> FittedTopics:
    """Return the fitted topics of an estimator, or fitted topics as they are."""
    if isinstance(model, FittedTopics):
        return model
    if not hasattr(model, "fitted_"):
        raise InputError("the model is not fitted; call fit() first")
    return model.fitted_


def _distributions(algorithm: Algorithm[Any], prior: Prior, state: Any) -> Distributions:
    counts = algorithm.topics(state, prior)
    theta, words = estimate(counts, prior)
    return Distributions(theta, words.T, counts.background, counts.biterms)
