"""Rows that hold the topics of each word: how they start, move, and are merged.

Update t moves a row by the fraction rho_t toward something new, so after some updates the product
of all 1 - rho_t is what is kept of the old row.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, random_unit

NEVER = np.iinfo(np.int32).max
MAX_UPDATES = NEVER - (1 << 28)  # of a word, when a state is merged: room to count the next round
TABLE_SIZE = 1 << 16  # step sizes kept in a table; later ones, of very frequent words, are computed
MERGE_CHUNK = 1 << 12  # words whose rows are merged while they are in the cache
SETTLE_INTERVAL = 1 << 12  # biterms after which float32 changes of totals are added in float64


def near_uniform(n_words: int, n_topics: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return uniform rows with a little noise."""
    rows = np.empty((n_words, n_topics), np.float32)
    fill_start(rows, rng.integers(np.iinfo(np.uint64).max, dtype=np.uint64))
    return rows


@lru_cache
def step_sizes(kappa: float) -> NDArray[np.float32]:
    """Return the first step sizes, before any cool-down."""
    return ((1.0 + np.arange(TABLE_SIZE)) ** -kappa).astype(np.float32)


@lru_cache
def log_kept(kappa: float) -> NDArray[np.float64]:
    """Return, at index t, the sum of log(1 - rho) over updates 1 to t - 1."""
    later = np.log1p(-((1.0 + np.arange(1, TABLE_SIZE)) ** -kappa))
    return np.concatenate([[0.0, 0.0], np.cumsum(later)])


def merge_rows(
    base: NDArray[np.float32], parts: list[NDArray[np.float32]], gains: NDArray[np.float32]
) -> None:
    """Set base and all parts to base_w + sum_i gain_i,w (part_i,w - base_w)."""
    for start in range(0, len(base), MERGE_CHUNK):
        some = slice(start, start + MERGE_CHUNK)
        merged, rows = base[some], [part[some] for part in parts]
        all_gains = gains[:, some].sum(axis=0)
        fade_rows(merged, all_gains)
        for row, gain in zip(rows, gains[:, some], strict=True):
            add_rows(merged, row, gain)
        for row in rows:
            copy_rows(merged, all_gains, row)


@kernel
def add_totals(rows: Any, mass: Any, totals: Any) -> None:
    """Add the sum over words of mass_w rows_w,k to totals_k, without copying the rows."""
    for w in range(len(rows)):
        for k in range(len(totals)):
            totals[k] += mass[w] * rows[w, k]


@kernel
def fill_start(rows: Any, seed: Any) -> None:
    """Fill rows with 1 + 0.1 Exp(1), normalized."""
    n_words, n_topics = rows.shape
    for w in range(n_words):
        total = np.float32(0)
        for k in range(n_topics):
            rows[w, k] = 1 - 0.1 * np.log(1 - random_unit(seed, w * n_topics + k))
            total += rows[w, k]
        for k in range(n_topics):
            rows[w, k] /= total


def add_updates(updates: NDArray[np.int32], times: NDArray[Any]) -> NDArray[np.int32]:
    """Return how often words have been updated after more updates; the count stops growing."""
    total = updates.astype(np.int64) + times
    return np.asarray(np.minimum(total, MAX_UPDATES), np.int32)


@kernel
def count_update(updates: Any, word: int) -> None:
    """Count an update of a word, up to the largest number that the array can hold."""
    if updates[word] < NEVER:
        updates[word] += 1


@kernel
def step_size(t: int, cooling: int, table: Any, kappa: float) -> Any:
    """The size of update t: rho = (1 + t) ** -kappa; from `cooling` on 1 / (1 / rho + since)."""
    at = min(t, cooling)
    rate = table[at] if at < len(table) else np.float32((1.0 + at) ** -kappa)
    return rate if t == at else rate / (np.float32(1) + rate * np.float32(t - at))


@kernel
def kept_fraction(start: int, n: int, cooling: int, logs: Any, kappa: float) -> Any:
    """The fraction of a row that is kept by n updates, the first of which is update `start`."""
    if n == 0 or start == 0:
        return 1.0 if n == 0 else 0.0
    begin, end = min(start, cooling), min(start + n, cooling)
    last = len(logs) - 1
    share = np.exp(logs[min(end, last)] - logs[min(begin, last)])
    if end > last:  # an integral instead of the sum
        begin = max(begin, last)
        if kappa == 1.0:
            share *= begin / end
        else:
            power = 1 - kappa
            share *= np.exp((float(begin) ** power - float(end) ** power) / power)
    if start + n > cooling:  # there rho is 1 / (since + m), so the product is a quotient
        since = (1.0 + cooling) ** kappa - 1 - cooling
        share *= (since + max(start, cooling)) / (since + start + n)
    return share


@kernel
def find_gains(start: Any, times: Any, cooling: Any, logs: Any, kappa: float, gains: Any) -> None:
    """Compute how much the change of each part counts when its rows are merged, (parts, words).

    A part that made n_i of n updates replaced the fraction 1 - kept(n_i) of a row by what it saw.
    All updates together replace 1 - kept(n) of it, by the mean of what the parts saw.
    """
    for w in range(times.shape[1]):
        n = 0
        for i in range(len(times)):
            n += times[i, w]
        replaced = 1 - kept_fraction(start[w], n, cooling[w], logs, kappa)
        for i in range(len(times)):
            mine = times[i, w]
            gains[i, w] = 0
            if mine > 0:
                gains[i, w] = replaced / (
                    1 - kept_fraction(start[w], mine, cooling[w], logs, kappa)
                )
                gains[i, w] *= mine / n


@kernel
def fade_rows(rows: Any, gains: Any) -> None:
    """rows_w <- (1 - gain_w) rows_w."""
    for w in range(len(rows)):
        if gains[w] > 0:
            rows[w] *= np.float32(1) - gains[w]


@kernel
def add_rows(rows: Any, others: Any, gains: Any) -> None:
    """rows_w += gain_w others_w."""
    for w in range(len(rows)):
        if gains[w] > 0:
            for k in range(rows.shape[1]):
                rows[w, k] += gains[w] * others[w, k]


@kernel
def copy_rows(rows: Any, gains: Any, others: Any) -> None:
    """others_w <- rows_w, where gain_w > 0; values that rounding left below 0 become 0."""
    for w in range(len(rows)):
        if gains[w] > 0:
            for k in range(rows.shape[1]):
                rows[w, k] = max(rows[w, k], np.float32(0))
                others[w, k] = rows[w, k]
