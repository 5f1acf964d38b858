"""BTM, the scikit-learn estimator: checks its parameters and calls the rooms below."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bittern._core.threads import resolve_n_jobs
from bittern._core.validation import check_integer
from bittern.algorithms import (
    ALGORITHMS,
    Algorithm,
    Auto,
    Slice,
    make_algorithm,
    with_settings,
)
from bittern.analysis.coherence import coherence
from bittern.analysis.documents import (
    InferenceMethod,
    document_table,
    infer_topics,
    main_topics,
    texts_table,
    warn_about_unknown,
    with_known_words,
)
from bittern.analysis.explanation import ExplanationBasis, documents_with, explain
from bittern.analysis.likelihood import score_biterms, score_words
from bittern.analysis.quality import measure_quality
from bittern.analysis.representative import representative_table
from bittern.analysis.timeline import Timeline, documents_timeline, slices_timeline
from bittern.analysis.word_shifts import word_shifts
from bittern.biterms import Biterms
from bittern.corpus import Corpus
from bittern.corpus.copies import warn_about_copies
from bittern.errors import InputError
from bittern.fitted import (
    DEFAULT_RELEVANCE,
    Data,
    Documents,
    Duplicates,
    FitSettings,
    FittedTopics,
    RandomState,
    as_data,
    check_columns,
    check_topics,
    encode_data,
    encode_documents,
    is_texts,
    read_encoded,
    read_encoded_batches,
    read_fitted,
    text_arguments,
    topic_groups,
    topic_list,
    topic_summary,
    write_fitted,
)
from bittern.text import TextOptions
from bittern.training import Training, check_growable, check_training, fit_topics, update_topics

if TYPE_CHECKING:
    from bittern.report import Report


Column = Iterable[object]
"""Times or labels of documents."""


TEXT_PARAMETERS = tuple(field.name for field in fields(TextOptions))
SETTING = "algorithm__"  # before the settings of the algorithm, as scikit-learn nests parameters


class BTM(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Biterm topic model: find topics in short texts.

    Wherever a method takes `X`, pass a list of texts, a `Corpus`, or a (sparse) matrix of word
    counts; `fit`, `partial_fit` and `score` also accept your own `Biterms`.

    Parameters
    ----------
    n_topics : int
        Number of topics (K).
    algorithm : str or Algorithm
        Inference algorithm: a name such as "sdm", or settings such as `SDM(kappa=0.7)`.
    topic_prior : float or None
        Dirichlet prior of the topic shares (gamma or alpha in the literature); None is 50 / K.
    word_prior : float or "auto"
        Dirichlet prior of the words in a topic (beta). "auto" makes it worth 0.4 occurrences of
        every word, shared among the topics, and less in tiny and huge corpora: see
        `bittern.algorithms.adaptive_word_prior`. The paper uses 0.01.
    window : int or None
        Two words form a biterm if they are fewer than this many positions apart, at most 50,000;
        None pairs all words of a document, which may have at most 50,000.
    n_init : int or "auto"
        Number of random starts. Training continues with the one that predicts texts best from all
        others. "auto" is up to 8 for "sdm" on small corpora, and otherwise 1.
    random_state : int, Generator, RandomState or None
        Seed. The same seed gives the same topics, bit for bit, for the same number of threads.
    n_jobs : int or None
        Number of threads for training with "sdm" or "alpha-sdm" and for `transform` and
        `score`; -1 uses all cores, and None is 1.
    memory : str, int or None
        Approximate memory limit, such as "1GB", including the program itself. It applies to the
        algorithms that do not need all biterms at once ("sdm", "alpha-sdm", "scvb0"): biterms are
        generated in portions, and fewer threads are used. None uses whatever is fastest.
    verbose : int
        1 shows progress bars.
    duplicates : {"keep", "once"}
        "once" trains on only one of the texts that have the same words in the same order, so that
        a text that was copied many times does not become a topic. Copies still get topics. In
        `partial_fit`, it applies to the texts of each call.
    stop_words : str, list of str or None
        Words to drop when X is texts, as all parameters from here on: the name of a language, or a
        list of words and names of languages.
    numbers : bool
        Keep words that are numbers.
    letters : bool
        Keep words that are a single letter.
    hashtags : "keep" or "split"
        "split" cuts hashtags at capital letters: "#ClimateChange" is "climate" and "change".
    emoji : bool
        Keep emoji as words.
    phrases : bool or list of str
        Join phrases to single words: True finds words that belong together, such as "new_york",
        and a list names the phrases, such as "new york".
    ngrams : int
        Maximum number of adjacent words that are added as one word; 2 adds "new york".
    language : str or None
        Keep only texts in this language, such as "en" or "english" (requires the extra `lang`);
        "auto" keeps all texts, and finds stop words and segmenter for their main language.
    segment : str or None
        Put spaces between the words of this language: "zh", "ja" or "th".
    lemmas : str, list of str or None
        Replace words by their dictionary forms in this language, such as "en" or "english"
        (requires the extra `lemmas`).
    tokenizer : callable or None
        Function that returns the words of a text.
    min_df, max_df : int, float or "auto"
        Drop words that occur in fewer, or in more, documents than this; a float is a fraction.
        "auto", for min_df, is 1 below 100 documents, 2 up to 50,000, and then grows to 10.
    max_features : int or None
        Keep only this many words, the most frequent ones.

    Attributes
    ----------
    theta_ : ndarray of shape (K,)
        Share of each topic.
    phi_, components_ : ndarray of shape (K, W)
        Probability of each word in each topic.
    vocabulary_ : list of str
        The words. After a fit on counts, set it to get words from `top_words`.
    topic_names_ : list of str
        Name of each topic.
    history_ : polars.DataFrame
        Learning curve: mean log-likelihood of the biterms just before they were learned.
    slices_ : tuple of Slice
        Counts of each time slice, if the algorithm trains in slices.
    fitted_ : FittedTopics
        The immutable result of the fit.

    Examples
    --------
    >>> from bittern import BTM
    >>> texts = ["red apple pie", "apple pie recipe", "fast train", "late fast train"] * 20
    >>> model = BTM(n_topics=2, random_state=0).fit(texts)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [['apple', 'pie'], ['fast', 'train']]
    """

    fitted_: FittedTopics

    def __init__(
        self,
        n_topics: int = 20,
        algorithm: str | Algorithm[Any] = "sdm",
        topic_prior: float | None = None,
        word_prior: float | Literal["auto"] = "auto",
        window: int | None = 15,
        n_init: Auto = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = -1,
        memory: str | int | None = None,
        verbose: int = 0,
        duplicates: Duplicates = "keep",
        stop_words: str | Sequence[str] | None = "english",
        numbers: bool = False,
        letters: bool = False,
        hashtags: Literal["keep", "split"] = "keep",
        emoji: bool = False,
        phrases: bool | Sequence[str] = False,
        ngrams: int = 1,
        language: str | None = None,
        segment: str | None = None,
        lemmas: str | Sequence[str] | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        min_df: int | float | Literal["auto"] = "auto",
        max_df: int | float = 1.0,
        max_features: int | None = None,
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
        self.duplicates = duplicates
        self.stop_words = stop_words
        self.numbers = numbers
        self.letters = letters
        self.hashtags = hashtags
        self.emoji = emoji
        self.phrases = phrases
        self.ngrams = ngrams
        self.language = language
        self.segment = segment
        self.lemmas = lemmas
        self.tokenizer = tokenizer
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features

    @classmethod
    def from_fitted(cls, fitted: FittedTopics, **parameters: Any) -> Self:
        """Return an estimator with the result of an earlier fit.

        Parameters
        ----------
        fitted : FittedTopics
            The result of a fit.
        **parameters
            Parameters that are not part of the result, such as n_jobs or verbose.

        Returns
        -------
        BTM
        """
        options = {} if fitted.text_options is None else text_arguments(fitted)
        settings = fitted.settings._asdict()
        model = cls(algorithm=fitted.algorithm, **settings, **options, **parameters)
        model._set_fitted(fitted)
        if fitted.named_columns:
            model.feature_names_in_ = np.array(fitted.vocabulary, dtype=object)
        return model

    # Training

    def fit(self, X: Data, y: object = None) -> Self:
        """Find topics.

        Parameters
        ----------
        X : texts, Corpus, matrix of counts or Biterms
            Data to train on.
        y : ignored
            For scikit-learn.

        Returns
        -------
        BTM
            The estimator itself.

        Warns
        -----
        CopiesWarning
            If a few texts make up much of the data.
        """
        training = self._checked_training()
        data = self._new_data(X)
        if isinstance(data, Corpus) and training.settings.duplicates == "keep":
            warn_about_copies(data, stacklevel=2)
        self._keep(fit_topics(data, training))
        return self

    def partial_fit(self, X: Data, y: object = None) -> Self:
        """Continue training on more data; new words are added to the vocabulary.

        Parameters
        ----------
        X : texts, Corpus, matrix of counts or Biterms
            Data to train on.
        y : ignored
            For scikit-learn.

        Returns
        -------
        BTM
            The estimator itself.

        Raises
        ------
        InputError
            If the algorithm needs all data at once.
        """
        training = self._checked_training()
        check_growable(training.algorithm)
        before = getattr(self, "fitted_", None)
        data = self._new_data(X) if before is None else self._more_data(X)
        self._keep(update_topics(before, data, training))
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with `deep` also the algorithm's settings.

        Parameters
        ----------
        deep : bool
            Add the settings of the algorithm, such as algorithm__background.

        Returns
        -------
        dict
        """
        parameters: dict[str, Any] = super().get_params(deep=False)
        algorithm = parameters["algorithm"]
        if isinstance(algorithm, str) and algorithm in ALGORITHMS:
            algorithm = make_algorithm(algorithm)
        if deep and isinstance(algorithm, Algorithm):
            settings = algorithm.settings().items()
            parameters |= {f"{SETTING}{name}": value for name, value in settings}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, also settings of the algorithm: `algorithm__background=0.3`.

        Parameters
        ----------
        **parameters
            Parameters by name.

        Returns
        -------
        BTM
            The estimator itself.

        Examples
        --------
        >>> from bittern import BTM
        >>> BTM().set_params(algorithm="scvb0", algorithm__tau=500).algorithm
        SCVB0(tau=500)
        """
        names = [name for name in parameters if name.startswith(SETTING)]
        changes = {name.removeprefix(SETTING): parameters.pop(name) for name in names}
        super().set_params(**parameters)
        if changes:
            algorithm = self.algorithm
            if isinstance(algorithm, str):
                algorithm = make_algorithm(algorithm)
            self.algorithm = with_settings(algorithm, changes)
        return self

    def save(self, path: str | Path) -> None:
        """Save the model to a directory, completely or not at all.

        Parameters
        ----------
        path : str or Path
            Directory to create, or a saved model to replace.

        See Also
        --------
        bittern.load : Load a saved model.
        """
        write_fitted(self._fitted(), path)

    # Documents

    def transform(self, X: Documents, by: InferenceMethod = "informative") -> NDArray[np.float32]:
        """Return the share of each topic in each document.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        by : {"informative", "words", "biterms", "mix"}
            What the topics are inferred from, as for `document_info`.

        Returns
        -------
        ndarray of shape (documents, K)
            Every row sums to 1. A document without known words gets the overall shares, because
            scikit-learn needs numbers; `document_info` gives it no topic.

        Warns
        -----
        UserWarning
            If a document has no known words.

        Examples
        --------
        >>> from bittern import BTM
        >>> texts = ["red apple pie", "apple pie recipe", "fast train", "late fast train"] * 20
        >>> model = BTM(n_topics=2, random_state=0).fit(texts)
        >>> model.transform(["apple recipe", "train"]).shape
        (2, 2)
        """
        corpus = self._documents(X)
        warn_about_unknown(corpus, stacklevel=3)  # scikit-learn wraps this method
        return self._infer(corpus, by)

    def predict(self, X: Documents, by: InferenceMethod = "informative") -> NDArray[np.int64]:
        """Return the main topic of each document.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        by : {"informative", "words", "biterms", "mix"}
            What the topics are inferred from, as for `document_info`.

        Returns
        -------
        ndarray of shape (documents,)
            Topic numbers; -1 for a document without known words.

        Examples
        --------
        >>> from bittern import BTM
        >>> texts = ["red apple pie", "apple pie recipe", "fast train", "late fast train"] * 20
        >>> topics = BTM(n_topics=2, random_state=0).fit(texts).predict([*texts[:4], "the"])
        >>> topics[0] == topics[1], topics[1] == topics[2], int(topics[4])
        (np.True_, np.False_, -1)
        """
        corpus = self._documents(X)
        return main_topics(self._fitted(), corpus, self._infer(corpus, by))

    def document_info(
        self, X: Documents, by: InferenceMethod = "informative", *, shares: bool = False
    ) -> pl.DataFrame:
        """Return the main topic and the runner-up of each document, with their probabilities.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        by : {"informative", "words", "biterms", "mix"}
            Infer the topics of a document from its words weighted by what they tell about topics,
            from its words one by one, from its biterms, or from all of its words as if they had one
            topic.
        shares : bool
            Add a column with the share of every topic.

        Returns
        -------
        polars.DataFrame
            One row per document. It includes the texts if X is texts, or a corpus that kept them,
            and starts with all columns of the files if the corpus kept its table. A document
            without known words, or whose topic is set aside, has no topic, and `reason` says so.

        See Also
        --------
        bittern.analysis.documents.document_table : The columns in detail.

        Examples
        --------
        Add the topics to your own data frame:

        >>> import polars as pl
        >>> from bittern import BTM
        >>> frame = pl.DataFrame({"nr": range(40), "answer": ["late train", "dirty seats"] * 20})
        >>> model = BTM(n_topics=2, random_state=0).fit(frame["answer"])
        >>> found = model.document_info(frame["answer"]).drop("id", "text")
        >>> frame.hstack(found).columns[:4]
        ['nr', 'answer', 'topic', 'topic_name']
        """
        corpus = self._documents(X)
        found = self._infer(corpus, by)
        return document_table(self.fitted_, corpus, found, shares)

    def representative(self, X: Documents, n: int = 5) -> pl.DataFrame:
        """Return the n most representative documents of each topic.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        n : int
            Documents per topic.

        Returns
        -------
        polars.DataFrame
            One row per topic and rank, the best first. Each document has at least two of the
            topic's twenty top words, if there are such documents, and no two are near copies.
        """
        check_integer("n", n, 1)
        corpus = self._documents(X)
        return representative_table(self.fitted_, corpus, self._infer(corpus), n)

    def explain(
        self,
        text: str | Documents,
        topic: int | None = None,
        by: ExplanationBasis = "informative",
    ) -> pl.DataFrame:
        """Return the words, or the biterms, that speak for the topic of a text.

        Parameters
        ----------
        text : str or Corpus
            A text, or a corpus of one document.
        topic : int, optional
            Explain this topic instead of the most probable one.
        by : {"informative", "words", "biterms"}
            How the topics of the text are inferred, as in `transform`.

        Returns
        -------
        polars.DataFrame
            One row per word or biterm, the strongest first: `probability` is that of the topic
            given this word or biterm, `weight` its part in the text, and `share` its part in the
            topic's share. A text without known words has no rows.
        """
        corpus = self._documents([text] if isinstance(text, str) else text)
        if len(corpus) != 1:
            raise InputError(f"explain takes one text at a time, not {len(corpus)}")
        if topic is None:
            topic = int(self._infer(corpus, by).argmax())
        check_topics([topic], self.fitted_.n_topics)
        return explain(self.fitted_, corpus, topic, by)

    def documents_with(self, X: Documents, first: str, second: str) -> pl.DataFrame:
        """Return the documents that contain a biterm.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        first : str
            One word of the biterm.
        second : str
            The other word.

        Returns
        -------
        polars.DataFrame
        """
        corpus = self._documents(X)
        return texts_table(corpus[documents_with(corpus, first, second, self.fitted_.window)])

    # Quality

    def score(self, X: Data, y: object = None) -> float:
        """Return the mean log-likelihood per biterm; higher is better.

        Parameters
        ----------
        X : texts, Corpus, matrix of counts or Biterms
            Words that the model does not know are left out.
        y : ignored
            For scikit-learn.

        Returns
        -------
        float
        """
        data = self._known(X)
        return score_biterms(self.fitted_, data, resolve_n_jobs(self.n_jobs))

    def score_documents(self, X: Documents) -> float:
        """Return the mean log-probability of words, each given half of its document.

        The topics of a document are inferred from every second word, and the others are predicted.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Words that the model does not know are left out.

        Returns
        -------
        float
        """
        corpus = self._documents(X)
        return score_words(self.fitted_, corpus, resolve_n_jobs(self.n_jobs))

    def coherence(self, X: Documents, measure: str = "npmi", n: int = 10) -> NDArray[np.float64]:
        """Return the coherence of the n top words of each topic.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            The training data, or a reference corpus.
        measure : {"npmi", "c_v", "umass"}
            Coherence measure.
        n : int
            Number of top words, the most probable ones.

        Returns
        -------
        ndarray of shape (K,)
        """
        corpus = X if isinstance(X, Corpus) else self._documents(X)
        return coherence(self._fitted().top_words(n, relevance=1), corpus, measure)

    def quality(
        self, X: Documents, labels: ArrayLike | None = None, n: int = 10
    ) -> dict[str, float]:
        """Return measures of topic quality: likelihood, coherence, diversity, label agreement.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        labels : sequence, optional
            Labels to compare the topics with; by default those of the corpus, if it has any.
        n : int
            Number of top words per topic.

        Returns
        -------
        dict
            Values by name; `bittern.analysis.quality.MEASURES` describes them.
        """
        corpus = self._documents(X)
        return measure_quality(self.fitted_, corpus, labels, n, resolve_n_jobs(self.n_jobs))

    # Time

    def timeline(
        self,
        X: Documents | None = None,
        times: Column | None = None,
        period: str | int = "auto",
    ) -> Timeline:
        """Return topics over time: shares per period, trends and bursts.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts, optional
            Documents with times. Without X, the timeline of the slices the model was fitted in.
        times : sequence, optional
            Times of the documents, if X is not a corpus that has them.
        period : str or int
            "hour", "day", "week", "month", "quarter", "year", "auto", or a number of equal periods.

        Returns
        -------
        Timeline
        """
        if X is None:
            return slices_timeline(self._fitted().slices)
        corpus = self._documents(X, times)
        n_threads = resolve_n_jobs(self.n_jobs)
        return documents_timeline(self.fitted_, corpus, period, n_threads)

    def word_shifts(
        self,
        X: Documents,
        times: Column | None = None,
        period: str | int = "auto",
        n: int = 5,
    ) -> pl.DataFrame:
        """Return the words that are unusually frequent in a topic in each period.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents with times.
        times : sequence, optional
            Times of the documents, if X is not a corpus that has them.
        period : str or int
            "hour", "day", "week", "month", "quarter", "year", "auto", or a number of equal periods.
        n : int
            Words per topic and period.

        Returns
        -------
        polars.DataFrame
        """
        corpus = with_known_words(self._documents(X, times))
        found = word_shifts(corpus, self._infer(corpus), period, n, resolve_n_jobs(self.n_jobs))
        return found.filter(~pl.col("topic").is_in(list(self.fitted_.set_aside)))

    def slice_topics(self, index: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return theta (K,) and phi (K, W) as they were after a time slice.

        Parameters
        ----------
        index : int
            Index into `slices_`.

        Returns
        -------
        theta, phi : ndarray
        """
        found = self._fitted().slice_topics(index)
        return found.theta, found.phi

    # Reports and files

    def report(
        self,
        X: Documents,
        times: Column | None = None,
        labels: Column | None = None,
        title: str = "Topics",
    ) -> "Report":
        """Create an interactive page about the topics: one file that needs no network.

        The page begins with what the texts are about: the topics with their sizes, words and a
        text. It has a map of the topics and, for each topic, its words, its representative texts,
        its share over time and its labels; a search box, a table, and the settings and scores of
        the model.

        Parameters
        ----------
        X : texts, Corpus or matrix of counts
            Documents.
        times : sequence, optional
            Times of the documents, if X is not a corpus that has them.
        labels : sequence, optional
            Labels of the documents, if X is not a corpus that has them. The page calls them as
            their column, if they are a column of a data frame.
        title : str
            Heading of the page.

        Returns
        -------
        Report
            Call `save` to write it to a file; notebooks display it.
        """
        from bittern.report import make_report

        corpus = self._documents(X, times, labels)
        n_threads = resolve_n_jobs(self.n_jobs)
        return make_report(self.fitted_, corpus, title, n_threads, self.verbose)

    def read(self, *paths: str | Path, **arguments: Any) -> Corpus:
        """Read files as a corpus, with the vocabulary and preprocessing of this model.

        Parameters
        ----------
        *paths : str or Path
            Files or glob patterns.
        **arguments
            Other arguments of `bittern.read`, such as text, time, label or format.

        Returns
        -------
        Corpus
        """
        return read_encoded(self._fitted(), *paths, **arguments)

    def read_batches(self, *paths: str | Path, **arguments: Any) -> Iterator[Corpus]:
        """Read files in batches of texts, so that memory does not grow with their number.

        Parameters
        ----------
        *paths : str or Path
            Files or glob patterns.
        **arguments
            text, format, keep_table and verbose, as for `bittern.read`.

        Yields
        ------
        Corpus
        """
        return read_encoded_batches(self._fitted(), *paths, **arguments)

    # Topics

    @property
    def theta_(self) -> NDArray[np.float64]:
        """Share of each topic, (K,)."""
        return self._fitted().theta

    @property
    def phi_(self) -> NDArray[np.float32]:
        """Probability of each word in each topic, (K, W)."""
        return self._fitted().phi

    @property
    def components_(self) -> NDArray[np.float32]:
        """Probability of each word in each topic: `phi_` under scikit-learn's name."""
        return self.phi_

    @property
    def vocabulary_(self) -> list[str]:
        """The words."""
        return self._fitted().vocabulary

    @vocabulary_.setter
    def vocabulary_(self, words: Sequence[str]) -> None:
        self._set_fitted(self._fitted().with_vocabulary(words))

    @property
    def history_(self) -> pl.DataFrame:
        """Learning curve."""
        return self._fitted().history_table()

    @property
    def slices_(self) -> tuple[Slice, ...]:
        """Counts of each time slice."""
        return self._fitted().slices

    @property
    def topic_names_(self) -> list[str]:
        """Name of each topic: the one it was given, or its three most relevant words."""
        return list(self._fitted().topic_names)

    @property
    def given_names_(self) -> dict[int, str]:
        """Names that topics were given, by number."""
        return dict(self._fitted().given_names)

    def top_words(self, n: int = 10, relevance: float = DEFAULT_RELEVANCE) -> list[list[str]]:
        """Return the n top words of each topic.

        Parameters
        ----------
        n : int
            Number of words.
        relevance : float
            1 ranks words by probability; 0 by lift, the ratio of the probability in the topic to
            that overall. Values in between combine both.

        Returns
        -------
        list of list of str
        """
        return self._fitted().top_words(n, relevance)

    def topic_info(
        self, n: int = 10, relevance: float = DEFAULT_RELEVANCE, *, as_text: bool = True
    ) -> pl.DataFrame:
        """Return a row for each topic: its number, name, share, top words, and whether it is used.

        A topic that is not in use has hardly any biterms. Its words would mean nothing and are left
        out: the texts support fewer topics. Topics that are set aside have no row.

        To read all topics, print `summary()`: Polars shows only some rows of a table, and the start
        of long texts.

        Parameters
        ----------
        n : int
            Number of words.
        relevance : float
            As for `top_words`.
        as_text : bool
            Join the words of a topic by commas; False gives lists, which csv and Excel files
            cannot hold.

        Returns
        -------
        polars.DataFrame

        Examples
        --------
        >>> from bittern import BTM
        >>> model = BTM(n_topics=2, random_state=0).fit(["late train", "dirty seats"] * 20)
        >>> model.topic_info().write_csv("topics.csv")
        """
        return self._fitted().topic_info(n, relevance, as_text)

    def get_topic_info(self) -> pl.DataFrame:
        """Return `topic_info()`: the name that BERTopic has for it.

        Returns
        -------
        polars.DataFrame
        """
        return self.topic_info()

    def get_document_info(self, docs: Documents) -> pl.DataFrame:
        """Return `document_info(docs)`: the name that BERTopic has for it.

        Parameters
        ----------
        docs : texts, Corpus or matrix of counts
            Documents.

        Returns
        -------
        polars.DataFrame
        """
        return self.document_info(docs)

    def summary(self, n: int = 10, relevance: float = DEFAULT_RELEVANCE) -> str:
        """Return the topics as text, a line for each, the largest first.

        Topics that are set aside or not in use are not listed; the last lines say so.

        Parameters
        ----------
        n : int
            Number of words.
        relevance : float
            As for `top_words`.

        Returns
        -------
        str

        Examples
        --------
        >>> from bittern import BTM
        >>> texts = ["late train again"] * 20 + ["dirty seats"] * 10
        >>> model = BTM(n_topics=2, random_state=0).fit(texts)
        >>> print(model.summary(n=2).splitlines()[0])
        topic  share  words
        """
        return topic_summary(self._fitted(), n, relevance)

    def name_topics(self, names: Mapping[int, str] | Sequence[str]) -> Self:
        """Name topics; names are saved with the model.

        Parameters
        ----------
        names : dict or list
            Names by topic number, or a name for every topic.

        Returns
        -------
        BTM
            The estimator itself.
        """
        self._set_fitted(self._fitted().with_names(names))
        return self

    def merge_topics(self, *groups: Sequence[Any] | int) -> NDArray[np.int64]:
        """Merge topics: [3, 7], [0, 5, 9] merges five topics into two.

        Parameters
        ----------
        *groups : list of int
            Topics that become one; also a list of such lists. The merged topic gets the smallest
            number of its group; later topics are renumbered.

        Returns
        -------
        ndarray of shape (K,)
            The new number of each old topic.
        """
        fitted, numbers = self._fitted().merge_topics(topic_groups(groups))
        self._set_fitted(fitted)
        self.n_topics = fitted.n_topics
        return numbers

    def remove_topics(self, *topics: int | Sequence[int]) -> NDArray[np.int64]:
        """Remove topics; their words are shared among the others, which are renumbered.

        Parameters
        ----------
        *topics : int
            Topics, or one list of them, to remove.

        Returns
        -------
        ndarray of shape (K,)
            The new number of each old topic, -1 for those removed.
        """
        fitted, numbers = self._fitted().remove_topics(topic_list(topics))
        self._set_fitted(fitted)
        self.n_topics = fitted.n_topics
        return numbers

    def set_aside_topics(self, *topics: int | Sequence[int]) -> Self:
        """Set topics aside, such as advertising: their texts get no topic.

        Nothing is renumbered, and the topics of other texts do not change: unlike texts of a
        removed topic, those of one that is set aside do not go to other topics. `document_info`
        gives them no topic and a reason, and tables, counts, timelines and reports leave them and
        the topic out. `transform` and `theta_` still have all topics.

        Parameters
        ----------
        *topics : int
            Topics, or one list of them, to set aside, in addition to those that are already.

        Returns
        -------
        BTM
            The estimator itself.
        """
        fitted = self._fitted()
        self._set_fitted(fitted.with_set_aside([*fitted.set_aside, *topic_list(topics)]))
        return self

    def restore_topics(self, *topics: int | Sequence[int]) -> Self:
        """Restore topics that were set aside.

        Parameters
        ----------
        *topics : int
            Topics, or one list of them, to restore.

        Returns
        -------
        BTM
            The estimator itself.
        """
        fitted = self._fitted()
        self._set_fitted(fitted.without_set_aside(topic_list(topics)))
        return self

    # Checks and conversions

    def _checked_training(self) -> Training:
        """Check all parameters before any work is done."""
        self._text_options()
        settings = FitSettings(**{name: getattr(self, name) for name in FitSettings._fields})
        return check_training(settings, self.algorithm, self.n_jobs, self.memory, self.verbose)

    def _text_options(self) -> dict[str, Any]:
        """Return the options for texts, checked."""
        options = {name: getattr(self, name) for name in TEXT_PARAMETERS}
        TextOptions(**options)
        return options

    def _keep(self, fitted: FittedTopics) -> None:
        """Keep the outcome of training, all at once: an interrupted fit changes nothing."""
        self._set_fitted(replace(fitted, named_columns=hasattr(self, "feature_names_in_")))

    def _fitted(self) -> FittedTopics:
        check_is_fitted(self)
        return self.fitted_

    def _set_fitted(self, fitted: FittedTopics) -> None:
        self.fitted_ = fitted
        self.n_features_in_ = len(fitted.vocabulary)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def _new_data(self, X: Data) -> Corpus | Biterms:
        """Return data to fit on."""
        X = as_data(X)
        if isinstance(X, Corpus | Biterms) or is_texts(X):
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit on a data frame
        if not isinstance(X, Corpus | Biterms) and is_texts(X):
            return Corpus.from_texts(X, verbose=self.verbose, **self._text_options())
        self._check_no_text_options(X)
        if isinstance(X, Corpus | Biterms):
            return X
        counts = self._counts(X, reset=True)
        return Corpus.from_counts(counts, getattr(self, "feature_names_in_", None))

    def _check_no_text_options(self, X: Data) -> None:
        """Reject options for texts where X is no texts: they would have no effect."""
        options = TextOptions(**self._text_options())
        used = X.options if isinstance(X, Corpus) else None
        used = used or TextOptions(stop_words=None)
        for name in TEXT_PARAMETERS:
            value = getattr(options, name)
            if value not in (getattr(used, name), getattr(TextOptions(), name)):
                kind = "a Corpus" if isinstance(X, Corpus) else "data that is not texts"
                remedy = "bittern.read or Corpus.from_texts"
                raise InputError(f"{name} has no effect on {kind}; pass it to {remedy}")

    def _more_data(self, X: Data) -> Corpus | Biterms:
        """Return data to continue on, which may have new words."""
        X = as_data(X)
        if isinstance(X, Corpus | Biterms):
            return X
        if is_texts(X):
            # how rare a word may be was decided by the first texts
            no_limits = {"min_df": 1, "max_df": 1.0, "max_features": None}
            return Corpus.from_texts(X, **(text_arguments(self.fitted_) | no_limits))
        return Corpus.from_counts(self._counts(X, reset=False), self.fitted_.vocabulary)

    def _known(self, X: Data) -> Corpus | Biterms:
        """Return data in the words of the model."""
        X = as_data(X)
        fitted = self._fitted()
        if not isinstance(X, Corpus | Biterms) and not is_texts(X):
            X = self._counts(X, reset=False)
        return encode_data(fitted, X)

    def _documents(
        self,
        X: Documents,
        times: Column | None = None,
        labels: Column | None = None,
    ) -> Corpus:
        """Return documents in the words of the model."""
        corpus = encode_documents(self._fitted(), self._known(X))
        if times is not None:
            corpus = corpus.with_times(times)
        return corpus if labels is None else corpus.with_labels(labels)

    def _counts(self, X: Any, reset: bool) -> ArrayLike:
        """Check a matrix of word counts as scikit-learn does."""
        check_columns(X)
        try:
            counts: ArrayLike = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=np.float64,
                ensure_non_negative=True,
                ensure_min_features=2 if reset else 1,
            )
        except (TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"not texts, and not a matrix of word counts: {reason}") from error
        return counts

    def _infer(self, corpus: Corpus, by: InferenceMethod = "informative") -> NDArray[np.float32]:
        """Return the share of each topic in each document."""
        return infer_topics(self.fitted_, corpus, by, resolve_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`: btm0, btm1, ...

        Parameters
        ----------
        input_features : ignored
            For scikit-learn: the names do not depend on the columns of the input.

        Returns
        -------
        ndarray of str
        """
        return np.array([f"btm{topic}" for topic in range(self._fitted().n_topics)], dtype=object)


def load(path: str | Path, tokenizer: Callable[[str], Iterable[str]] | None = None) -> BTM:
    """Load a model that was saved with `BTM.save`.

    Parameters
    ----------
    path : str or Path
        Directory of the model.
    tokenizer : callable, optional
        The tokenizer that the model was fitted with, if it was your own: a function is never saved
        with a model, and a loaded model imports nothing.

    Returns
    -------
    BTM
        A fitted estimator.

    Raises
    ------
    InputError
        If the model is missing or damaged, or it was fitted without a tokenizer of your own.

    Examples
    --------
    >>> import bittern
    >>> model = bittern.BTM(2, random_state=0).fit(["red apple pie", "late fast train"] * 20)
    >>> model.save("example.model")
    >>> bittern.load("example.model").n_topics
    2
    """
    return BTM.from_fitted(read_fitted(path, tokenizer))
