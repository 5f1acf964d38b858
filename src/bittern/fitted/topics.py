"""Topics as people see them: their top words, their names, and what becomes of their numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer
from bittern.errors import InputError

NAME_WORDS, NAME_RELEVANCE = 3, 0.6


def top_words(
    theta: NDArray[Any], phi: NDArray[Any], n: int = 10, relevance: float = 1.0
) -> NDArray[np.int64]:
    """The n top words of each topic, (K, n), as places in the vocabulary.

    With `relevance` 1 these are the most probable words; with 0 those with the highest lift, how
    many times as probable they are in the topic as overall; in between both count. It is the
    lambda of lambda log p(w|k) + (1 - lambda) log (p(w|k) / p(w)).
    """
    if not 0 <= relevance <= 1:
        raise InputError(f"relevance must be between 0 and 1, not {relevance}")
    check_integer("n", n, 1)
    overall = np.log(theta.astype(np.float32) @ phi) if relevance < 1 else None
    return np.array([_top(row, min(n, phi.shape[1]), relevance, overall) for row in phi])


def _top(
    row: NDArray[np.float32], n: int, relevance: float, overall: NDArray[np.float32] | None
) -> NDArray[np.int64]:
    values = row if overall is None else np.log(row) - np.float32(1 - relevance) * overall
    best = np.argpartition(-values, n - 1)[:n]
    return np.asarray(best[np.argsort(-values[best], kind="stable")])


def default_names(theta: NDArray[Any], phi: NDArray[Any], vocabulary: Sequence[str]) -> list[str]:
    """A name for each topic: its three most relevant words."""
    best = top_words(theta, phi, NAME_WORDS, NAME_RELEVANCE)
    return [", ".join(vocabulary[word] for word in words) for words in best]


def merged(groups: Iterable[Sequence[int]], n_topics: int) -> NDArray[np.int64]:
    """The new number of each topic when those of each group become one, the first of them.

    The others keep their order.
    """
    first = np.arange(n_topics)
    seen: set[int] = set()
    for group in groups:
        check_topics(group, n_topics)
        members = sorted(set(group))
        if len(members) < 2:
            raise InputError(f"two or more topics can be merged, not {list(group)}")
        if seen & set(members):
            raise InputError(f"topic {min(seen & set(members))} is in two groups")
        seen |= set(members)
        first[members] = min(members)
    return np.unique(first, return_inverse=True)[1]


def removed(topics: Sequence[int], n_topics: int) -> NDArray[np.int64]:
    """The new number of each topic when some of them go: theirs is -1."""
    check_topics(topics, n_topics)
    if len(set(topics)) == n_topics:
        raise InputError("all topics cannot be removed")
    stays = np.ones(n_topics, bool)
    stays[list(topics)] = False
    return np.where(stays, np.cumsum(stays) - 1, -1)


def check_topics(topics: Iterable[int], n_topics: int) -> None:
    """Refuse numbers that no topic has."""
    for topic in topics:
        check_integer("topic", topic, 0)
        if topic >= n_topics:
            raise InputError(f"there is no topic {topic}: they are 0 to {n_topics - 1}")


def renumber_columns(values: NDArray[Any], numbers: NDArray[np.int64]) -> NDArray[Any]:
    """The columns (the last axis) with their new numbers; those with the same are added up."""
    combined = np.zeros((*values.shape[:-1], int(numbers.max()) + 1), values.dtype)
    for old, new in enumerate(numbers):
        if new >= 0:
            combined[..., new] += values[..., old]
    return combined
