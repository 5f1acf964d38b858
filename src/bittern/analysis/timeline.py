"""Topics over time: the share of each in each period, what rises, falls or bursts; their words."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import beta, theilslopes
from scipy.stats import t as student

from bittern._core.numba import kernel
from bittern._core.threads import imap_threads
from bittern._core.validation import check_integer, is_integer
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted.learned import Slice

PERIODS = {"day": "1d", "week": "1w", "month": "1mo", "year": "1y"}
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
MOST_PERIODS = 60  # that "auto" makes
TOO_MANY = 2000
CONFIDENCE = 0.95
ALARM = 0.05  # the probability that a corpus in which nothing happens shows a trend, or a burst
FEWEST = 5.0  # documents of a topic in a period, for it to burst
LEAST_SHARE = 0.01  # of a topic in a document, for its words to count
SHOULDER = 2.0  # standard deviations: periods next to a burst that belong to it


class Timeline(NamedTuple):
    """Topics over time; `period` is when each period begins."""

    shares: pl.DataFrame
    """Of each period and topic: documents, share, low and high (its 95 % interval)."""
    trends: pl.DataFrame
    """A row for each topic: its share at the beginning and at the end, and "rises" or "falls"."""
    bursts: pl.DataFrame
    """A row for each burst: topic, start and end, its peak, and how many times the usual share."""


def timeline(shares: NDArray[Any], times: pl.Series, period: str | int = "auto") -> Timeline:
    """Topics over time, from the topics of documents (documents, K) and their times.

    The period is "day", "week", "month", "year", "auto" (the shortest that makes at most 60), or a
    number of equal ones. Documents without a time are left out.
    """
    starts, place = period_index(times, period)
    sums = np.zeros((len(starts), shares.shape[1]))
    add_up(place, shares, sums)
    return from_counts(starts, sums, np.bincount(place[place >= 0], minlength=len(starts)))


def period_index(times: pl.Series, period: str | int) -> tuple[pl.Series, NDArray[np.int64]]:
    """When each period begins, and the place of the period of each document; -1 without a time."""
    known = _known(times)
    starts, place = periods(times.filter(pl.Series(known)), period)
    everywhere = np.full(len(times), -1)
    everywhere[known] = place
    return starts, everywhere


def add_up(place: NDArray[np.int64], shares: NDArray[Any], sums: NDArray[np.float64]) -> None:
    """Add the shares of documents (documents, K) to the sums of their groups; -1 is no group."""
    there = np.flatnonzero(place >= 0)
    sums += (
        csr_array((np.ones(len(there)), (place[there], there)), (len(sums), len(place))) @ shares
    )


def _known(times: pl.Series) -> NDArray[np.bool_]:
    """Which documents have a time."""
    if times.dtype not in (pl.Date, pl.Datetime):
        raise InputError(f"a timeline needs dates or times, not {times.dtype}")
    known = times.is_not_null().to_numpy()
    if not known.any():
        raise InputError("no document has a time")
    return np.asarray(known)


def slices_timeline(slices: Sequence[Slice]) -> Timeline:
    """Topics over the slices of online BTM, by the biterms of each.

    Its "documents" are biterms. Those of one document go together, so the intervals are too narrow.
    """
    if len(slices) < 2:
        raise InputError("a timeline needs two or more slices: fit with OnlineBTM(slices=...)")
    sums = np.array([piece.biterms for piece in slices])
    names = pl.Series("period", [piece.name for piece in slices])
    dates = names.str.to_date("%Y-%m-%d", strict=False)
    return from_counts(names if dates.null_count() else dates, sums, sums.sum(axis=1))


def from_counts(starts: pl.Series, sums: NDArray[np.float64], documents: NDArray[Any]) -> Timeline:
    """The timeline of topics of which each period has `sums` (periods, K) of its `documents`."""
    share = _shares(sums, documents)
    n_periods, n_topics = sums.shape
    low, high = _interval(sums, documents)
    table = pl.DataFrame(
        {
            "period": starts.gather(np.repeat(np.arange(n_periods), n_topics)),
            "topic": np.tile(np.arange(n_topics), n_periods),
            "documents": np.repeat(documents, n_topics),
            "share": share.ravel(),
            "low": low.ravel(),
            "high": high.ravel(),
        }
    ).with_columns(pl.col("share", "low", "high").fill_nan(None))
    return Timeline(
        table,
        _trends(share, documents),
        _bursts(starts, share, documents),
    )


def periods(times: pl.Series, period: str | int) -> tuple[pl.Series, NDArray[np.int64]]:
    """When each period begins, without gaps, and the place of the period of each time."""
    if is_integer(period):
        check_integer("the number of periods", period, 2)
        if int(period) > TOO_MANY:
            raise InputError(f"there can be {TOO_MANY} periods, not {period}")
        if times.min() == times.max():
            raise InputError("all documents have the same time: there is no timeline")
        numbers = times.cast(pl.Datetime("us")).to_physical().to_numpy()
        edges = np.linspace(numbers.min(), numbers.max(), int(period) + 1)
        place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, int(period) - 1)
        starts = pl.Series("period", edges[:-1].astype(np.int64)).cast(pl.Datetime("us"))
        return starts, place
    if period == "auto":
        days = (times.max() - times.min()).days  # type: ignore[operator, union-attr]
        period = next((name for name, n in DAYS.items() if days / n < MOST_PERIODS), "year")
    if period not in PERIODS:
        raise InputError(f'there is no period "{period}": choose from {", ".join(PERIODS)}, auto')
    dates = times.dt.truncate(PERIODS[str(period)]).dt.date().alias("period")
    days = (dates.max() - dates.min()).days  # type: ignore[operator, union-attr]
    if days / DAYS[str(period)] > TOO_MANY:
        raise InputError(
            f"from {dates.min()!s} to {dates.max()!s} there are too many periods of a {period}: "
            "take a longer one, or look for wrong dates"
        )
    first, last = pl.lit(dates.min()), pl.lit(dates.max())
    every = pl.select(pl.date_range(first, last, PERIODS[str(period)]).alias("period")).to_series()
    return every, np.asarray(every.search_sorted(dates), np.int64)


def _shares(sums: NDArray[np.float64], documents: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / documents[:, np.newaxis])


def _interval(
    sums: NDArray[np.float64], documents: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jeffreys' interval of a share: never outside of 0 to 1, wide where documents are few."""
    rest = documents[:, np.newaxis] - sums
    ends = [
        beta.ppf(p, np.maximum(sums, 0) + 0.5, np.maximum(rest, 0) + 0.5)
        for p in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    ]
    low, high = np.where(sums <= 0, 0, ends[0]), np.where(rest <= 0, 1, ends[1])
    nothing = (documents == 0)[:, np.newaxis]
    return np.where(nothing, np.nan, low), np.where(nothing, np.nan, high)


