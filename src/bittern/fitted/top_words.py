"""The top words of topics, and names made of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.validation import check_integer, is_number, shorten
from bittern.errors import InputError

NAME_WORDS = 3
DEFAULT_RELEVANCE = 0.6
NAME_CANDIDATES = 30  # top words that a name may be made of
MAX_ENDING = 3  # letters, such as -s, -es, -ed and -ing


def top_words(
    theta: NDArray[np.float64],
    phi: NDArray[np.float32],
    n: int = 10,
    relevance: float = DEFAULT_RELEVANCE,
) -> NDArray[np.int64]:
    """Return the n top words of each topic, (K, n), as indices into the vocabulary.

    With relevance r, words are ranked by r * log p(w|k) + (1 - r) * log(p(w|k) / p(w)). 1 ranks by
    probability, 0 by lift, the ratio of the probability in the topic to that overall.
    """
    if not is_number(relevance) or not 0 <= relevance <= 1:
        raise InputError(f"relevance must be between 0 and 1, not {shorten(relevance)}")
    check_integer("n", n, 1)
    n = min(n, phi.shape[1])
    weight = np.ones(phi.shape[1], np.float32)
    if relevance < 1:  # the exponential of the formula: a power for each word, and no logarithms
        overall = theta.astype(np.float32) @ phi
        weight = np.maximum(overall, np.finfo(np.float32).tiny) ** np.float32(relevance - 1)
    values = np.full((len(phi), n), -1, np.float32)
    words = np.zeros((len(phi), n), np.int64)
    _find_top(np.ascontiguousarray(phi.T, np.float32), weight, values, words)
    order = np.lexsort((words, -values))
    return np.take_along_axis(words, order, axis=1)


@kernel
def _find_top(rows: Any, weight: Any, values: Any, words: Any) -> None:
    """Put the largest rows_w,k * weight_w of each k into values and w into words, as heaps.

    Reads rows (W, K) once; changes values and words, (K, n), where the smallest comes first.
    """
    n_topics, n = values.shape
    for w in range(len(rows)):
        for k in range(n_topics):
            value = rows[w, k] * weight[w]
            if value > values[k, 0]:
                at = 0
                while 2 * at + 1 < n:  # the smaller of two children moves up
                    child = 2 * at + 1
                    if child + 1 < n and values[k, child + 1] < values[k, child]:
                        child += 1
                    if values[k, child] >= value:
                        break
                    values[k, at], words[k, at] = values[k, child], words[k, child]
                    at = child
                values[k, at], words[k, at] = value, w


def default_names(
    theta: NDArray[np.float64], phi: NDArray[np.float32], vocabulary: Sequence[str]
) -> list[str]:
    """Name each topic by the three most relevant words that are telling and distinct."""
    best = top_words(theta, phi, NAME_CANDIDATES, DEFAULT_RELEVANCE)
    return [
        ", ".join(telling_words([vocabulary[word] for word in words], NAME_WORDS)) for words in best
    ]


def telling_words(words: Sequence[str], n: int) -> list[str]:
    """Return n of the words, in order: those that are telling and distinct, if there are enough.

    Numbers and single letters tell little. Of words such as train and trains, the first is enough.
    """
    distinct: list[str] = []
    for word in words:
        if not any(_are_variants(word, other) for other in distinct):
            distinct.append(word)
    telling = [word for word in distinct if _is_telling(word)]
    return list(dict.fromkeys([*telling, *distinct, *words]))[:n]


def _is_telling(word: str) -> bool:
    """Return whether a word is neither a number nor a letter; a Chinese character is a word."""
    is_letter = len(word) == 1 and word.lower() != word.upper()
    return any(map(str.isalpha, word)) and not is_letter


def _are_variants(first: str, second: str) -> bool:
    """Return whether two words differ only in an ending, in hyphens, or in adjacent words."""
    parts = set(first.split()), set(second.split())
    if len(parts[0]) != len(parts[1]):  # n-grams
        return parts[0] < parts[1] or parts[1] < parts[0]
    short, long = sorted(("".join(filter(str.isalnum, word)) for word in (first, second)), key=len)
    ending = long[len(short) :]
    if not long.startswith(short) or len(ending) > min(MAX_ENDING, len(short) // 2):
        return False
    return ending == "" or ending.isalpha()
