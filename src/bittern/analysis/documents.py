"""The topics of documents: p(topic | document)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, get_args
from warnings import warn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.numba import kernel, prefetch_row, scratch
from bittern._core.threads import map_threads
from bittern._core.validation import check_choice
from bittern.analysis.arrays import Floats
from bittern.biterms import Texts
from bittern.corpus import Corpus
from bittern.errors import InputError, UnknownWordsWarning
from bittern.fitted import FittedTopics

InferenceMethod = Literal["informative", "words", "biterms", "mix"]

INFERENCE_METHODS: tuple[InferenceMethod, ...] = get_args(InferenceMethod)
CHUNK_SIZE = 100_000  # documents processed at a time, so that memory stays bounded
NO_KNOWN_WORDS = "no documents with known words; use texts like those the model was fit on"
MIN_INFORMATION = 1e-6  # nats
PREFETCH_TOKENS = 8  # tokens ahead of their use
MAX_WORK = 1_000_000_000  # multiplications in a row, about half a second


def infer_topics(
    fitted: FittedTopics,
    corpus: Corpus,
    by: InferenceMethod = "informative",
    n_threads: int = 1,
) -> NDArray[np.float32]:
    """Infer the share of each topic in each document.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        Documents over the vocabulary of the model.
    by : {"informative", "words", "biterms", "mix"}
        What to infer the topics from; see `document_topics`.
    n_threads : int
        Number of threads.

    Returns
    -------
    ndarray of shape (n_documents, n_topics)
        The shares; each row sums to 1. A document without known words gets the overall shares.

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.documents import infer_topics
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> infer_topics(model.fitted_, bittern.Corpus.from_texts(texts)).shape
    (40, 2)
    """
    return document_topics(fitted.theta, fitted.phi, corpus, fitted.window, by, n_threads)


def document_topics(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    corpus: Corpus,
    window: int | None = 15,
    by: InferenceMethod = "informative",
    n_threads: int = 1,
) -> NDArray[np.float32]:
    """Infer the share of each topic in each document from the parameters of any topic model.

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
    by : {"informative", "words", "biterms", "mix"}
        "informative" is the mean of p(topic | word) over the words of a document, weighted by what
        each word tells about topics, KL(p(topic | word) || theta). "words" is the mean without
        weights. "biterms" is the mean of p(topic | biterm); a document without biterms uses its
        words. "mix" assumes one topic per document, p ∝ theta_k prod_w phi_k,w, and is mostly close
        to 0 or 1. A document without words gets theta.
    n_threads : int
        Number of threads.

    Returns
    -------
    ndarray of shape (n_documents, n_topics)
        The shares; each row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern import Corpus
    >>> from bittern.analysis.documents import document_topics
    >>> corpus = Corpus.from_tokens([["cat", "dog"]], vocabulary=["cat", "dog"])
    >>> theta, phi = np.array([0.5, 0.5]), np.array([[0.5, 0.5], [0.5, 0.5]], np.float32)
    >>> document_topics(theta, phi, corpus)
    array([[0.5, 0.5]], dtype=float32)
    """
    check_choice("value for by:", by, INFERENCE_METHODS)
    check_vocabulary(phi, corpus.vocabulary)
    words = np.ascontiguousarray(np.log(phi.T) if by == "mix" else phi.T, np.float32)
    texts = Texts.from_corpus(corpus, window)
    if by == "biterms":
        texts.check_length()
    shares = np.empty((len(corpus), len(theta)), np.float32)
    information = np.empty(0, np.float32)
    if by == "informative":
        information = word_information(theta, phi)
    lengths = np.diff(texts.indptr)
    partners = np.minimum(lengths, texts.window) if by == "biterms" else np.ones_like(lengths)
    work: NDArray[np.int64] = len(theta) * lengths * partners

    def infer(part: slice) -> None:
        indptr = texts.indptr[part.start : part.stop + 1]
        documents = indptr, texts.tokens, texts.counts
        if by == "mix":
            _single_topic(*documents, np.log(theta), words, shares[part])
            return
        missing = np.ones(part.stop - part.start, np.bool_)
        if by == "biterms" and work[part.start] <= MAX_WORK:
            weights = np.empty(len(missing))
            spans = indptr[:-1], indptr[1:], indptr[1:]
            _mean_over_biterms(
                *spans, *documents[1:], texts.window, theta, words, shares[part], weights
            )
            missing = weights == 0
        _mean_over_words(*documents, information, theta, words, shares[part], missing)

    map_threads(infer, document_portions(work, n_threads), n_threads)
    for document in np.flatnonzero(work > MAX_WORK).tolist() if by == "biterms" else ():
        _infer_long(texts, document, theta, words, shares[document], n_threads)
    return shares


def _infer_long(
    texts: Texts,
    document: int,
    theta: NDArray[np.float64],
    words: NDArray[np.float32],
    shares: NDArray[np.float32],
    n_threads: int,
) -> None:
    """Write the mean over the biterms of a long document, if it has any, portion by portion."""
    start, end = texts.indptr[document : document + 2].tolist()
    step = max(int(MAX_WORK / (len(theta) * min(end - start, texts.window))), 1)

    def infer(begin: int) -> NDArray[np.float64]:
        spans = np.array([[begin], [min(begin + step, end)], [end]])
        part, weight = np.zeros((1, len(theta)), np.float32), np.zeros(1)
        _mean_over_biterms(
            *spans, texts.tokens, texts.counts, texts.window, theta, words, part, weight
        )
        return np.asarray(weight * part[0])

    total = np.sum(map_threads(infer, range(start, end, step), n_threads), axis=0)
    if total.sum() > 0:
        shares[:] = total / total.sum()


def document_portions(work: NDArray[np.int64], n_threads: int) -> list[slice]:
    """Split documents into portions of about equal work; much work is a portion of its own.

    Kernels cannot be interrupted, but their caller can stop after each portion.
    """
    before = np.cumsum(work) - work
    size = max(min(work.sum() / n_threads, MAX_WORK), 1)
    is_start = np.diff(before // size, prepend=-1) > 0
    is_heavy = work > MAX_WORK
    is_start |= is_heavy
    is_start[1:] |= is_heavy[:-1]
    bounds = [*np.flatnonzero(is_start).tolist(), len(work)]
    return [slice(*ends) for ends in pairwise(bounds)]


def word_information(theta: NDArray[np.float64], phi: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what each word tells about topics, (W,): KL(p(topic | word) || theta), in nats.

    It is slightly above 0 where a word tells nothing, so that weights never sum to 0.
    """
    overall = np.maximum(theta.astype(np.float32) @ phi, np.finfo(np.float32).tiny)
    information = np.full(phi.shape[1], MIN_INFORMATION, np.float64)
    for share, row in zip(theta, phi, strict=True):  # a topic at a time: phi may be large
        ratio = row / overall  # p(topic | word) / theta
        information += share * ratio * np.log(np.maximum(ratio, np.finfo(np.float32).tiny))
    return np.maximum(information, MIN_INFORMATION).astype(np.float32)


