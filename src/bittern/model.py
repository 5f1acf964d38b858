"""BTM, the estimator: checks what it is given, runs an algorithm, holds what was learned."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any, Self, cast
from warnings import warn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bittern.algorithms import (
    ALGORITHMS,
    Algorithm,
    OnlineAlgorithm,
    Prior,
    Record,
    best_start,
    estimate,
    make,
    run,
)
from bittern.biterms import Biterms, biterms_of
from bittern.checks import check_number, check_whole
from bittern.coherence import Measure, coherence
from bittern.corpus import Corpus, is_missing
from bittern.corpus_biterms import CorpusBiterms, Source
from bittern.documents import Way, document_table, document_topics, share_columns, texts_table
from bittern.errors import InputError
from bittern.evaluate import document_log_likelihood, log_likelihood
from bittern.evidence import documents_with, explain, representative_table
from bittern.files import read, read_batches
from bittern.learned import (
    HISTORY,
    Estimates,
    Learned,
    Settings,
    Slice,
    from_joint,
    slice_topics,
)
from bittern.parallel import count_threads
from bittern.progress import Bar
from bittern.quality import cluster_scores, diversity, exclusivity, redundancy
from bittern.sizes import check_fits, parse_size
from bittern.timeline import Timeline, slices_timeline, timeline, word_shifts
from bittern.topics import (
    default_names,
    merged,
    removed,
    renumber_columns,
    top_words,
)

PROGRAM = 350_000_000  # bytes that Python and its libraries take
LEAST_ROOM = 1 << 26  # bytes for biterms, however small the limit


class BTM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A biterm topic model: finds the topics of short texts.

    Where X is asked for, give a list of texts, a `Corpus`, or a (sparse) matrix of word counts;
    to `fit`, `partial_fit` and `score` also your own `Biterms`.

    Parameters
    ----------
    n_topics : int
        How many topics to look for (K).
    algorithm : str or algorithm
        The inference algorithm: a name such as "sdm", or settings such as `SDM(kappa=0.7)`.
    topic_prior : float or None
        The prior of each topic's share (in the literature: gamma or alpha); None is 50 / K.
    word_prior : float
        The prior of each word in each topic (beta).
    window : int or None
        Two words make a biterm when they stand less than so many places apart; None: always.
    n_init : int
        How many starts to try: each learns for a pass, and the best of them goes on. One start in
        two joins some topics and splits others where there are a dozen clear ones; of five, one in
        twenty. Where one pass is all there is, each start costs another.
    random_state : int, Generator, RandomState or None
        The same number gives the same topics, to the last bit.
    n_jobs : int or None
        Threads, for learning by "sdm" and for `transform` and `score`; -1 for all cores. The topics
        depend on their number, a little.
    memory : str, int or None
        How much memory to take, such as "1GB", about, the program itself included, for the
        algorithms that need not hold all biterms at once ("sdm", "scvb0"): biterms are made in
        portions, and threads that would need too much are not started. None takes what is fastest.
    verbose : int
        1 shows progress.

    Attributes
    ----------
    theta_ : (K,) array
        The share of each topic.
    phi_, components_ : (K, W) array
        The probability of each word in each topic.
    vocabulary_ : list of str
        The words. After a fit on counts, set it to make `top_words` speak.
    history_ : polars.DataFrame
        The learning curve: mean log-likelihood of the biterms just before they were learned.
    slices_ : list of Slice
        The counts of each time slice, where the algorithm learns in slices.
    """

    vocabulary_: list[str]
    history_: pl.DataFrame
    slices_: list[Slice]
    _how: Settings
    _learned: Learned | None
    _estimates: Estimates
    _names: dict[int, str]

    def __init__(
        self,
        n_topics: int = 100,
        algorithm: Any = "sdm",
        topic_prior: float | None = None,
        word_prior: float = 0.01,
        window: int | None = 15,
        n_init: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: str | int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.algorithm = algorithm
        self.topic_prior = topic_prior
        self.word_prior = word_prior
        self.window = window
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the topics of X."""
        how = self._settings()
        data = self._data(X, fresh=True)
        learned = Learned(None, how.rng, _no_history(), [])
        for name, part in how.algorithm.cut(data):
            biterms = self._biterms(part, whole=part is data)
            if biterms.total > 0:
                learned = self._learn(how, learned, biterms, name)
        if learned.state is None:
            self._biterms(data)  # says what is wrong
        return self._keep(how, learned, data.vocabulary, getattr(data, "options", None))

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on learning from more data; in texts, words that are new are learned, too."""
        how = self._settings()
        if not isinstance(how.algorithm, OnlineAlgorithm):
            online = [n for n, kind in ALGORITHMS.items() if issubclass(kind, OnlineAlgorithm)]
            raise InputError(
                f'the algorithm "{how.algorithm.name}" needs all data at once: use fit, or one '
                f"that goes on learning: {', '.join(online)}"
            )
        first = not hasattr(self, "vocabulary_")
        data = self._data(X, fresh=first)
        if first:
            vocabulary, options = data.vocabulary, getattr(data, "options", None)
            biterms = self._biterms(data)
            no_biterms = Biterms.from_words([], [], vocabulary=vocabulary)
            nothing = how.algorithm.init(no_biterms, self.n_topics, how.prior, how.rng)
            learned = Learned(nothing, how.rng, _no_history(), [])
        else:
            if self._how.n_topics != self.n_topics:
                raise InputError(
                    f"the model has {self._how.n_topics} topics, not {self.n_topics}: fit it anew"
                )
            self._check_state(how.algorithm)
            options = self.options_
            vocabulary = list(dict.fromkeys([*self.vocabulary_, *data.vocabulary]))
            biterms = self._biterms(data.with_vocabulary(vocabulary))
            learned = cast(Learned, self._learned)
            learned = learned._replace(rng=deepcopy(learned.rng))  # an interrupt changes nothing
        learned = self._learn(how, learned, biterms, str(len(learned.slices)))
        return self._keep(how, learned, vocabulary, options, None if first else self._names)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The share of each topic in each document, (documents, K)."""
        return self._shares(self._documents(X))

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
        check_whole("n", n, 1)
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
        self._check_topic(topic)
        return explain(*self._estimates.for_likelihoods(), corpus, topic, self.window)

    def documents_with(self, X: Any, first: str, second: str) -> pl.DataFrame:
        """The documents of X that have the biterm of two words."""
        corpus = self._documents(X)
        return texts_table(corpus[documents_with(corpus, first, second, self.window)])

    def coherence(self, X: Any, measure: Measure = "npmi", n: int = 10) -> NDArray[np.float64]:
        """How much the n top words of each topic go together in X, (K,): see `bittern.coherence`.

        X may be what the model was fitted on, or a reference corpus.
        """
        return coherence(self.top_words(n), self._documents(X), measure)

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
        return word_shifts(corpus, self._shares(corpus), period, n)

    def score_documents(self, X: Any) -> float:
        """The mean log-probability of the words of X, each given half of its document's others.

        Words that the model does not know are left out: see `bittern.evaluate`.
        """
        corpus, n_threads = self._documents(X), count_threads(self.n_jobs)
        theta, phi = self._estimates.for_likelihoods()
        return document_log_likelihood(theta, phi, corpus, self.window, n_threads)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per biterm of X; higher is better.

        Words that the model does not know are left out.
        """
        check_is_fitted(self)
        biterms = self._biterms(self._known(X)).in_memory()
        theta, phi = self._estimates.for_likelihoods()
        return log_likelihood(theta, phi, biterms, count_threads(self.n_jobs))

    def check(self) -> None:
        """Refuse parameters that cannot be used, before any work is done."""
        self._settings()

    def read(self, *paths: str | Path, **how: Any) -> Corpus:
        """A corpus from files in the words of this model; the arguments are `bittern.read`'s."""
        check_is_fitted(self)
        return read(*paths, vocabulary=self.vocabulary_, **how, **self._text_options())

    def read_batches(self, *paths: str | Path, **how: Any) -> Iterator[Corpus]:
        """The same a hundred thousand texts at a time, so that memory does not grow with them."""
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
        """The probability of each word in each topic: phi_, by scikit-learn's name."""
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

    def name_topics(self, names: Mapping[int, str] | Sequence[str]) -> Self:
        """Give names to topics, by number, or to all of them; they are saved with the model."""
        check_is_fitted(self)
        given = names if isinstance(names, Mapping) else dict(enumerate(names))
        for topic, name in given.items():
            self._check_topic(topic)
            if not isinstance(name, str) or not name.strip():
                raise InputError(f"the name of topic {topic} must be a text, not {name!r}")
        self._names = self._names | {int(topic): name for topic, name in given.items()}
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
            for topic, name in reversed(self._names.items())
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

    def save(self, path: str | Path) -> None:
        """Write the model to a directory; `bittern.load` reads it."""
        from bittern.store import save

        check_is_fitted(self)
        save(self, path)

    def _learn(self, how: Settings, learned: Learned, biterms: Source, name: str) -> Learned:
        algorithm, prior, rng = how.algorithm, how.prior, learned.rng
        n_threads = getattr(biterms, "n_threads", count_threads(self.n_jobs))
        cells = self.n_topics * len(biterms.vocabulary)
        check_fits(
            4 * cells,
            f"{self.n_topics:,} topics of {len(biterms.vocabulary):,} words",
            "fewer topics, or fewer words with min_df or max_features",
        )
        biterms = algorithm.arrange(biterms, self.n_topics, rng)
        history, threads = learned.history, n_threads if algorithm.threads else 1
        fresh = learned.state is None
        epochs = algorithm.passes(biterms.total) if fresh else algorithm.repeats()
        passes = epochs + (self.n_init - 1 if fresh else 0)
        with Bar(
            f"learning {name}".strip(), passes * biterms.total, "biterms", self.verbose
        ) as bar:
            if not fresh:
                state = algorithm.grow(learned.state, biterms, prior, rng)
            elif self.n_init == 1:
                state = algorithm.init(biterms, self.n_topics, prior, rng)
            else:
                state, records = best_start(
                    *(algorithm, biterms, self.n_topics, prior, rng, self.n_init),
                    lambda: _watch(bar),
                    threads,
                )
                history, epochs = _longer(history, records), epochs - 1
            watch, records = _watch(bar)
            state = run(algorithm, state, biterms, prior, rng, epochs, watch, threads)
        history = _longer(history, records)
        alone = algorithm.current_slice(state)
        slices = learned.slices if alone is None else [*learned.slices, Slice.of(name, alone)]
        return Learned(state, rng, history, slices)

    def _keep(
        self,
        how: Settings,
        learned: Learned,
        vocabulary: list[str],
        options: Any,
        names: dict[int, str] | None = None,
    ) -> Self:
        """Take over what was learned, all at once: an interrupted fit changes nothing."""
        is_online = isinstance(how.algorithm, OnlineAlgorithm)
        self._estimates = Estimates(how, learned.state)
        if not is_online:
            self._estimates.get()  # and let the state go
        self.vocabulary_, self.n_features_in_ = vocabulary, len(vocabulary)
        self.options_, self.history_ = options, learned.history
        self.slices_ = learned.slices
        self._learned = learned if is_online else None
        self._how = how
        self._names = how.algorithm.topic_names if names is None else names
        return self

    def _data(self, X: Any, fresh: bool) -> Corpus | Biterms:
        if isinstance(X, Corpus | Biterms):
            return X
        if _is_texts(X):
            if fresh:
                return Corpus.from_texts(X)
            # how rare a word may be was decided when the first texts came
            no_limits = {"min_df": 1, "max_df": 1.0, "max_features": None}
            return Corpus.from_texts(X, **(self._text_options() | no_limits))
        counts = validate_data(
            self,
            X,
            reset=fresh,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_non_negative=True,
            ensure_min_features=2 if fresh else 1,
        )
        names = getattr(self, "feature_names_in_", None) if fresh else self.vocabulary_
        return Corpus.from_counts(counts, names)

    def _known(self, X: Any) -> Corpus | Biterms:
        """X in the words of the model; others are left out."""
        if _is_texts(X):
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
        n_threads = count_threads(self.n_jobs)
        theta, phi = self._estimates.for_likelihoods()
        return document_topics(theta, phi, corpus, self.window, by, n_threads)

    def _check_topic(self, topic: int) -> None:
        check_whole("topic", topic, 0)
        if topic >= len(self.theta_):
            raise InputError(f"there is no topic {topic}: they are 0 to {len(self.theta_) - 1}")

    def _text_options(self) -> dict[str, Any]:
        if self.options_ is None:
            raise InputError(
                "the model was not fitted on texts: make a Corpus of these as you did for fit"
            )
        return {field.name: getattr(self.options_, field.name) for field in fields(self.options_)}

    def _biterms(self, data: Corpus | Biterms, whole: bool = True) -> Source:
        biterms: Source
        if isinstance(data, Biterms):
            data.check()
            biterms = data
        elif data.counts is not None:
            biterms = biterms_of(data, self.window)
        else:
            biterms = self._made_when_needed(data)
        if not whole:  # an empty slice is no error
            return biterms
        if biterms.total > 0:
            if biterms.counts().max() < 1:
                raise InputError(
                    "the weights are too small: they say how often a biterm, or a word, counts; "
                    "multiply them so that they are about as large as counts"
                )
            return biterms
        if isinstance(data, Biterms):
            raise InputError("there are no biterms, or none with a weight")
        if len(data) == 0:
            raise InputError("there are no documents")
        if len(data.tokens) == 0:
            raise InputError(
                "no words are left: look at the stop words, min_df, max_df and the language; "
                "a fitted model knows only its own words"
            )
        raise InputError(
            "there is no biterm: every document has fewer than two different words; "
            "give longer texts, or lower min_df"
        )

    def _made_when_needed(self, corpus: Corpus) -> CorpusBiterms:
        """Biterms in portions, and threads, for which the limit of memory has room."""
        n_threads = count_threads(self.n_jobs)
        if self.memory is None:
            return CorpusBiterms(corpus, self.window, None, n_threads)
        rows = 4 * self.n_topics * len(corpus.vocabulary)
        left = parse_size(self.memory) - PROGRAM - corpus.nbytes - rows
        if left - n_threads * rows < LEAST_ROOM:  # each thread has rows of its own
            n_threads = 1
        room = left - (n_threads * rows if n_threads > 1 else 0)
        return CorpusBiterms(corpus, self.window, max(room, LEAST_ROOM), n_threads)

    def _check_state(self, algorithm: Algorithm) -> None:
        if not isinstance(getattr(self._learned, "state", None), algorithm.state_type):
            raise InputError(
                f'the model was not fitted with the algorithm "{algorithm.name}": fit it anew'
            )

    def _settings(self) -> Settings:
        """The parameters, checked."""
        check_whole("n_topics", self.n_topics, 1)
        check_whole("n_init", self.n_init, 1)
        if self.window is not None:
            check_whole("window", self.window, 2, "or None")
        topic_prior = 50 / self.n_topics if self.topic_prior is None else self.topic_prior
        if self.memory is not None:
            parse_size(self.memory)
        check_number("topic_prior", topic_prior, 1e-9, 1e6)
        check_number("word_prior", self.word_prior, 1e-9, 1e3)
        algorithm = make(self.algorithm) if isinstance(self.algorithm, str) else self.algorithm
        if not isinstance(algorithm, Algorithm):
            raise InputError(f"algorithm must be a name or settings, not {algorithm!r}")
        prior = Prior(float(topic_prior), float(self.word_prior))
        return Settings(algorithm, prior, _generator(self.random_state), self.n_topics)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return self._how.n_topics


def _no_history() -> pl.DataFrame:
    return pl.DataFrame(schema=HISTORY)


def _longer(history: pl.DataFrame, records: list[Record]) -> pl.DataFrame:
    """The learning curve with more of it; its epochs and biterms go on from those before."""
    epoch = 0 if history.is_empty() else int(history["epoch"][-1]) + 1
    seen = 0 if history.is_empty() else int(history["biterms"][-1])
    more = pl.DataFrame(records, schema=HISTORY, orient="row")
    return history.vstack(more.with_columns(pl.col("epoch") + epoch, pl.col("biterms") + seen))


def _watch(bar: Bar) -> tuple[Callable[[Record, Any], None], list[Record]]:
    """A function that moves the bar and keeps the learning curve, and where it keeps it."""
    records: list[Record] = []

    def watch(record: Record, _: Any) -> None:
        before = records[-1].biterms if records else 0
        records.append(record)
        bar.advance(record.biterms - before, f"log-likelihood {record.log_likelihood:.3f}")

    return watch, records


def _is_texts(X: Any) -> bool:
    """Whether X is a list, array or series of strings, as far as its first items tell."""
    if isinstance(X, Corpus | Biterms) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__"):
        return False
    return all(isinstance(item, str) or is_missing(item) for item in X[:100])


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"random_state must be 0 or more, or a generator, not {random_state!r}"
        ) from None
