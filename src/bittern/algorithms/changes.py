"""What training has changed in a state, compact enough to travel between machines.

After n updates, a row is kept * (the row before) + (1 - kept) * news, and `kept` depends on the
number of updates alone. So the news of parts that continued from the same state can be averaged,
weighted by their updates, in any order: as if all updates had followed each other.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.algorithms._word_rows import kept_fraction, log_kept
from bittern.errors import InputError

TAIL = 0.3  # of the mean entry of a row; smaller entries are replaced by their mean
N_LEVELS = 256  # of the other entries, on a logarithmic scale
MAX_TOPICS = 1 << 16
CHUNK = 1 << 12  # rows that are dense at a time


class SparseRows(NamedTuple):
    """Rows over topics: large entries to about 1%, and small ones as if they were all equal."""

    lengths: NDArray[np.uint16]  # number of large entries in each row
    topics: NDArray[np.unsignedinteger[Any]]
    levels: NDArray[np.uint8]
    sums: NDArray[np.float32]  # of all entries of a row

    @classmethod
    def from_dense(cls, rows: NDArray[np.float32]) -> "SparseRows":
        """Compress rows."""
        n_topics = rows.shape[1]
        lengths, sums = np.empty(len(rows), np.uint16), rows.sum(axis=1)
        limits = np.float32(TAIL / n_topics) * sums
        _count_large(rows, limits, lengths)
        n = int(lengths.sum(dtype=np.int64))
        topics, levels = np.empty(n, _topic_type(n_topics)), np.empty(n, np.uint8)
        _find_large(rows, limits, (N_LEVELS - 1) / np.log(n_topics / TAIL), topics, levels)
        return cls(lengths, topics, levels, sums)

    @classmethod
    def concatenate(cls, parts: Sequence["SparseRows"]) -> "SparseRows":
        """Return the rows of all parts."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class DenseRows:
    """Reads sparse rows with all their entries, some at a time."""

    def __init__(self, rows: SparseRows, n_topics: int) -> None:
        self._rows = rows
        self._starts = np.concatenate([[0], np.cumsum(rows.lengths, dtype=np.int64)])
        self._values = np.geomspace(TAIL / n_topics, 1, N_LEVELS).astype(np.float32)
        self._n_topics = n_topics

    def __getitem__(self, some: slice) -> NDArray[np.float32]:
        rows = np.empty((some.stop - some.start, self._n_topics), np.float32)
        starts = self._starts[some.start : some.stop + 1]
        _fill(starts, *self._rows[1:3], self._rows.sums[some], self._values, rows)
        return rows


class Changes(NamedTuple):
    """For each word that was updated: how often, and what its updates saw."""

    words: NDArray[np.int32]  # ascending
    times: NDArray[np.int32]
    news: tuple[SparseRows, ...]  # one for each matrix of the state
    n_topics: int

    @property
    def nbytes(self) -> int:
        """The bytes that travel."""
        arrays = [self.words, self.times, *(array for rows in self.news for array in rows)]
        return sum(array.nbytes for array in arrays)


def find_changes(base: Any, part: Any, kappa: float, names: Sequence[str]) -> Changes:
    """Return what a part has changed since it was equal to `base`, in matrices with these names."""
    words = np.flatnonzero(part.updates != base.updates).astype(np.int32)
    times = part.updates[words] - base.updates[words]
    kept = _kept(base, words, times, kappa)

    def news(before: NDArray[np.float32], after: NDArray[np.float32]) -> Iterator[SparseRows]:
        for some in _chunks(len(words)):
            rows = np.empty((some.stop - some.start, before.shape[1]), np.float32)
            _subtract(before, after, words[some], kept[some], rows)
            yield SparseRows.from_dense(rows)

    matrices = [(getattr(base, name), getattr(part, name)) for name in names]
    found = tuple(SparseRows.concatenate(list(news(*pair))) for pair in matrices)
    return Changes(words, times, found, matrices[0][0].shape[1])


def combine_changes(first: Changes, second: Changes) -> Changes:
    """Return the changes of two parts that continued from the same state, as if of one part."""
    if len(first.words) == 0 or len(second.words) == 0:
        return first if len(second.words) == 0 else second
    words = np.union1d(first.words, second.words)
    times = np.zeros((2, len(words)), np.int32)
    for part, row in zip((first, second), times, strict=True):
        row[np.searchsorted(words, part.words)] = part.times
    weights = (times / times.sum(axis=0)).astype(np.float32)

    def news(pair: tuple[SparseRows, SparseRows]) -> Iterator[SparseRows]:
        readers = [DenseRows(rows, first.n_topics) for rows in pair]
        for some in _chunks(len(words)):
            mean = np.zeros((some.stop - some.start, first.n_topics), np.float32)
            for part, reader, weight in zip((first, second), readers, weights, strict=True):
                begin, end = np.searchsorted(part.words, words[some][[0, -1]] + [0, 1]).tolist()
                at = np.searchsorted(words[some], part.words[begin:end])
                mean[at] += weight[some][at, np.newaxis] * reader[begin:end]
            yield SparseRows.from_dense(mean)

    pairs = zip(first.news, second.news, strict=True)
    found = tuple(SparseRows.concatenate(list(news(pair))) for pair in pairs)
    return Changes(words, times.sum(axis=0, dtype=np.int32), found, first.n_topics)


