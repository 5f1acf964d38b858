"""What a fitted model can say: of its topics, of documents, of their quality, and of time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast
from warnings import warn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bittern._core.threads import resolve_n_jobs
from bittern._core.validation import check_integer
from bittern.algorithms import estimate
from bittern.analysis.coherence import Measure, coherence
from bittern.analysis.documents import (
    Way,
    document_table,
    document_topics,
    share_columns,
    texts_table,
)
from bittern.analysis.likelihood import document_log_likelihood, log_likelihood
from bittern.analysis.quality import cluster_scores, diversity, exclusivity, redundancy
from bittern.analysis.representative import documents_with, explain, representative_table
from bittern.analysis.timeline import Timeline, slices_timeline, timeline, word_shifts
from bittern.biterms.biterms import Biterms
from bittern.biterms.lazy import Source
from bittern.corpus.corpus import CHUNK, Corpus
from bittern.corpus.metadata import is_missing
from bittern.corpus.reading import read, read_batches
from bittern.errors import InputError
from bittern.fitted.learned import Estimates, Learned, Settings, Slice, from_joint, slice_topics
from bittern.fitted.topics import (
    check_topics,
    default_names,
    merged,
    removed,
    renumber_columns,
    top_words,
)
from bittern.text.preprocessing import TextOptions

if TYPE_CHECKING:
    from bittern.report import Report


class FittedTopics:
    """The part of a model that is there after it was fitted; `BTM` adds the fitting."""

    n_topics: int
    window: int | None
    n_init: int
    random_state: Any
    n_jobs: int | None
    verbose: int
    vocabulary_: list[str]
    options_: TextOptions | None
    history_: pl.DataFrame
    slices_: list[Slice]
    _how: Settings
    _learned: Learned | None
    _estimates: Estimates
    _names: dict[int, str]

    def _data(self, X: Any, fresh: bool) -> Corpus | Biterms:
        raise NotImplementedError

    def _biterms(self, data: Corpus | Biterms, whole: bool = True) -> Source:
        raise NotImplementedError

    def document_info(self, X: Any, by: Way = "biterms", *, shares: bool = False) -> pl.DataFrame:
        """A row for each document: its topic, the runner-up, and how probable they are.

        `by` is what the topics of a document are found from: its "biterms", its "words", or the
        "mix" of all of them as of one topic; see `bittern.documents`. With `shares` there is a
        column for every topic. The texts are there if X is texts, or a corpus that has kept them.
        """
        corpus = self._documents(X)
        found = self._shares(corpus, by)
        table = document_table(corpus, found)
        return table.hstack(share_columns(found)) if shares else table

    def representative(self, X: Any, n: int = 5) -> pl.DataFrame:
        """The documents of X that stand best for each topic, n of them, the best first."""
        check_integer("n", n, 1)
        corpus = self._documents(X)
        return representative_table(corpus, self._shares(corpus), n)

    def explain(self, text: Any, topic: int | None = None) -> pl.DataFrame:
        """The biterms that put a text into its topic, or speak for another, the strongest first.

        `probability` is p(topic | biterm), `share` the part that a biterm has in p(topic | text).
        """
        corpus = self._documents([text] if isinstance(text, str) else text)
        if len(corpus) != 1:
            raise InputError(f"one text can be explained at a time, not {len(corpus)}")
        if topic is None:
            topic = int(self._shares(corpus).argmax())
        check_topics([topic], len(self.theta_))
        return explain(*self._estimates.for_likelihoods(), corpus, topic, self.window)

    def documents_with(self, X: Any, first: str, second: str) -> pl.DataFrame:
        """The documents of X that have the biterm of two words."""
        corpus = self._documents(X)
        return texts_table(corpus[documents_with(corpus, first, second, self.window)])

    def coherence(self, X: Any, measure: Measure = "npmi", n: int = 10) -> NDArray[np.float64]:
        """How much the n top words of each topic go together in X, (K,): see `bittern.coherence`.

        X may be what the model was fitted on, or a reference corpus.
        """
        texts = X if isinstance(X, Corpus) else self._documents(X)
        return coherence(self.top_words(n), texts, measure)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per biterm of X; higher is better.

        Words that the model does not know are left out.
        """
        check_is_fitted(self)
        data, n_threads = self._known(X), resolve_n_jobs(self.n_jobs)
        self._biterms(data)  # says what is wrong
        theta, phi = self._estimates.for_likelihoods()
        sums, totals = [], []
        for start in range(0, len(data), CHUNK):  # memory does not grow with the documents
            biterms = self._biterms(data[start : start + CHUNK], whole=False).materialize()
            if biterms.total > 0:
                sums.append(biterms.total * log_likelihood(theta, phi, biterms, n_threads))
                totals.append(biterms.total)
        return sum(sums) / sum(totals)

    def score_documents(self, X: Any) -> float:
        """The mean log-probability of the words of X, each given half of its document's others.

        Words that the model does not know are left out: see `bittern.evaluate`.
        """
        corpus, n_threads = self._documents(X), resolve_n_jobs(self.n_jobs)
        theta, phi = self._estimates.for_likelihoods()
        return document_log_likelihood(theta, phi, corpus, self.window, n_threads)

    def quality(self, X: Any, labels: Any = None, n: int = 10) -> dict[str, float]:
        """How good the topics are on X: likelihoods, coherence, how different, how true to labels.

        The labels are those given, or those of the corpus. Topics count by their n top words.
        """
        corpus, top = self._documents(X), self.top_words(n)
        measures = {
            "log_likelihood": self.score(corpus),
            "word_log_likelihood": self.score_documents(corpus),
            "npmi": float(coherence(top, corpus, "npmi").mean()),
            "c_v": float(coherence(top, corpus, "c_v").mean()),
            "umass": float(coherence(top, corpus, "umass").mean()),
            "diversity": diversity(top),
            "exclusivity": float(exclusivity(self.phi_, n).mean()),
            "redundancy": float(redundancy(self.phi_).mean()),
        }
        labels = corpus.labels if labels is None else labels
        if labels is not None:
            measures |= cluster_scores(labels, self._shares(corpus).argmax(axis=1))
        return measures

    def timeline(self, X: Any = None, times: Any = None, period: str | int = "auto") -> Timeline:
        """Topics over time: their shares by period, which rise or fall, and which burst when.

        X are documents with times: a corpus that has them, or anything else with `times` beside it.
        Without X it is the timeline of the slices that the model was fitted in (online BTM). The
        period is "day", "week", "month", "year", "auto", or a number of equal ones.
        """
        check_is_fitted(self)
        if X is None:
            return slices_timeline(self.slices_)
        corpus = self._dated(X, times)
        return timeline(self._shares(corpus), cast(pl.Series, corpus.times), period)

    def word_shifts(
        self, X: Any, times: Any = None, period: str | int = "auto", n: int = 5
    ) -> pl.DataFrame:
        """The words that each topic has more of in a period than at other times, n for each."""
        corpus = self._dated(X, times)
        return word_shifts(corpus, self._shares(corpus), period, n, resolve_n_jobs(self.n_jobs))

    def report(
        self, X: Any, times: Any = None, labels: Any = None, title: str = "Topics"
    ) -> "Report":
        """A page to look at the topics and the texts of X: `save` it, or show it in a notebook.

        It has a map of the topics, and of each its words, the texts that stand for it, its share
        over time where X has times and its labels where it has labels; a search, a table, and the
        settings and scores of the model. It is one file and needs no network.
        """
        from bittern.report import make_report

        corpus = self._documents(X)
        if times is not None:
            corpus = corpus.with_times(times)
        if labels is not None:
            corpus = corpus.with_labels(labels)
        return make_report(self, corpus, title)

    def read(self, *paths: str | Path, **how: Any) -> Corpus:
        """A corpus from files in the words of this model; the arguments are `bittern.read`'s."""
        check_is_fitted(self)
        return read(*paths, vocabulary=self.vocabulary_, **how, **self._text_options())

    def read_batches(self, *paths: str | Path, **how: Any) -> Iterator[Corpus]:
        """The same a hundred thousand texts at a time, so that memory does not grow with them.

        The arguments are text, format and verbose.
        """
        check_is_fitted(self)
        return read_batches(*paths, vocabulary=self.vocabulary_, **how, **self._text_options())

    @property
    def theta_(self) -> NDArray[np.float64]:
        """The share of each topic."""
        check_is_fitted(self)
        return self._estimates.get()[0]

    @property
    def phi_(self) -> NDArray[np.float32]:
        """The probability of each word in each topic."""
        check_is_fitted(self)
        return self._estimates.get()[1]

    @property
    def components_(self) -> NDArray[np.float32]:
        """The probability of each word in each topic: `phi_` by scikit-learn's name."""
        return self.phi_

    def top_words(self, n: int = 10, relevance: float = 1.0) -> list[list[str]]:
        """The n top words of each topic.

        With `relevance` 1 these are the most probable words; with 0 those with the highest lift,
        how many times as probable they are in the topic as overall. In between both count: try 0.6.
        """
        best = top_words(self.theta_, self.phi_, n, relevance)
        return [[self.vocabulary_[word] for word in words] for words in best]

    def topic_info(self, n: int = 10, relevance: float = 1.0) -> pl.DataFrame:
        """A row for each topic: its number, its name, its share and its top words."""
        return pl.DataFrame(
            {
                "topic": np.arange(len(self.theta_)),
                "name": self.topic_names_,
                "share": self.theta_,
                "words": self.top_words(n, relevance),
            }
        )

    @property
    def topic_names_(self) -> list[str]:
        """The name of each topic: the one that it was given, or its three most relevant words."""
        check_is_fitted(self)
        names = default_names(self.theta_, self.phi_, self.vocabulary_)
        return [self._names.get(topic, name) for topic, name in enumerate(names)]

    @property
    def given_names_(self) -> dict[int, str]:
        """The names that topics were given, by number."""
        check_is_fitted(self)
        return dict(self._names)

    def name_topics(self, names: Mapping[int, str] | Sequence[str]) -> Self:
        """Give names to topics, by number, or to all of them; they are saved with the model."""
        check_is_fitted(self)
        given = names if isinstance(names, Mapping) else dict(enumerate(names))
        check_topics(given, len(self.theta_))
        for topic, name in given.items():
            if not isinstance(name, str) or not name.strip():
                raise InputError(f"the name of topic {topic} must be a text, not {name!r}")
        kept = {topic: name for topic, name in self._names.items() if topic not in given}
        self._names = kept | {int(topic): name for topic, name in given.items()}
        return self

    def merge_topics(self, *groups: Sequence[int]) -> NDArray[np.int64]:
        """Make one topic of each group: [3, 7], [0, 5, 9] merges five topics into two.

        It has the smallest number of its group, and the topics behind it move up; the new number of
        each old topic is returned.
        """
        return self._renumber(merged(groups, len(self.theta_)))

    def remove_topics(self, *topics: int) -> NDArray[np.int64]:
        """Remove topics; the others share what they had, and move up.

        The new number of each old topic is returned, -1 for those that are gone.
        """
        return self._renumber(removed(topics, len(self.theta_)))

    def _renumber(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give topics new numbers: equal ones become one, those below 0 go."""
        how, learned = self._how, self._learned
        algorithm = how.algorithm
        state = None if learned is None else algorithm.renumber(learned.state, numbers)
        slices = [piece.renumbered(numbers) for piece in self.slices_]
        self._how = how = how._replace(n_topics=int(numbers.max()) + 1)
        if state is None:
            theta, phi = self._estimates.get()
            joint = renumber_columns(theta * phi.T, numbers)
            self._estimates = Estimates(how, None, from_joint(joint))
            self._learned = None
        else:
            self._estimates = Estimates(how, state)
            self._learned = cast(Learned, learned)._replace(state=state, slices=slices)
        self._names = {
            int(numbers[topic]): name
            for topic, name in self._names.items()  # of merged topics the name given last counts
            if numbers[topic] >= 0
        }
        self.slices_, self.n_topics = slices, how.n_topics
        return numbers

    def slice_topics(self, index: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """The theta (K,) and phi (K, W) that the model had after slice `index` of `slices_`."""
        check_is_fitted(self)
        if not self.slices_:
            raise InputError('the model has no slices: fit it with algorithm="online"')
        how = self._how
        index = range(len(self.slices_))[index]
        theta, words = estimate(slice_topics(self.slices_, index, how.algorithm.decay), how.prior)
        return theta, words.T

    def _known(self, X: Any) -> Corpus | Biterms:
        """X in the words of the model; others are left out."""
        if is_texts(X):
            how = self._text_options()
            return Corpus.from_texts(X, vocabulary=self.vocabulary_, keep_texts=True, **how)
        return self._data(X, fresh=False).with_vocabulary(self.vocabulary_)

    def _documents(self, X: Any) -> Corpus:
        """X as documents in the words of the model."""
        check_is_fitted(self)
        corpus = self._known(X)
        if isinstance(corpus, Biterms):
            raise InputError("this needs documents: biterms do not say where they come from")
        return corpus

    def _dated(self, X: Any, times: Any) -> Corpus:
        """X as documents with times."""
        corpus = self._documents(X)
        if times is not None:
            corpus = corpus.with_times(times)
        if corpus.times is None:
            raise InputError("a timeline needs documents with times: give a corpus that has them")
        return corpus

    def _shares(self, corpus: Corpus, by: Way = "biterms") -> NDArray[np.float32]:
        """The share of each topic in each document."""
        if len(corpus) > 0 and len(corpus.tokens) == 0:
            warn(
                "no word of these texts is known to the model: each gets the overall shares",
                stacklevel=3,
            )
        n_threads = resolve_n_jobs(self.n_jobs)
        theta, phi = self._estimates.for_likelihoods()
        return document_topics(theta, phi, corpus, self.window, by, n_threads)

    def _text_options(self) -> dict[str, Any]:
        if self.options_ is None:
            raise InputError(
                "the model was not fitted on texts: make a Corpus of these as you did for fit"
            )
        return {field.name: getattr(self.options_, field.name) for field in fields(self.options_)}


def is_texts(X: Any) -> bool:
    """Whether X is a list, array or series of strings, as far as its first items tell."""
    if isinstance(X, Corpus | Biterms) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__"):
        return False
    return all(isinstance(item, str) or is_missing(item) for item in X[:100])