def check_vocabulary(phi: Floats, vocabulary: list[str]) -> None:
    """Reject data over other words than the topics: kernels do not check indices."""
    if phi.shape[1] != len(vocabulary):
        raise InputError(
            f"the topics have {phi.shape[1]:,} words but the data has {len(vocabulary):,}; "
            "convert the data with with_vocabulary(model.vocabulary_)"
        )


def corpus_chunks(corpus: Corpus, size: int = CHUNK_SIZE) -> Iterator[tuple[int, Corpus]]:
    """Yield the documents in chunks, each with the index of its first document."""
    for start in range(0, len(corpus), size):
        yield start, corpus[start : start + size]


def document_table(
    fitted: FittedTopics, corpus: Corpus, shares: NDArray[np.float32], add_shares: bool = False
) -> pl.DataFrame:
    """Return a row for each document: its topic and the runner-up, with their shares.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        The documents.
    shares : ndarray of shape (n_documents, n_topics)
        The share of each topic in each document.
    add_shares : bool
        Add a column topic_0, topic_1, ... with the share of each topic.

    Returns
    -------
    polars.DataFrame
        Columns id, topic, topic_name, probability, runner_up, runner_up_probability and reason;
        also text, if the corpus has kept its texts. If it has kept its table, the columns of the
        table come first instead of id and text, and a new column whose name is taken gets a "_" at
        the end.

        A document without words has no topic: its values are null, and the reason is "no known
        words", "empty", "no content" or "in another language". Neither has one whose topic is set
        aside: the reason is "topic 4 is set aside". A topic that is set aside is not a runner-up.

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.documents import document_table
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> corpus = bittern.Corpus.from_texts(texts)
    >>> document_table(model.fitted_, corpus, model.transform(texts)).shape
    (40, 7)
    """
    check_not_forked()
    rows, topic = np.arange(len(shares)), shares.argmax(axis=1)
    others = shares.copy()
    others[rows, topic] = -1
    others[:, fitted.is_set_aside] = -1
    second = others.argmax(axis=1)
    names = pl.Series(fitted.topic_names, dtype=pl.String)
    has_topic = pl.Series(_has_topic(fitted, corpus, topic))
    has_second = has_topic & pl.Series(others[rows, second] >= 0)
    found = pl.select(
        *(
            pl.when(has).then(values.alias(name))
            for has, name, values in (
                (has_topic, "topic", pl.Series(topic)),
                (has_topic, "topic_name", names.gather(topic)),
                (has_topic, "probability", pl.Series(shares[rows, topic])),
                (has_second, "runner_up", pl.Series(second)),
                (has_second, "runner_up_probability", pl.Series(shares[rows, second])),
            )
        ),
        pl.when(has_topic | ~pl.Series(corpus.has_words))
        .then(corpus.missing_reasons())
        .otherwise(pl.format("topic {} is set aside", pl.Series(topic)))
        .alias("reason"),
    )
    if corpus.table is None:
        texts = texts_table(corpus)
        table = texts.select("id").hstack(found).hstack(texts.drop("id"))
    else:
        table = add_columns(corpus.table, found)
    return add_columns(table, _share_columns(corpus, shares)) if add_shares else table


