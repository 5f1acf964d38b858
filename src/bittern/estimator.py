"""BTM, the estimator: checks what it is given, runs an algorithm, holds what was learned."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bittern._core.memory import check_memory, parse_size
from bittern._core.progress import ProgressBar
from bittern._core.threads import resolve_n_jobs
from bittern._core.validation import check_integer, check_number
from bittern._fitted_mixin import FittedTopics, is_texts
from bittern.algorithms import (
    ALGORITHMS,
    Algorithm,
    OnlineAlgorithm,
    Prior,
    Record,
    late_likelihood,
    make,
    run,
)
from bittern.biterms.biterms import Biterms, extract_biterms
from bittern.biterms.lazy import LazyBiterms, Source
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted.learned import (
    HISTORY,
    Estimates,
    Learned,
    Settings,
    Slice,
)

PROGRAM = 350_000_000  # bytes that Python and its libraries take
LEAST_ROOM = 1 << 26  # bytes for biterms, however small the limit


class BTM(FittedTopics, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
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
        How many starts to try: each learns for a pass, and the best of them goes on. One start may
        join two topics and split another; the best of five seldom does. Where one pass is all there
        is, each start costs another.
    random_state : int, Generator, RandomState or None
        The same number gives the same topics, to the last bit.
    n_jobs : int or None
        Threads, for learning by "sdm" and for `transform` and `score`; -1 for all cores. The topics
        depend on their number, a little.
    memory : str, int or None
        How much memory to take, such as "1GB", about, the program itself included, for the
        algorithms that need not hold all biterms at once ("sdm", "alpha-sdm", "scvb0"): biterms are
        made in portions, and threads that would need too much are not started. None takes what is
        fastest.
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

    history_: pl.DataFrame

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

    def check(self) -> None:
        """Refuse parameters that cannot be used, before any work is done."""
        self._settings()

    def save(self, path: str | Path) -> None:
        """Write the model to a directory; `bittern.load` reads it."""
        from bittern.fitted.storage import save

        check_is_fitted(self)
        save(self, path)

    def _learn(self, how: Settings, learned: Learned, biterms: Source, name: str) -> Learned:
        algorithm, prior, rng = how.algorithm, how.prior, learned.rng
        n_threads = getattr(biterms, "n_threads", resolve_n_jobs(self.n_jobs))
        cells = self.n_topics * len(biterms.vocabulary)
        check_memory(
            4 * cells,
            f"{self.n_topics:,} topics of {len(biterms.vocabulary):,} words",
            "fewer topics, or fewer words with min_df or max_features",
        )
        biterms = algorithm.arrange(biterms, self.n_topics, rng)
        history, threads = learned.history, n_threads if algorithm.threads else 1
        fresh = learned.state is None
        epochs = algorithm.passes(biterms.total) if fresh else algorithm.repeats()
        passes = epochs + (self.n_init - 1 if fresh else 0)
        with ProgressBar(
            f"learning {name}".strip(), passes * biterms.total, "biterms", self.verbose
        ) as bar:

            def learn(state: Any, epochs: int) -> tuple[Any, list[Record]]:
                watch, records = _watch(bar)
                return run(algorithm, state, biterms, prior, rng, epochs, watch, threads), records

            def start() -> Any:
                return algorithm.init(biterms, self.n_topics, prior, rng)

            if not fresh:
                state = algorithm.grow(learned.state, biterms, prior, rng)
            elif self.n_init == 1:
                state = start()
            else:
                tries = (learn(start(), 1) for _ in range(self.n_init))  # two at a time in memory
                state, records = max(tries, key=lambda one: late_likelihood(one[1]))
                history, epochs = _longer(history, records), epochs - 1
            state, records = learn(state, epochs)
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
        if is_texts(X):
            if fresh:
                return Corpus.from_texts(X)
            # how rare a word may be was decided when the first texts came
            no_limits = {"min_df": 1, "max_df": 1.0, "max_features": None}
            return Corpus.from_texts(X, **(self._text_options() | no_limits))
        if hasattr(X, "columns") and any(map(is_texts, (X[name] for name in X.columns))):
            raise InputError("this is a table with texts: give the column that has them")
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

    def _biterms(self, data: Corpus | Biterms, whole: bool = True) -> Source:
        biterms: Source
        if isinstance(data, Biterms):
            data.check()
            biterms = data
        elif data.counts is not None:
            biterms = extract_biterms(data, self.window)
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

    def _made_when_needed(self, corpus: Corpus) -> LazyBiterms:
        """Biterms in portions, and threads, for which the limit of memory has room."""
        n_threads = resolve_n_jobs(self.n_jobs)
        if self.memory is None:
            return LazyBiterms(corpus, self.window, None, n_threads)
        rows = 4 * self.n_topics * len(corpus.vocabulary)
        left = parse_size(self.memory) - PROGRAM - corpus.nbytes - rows
        if left - n_threads * rows < LEAST_ROOM:  # each thread has rows of its own
            n_threads = 1
        room = left - (n_threads * rows if n_threads > 1 else 0)
        return LazyBiterms(corpus, self.window, max(room, LEAST_ROOM), n_threads)

    def _check_state(self, algorithm: Algorithm) -> None:
        if not isinstance(getattr(self._learned, "state", None), algorithm.state_type):
            raise InputError(
                f'the model was not fitted with the algorithm "{algorithm.name}": fit it anew'
            )

    def _settings(self) -> Settings:
        """The parameters, checked."""
        check_integer("n_topics", self.n_topics, 1)
        check_integer("n_init", self.n_init, 1)
        if self.window is not None:
            check_integer("window", self.window, 2, "or None")
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


def _watch(bar: ProgressBar) -> tuple[Callable[[Record, Any], None], list[Record]]:
    """A function that moves the bar and keeps the learning curve, and where it keeps it."""
    records: list[Record] = []

    def watch(record: Record, _: Any) -> None:
        before = records[-1].biterms if records else 0
        records.append(record)
        bar.advance(record.biterms - before, f"log-likelihood {record.log_likelihood:.3f}")

    return watch, records


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"random_state must be 0 or more, or a generator, not {random_state!r}"
        ) from None
