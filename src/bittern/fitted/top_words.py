"""The top words of topics, and names made of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer
from bittern.errors import InputError

NAME_WORDS = 3
NAME_RELEVANCE = 0.6


def top_words(
    theta: NDArray[np.float64], phi: NDArray[np.float32], n: int = 10, relevance: float = 1.0
) -> NDArray[np.int64]:
    """Return the n top words of each topic, (K, n), as indices into the vocabulary.

    With relevance r, words are ranked by r * log p(w|k) + (1 - r) * log(p(w|k) / p(w)). 1 ranks by
    probability, 0 by lift, the ratio of the probability in the topic to that overall.
    """
    if not 0 <= relevance <= 1:
        raise InputError(f"relevance must be between 0 and 1, not {relevance}")
    check_integer("n", n, 1)
    n = min(n, phi.shape[1])
    overall = np.log(theta.astype(np.float32) @ phi) if relevance < 1 else None
    return np.array([_top(row, n, relevance, overall) for row in phi])


def _top(
    row: NDArray[np.float32], n: int, relevance: float, overall: NDArray[np.float32] | None
) -> NDArray[np.int64]:
    values = row if overall is None else np.log(row) - np.float32(1 - relevance) * overall
    best = np.argpartition(-values, n - 1)[:n]
    return np.asarray(best[np.argsort(-values[best], kind="stable")])


def default_names(
    theta: NDArray[np.float64], phi: NDArray[np.float32], vocabulary: Sequence[str]
) -> list[str]:
    """Name each topic by its three most relevant words."""
    best = top_words(theta, phi, NAME_WORDS, NAME_RELEVANCE)
    return [", ".join(vocabulary[word] for word in words) for words in best]