def main_topics(
    fitted: FittedTopics, corpus: Corpus, shares: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Return the main topic of each document; -1 without words, or if that topic is set aside."""
    topics = shares.argmax(axis=1)
    return np.where(_has_topic(fitted, corpus, topics), topics, -1)


def _has_topic(
    fitted: FittedTopics, corpus: Corpus, topics: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each document has words, and a main topic that is not set aside."""
    return np.asarray(corpus.has_words & ~fitted.is_set_aside[topics])


def _share_columns(corpus: Corpus, shares: NDArray[np.float32]) -> pl.DataFrame:
    """Return a table with a column topic_0, topic_1, ... for each topic; null without words."""
    table = pl.DataFrame(shares, [f"topic_{k}" for k in range(shares.shape[1])])
    return table.select(pl.when(pl.Series(corpus.has_words)).then(pl.all()))


def add_columns(table: pl.DataFrame, columns: pl.DataFrame) -> pl.DataFrame:
    """Return a table with more columns; a name that is taken gets "_" at the end."""
    names = list(table.columns)
    for name in columns.columns:
        while name in names:
            name += "_"
        names.append(name)
    return table.hstack(
        columns.rename(dict(zip(columns.columns, names[table.width :], strict=True)))
    )


def warn_about_unknown(corpus: Corpus, stacklevel: int) -> None:
    """Warn if documents have no known words where each must have shares."""
    n_unknown = int(np.count_nonzero(~corpus.has_words))
    if n_unknown > 0:
        warn(
            f"{n_unknown:,} of {len(corpus):,} documents have no known words and get the overall "
            "topic shares; document_info() gives them no topic",
            UnknownWordsWarning,
            stacklevel=stacklevel + 1,
        )


def with_known_words(corpus: Corpus) -> Corpus:
    """Return the documents with known words; reject a corpus without any."""
    known = corpus.drop_empty()
    if len(known) == 0:
        raise InputError(NO_KNOWN_WORDS)
    return known


def texts_table(corpus: Corpus) -> pl.DataFrame:
    """Return the ids of documents, and their texts if the corpus has kept them."""
    check_not_forked()
    ids = pl.DataFrame({"id": corpus.ids})
    return ids if corpus.texts is None else ids.with_columns(corpus.texts.alias("text"))


def texts_of(corpus: Corpus) -> list[str]:
    """Return the texts of documents, or their words if the corpus has not kept the texts."""
    if corpus.texts is None:
        return [" ".join(words) for words in words_of(corpus)]
    return corpus.texts.fill_null("").to_list()


def words_of(corpus: Corpus) -> list[list[str]]:
    """Return the words of each document; in a corpus of counts, each word once."""
    words = [corpus.vocabulary[token] for token in corpus.tokens.tolist()]
    return [words[start:end] for start, end in pairwise(corpus.indptr.tolist())]


@kernel
def _mean_over_biterms(
    starts: Any,
    stops: Any,
    ends: Any,
    tokens: Any,
    counts: Any,
    window: int,
    theta: Any,
    words: Any,
    shares: Any,
    weights: Any,
) -> None:
    """Write shares_d = mean over biterms (v, w) of normalized theta words_v words_w.

    The first words of the biterms are the tokens from starts_d to stops_d, and the document ends at
    ends_d. Changes shares, only where there is a biterm, and weights, the sums of their weights.
    """
    n_topics = len(theta)
    q, prior, share = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    prior[:] = theta
    for d in range(len(starts)):
        share[:] = 0
        end = ends[d]
        total = 0.0
        for i in range(starts[d], stops[d]):
            if i + PREFETCH_TOKENS < len(tokens):
                prefetch_row(words, tokens[i + PREFETCH_TOKENS])
            row_v = words[tokens[i]]
            for j in range(i + 1, min(end, i + window)):
                if tokens[i] != tokens[j]:
                    row_w = words[tokens[j]]
                    sum_q = np.float32(0)
                    for k in range(n_topics):
                        q[k] = prior[k] * row_v[k] * row_w[k]
                        sum_q += q[k]
                    weight = counts[i] * counts[j] if len(counts) else np.float32(1)
                    total += float(weight)
                    weight /= sum_q
                    for k in range(n_topics):
                        share[k] += weight * q[k]
        weights[d] = total
        if total > 0:
            _write_normalized(share, shares, d)


@kernel
def _mean_over_words(
    indptr: Any,
    tokens: Any,
    counts: Any,
    information: Any,
    theta: Any,
    words: Any,
    shares: Any,
    selected: Any,
) -> None:
    """Write shares_d = mean over words w of normalized theta words_w, weighted by information.

    Changes shares, only for the selected documents; without words, a document gets theta.
    """
    n_topics = len(theta)
    prior, share = scratch(n_topics), scratch(n_topics)
    prior[:] = theta
    for d in range(len(indptr) - 1):
        if not selected[d]:
            continue
        share[:] = 0
        for i in range(indptr[d], indptr[d + 1]):
            row = words[tokens[i]]
            total = np.float32(0)
            for k in range(n_topics):
                total += prior[k] * row[k]
            weight = (counts[i] if len(counts) else np.float32(1)) / total
            if len(information):
                weight *= information[tokens[i]]
            for k in range(n_topics):
                share[k] += weight * prior[k] * row[k]
        if indptr[d] == indptr[d + 1]:
            share[:] = prior
        _write_normalized(share, shares, d)


@kernel
def _single_topic(
    indptr: Any, tokens: Any, counts: Any, log_theta: Any, log_words: Any, shares: Any
) -> None:
    """Write shares_d ∝ theta prod_w words_w, by sums of logarithms; changes shares."""
    n_topics = len(log_theta)
    logs, share = np.empty(n_topics), scratch(n_topics)
    for d in range(len(indptr) - 1):
        logs[:] = log_theta
        for i in range(indptr[d], indptr[d + 1]):
            row = log_words[tokens[i]]
            count = counts[i] if len(counts) else np.float32(1)
            for k in range(n_topics):
                logs[k] += count * row[k]
        share[:] = np.exp(logs - logs.max())
        _write_normalized(share, shares, d)


@kernel
def _write_normalized(share: Any, shares: Any, d: int) -> None:
    """Write shares_d = share / sum(share)."""
    total = np.float32(0)
    for k in range(len(share)):
        total += share[k]
    for k in range(len(share)):
        shares[d, k] = share[k] / total
