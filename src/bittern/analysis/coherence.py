"""Coherence: how much the top words of a topic occur together in texts.

The measures are those of the literature, with the results of gensim's CoherenceModel. A word counts
once per window. Topics are given by their top words, so they may come from any model.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.validation import check_choice, check_integer
from bittern.corpus import Corpus
from bittern.errors import InputError

EPSILON = 1e-12  # added to the probability of a pair, so that its logarithm is finite


class WindowCounts(NamedTuple):
    """The number of windows that contain the top words of each topic, alone and in pairs."""

    words: NDArray[np.int64]  # (K, n)
    pairs: NDArray[np.int64]  # (K, n, n): symmetric; the diagonal equals words
    windows: int

    def plus(self, other: "WindowCounts") -> "WindowCounts":
        """Return the counts of both."""
        return WindowCounts(
            self.words + other.words, self.pairs + other.pairs, self.windows + other.windows
        )


class CoherenceMeasure(NamedTuple):
    """A coherence measure: its default window, in words, and its function of window counts."""

    window: int | None
    """None is the whole document."""
    compute: Callable[[WindowCounts], NDArray[np.float64]]


def coherence(
    topics: Sequence[Sequence[str]],
    corpus: Corpus,
    measure: str = "npmi",
    window: int | None = None,
) -> NDArray[np.float64]:
    """Return the coherence of each topic in the texts of a corpus.

    Parameters
    ----------
    topics : sequence of sequences of str
        The top words of each topic, the most probable first; the same number for each topic.
    corpus : Corpus
        The training texts or a reference corpus. A top word that is missing there never occurs
        together with another word.
    measure : {"npmi", "c_v", "umass"}
        "npmi", from -1 to 1, is the mean normalized pointwise mutual information of pairs. "c_v",
        from 0 to 1, is the similarity of the words' NPMI vectors. "umass", at most 0, is the mean
        log probability of a word given a more probable one.
    window : int, optional
        Number of words in a window. Default: 10 for "npmi", 110 for "c_v", the whole document for
        "umass". A shorter document is one window.

    Returns
    -------
    ndarray of shape (n_topics,)
        The coherence of each topic; higher is better.

    Raises
    ------
    InputError
        If the measure is unknown, or the topics do not have two or more top words each.

    Examples
    --------
    >>> from bittern import Corpus
    >>> from bittern.analysis.coherence import coherence
    >>> corpus = Corpus.from_tokens([["cat", "purr"], ["dog", "bark"]])
    >>> coherence([["cat", "purr"], ["cat", "dog"]], corpus).round(2)
    array([ 1.  , -0.95])
    """
    check_choice("coherence measure", measure, COHERENCE)
    if window is not None:
        check_integer("window", window, 2)
    if len(corpus.tokens) == 0:
        raise InputError("coherence needs texts with words; the corpus has none")
    counts = count_windows(topics, corpus, window or COHERENCE[measure].window)
    return COHERENCE[measure].compute(counts)


def npmi(counts: WindowCounts) -> NDArray[np.float64]:
    """Return the mean over pairs of their normalized pointwise mutual information."""
    _, n = counts.words.shape
    return np.asarray(pair_npmi(counts)[:, ~np.eye(n, dtype=bool)].mean(axis=1))


def c_v(counts: WindowCounts) -> NDArray[np.float64]:
    """Return the mean cosine between the NPMI vector of each word and the sum of all vectors."""
    vectors = pair_npmi(counts)
    total = vectors.sum(axis=1, keepdims=True)
    norms = np.linalg.norm(vectors, axis=2) * np.linalg.norm(total, axis=2)
    return np.asarray(((vectors * total).sum(axis=2) / norms).mean(axis=1))


def umass(counts: WindowCounts) -> NDArray[np.float64]:
    """Return the mean over pairs of log p(word | a more probable word)."""
    _, n = counts.words.shape
    later, earlier = np.tril_indices(n, -1)
    together = counts.pairs[:, later, earlier] / counts.windows
    given = counts.words[:, earlier] / counts.windows
    with np.errstate(divide="ignore"):
        logs = np.where(given > 0, np.log((together + EPSILON) / given), 0.0)
    return np.asarray(logs.mean(axis=1))


COHERENCE: dict[str, CoherenceMeasure] = {
    "npmi": CoherenceMeasure(10, npmi),
    "c_v": CoherenceMeasure(110, c_v),
    "umass": CoherenceMeasure(None, umass),
}
"""Coherence measures by name."""


def pair_npmi(counts: WindowCounts) -> NDArray[np.float64]:
    """Return the NPMI of all pairs of top words, (K, n, n); -1 if one of them never occurs."""
    single = counts.words / counts.windows
    together = counts.pairs / counts.windows + EPSILON
    independent = single[:, :, np.newaxis] * single[:, np.newaxis, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(together / independent) / -np.log(together)
    return np.where(independent > 0, values, -1.0)


def resolve_window(corpus: Corpus, window: int | None) -> int | None:
    """Return None where a window is a whole document: for counts and for short documents."""
    if corpus.counts is not None or window is None:
        return None
    return None if np.diff(corpus.indptr).max(initial=0) <= window else window


def count_windows(
    topics: Sequence[Sequence[str]], corpus: Corpus, window: int | None
) -> WindowCounts:
    """Count the windows that contain the top words; None is the whole document."""
    sizes = {len(words) for words in topics}
    if len(sizes) != 1 or min(sizes) < 2:
        raise InputError("coherence needs two or more top words, the same number for each topic")
    if any(len(set(words)) < len(words) for words in topics):
        raise InputError("a topic lists a top word twice; give distinct words")
    index = {word: i for i, word in enumerate(corpus.vocabulary)}
    numbers = np.array([[index.get(word, -1) for word in words] for words in topics])
    order = np.argsort(numbers, axis=None, kind="stable")  # the topics of each word together
    starts = np.searchsorted(numbers.ravel()[order], np.arange(len(corpus.vocabulary) + 1))
    words = np.zeros(numbers.shape, np.int64)
    pairs = np.zeros((*numbers.shape, numbers.shape[1]), np.int64)
    span = resolve_window(corpus, window)
    n_windows = _count_windows(
        corpus.indptr,
        corpus.tokens,
        np.iinfo(np.int32).max if span is None else span,
        starts,
        *np.divmod(order, numbers.shape[1]),
        words,
        pairs,
    )
    return WindowCounts(words, pairs, n_windows)


@kernel
def _count_windows(
    indptr: Any,
    tokens: Any,
    window: int,
    starts: Any,
    topics: Any,
    ranks: Any,
    words: Any,
    pairs: Any,
) -> int:
    """Add to words and pairs the windows that contain them; return the number of windows.

    Word w is the top word ranks[i] of topic topics[i] for i from starts[w] to starts[w + 1].
    """
    n_topics, n = words.shape
    last_seen = np.full(len(starts) - 1, -1)
    found = np.empty((n_topics, n), np.int64)
    n_found = np.zeros(n_topics, np.int64)
    touched = np.empty(n_topics, np.int64)
    n_windows = 0
    for d in range(len(indptr) - 1):
        length = indptr[d + 1] - indptr[d]
        if length == 0:
            continue
        for first in range(indptr[d], indptr[d] + max(length - window, 0) + 1):
            n_touched = 0
            for i in range(first, min(first + window, indptr[d + 1])):
                word = tokens[i]
                if last_seen[word] == n_windows:
                    continue
                last_seen[word] = n_windows
                for j in range(starts[word], starts[word + 1]):
                    topic, rank = topics[j], ranks[j]
                    if n_found[topic] == 0:
                        touched[n_touched] = topic
                        n_touched += 1
                    words[topic, rank] += 1
                    pairs[topic, rank, rank] += 1
                    for k in range(n_found[topic]):
                        other = found[topic, k]
                        pairs[topic, rank, other] += 1
                        pairs[topic, other, rank] += 1
                    found[topic, n_found[topic]] = rank
                    n_found[topic] += 1
            for k in range(n_touched):
                n_found[touched[k]] = 0
            n_windows += 1
    return n_windows
