"""Words that a topic uses more in some periods than in others."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.threads import imap_threads
from bittern._core.validation import check_integer
from bittern.analysis.periods import known_times, period_groups
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import telling_words

MIN_COUNT = 5.0  # of a word in a topic
MIN_SHARE = 0.01  # of a topic in a document, for its words to count
MIN_SHIFT = 1.0  # standard deviations, of words that are listed
MIN_OVERUSE = 3.0  # of words that stand out for certain


def word_shifts(
    corpus: Corpus,
    shares: NDArray[np.float32],
    period: str | int = "auto",
    n: int = 5,
    n_threads: int = 1,
) -> pl.DataFrame:
    """Find the words that each topic uses more in a period than at other times.

    The words of a document count for its topics in proportion to their shares, if these are at
    least 1%.

    Parameters
    ----------
    corpus : Corpus
        Documents with times. Documents without a time are not used.
    shares : ndarray of shape (n_documents, n_topics)
        The share of each topic in each document.
    period : str or int
        "hour", "day", "week", "month", "quarter", "year", "auto" (the shortest from "day" that
        gives at most 60 periods), or a number of equal periods.
    n : int
        Number of words for each period and topic.
    n_threads : int
        Number of threads.

    Returns
    -------
    polars.DataFrame
        Columns period, topic, word and z: by how many standard deviations the count of the word
        exceeds its expected count in the topic and period, at least 1. Below 3, it may be chance.

    Raises
    ------
    InputError
        If the documents have no times.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern import Corpus
    >>> from bittern.analysis.word_shifts import word_shifts
    >>> days = ["2024-01-01"] * 30 + ["2024-01-02"] * 30
    >>> corpus = Corpus.from_tokens([["game"]] * 30 + [["cup"]] * 30, times=days)
    >>> word_shifts(corpus, np.ones((60, 1), np.float32), "day", n=1)["word"].to_list()
    ['game', 'cup']
    """
    if corpus.times is None:
        raise InputError("word shifts need documents with times; use a corpus with times")
    check_integer("n", n, 1)
    known = known_times(corpus.times)
    if not known.all():
        corpus, shares = corpus[known], shares[known]
    assert corpus.times is not None
    starts, codes = period_groups(corpus.times, period)
    weight = np.empty(0, np.float32) if corpus.counts is None else corpus.counts
    no_periods, all_words = np.zeros_like(codes), np.arange(len(corpus.vocabulary))

    def shifts(share: NDArray[np.float32]) -> list[tuple[int, int, float]]:
        tokens = (corpus.indptr, corpus.tokens, weight, share)
        overall = _count_words(*tokens, no_periods, 1, all_words, len(all_words))[0]
        frequent = np.flatnonzero(overall >= MIN_COUNT)  # few: only these are counted by period
        column = np.full(len(all_words), -1)
        column[frequent] = np.arange(len(frequent))
        counts = _count_words(*tokens, codes, len(starts), column, len(frequent))
        expected = np.outer(counts.sum(axis=1) / max(counts.sum(), 1e-9), overall[frequent])
        z = (counts - expected) / np.sqrt(expected + 1)
        best = np.argsort(-z, axis=1, kind="stable")[:, :n]
        high = np.take_along_axis(z, best, axis=1)
        return [(i, frequent[best[i, j]], high[i, j]) for i, j in np.argwhere(high >= MIN_SHIFT)]

    rows = [
        (starts[int(i)], topic, corpus.vocabulary[word], float(z))
        for topic, found in enumerate(imap_threads(shifts, _columns(shares), n_threads))
        for i, word, z in found
    ]
    types = starts.dtype, pl.Int64(), pl.String(), pl.Float64()
    names = ("period", "topic", "word", "z")
    schema = dict(zip(names, types, strict=True))
    return pl.DataFrame(rows, schema=schema, orient="row")


def _columns(shares: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """Yield the shares of each topic; copying several columns at a time is far faster."""
    for start in range(0, shares.shape[1], 16):
        yield from np.ascontiguousarray(shares[:, start : start + 16].T)


def overused_words(corpus: Corpus, selected: NDArray[np.bool_], n: int) -> list[str]:
    """Return up to n telling words that the selected documents use more than the others.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    selected : ndarray of bool of shape (n_documents,)
        Which documents are compared with all of them.
    n : int
        Number of words.

    Returns
    -------
    list of str
        The words whose counts exceed the expected ones by the most standard deviations, at least
        three.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern import Corpus
    >>> from bittern.analysis.word_shifts import overused_words
    >>> corpus = Corpus.from_tokens([["game"]] * 99 + [["game", "cup"]] * 20)
    >>> overused_words(corpus, np.arange(119) >= 99, 2)
    ['cup']
    """
    n_words = len(corpus.vocabulary)
    in_selected = np.repeat(selected, np.diff(corpus.indptr))
    overall = np.bincount(corpus.tokens, corpus.counts, n_words)
    weight = None if corpus.counts is None else corpus.counts[in_selected]
    counts = np.bincount(corpus.tokens[in_selected], weight, n_words)
    expected = overall * (counts.sum() / max(overall.sum(), 1e-9))
    z = np.where(counts >= MIN_COUNT, (counts - expected) / np.sqrt(expected + 1), 0)
    best = np.argsort(-z, kind="stable")[: 4 * n]
    words = [corpus.vocabulary[word] for word in best if z[word] >= MIN_OVERUSE]
    return telling_words(words, n)


@kernel
def _count_words(
    indptr: Any,
    tokens: Any,
    weight: Any,
    share: Any,
    period: Any,
    n_periods: int,
    column: Any,
    n_columns: int,
) -> Any:
    """Count words by period and column, weighted by share_d; column -1 is skipped."""
    counts = np.zeros((n_periods, n_columns))
    for d in range(len(indptr) - 1):
        if share[d] < MIN_SHARE:
            continue
        for i in range(indptr[d], indptr[d + 1]):
            if column[tokens[i]] >= 0:
                count = weight[i] if len(weight) else np.float32(1)
                counts[period[d], column[tokens[i]]] += count * share[d]
    return counts