def _usual(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """A line through the shares of a topic that a burst does not move (Theil and Sen's)."""
    x = np.arange(len(share), dtype=float)
    slope, intercept, *_ = theilslopes(share, x)
    return np.asarray(np.maximum(intercept + slope * x, 0))


def _deviations(
    share: NDArray[np.float64], usual: NDArray[np.float64], documents: NDArray[Any]
) -> NDArray[np.float64]:
    """How many standard deviations the share of each topic is above its usual one, (periods, K).

    Arcsines of roots have nearly the same variance whatever the share. How much more a topic varies
    than chance would have it is estimated from its median deviation; by chance that of one topic
    may be small, so it is at least that of most topics.
    """
    roots = 2 * np.sqrt(documents)[:, np.newaxis] * (_arcsine(share) - _arcsine(usual))
    spread = 1.4826 * np.median(np.abs(roots - np.median(roots, axis=0)), axis=0)
    return np.asarray(roots / np.maximum(np.maximum(spread, np.median(spread)), 0.1))


def _arcsine(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.arcsin(np.sqrt(np.clip(share, 0, 1))))


def _trends(share: NDArray[np.float64], documents: NDArray[Any]) -> pl.DataFrame:
    """A line through the arcsines of each topic's shares, and whether it rises or falls."""
    there = documents > 0
    x, weight = np.arange(len(share))[there].astype(float), documents[there].astype(float)
    rows = []
    limit = student.isf(ALARM / (2 * share.shape[1]), max(there.sum() - 2, 1))
    for topic, y in enumerate(_arcsine(share[there]).T):
        mean_x, mean_y = np.average(x, weights=weight), np.average(y, weights=weight)
        ssx = (weight * (x - mean_x) ** 2).sum()
        slope = (weight * (x - mean_x) * (y - mean_y)).sum() / ssx if ssx > 0 else 0.0
        line = mean_y + slope * (np.arange(len(share)) - mean_x)
        noise = (weight * (y - line[there]) ** 2).sum() / max(len(y) - 2, 1)
        z = slope * np.sqrt(ssx / max(noise, 1e-12)) if len(y) > 3 else 0.0
        begin, end = np.sin(np.clip(line[[0, -1]], 0, np.pi / 2)) ** 2
        trend = "rises" if z > limit else "falls" if z < -limit else ""
        rows.append({"topic": topic, "begin": begin, "end": end, "z": float(z), "trend": trend})
    return pl.DataFrame(rows)


def _bursts(starts: pl.Series, share: NDArray[np.float64], documents: NDArray[Any]) -> pl.DataFrame:
    """Runs of periods in which a topic has far more than its usual share."""
    when = ("start", "end", "peak")
    schema: dict[str, Any] = {"topic": pl.Int64} | dict.fromkeys(when, starts.dtype)
    schema |= dict.fromkeys(("share", "usual", "times", "z"), pl.Float64)
    there = np.flatnonzero(documents > 0)
    rows: list[tuple[Any, ...]] = []
    if len(there) > 3:
        limit = student.isf(ALARM / (share.shape[1] * len(there)), len(there) - 2)
        lines = np.array([_usual(column) for column in share[there].T]).T
        deviations = _deviations(share[there], lines, documents[there])
        for topic in range(share.shape[1]):
            mine, z = share[there, topic], deviations[:, topic]
            usual = np.maximum(lines[:, topic], 0.5 / documents[there])
            high = (z > limit) & (mine * documents[there] >= FEWEST)
            for begin, end in _runs(z > SHOULDER, high):
                peak = begin + int(z[begin:end].argmax())
                rows.append(
                    (
                        *(topic, starts[int(there[begin])], starts[int(there[end - 1])]),
                        *(starts[int(there[peak])], mine[peak], usual[peak]),
                        *(mine[peak] / usual[peak], z[peak]),
                    )
                )
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.sort("z", descending=True)


def _runs(wide: NDArray[np.bool_], high: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of `wide` that have a `high` in them: where each begins and ends."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wide, [False]]).astype(int)))
    return [
        (int(begin), int(end))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
        if high[begin:end].any()
    ]


def word_shifts(
    corpus: Corpus,
    shares: NDArray[np.float32],
    period: str | int = "auto",
    n: int = 5,
    n_threads: int = 1,
) -> pl.DataFrame:
    """The words that each topic has more of in a period than at other times, n for each.

    The words of a document belong to its topics by their shares, of a hundredth or more. `z` is how
    far the count of a word in the topic and period is above what its count in the topic would have
    there on average, in standard deviations.
    """
    if corpus.times is None:
        raise InputError("a timeline needs documents with times")
    check_integer("n", n, 1)
    known = _known(corpus.times)
    if not known.all():
        corpus, shares = corpus[known], shares[known]
    starts, place = periods(corpus.times, period)  # type: ignore[arg-type]
    weight = np.empty(0, np.float32) if corpus.counts is None else corpus.counts
    at_once, every = np.zeros_like(place), np.arange(len(corpus.vocabulary))

    def shifts(share: NDArray[np.float32]) -> list[tuple[int, int, float]]:
        words = (corpus.indptr, corpus.tokens, weight, share)
        overall = _count_words(*words, at_once, 1, every, len(every))[0]
        some = np.flatnonzero(overall >= FEWEST)  # few words: only they need room in each period
        column = np.full(len(every), -1)
        column[some] = np.arange(len(some))
        counts = _count_words(*words, place, len(starts), column, len(some))
        expected = np.outer(counts.sum(axis=1) / max(counts.sum(), 1e-9), overall[some])
        z = (counts - expected) / np.sqrt(expected + 1)
        best = np.argsort(-z, axis=1, kind="stable")[:, :n]
        high = np.take_along_axis(z, best, axis=1)
        return [(i, some[best[i, j]], high[i, j]) for i, j in np.argwhere(high > 0)]

    rows = [
        (starts[int(i)], topic, corpus.vocabulary[word], float(z))
        for topic, found in enumerate(imap_threads(shifts, _columns(shares), n_threads))
        for i, word, z in found
    ]
    schema: dict[str, Any] = {"period": starts.dtype, "topic": pl.Int64}
    schema |= {"word": pl.String, "z": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _columns(shares: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """The shares of one topic after the other, taken out some at a time: that is far faster."""
    for start in range(0, shares.shape[1], 16):
        yield from np.ascontiguousarray(shares[:, start : start + 16].T)


@kernel
def _count_words(
    indptr: Any,
    tokens: Any,
    weight: Any,
    share: Any,
    place: Any,
    n_periods: int,
    column: Any,
    n_columns: int,
) -> Any:
    """The words of documents by period and column, by the share of each; -1 is no column."""
    counts = np.zeros((n_periods, n_columns))
    for d in range(len(indptr) - 1):
        if share[d] < LEAST_SHARE:
            continue
        for i in range(indptr[d], indptr[d + 1]):
            if column[tokens[i]] >= 0:
                times = weight[i] if len(weight) else np.float32(1)
                counts[place[d], column[tokens[i]]] += times * share[d]
    return counts
