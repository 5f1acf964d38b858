"""Quality of topics: the measures, and one table of all of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from bittern.analysis.arrays import Floats, Integers
from bittern.analysis.clustering import (
    Table,
    adjusted_rand_index,
    label_counts,
    label_table,
    normalized_mutual_information,
    purity,
)
from bittern.analysis.coherence import COHERENCE, WindowCounts, count_windows, resolve_window
from bittern.analysis.documents import infer_topics, main_topics
from bittern.analysis.likelihood import LogLikelihood, sum_biterms, sum_words
from bittern.analysis.similarity import redundancy
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import FittedTopics

TOP_WORDS = 10


@dataclass(frozen=True, eq=False)
class Evaluation(ABC):
    """A fitted model and what its measures need of the documents, computed once."""

    fitted: FittedTopics
    n: int = TOP_WORDS
    """Number of top words per topic."""

    @property
    @abstractmethod
    def biterms(self) -> LogLikelihood:
        """The log-likelihood of the biterms."""

    @property
    @abstractmethod
    def words(self) -> LogLikelihood:
        """The log-likelihood of words, given half of their document."""

    @abstractmethod
    def windows(self, measure: str) -> WindowCounts:
        """Return the windows with top words that a coherence measure needs."""

    @property
    @abstractmethod
    def label_counts(self) -> pl.DataFrame | None:
        """The number of documents with each label in each topic; None without labels."""

    @cached_property
    def top_words(self) -> list[list[str]]:
        """The most probable words of each topic, as the literature measures coherence."""
        return self.fitted.top_words(self.n, relevance=1)

    @cached_property
    def shown_words(self) -> list[list[str]]:
        """The top words of each topic that is shown, as people see them."""
        return list(compress(self.fitted.top_words(self.n), self.fitted.is_shown))

    def coherence(self, measure: str) -> NDArray[np.float64]:
        """Return the coherence of each topic."""
        windows = self.windows(measure)
        if windows.windows == 0:
            raise InputError("coherence needs texts with words; the corpus has none")
        return COHERENCE[measure].compute(windows)

    @cached_property
    def exclusivity(self) -> NDArray[np.float64]:
        """The exclusivity of the top words of each topic."""
        return exclusivity(self.fitted.phi, self.n)

    def mean(self, values: NDArray[np.float64]) -> float:
        """Return the mean over the topics that are in use and not set aside."""
        return float(values[self.fitted.is_shown].mean())

    @cached_property
    def label_table(self) -> Table:
        """The number of documents with each label in each topic, as a table."""
        if self.label_counts is None:
            raise InputError("this measure needs labels; pass labels=")
        return label_table(self.label_counts)


@dataclass(frozen=True, eq=False)
class CorpusEvaluation(Evaluation):
    """What measures need, computed from a corpus when it is needed."""

    corpus: Corpus = field(kw_only=True)
    """Documents over the vocabulary of the model."""
    labels: ArrayLike | None = None
    n_threads: int = 1
    main_topics: Integers | None = None
    """The main topic of each document, if it is known already."""
    _window_counts: dict[int | None, WindowCounts] = field(default_factory=dict, init=False)

    @cached_property
    def biterms(self) -> LogLikelihood:
        """The log-likelihood of the biterms."""
        return sum_biterms(self.fitted, self.corpus, self.n_threads)

    @cached_property
    def words(self) -> LogLikelihood:
        """The log-likelihood of words, given half of their document."""
        return sum_words(self.fitted, self.corpus, self.n_threads)

    def windows(self, measure: str) -> WindowCounts:
        """Return the windows with top words; measures with the same windows count them once."""
        window = resolve_window(self.corpus, COHERENCE[measure].window)
        if window not in self._window_counts:
            self._window_counts[window] = count_windows(self.top_words, self.corpus, window)
        return self._window_counts[window]

    @cached_property
    def label_counts(self) -> pl.DataFrame | None:
        """The number of documents with each label in each topic; None without labels."""
        if self.labels is None:
            return None
        main = self.main_topics
        if main is None:
            shares = infer_topics(self.fitted, self.corpus, n_threads=self.n_threads)
            main = main_topics(self.fitted, self.corpus, shares)
        return label_counts(self.labels, main)


@dataclass(frozen=True, eq=False)
class SummedEvaluation(Evaluation):
    """What measures need, added up over the parts of a corpus."""

    sums: "Sums" = field(kw_only=True)

    @property
    def biterms(self) -> LogLikelihood:
        """The log-likelihood of the biterms."""
        return self.sums.biterms

    @property
    def words(self) -> LogLikelihood:
        """The log-likelihood of words, given half of their document."""
        return self.sums.words

    def windows(self, measure: str) -> WindowCounts:
        """Return the windows with top words."""
        return self.sums.windows[measure]

    @property
    def label_counts(self) -> pl.DataFrame | None:
        """The number of documents with each label in each topic; None without labels."""
        return self.sums.label_counts


class Sums(NamedTuple):
    """What measures need of some documents; those of several parts can be added."""

    biterms: LogLikelihood
    words: LogLikelihood
    windows: dict[str, WindowCounts]
    label_counts: pl.DataFrame | None

    @classmethod
    def of(cls, evaluation: Evaluation) -> "Sums":
        """Compute all of it."""
        windows = {measure: evaluation.windows(measure) for measure in COHERENCE}
        return cls(evaluation.biterms, evaluation.words, windows, evaluation.label_counts)

    def plus(self, other: "Sums") -> "Sums":
        """Return the sums of both."""
        counts = None
        if self.label_counts is not None and other.label_counts is not None:
            both = pl.concat([self.label_counts, other.label_counts])
            counts = both.group_by("label", "topic").sum().sort("label", "topic")
        return Sums(
            self.biterms.plus(other.biterms),
            self.words.plus(other.words),
            {name: counts.plus(other.windows[name]) for name, counts in self.windows.items()},
            counts,
        )


class Measure(NamedTuple):
    """A quality measure."""

    name: str
    label: str
    """For people: tables and reports."""
    description: str
    compute: Callable[[Evaluation], float]
    needs_labels: bool = False


def measure_quality(
    fitted: FittedTopics,
    corpus: Corpus,
    labels: ArrayLike | None = None,
    n: int = TOP_WORDS,
    n_threads: int = 1,
) -> dict[str, float]:
    """Measure the quality of topics on documents: all of `MEASURES`.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        Documents over the vocabulary of the model.
    labels : array-like of shape (n_documents,), optional
        Labels to compare the topics with. Default: the labels of the corpus, if it has any.
    n : int
        Number of top words per topic.
    n_threads : int
        Number of threads.

    Returns
    -------
    dict
        The value of each measure by name; measures that need labels only if there are labels.

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.quality import measure_quality
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> quality = measure_quality(model.fitted_, bittern.Corpus.from_texts(texts), n=2)
    >>> sorted(quality)[:3]
    ['c_v', 'diversity', 'exclusivity']
    """
    labels = corpus.labels if labels is None else labels
    return evaluate(CorpusEvaluation(fitted, n, corpus=corpus, labels=labels, n_threads=n_threads))


def evaluate(evaluation: Evaluation) -> dict[str, float]:
    """Return the value of each measure; of those that need labels only if there are labels."""
    return {
        measure.name: measure.compute(evaluation)
        for measure in MEASURES.values()
        if not measure.needs_labels or evaluation.label_counts is not None
    }


def diversity(topics: Sequence[Sequence[str]]) -> float:
    """Return the fraction of distinct words among the top words of all topics.

    Parameters
    ----------
    topics : sequence of sequences of str
        The top words of each topic.

    Returns
    -------
    float
        1 if no two topics share a top word.

    Examples
    --------
    >>> from bittern.analysis.quality import diversity
    >>> diversity([["cat", "purr"], ["cat", "dog"]])
    0.75
    """
    words = [word for topic in topics for word in topic]
    return len(set(words)) / len(words)


def exclusivity(phi: Floats, n: int = TOP_WORDS) -> NDArray[np.float64]:
    """Return how exclusive the n top words of each topic are.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.
    n : int
        Number of top words.

    Returns
    -------
    ndarray of shape (n_topics,)
        The mean of phi_k,w / sum_j phi_j,w over the top words: 1 if no other topic has them,
        1 / n_topics if all topics have them equally.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.quality import exclusivity
    >>> exclusivity(np.eye(2), n=1)
    array([1., 1.])
    """
    top = np.argpartition(-phi, min(n, phi.shape[1] - 1), axis=1)[:, :n]
    mine = np.take_along_axis(phi, top, axis=1)
    return np.asarray((mine / phi.sum(axis=0, dtype=np.float64)[top]).mean(axis=1))


def _mean(found: LogLikelihood) -> float:
    if found.weight == 0:
        raise InputError(
            "no document has two words that the model knows; use documents with more known words"
        )
    return found.mean


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            "log_likelihood",
            "log-likelihood per biterm",
            "Mean log probability of a biterm; higher is better.",
            lambda e: _mean(e.biterms),
        ),
        Measure(
            "word_log_likelihood",
            "log-likelihood per word",
            "Mean log probability of a word, given half of its text; higher is better.",
            lambda e: _mean(e.words),
        ),
        Measure(
            "npmi",
            "coherence (NPMI)",
            "Normalized pointwise mutual information of top words, from -1 to 1.",
            lambda e: e.mean(e.coherence("npmi")),
        ),
        Measure(
            "c_v",
            "coherence (C_v)",
            "Similarity of the contexts of top words, from 0 to 1.",
            lambda e: e.mean(e.coherence("c_v")),
        ),
        Measure(
            "umass",
            "coherence (UMass)",
            "Mean log probability of a top word given a more probable one, at most 0.",
            lambda e: e.mean(e.coherence("umass")),
        ),
        Measure(
            "diversity",
            "diversity of top words",
            "Fraction of distinct words among the top words of all topics.",
            lambda e: diversity(e.shown_words),
        ),
        Measure(
            "exclusivity",
            "exclusivity of top words",
            "Mean probability that a top word comes from its topic, given equal topic shares.",
            lambda e: e.mean(e.exclusivity),
        ),
        Measure(
            "redundancy",
            "similarity to the closest topic",
            "Mean similarity of a topic to the most similar other one, from 0 to 1.",
            lambda e: float(redundancy(e.fitted.phi[e.fitted.is_shown]).mean()),
        ),
        Measure(
            "purity",
            "purity",
            "Fraction of texts with the most frequent label of their topic.",
            lambda e: purity(e.label_table),
            needs_labels=True,
        ),
        Measure(
            "nmi",
            "normalized mutual information with labels",
            "Mutual information of topics and labels, from 0 to 1.",
            lambda e: normalized_mutual_information(e.label_table),
            needs_labels=True,
        ),
        Measure(
            "ari",
            "adjusted Rand index with labels",
            "Agreement on which texts belong together; 0 by chance, 1 at most.",
            lambda e: adjusted_rand_index(e.label_table),
            needs_labels=True,
        ),
        Measure(
            "v_measure",
            "V-measure with labels",
            "Harmonic mean of homogeneity and completeness, from 0 to 1.",
            lambda e: normalized_mutual_information(e.label_table),
            needs_labels=True,
        ),
    )
}
"""The quality measures by name, which `quality`, the report and the documentation use."""