def apply_changes(state: Any, changes: Changes, kappa: float, names: Sequence[str]) -> None:
    """Change a state in place; its totals stay as they were."""
    words, times = changes.words, changes.times
    kept = _kept(state, words, times, kappa)
    for name, news in zip(names, changes.news, strict=True):
        reader, rows = DenseRows(news, changes.n_topics), getattr(state, name)
        for some in _chunks(len(words)):
            _apply(rows, words[some], kept[some], reader[some])
    state.updates[words] += times


def _kept(
    state: Any, words: NDArray[np.int32], times: NDArray[np.int32], kappa: float
) -> NDArray[np.float64]:
    """Return the fraction of the row of each word that more updates keep."""
    kept = np.empty(len(words))
    _fill_kept(state.updates[words], times, state.cooling[words], log_kept(kappa), kappa, kept)
    return kept


def _chunks(n: int) -> Iterator[slice]:
    """Yield slices of range(n); one empty slice if n is 0."""
    for start in range(0, max(n, 1), CHUNK):
        yield slice(start, min(start + CHUNK, n))


def _topic_type(n_topics: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type for the numbers of topics."""
    if n_topics > MAX_TOPICS:
        raise InputError(f"parts of at most {MAX_TOPICS:,} topics can be merged, not {n_topics:,}")
    return np.uint8 if n_topics <= 256 else np.uint16


@kernel
def _fill_kept(start: Any, times: Any, cooling: Any, logs: Any, kappa: float, kept: Any) -> None:
    for i in range(len(start)):
        kept[i] = kept_fraction(start[i], times[i], cooling[i], logs, kappa)


@kernel
def _subtract(before: Any, after: Any, words: Any, kept: Any, news: Any) -> None:
    """News <- (after - kept before) / (1 - kept), not below 0."""
    for i in range(len(words)):
        w = words[i]
        rest, scale = np.float32(kept[i]), np.float32(1 / (1 - kept[i]))
        for k in range(news.shape[1]):
            news[i, k] = max((after[w, k] - rest * before[w, k]) * scale, np.float32(0))


@kernel
def _apply(rows: Any, words: Any, kept: Any, news: Any) -> None:
    """rows_w <- kept rows_w + (1 - kept) news."""
    for i in range(len(words)):
        w = words[i]
        rest, new = np.float32(kept[i]), np.float32(1 - kept[i])
        for k in range(news.shape[1]):
            rows[w, k] = rest * rows[w, k] + new * news[i, k]


@kernel
def _count_large(rows: Any, limits: Any, lengths: Any) -> None:
    for i in range(len(rows)):
        n = 0
        for k in range(rows.shape[1]):
            n += rows[i, k] > limits[i]
        lengths[i] = n


@kernel
def _find_large(rows: Any, limits: Any, levels_per_log: float, topics: Any, levels: Any) -> None:
    """Write the topic and the level of each large entry."""
    at = 0
    for i in range(len(rows)):
        for k in range(rows.shape[1]):
            if rows[i, k] > limits[i]:
                topics[at] = k
                level = np.log(rows[i, k] / limits[i]) * levels_per_log
                levels[at] = min(round(level), 255)
                at += 1


@kernel
def _fill(starts: Any, topics: Any, levels: Any, sums: Any, values: Any, rows: Any) -> None:
    """Write the large entries; the others share what is missing to the sum of the row."""
    n_topics = rows.shape[1]
    for i in range(len(rows)):
        large = np.float32(0)
        for at in range(starts[i], starts[i + 1]):
            large += values[levels[at]]
        n_small = n_topics - (starts[i + 1] - starts[i])
        small, scale = np.float32(0), sums[i]
        if n_small > 0 and large < 1:
            small = (np.float32(1) - large) * sums[i] / np.float32(n_small)
        elif large > 0:
            scale /= large
        for k in range(n_topics):
            rows[i, k] = small
        for at in range(starts[i], starts[i + 1]):
            rows[i, topics[at]] = scale * values[levels[at]]
