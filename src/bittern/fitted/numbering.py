"""New numbers for topics that are merged or removed."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer, check_list, is_integer, shorten
from bittern.errors import InputError


def topic_list(topics: Sequence[Any]) -> Sequence[Any]:
    """Return the topics of arguments: 4, 9 or one list of them."""
    is_list = len(topics) == 1 and (
        isinstance(topics[0], list | tuple) or getattr(topics[0], "ndim", 0) == 1
    )
    return list(topics[0]) if is_list else topics


def topic_groups(groups: Sequence[Any]) -> Sequence[Any]:
    """Return the groups of arguments: [3, 7], [0, 5], or one list of them, or one group: 3, 7."""
    if len(groups) == 1 and isinstance(groups[0], Sequence) and groups[0]:
        inner = groups[0]
        return inner if all(isinstance(group, Sequence) for group in inner) else groups
    return [groups] if groups and all(map(is_integer, groups)) else groups


def merged_numbers(groups: Iterable[Sequence[int]], n_topics: int) -> NDArray[np.int64]:
    """Return the new number of each topic when the topics of each group become one.

    A merged topic takes the place of the first of its group; the others keep their order.
    """
    first = np.arange(n_topics)
    seen: set[int] = set()
    for group in groups:
        check_topics(check_list("a group of topics", group), n_topics)
        members = sorted(set(group))
        if len(members) < 2:
            raise InputError(f"merging needs two or more topics, not {list(group)}")
        if seen & set(members):
            raise InputError(f"topic {min(seen & set(members))} is in two groups")
        seen |= set(members)
        first[members] = min(members)
    return np.unique(first, return_inverse=True)[1]


def remaining_numbers(removed: Sequence[int], n_topics: int) -> NDArray[np.int64]:
    """Return the new number of each topic when some are removed: -1 for these."""
    check_topics(removed, n_topics)
    if len(set(removed)) == n_topics:
        raise InputError("cannot remove all topics")
    stays = np.ones(n_topics, bool)
    stays[list(removed)] = False
    return np.where(stays, np.cumsum(stays) - 1, -1)


def check_topics(topics: Iterable[int], n_topics: int) -> None:
    """Reject numbers that no topic has."""
    for topic in topics:
        check_integer("topic", topic, 0)
        if topic >= n_topics:
            raise InputError(f"there is no topic {shorten(topic)}; topics are 0 to {n_topics - 1}")
