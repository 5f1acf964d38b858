"""The log-likelihood of biterms and of words."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import PREFETCH_DISTANCE, kernel, prefetch_row
from bittern._core.threads import map_slices
from bittern.analysis.documents import (
    CHUNK_SIZE,
    check_vocabulary,
    corpus_chunks,
    document_topics,
)
from bittern.biterms import Biterms, check_biterms, extract_biterms
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import FittedTopics


class LogLikelihood(NamedTuple):
    """A sum of log-likelihoods and the weight of what it is a sum of; parts can be added."""

    total: float
    weight: float

    def plus(self, other: "LogLikelihood") -> "LogLikelihood":
        """Return the sum of both."""
        return LogLikelihood(self.total + other.total, self.weight + other.weight)

    @property
    def mean(self) -> float:
        """The mean log-likelihood."""
        return self.total / self.weight


def score_biterms(fitted: FittedTopics, data: Corpus | Biterms, n_threads: int = 1) -> float:
    """Return the mean log-likelihood per biterm; higher is better.

    Documents are processed in chunks, so that memory stays bounded.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    data : Corpus or Biterms
        Documents or biterms over the vocabulary of the model.
    n_threads : int
        Number of threads.

    Returns
    -------
    float
        The mean of log p(biterm).

    Raises
    ------
    InputError
        If there is no biterm.

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.likelihood import score_biterms
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> score_biterms(model.fitted_, bittern.Corpus.from_texts(texts)) < 0
    True
    """
    found = sum_biterms(fitted, data, n_threads)
    if found.weight == 0:
        check_biterms(data, Biterms.from_words([], [], vocabulary=data.vocabulary))
    return found.mean


def sum_biterms(fitted: FittedTopics, data: Corpus | Biterms, n_threads: int = 1) -> LogLikelihood:
    """Return the sum of the log-likelihoods of all biterms, and their number."""
    found = LogLikelihood(0.0, 0.0)
    for biterms in _biterm_chunks(data, fitted.window):
        if biterms.total > 0:
            mean = log_likelihood(fitted.theta, fitted.mixed_phi, biterms, n_threads)
            found = found.plus(LogLikelihood(biterms.total * mean, biterms.total))
    return found


def score_words(fitted: FittedTopics, corpus: Corpus, n_threads: int = 1) -> float:
    """Return the mean log-likelihood per word, given other words of its document.

    See `document_log_likelihood`.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        Documents over the vocabulary of the model.
    n_threads : int
        Number of threads.

    Returns
    -------
    float
        The mean of log p(word | other words of the document).

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.likelihood import score_words
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> score_words(model.fitted_, bittern.Corpus.from_texts(texts)) < 0
    True
    """
    return document_log_likelihood(fitted.theta, fitted.mixed_phi, corpus, fitted.window, n_threads)


def sum_words(fitted: FittedTopics, corpus: Corpus, n_threads: int = 1) -> LogLikelihood:
    """Return the sum of the log-likelihoods of all predicted words, and their number."""
    return _sum_words(fitted.theta, fitted.mixed_phi, corpus, fitted.window, n_threads)


def log_likelihood(
    theta: NDArray[np.float64], phi: NDArray[np.float32], biterms: Biterms, n_threads: int = 1
) -> float:
    """Return the mean log-likelihood per biterm, log sum_k theta_k phi_k,v phi_k,w.

    On held-out biterms, this is the quality measure of the literature on biterm topic models.

    Parameters
    ----------
    theta : ndarray of shape (n_topics,)
        The share of each topic.
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.
    biterms : Biterms
        Biterms over the same words as phi.
    n_threads : int
        Number of threads.

    Returns
    -------
    float
        The mean of log p(biterm).

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.likelihood import log_likelihood
    >>> from bittern.biterms import Biterms
    >>> biterms = Biterms.from_words(["cat"], ["dog"])
    >>> round(log_likelihood(np.array([1.0]), np.array([[0.5, 0.5]]), biterms), 4)
    -1.3863
    """
    check_vocabulary(phi, biterms.vocabulary)
    words = np.ascontiguousarray(phi.T, np.float32)
    weight = np.empty(0, np.float32) if biterms.weight is None else biterms.weight
    total = sum(
        map_slices(
            lambda part: _log_likelihood(
                biterms.first[part], biterms.second[part], weight[part], theta, words
            ),
            len(biterms),
            n_threads,
        )
    )
    return float(total / biterms.total)


def document_log_likelihood(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    corpus: Corpus,
    window: int | None = 15,
    n_threads: int = 1,
) -> float:
    """Return the mean log-likelihood per word, given half of the words of its document.

    The topics of each document are inferred from its first, third, fifth ... word, and the second,
    fourth ... are predicted: log sum_k p(k | document) phi_k,w, averaged over all of them.
    Documents with a single known word are not used.

    Parameters
    ----------
    theta : ndarray of shape (n_topics,)
        The share of each topic.
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.
    corpus : Corpus
        Documents over the same words as phi.
    window : int or None
        Window of the biterms, in words; None is the whole document.
    n_threads : int
        Number of threads.

    Returns
    -------
    float
        The mean of log p(word | given words).

    Raises
    ------
    InputError
        If no document has two known words.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern import Corpus
    >>> from bittern.analysis.likelihood import document_log_likelihood
    >>> corpus = Corpus.from_tokens([["cat", "dog"]])
    >>> theta, phi = np.array([1.0]), np.array([[0.5, 0.5]], np.float32)
    >>> round(document_log_likelihood(theta, phi, corpus), 4)
    -0.6931
    """
    found = _sum_words(theta, phi, corpus, window, n_threads)
    if found.weight == 0:
        raise InputError(
            "no document has two words that the model knows; use documents with more known words"
        )
    return found.mean


def _sum_words(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    corpus: Corpus,
    window: int | None,
    n_threads: int,
) -> LogLikelihood:
    """Predict every second word of each document from the others; return the sum."""
    lengths = np.diff(corpus.indptr)
    position = np.arange(len(corpus.tokens)) - np.repeat(corpus.indptr[:-1], lengths)
    given = position % 2 == 0
    if given.all():
        return LogLikelihood(0.0, 0.0)
    shares = document_topics(theta, phi, _select(corpus, given), window, "biterms", n_threads)
    predicted = _select(corpus, ~given)
    words = np.ascontiguousarray(phi.T, np.float32)
    counts = predicted.counts
    weight = np.empty(0, np.float32) if counts is None else counts
    totals = map_slices(
        lambda part: _log_predictive(
            predicted.indptr[part.start : part.stop + 1],
            predicted.tokens,
            weight,
            shares[part],
            words,
        ),
        len(predicted),
        n_threads,
    )
    n = len(predicted.tokens) if counts is None else counts.sum()
    return LogLikelihood(float(sum(totals)), float(n))


def _biterm_chunks(data: Corpus | Biterms, window: int | None) -> Iterator[Biterms]:
    """Yield the biterms of chunks of documents, or chunks of biterms."""
    if isinstance(data, Corpus):
        yield from (extract_biterms(part, window) for _, part in corpus_chunks(data, CHUNK_SIZE))
    else:
        yield from (data[i : i + CHUNK_SIZE] for i in range(0, len(data), CHUNK_SIZE))


def _select(corpus: Corpus, selected: NDArray[np.bool_]) -> Corpus:
    """Return the same documents with only the selected tokens."""
    ends = np.concatenate([[0], np.cumsum(selected)])
    return replace(
        corpus,
        indptr=ends[corpus.indptr],
        tokens=corpus.tokens[selected],
        counts=None if corpus.counts is None else corpus.counts[selected],
    )


@kernel
def _log_predictive(indptr: Any, tokens: Any, weight: Any, shares: Any, words: Any) -> float:
    """Return the sum over the tokens of all documents of weight log sum_k shares_d,k words_w,k."""
    total = 0.0
    for d in range(len(indptr) - 1):
        share = shares[d]
        for i in range(indptr[d], indptr[d + 1]):
            row = words[tokens[i]]
            p = np.float32(0)
            for k in range(len(share)):
                p += share[k] * row[k]
            total += np.log(np.float64(p)) * (weight[i] if len(weight) else np.float32(1))
    return total


@kernel
def _log_likelihood(first: Any, second: Any, weight: Any, theta: Any, words: Any) -> float:
    """Return the sum over biterms of weight log sum_k theta_k words_v,k words_w,k."""
    shares = theta.astype(np.float32)
    total = 0.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(words, first[i + PREFETCH_DISTANCE])
            prefetch_row(words, second[i + PREFETCH_DISTANCE])
        row_v, row_w = words[first[i]], words[second[i]]
        p = np.float32(0)
        for k in range(len(shares)):
            p += shares[k] * row_v[k] * row_w[k]
        total += np.log(np.float64(p)) * (weight[i] if len(weight) else np.float32(1))
    return total
