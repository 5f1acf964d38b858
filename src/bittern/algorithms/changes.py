"""What training has changed in a state, compact enough to travel between machines.

After n updates, a row is kept * (the row before) + (1 - kept) * news, and `kept` depends on the
number of updates alone. So the news of parts that continued from the same state can be averaged,
weighted by their updates, in any order: as if all updates had followed each other.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, read_only, scratch
from bittern._core.validation import are_indices
from bittern.algorithms._word_rows import NEVER, add_updates, kept_fraction, log_kept
from bittern.errors import InputError

TAIL = 0.4  # of the mean entry of a row; smaller entries are replaced by their mean
N_LEVELS = 256  # of the other entries, on a logarithmic scale
MAX_TOPICS = 1 << 16
N_SMALL = 1 << 8  # topics whose indices are bytes
MAX_SUM = 1e6  # of a row, which is about 1, but rounding errors are divided by small numbers
ONE = int(np.float32(1).view(np.int32))  # the bits of 1.0
CHUNK = 1 << 12  # rows that are compressed at a time


class SparseRows(NamedTuple):
    """Rows over topics: large entries to about 1%, and small ones as if they were all equal."""

    lengths: NDArray[np.uint16]  # number of large entries in each row
    topics: NDArray[np.unsignedinteger[Any]]
    levels: NDArray[np.uint8]
    sums: NDArray[np.float32]  # of all entries of a row

    def is_valid(self, n: int, n_topics: int, index_type: Any) -> bool:
        """Return whether these are n rows over this many topics."""
        n_entries = int(self.lengths.sum(dtype=np.int64)) if self.lengths.ndim == 1 else -1
        return (
            _is_vector(self.lengths, np.uint16, n)
            and _is_vector(self.topics, index_type, n_entries)
            and _is_vector(self.levels, np.uint8, n_entries)
            and _is_vector(self.sums, np.float32, n)
            and self.lengths.max(initial=0) <= n_topics
            and are_indices(self.topics, n_topics)
            and bool(((self.sums >= 0) & (self.sums <= MAX_SUM)).all())
        )

    def for_kernels(self) -> tuple[NDArray[Any], ...]:
        """Return where the large entries of each row start and the last ones end, and the rest."""
        starts = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        return tuple(map(read_only, (starts, self.topics, self.levels, self.sums)))


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

    def check(self, n_words: int, n_topics: int) -> None:
        """Reject changes, as from a bad file, that are not of such a state: kernels trust them."""
        index_type = np.uint8 if n_topics <= N_SMALL else np.uint16
        valid = (
            self.n_topics == n_topics
            and _is_vector(self.words, np.int32)
            and _is_vector(self.times, np.int32, len(self.words))
            and are_indices(self.words, n_words)
            and bool((np.diff(self.words) > 0).all())
            and bool((self.times > 0).all())
            and all(rows.is_valid(len(self.words), n_topics, index_type) for rows in self.news)
        )
        if not valid:
            raise InputError("its changes do not belong to these texts and settings")


def _is_vector(array: NDArray[Any], dtype: Any, length: int | None = None) -> bool:
    return array.dtype == dtype and array.ndim == 1 and length in (None, len(array))


def find_changes(base: Any, part: Any, kappa: float, names: Sequence[str]) -> Changes:
    """Return what a part has changed since it was equal to `base`, in matrices with these names."""
    words = np.flatnonzero(part.updates != base.updates).astype(np.int32)
    times = part.updates[words] - base.updates[words]
    kept = _kept(base, words, times, kappa)
    n_topics = getattr(base, names[0]).shape[1]
    scale = Scale.of(n_topics)

    def news(before: NDArray[np.float32], after: NDArray[np.float32]) -> SparseRows:
        def fill(some: slice, *out: Any) -> int:
            return int(_write_news(before, after, words[some], kept[some], scale, *out))

        return _compress(len(words), n_topics, fill)

    pairs = [(getattr(base, name), getattr(part, name)) for name in names]
    return Changes(words, times, tuple(news(*pair) for pair in pairs), n_topics)


def combine_changes(first: Changes, second: Changes) -> Changes:
    """Return the changes of two parts that continued from the same state, as if of one part."""
    if len(first.words) == 0 or len(second.words) == 0:
        return first if len(second.words) == 0 else second
    words, n_topics = np.union1d(first.words, second.words), first.n_topics
    times, places = np.zeros((2, len(words)), np.int32), np.full((2, len(words)), -1, np.int32)
    for i, part in enumerate((first, second)):
        at = np.searchsorted(words, part.words)
        times[i, at], places[i, at] = part.times, np.arange(len(at))
    weights = (times / times.sum(axis=0, dtype=np.int64)).astype(np.float32)
    scale = Scale.of(n_topics)

    def news(*pair: SparseRows) -> SparseRows:
        sparse = tuple(rows.for_kernels() for rows in pair)

        def fill(some: slice, *out: Any) -> int:
            where = places[:, some], weights[:, some], n_topics
            return int(_write_mean(*sparse, *where, scale, *out))

        return _compress(len(words), n_topics, fill)

    pairs = zip(first.news, second.news, strict=True)
    combined = tuple(news(*pair) for pair in pairs)
    updates = np.minimum(times.sum(axis=0, dtype=np.int64), NEVER).astype(np.int32)
    return Changes(words, updates, combined, n_topics)


def apply_changes(state: Any, changes: Changes, kappa: float, names: Sequence[str]) -> None:
    """Change a state in place; its totals stay as they were."""
    words, times = changes.words, changes.times
    kept, values = _kept(state, words, times, kappa), Scale.of(changes.n_topics).values
    for name, news in zip(names, changes.news, strict=True):
        _apply(getattr(state, name), read_only(words), kept, news.for_kernels(), values)
    state.updates[words] = add_updates(state.updates[words], times)


def _kept(
    state: Any, words: NDArray[np.int32], times: NDArray[np.int32], kappa: float
) -> NDArray[np.float64]:
    """Return the fraction of the row of each word that more updates keep."""
    kept = np.empty(len(words))
    _fill_kept(
        state.updates[words], read_only(times), state.cooling[words], log_kept(kappa), kappa, kept
    )
    return kept


class Scale(NamedTuple):
    """Levels of entries, equally far apart in the bits of a float, which are nearly its logarithm.

    `limit` is the largest small entry, as a fraction of its row; an entry's level follows from its
    ratio to that.
    """

    limit: np.float32
    levels_per_bit: np.float32
    values: NDArray[np.float32]  # the entry of each level, as a fraction of the row

    @classmethod
    def of(cls, n_topics: int) -> "Scale":
        """Return the levels for rows of this many topics."""
        limit = np.float32(TAIL / n_topics)
        span = int((1 / limit).view(np.int32)) - ONE
        bits = ONE + np.arange(N_LEVELS) * span / (N_LEVELS - 1)
        values = limit * bits.astype(np.int32).view(np.float32)
        return cls(limit, np.float32((N_LEVELS - 1) / span), values)


def _compress(n: int, n_topics: int, fill: Callable[..., int]) -> SparseRows:
    """Make sparse rows; `fill` writes those of a slice, and returns the number of entries."""
    if n_topics > MAX_TOPICS:
        raise InputError(f"parts of at most {MAX_TOPICS:,} topics can be merged, not {n_topics:,}")
    lengths, sums = np.empty(n, np.uint16), np.empty(n, np.float32)
    topics = np.empty(min(n, CHUNK) * n_topics, np.uint8 if n_topics <= N_SMALL else np.uint16)
    levels, parts = np.empty(len(topics), np.uint8), [(topics[:0], topics[:0].astype(np.uint8))]
    for start in range(0, n, CHUNK):
        some = slice(start, start + CHUNK)
        m = fill(some, lengths[some], topics, levels, sums[some])
        parts.append((topics[:m].copy(), levels[:m].copy()))
    all_topics, all_levels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return SparseRows(lengths, all_topics, all_levels, sums)


def copy_words(source: Any, target: Any, words: NDArray[np.int32]) -> Any:
    """Make a state equal to another one, in its own arrays; only these words can differ."""

    def copy(value: Any, own: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        if value.ndim == 2:
            _copy_rows(value, read_only(words), own)
        else:
            np.copyto(own, value)
        return own

    return type(source)(*map(copy, source, target))


@kernel
def _copy_rows(rows: Any, words: Any, target: Any) -> None:
    for w in words:
        for k in range(rows.shape[1]):
            target[w, k] = rows[w, k]


@kernel
def _fill_kept(start: Any, times: Any, cooling: Any, logs: Any, kappa: float, kept: Any) -> None:
    for i in range(len(start)):
        kept[i] = kept_fraction(start[i], times[i], cooling[i], logs, kappa)


@kernel
def _write_news(
    before: Any,
    after: Any,
    words: Any,
    kept: Any,
    scale: Any,
    lengths: Any,
    topics: Any,
    levels: Any,
    sums: Any,
) -> Any:
    """Write (after - kept before) / (1 - kept), not below 0, as sparse rows."""
    n_topics, at = before.shape[1], 0
    row = scratch(n_topics)
    for i in range(len(words)):
        w = words[i]
        rest, factor = np.float32(kept[i]), np.float32(1 / (1 - kept[i]))
        total = np.float32(0)
        for k in range(n_topics):
            row[k] = max((after[w, k] - rest * before[w, k]) * factor, np.float32(0))
            total += row[k]
        sums[i] = total
        lengths[i] = _write_row(row, total, scale, at, topics, levels)
        at += lengths[i]
    return at


@kernel
def _write_mean(
    first: Any,
    second: Any,
    places: Any,
    weights: Any,
    n_topics: int,
    scale: Any,
    lengths: Any,
    topics: Any,
    levels: Any,
    sums: Any,
) -> Any:
    """Write the weighted mean of sparse rows at some places, -1 where there is none."""
    at, row = 0, scratch(n_topics)
    for i in range(len(lengths)):
        if places[0, i] < 0 or places[1, i] < 0:
            if places[0, i] >= 0:
                lengths[i] = _copy_row(first, places[0, i], at, topics, levels, sums, i)
            else:
                lengths[i] = _copy_row(second, places[1, i], at, topics, levels, sums, i)
            at += lengths[i]
            continue
        row[:] = 0
        _add_row(first, places[0, i], weights[0, i], scale.values, row)
        _add_row(second, places[1, i], weights[1, i], scale.values, row)
        total = np.float32(0)
        for k in range(n_topics):
            total += row[k]
        sums[i] = total
        lengths[i] = _write_row(row, total, scale, at, topics, levels)
        at += lengths[i]
    return at


@kernel
def _copy_row(sparse: Any, row: int, at: int, topics: Any, levels: Any, sums: Any, i: int) -> Any:
    """Copy a sparse row as row i; return the number of its large entries."""
    begin, end = sparse[0][row], sparse[0][row + 1]
    for j in range(begin, end):
        topics[at + j - begin] = sparse[1][j]
        levels[at + j - begin] = sparse[2][j]
    sums[i] = sparse[3][row]
    return end - begin


@kernel
def _write_row(row: Any, total: Any, scale: Any, at: int, topics: Any, levels: Any) -> Any:
    """Write the topic and the level of each large entry; return how many there are."""
    limit, n = scale.limit * total, 0
    if total <= 0:
        return n
    for k in range(len(row)):
        row[k] /= limit
    bits = row.view(np.int32)
    for k in range(len(row)):
        if bits[k] > ONE:
            topics[at + n] = k
            level = np.float32(bits[k] - ONE) * scale.levels_per_bit + np.float32(0.5)
            levels[at + n] = min(level, np.float32(N_LEVELS - 1))
            n += 1
    return n


@kernel
def _small_entry(sparse: Any, i: int, values: Any, n_topics: int) -> Any:
    """Return a small entry of a row, and the factor of its large ones, so that the sum is right."""
    starts, _, levels, sums = sparse
    large = np.float32(0)
    for at in range(starts[i], starts[i + 1]):
        large += values[levels[at]]
    n_small = n_topics - (starts[i + 1] - starts[i])
    if n_small > 0 and large < 1:
        return (np.float32(1) - large) * sums[i] / np.float32(n_small), sums[i]
    return np.float32(0), sums[i] / max(large, np.float32(1e-30))


@kernel
def _add_row(sparse: Any, i: int, weight: Any, values: Any, row: Any) -> None:
    """Row += weight * (row i)."""
    starts, topics, levels, _ = sparse
    small, factor = _small_entry(sparse, i, values, len(row))
    for k in range(len(row)):
        row[k] += weight * small
    for at in range(starts[i], starts[i + 1]):
        row[topics[at]] += weight * (factor * values[levels[at]] - small)


@kernel
def _apply(rows: Any, words: Any, kept: Any, sparse: Any, values: Any) -> None:
    """rows_w <- kept rows_w + (1 - kept) news."""
    for i in range(len(words)):
        row, rest = rows[words[i]], np.float32(kept[i])
        for k in range(len(row)):
            row[k] *= rest
        _add_row(sparse, i, np.float32(1 - kept[i]), values, row)
        for k in range(len(row)):
            row[k] = max(row[k], np.float32(0))
