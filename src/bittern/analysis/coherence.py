"""Coherence: how much the top words of a topic go together in texts.

The measures are those of the literature, as gensim's CoherenceModel has them. Words count once per
window: for UMass the window is the document, for NPMI it is 10 words, for C_v 110; a document that
is shorter is one window. Topics are given by their top words, so they may come from any model.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.validation import check_integer
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError

WINDOWS = {"umass": None, "npmi": 10, "c_v": 110}
EPSILON = 1e-12  # added to the probability of a pair, so that its logarithm is finite

Measure = Literal["umass", "npmi", "c_v"]


class Counts(NamedTuple):
    """In how many windows the top words of each topic are, alone and in pairs."""

    words: NDArray[np.int64]  # (K, n)
    pairs: NDArray[np.int64]  # (K, n, n): symmetric; the diagonal is that of words
    windows: int


def coherence(
    topics: Sequence[Sequence[str]],
    corpus: Corpus,
    measure: Measure = "npmi",
    window: int | None = None,
) -> NDArray[np.float64]:
    """The coherence of each topic, a list of its top words, in the texts of a corpus.

    Parameters
    ----------
    topics
        The top words of each topic, as many for each, the first the most probable.
    corpus
        The texts: those that the topics were learned from, or a reference corpus. A word that they
        do not have goes with no other.
    measure
        "npmi", from -1 to 1: the mean normalised pointwise mutual information of pairs. "c_v", from
        0 to 1: how alike the words' vectors of NPMI are. "umass", up to 0: the mean log probability
        of a word given one of the more probable ones.
    window
        Words in a window, if not the measure's own.
    """
    if measure not in WINDOWS:
        raise InputError(f'there is no measure "{measure}": choose from {", ".join(WINDOWS)}')
    if window is not None:
        check_integer("window", window, 2)
    counts = count_windows(topics, corpus, window or WINDOWS[measure])
    return {"umass": umass, "npmi": npmi, "c_v": c_v}[measure](counts)


def umass(counts: Counts) -> NDArray[np.float64]:
    """The mean over pairs of log p(word | a more probable word)."""
    _, n = counts.words.shape
    later, earlier = np.tril_indices(n, -1)
    together = counts.pairs[:, later, earlier] / counts.windows
    given = counts.words[:, earlier] / counts.windows
    with np.errstate(divide="ignore"):
        logs = np.where(given > 0, np.log((together + EPSILON) / given), 0.0)
    return np.asarray(logs.mean(axis=1))


def npmi(counts: Counts) -> NDArray[np.float64]:
    """The mean over pairs of their normalised pointwise mutual information."""
    _, n = counts.words.shape
    return np.asarray(pair_npmi(counts)[:, ~np.eye(n, dtype=bool)].mean(axis=1))


def c_v(counts: Counts) -> NDArray[np.float64]:
    """The mean cosine between the NPMI of each word with all, and the sum of these over words."""
    vectors = pair_npmi(counts)
    total = vectors.sum(axis=1, keepdims=True)
    norms = np.linalg.norm(vectors, axis=2) * np.linalg.norm(total, axis=2)
    return np.asarray(((vectors * total).sum(axis=2) / norms).mean(axis=1))


def pair_npmi(counts: Counts) -> NDArray[np.float64]:
    """NPMI of every two top words of a topic, (K, n, n); -1 where one of them is nowhere."""
    single = counts.words / counts.windows
    together = counts.pairs / counts.windows + EPSILON
    apart = single[:, :, np.newaxis] * single[:, np.newaxis, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(together / apart) / -np.log(together)
    return np.where(apart > 0, values, -1.0)


def count_windows(topics: Sequence[Sequence[str]], corpus: Corpus, window: int | None) -> Counts:
    """Count the windows that have the top words; None is a whole document."""
    sizes = {len(words) for words in topics}
    if len(sizes) != 1 or min(sizes) < 2:
        raise InputError("coherence needs two or more top words, as many for each topic")
    if len(corpus.tokens) == 0:
        raise InputError("coherence needs texts, and there are none")
    place = {word: i for i, word in enumerate(corpus.vocabulary)}
    numbers = np.array([[place.get(word, -1) for word in words] for words in topics])
    if any(len(set(words)) < len(words) for words in topics):
        raise InputError("a topic has a top word twice")
    order = np.argsort(numbers, axis=None, kind="stable")  # the topics of each word together
    starts = np.searchsorted(numbers.ravel()[order], np.arange(len(corpus.vocabulary) + 1))
    words = np.zeros(numbers.shape, np.int64)
    pairs = np.zeros((*numbers.shape, numbers.shape[1]), np.int64)
    whole = window is None or corpus.counts is not None
    n_windows = _count_windows(
        corpus.indptr,
        corpus.tokens,
        np.iinfo(np.int32).max if whole else window,
        starts,
        *np.divmod(order, numbers.shape[1]),
        words,
        pairs,
    )
    return Counts(words, pairs, n_windows)


@kernel
def _count_windows(
    indptr: Any,
    tokens: Any,
    window: int,
    starts: Any,
    topics: Any,
    places: Any,
    words: Any,
    pairs: Any,
) -> int:
    """Add to words and pairs the windows that have them; gives the number of windows.

    Word w is the top word places[i] of topic topics[i] for i from starts[w] to starts[w + 1].
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
                    topic, place = topics[j], places[j]
                    if n_found[topic] == 0:
                        touched[n_touched] = topic
                        n_touched += 1
                    words[topic, place] += 1
                    pairs[topic, place, place] += 1
                    for k in range(n_found[topic]):
                        other = found[topic, k]
                        pairs[topic, place, other] += 1
                        pairs[topic, other, place] += 1
                    found[topic, n_found[topic]] = place
                    n_found[topic] += 1
            for k in range(n_touched):
                n_found[touched[k]] = 0
            n_windows += 1
    return n_windows
