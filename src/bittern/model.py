"""BTM, the estimator: checks what it is given, runs an algorithm, holds what was learned."""

from dataclasses import fields
from pathlib import Path
from typing import Any, Self
from warnings import warn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bittern.algorithms import Prior, Record, estimate, make, run
from bittern.biterms import Biterms, biterms_of
from bittern.corpus import Corpus
from bittern.documents import document_topics
from bittern.errors import InputError
from bittern.evaluate import log_likelihood
from bittern.files import read
from bittern.parallel import count_threads
from bittern.progress import Bar


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
    random_state : int, Generator, RandomState or None
        The same number gives the same topics, to the last bit.
    n_jobs : int or None
        Threads for `transform` and `score`; -1 for all cores.
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
    """

    theta_: NDArray[np.float64]
    phi_: NDArray[np.float32]
    vocabulary_: list[str]
    history_: pl.DataFrame
    _state: Any
    _rng: np.random.Generator

    def __init__(
        self,
        n_topics: int = 100,
        algorithm: Any = "sdm",
        topic_prior: float | None = None,
        word_prior: float = 0.01,
        window: int | None = 15,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.algorithm = algorithm
        self.topic_prior = topic_prior
        self.word_prior = word_prior
        self.window = window
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the topics of X."""
        algorithm, prior = self._algorithm(), self._prior()
        data = self._data(X, fresh=True)
        biterms = self._biterms(data)
        self._begin(data)
        rng = _generator(self.random_state)
        state = algorithm.init(biterms.counts(), self.n_topics, prior, rng)
        return self._learn(algorithm, state, biterms, prior, rng, algorithm.passes(biterms.total))

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on learning from more data; in texts, words that are new are learned, too."""
        algorithm, prior = self._algorithm(), self._prior()
        if not hasattr(algorithm, "grow"):
            raise InputError(
                f'the algorithm "{algorithm.name}" needs all data at once: use fit, '
                'or an algorithm that goes on learning, such as "sdm"'
            )
        first = not hasattr(self, "theta_")
        data = self._data(X, fresh=first)
        known = [] if first else self.vocabulary_
        vocabulary = list(dict.fromkeys([*known, *data.vocabulary]))
        biterms = self._biterms(data.with_vocabulary(vocabulary))
        if first:
            rng = _generator(self.random_state)
            state = algorithm.init(np.zeros(0), self.n_topics, prior, rng)
            self._begin(data)
        else:
            rng, state = self._rng, self._state
        self.vocabulary_ = vocabulary
        self.n_features_in_ = len(vocabulary)
        state = algorithm.grow(state, biterms.counts(), prior, rng)
        return self._learn(algorithm, state, biterms, prior, rng, epochs=1)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The share of each topic in each document, (documents, K)."""
        check_is_fitted(self)
        corpus = self._known(X)
        if isinstance(corpus, Biterms):
            raise InputError("transform needs documents: biterms do not say where they come from")
        if len(corpus) > 0 and len(corpus.tokens) == 0:
            warn(
                "no word of these texts is known to the model: each gets the overall shares",
                stacklevel=2,
            )
        n_threads = count_threads(self.n_jobs)
        return document_topics(self.theta_, self.phi_, corpus, self.window, n_threads)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per biterm of X; higher is better.

        Words that the model does not know are left out.
        """
        check_is_fitted(self)
        biterms = self._biterms(self._known(X))
        return log_likelihood(self.theta_, self.phi_, biterms, count_threads(self.n_jobs))

    def read(self, *paths: str | Path, **how: Any) -> Corpus:
        """A corpus from files in the words of this model; the arguments are `bittern.read`'s."""
        check_is_fitted(self)
        return read(*paths, vocabulary=self.vocabulary_, **how, **self._text_options())

    @property
    def components_(self) -> NDArray[np.float32]:
        """The probability of each word in each topic: phi_, by scikit-learn's name."""
        return self.phi_

    def top_words(self, n: int = 10, relevance: float = 1.0) -> list[list[str]]:
        """The n top words of each topic.

        With `relevance` 1 these are the most probable words; towards 0 words count for more that
        are rare in the other topics. It is the lambda of
        lambda log p(w|k) + (1 - lambda) log (p(w|k) / p(w)).
        """
        check_is_fitted(self)
        if not 0 <= relevance <= 1:
            raise InputError(f"relevance must be between 0 and 1, not {relevance}")
        values = self.phi_
        if relevance < 1:
            overall = self.theta_.astype(np.float32) @ self.phi_
            values = np.log(self.phi_) - np.float32(1 - relevance) * np.log(overall)
        n = min(n, values.shape[1])
        best = np.argpartition(-values, n - 1, axis=1)[:, :n]
        order = np.argsort(-np.take_along_axis(values, best, axis=1), axis=1, kind="stable")
        return [
            [self.vocabulary_[word] for word in words]
            for words in np.take_along_axis(best, order, axis=1)
        ]

    def topic_info(self, n: int = 10, relevance: float = 1.0) -> pl.DataFrame:
        """A row for each topic: its number, its share and its top words."""
        return pl.DataFrame(
            {
                "topic": np.arange(len(self.theta_)),
                "share": self.theta_,
                "words": self.top_words(n, relevance),
            }
        )

    def save(self, path: str | Path) -> None:
        """Write the model to a directory; `bittern.load` reads it."""
        from bittern.store import save

        check_is_fitted(self)
        save(self, path)

    def _begin(self, data: Corpus | Biterms) -> None:
        self.vocabulary_ = data.vocabulary
        self.options_ = None if isinstance(data, Biterms) else data.options
        self.n_features_in_ = len(data.vocabulary)
        self.history_ = pl.DataFrame(schema=HISTORY)

    def _learn(
        self,
        algorithm: Any,
        state: Any,
        biterms: Biterms,
        prior: Prior,
        rng: np.random.Generator,
        epochs: int,
    ) -> Self:
        records: list[Record] = []
        with Bar("learning", biterms.total * epochs, "biterms", self.verbose) as bar:

            def watch(record: Record) -> None:
                before = records[-1].biterms if records else 0
                records.append(record)
                bar.advance(record.biterms - before, f"log-likelihood {record.log_likelihood:.3f}")

            state = run(algorithm, state, biterms, prior, rng, epochs, watch)
        self.history_ = self.history_.vstack(pl.DataFrame(records, schema=HISTORY, orient="row"))
        self.theta_, words = estimate(algorithm.topics(state, prior), prior)
        self.phi_ = words.T
        if hasattr(algorithm, "grow"):
            self._state, self._rng = state, rng
        return self

    def _data(self, X: Any, fresh: bool) -> Corpus | Biterms:
        if isinstance(X, Corpus | Biterms):
            return X
        if not _is_texts(X):
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
        return Corpus.from_texts(X, **({} if fresh else self._text_options()))

    def _known(self, X: Any) -> Corpus | Biterms:
        """X in the words of the model; others are left out."""
        if _is_texts(X):
            return Corpus.from_texts(X, vocabulary=self.vocabulary_, **self._text_options())
        return self._data(X, fresh=False).with_vocabulary(self.vocabulary_)

    def _text_options(self) -> dict[str, Any]:
        if self.options_ is None:
            raise InputError(
                "the model was not fitted on texts: make a Corpus of these as you did for fit"
            )
        return {field.name: getattr(self.options_, field.name) for field in fields(self.options_)}

    def _biterms(self, data: Corpus | Biterms) -> Biterms:
        biterms = data if isinstance(data, Biterms) else biterms_of(data, self.window)
        if biterms.total > 0:
            return biterms
        if isinstance(data, Biterms) or len(data) == 0:
            raise InputError("there are no documents")
        if len(data.tokens) == 0:
            raise InputError(
                "no words are left: look at the stop words, min_df, max_df and the language"
            )
        raise InputError(
            "there is no biterm: every document has fewer than two different words; "
            "give longer texts, or lower min_df"
        )

    def _algorithm(self) -> Any:
        return make(self.algorithm) if isinstance(self.algorithm, str) else self.algorithm

    def _prior(self) -> Prior:
        if self.n_topics < 1:
            raise InputError(f"n_topics must be 1 or more, not {self.n_topics}")
        prior = Prior(
            50 / self.n_topics if self.topic_prior is None else self.topic_prior, self.word_prior
        )
        if not (prior.topic > 0 and prior.word > 0):
            raise InputError(f"topic_prior and word_prior must be above 0, not {tuple(prior)}")
        return prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.theta_)


HISTORY = {"epoch": pl.Int64, "biterms": pl.Int64, "log_likelihood": pl.Float64}


def _is_texts(X: Any) -> bool:
    """Whether X is a list, array or series of strings, as far as its first items tell."""
    if isinstance(X, Corpus | Biterms) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__"):
        return False
    return all(item is None or isinstance(item, str) for item in X[:100])


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
