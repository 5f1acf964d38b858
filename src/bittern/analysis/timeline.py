"""Topics over time: shares by period, trends and bursts."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import beta, theilslopes
from scipy.stats import t as student

from bittern._core.forks import check_not_forked
from bittern.algorithms import Slice
from bittern.analysis.arrays import Floats, Numbers
from bittern.analysis.documents import NO_KNOWN_WORDS, infer_topics, main_topics
from bittern.analysis.groups import add_group_sums
from bittern.analysis.periods import period_groups
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import FittedTopics

CONFIDENCE_LEVEL = 0.95
FALSE_ALARM_RATE = 0.05  # probability of any trend, or any burst, if nothing happens
MIN_BURST_DOCUMENTS = 5.0  # of a topic in a period
BURST_EDGE = 2.0  # standard deviations; adjacent periods above it belong to a burst


class Timeline(NamedTuple):
    """Topics over time; periods are given by their start."""

    shares: pl.DataFrame
    """A row for each period and topic: documents, share, and its 95% interval, low to high."""
    trends: pl.DataFrame
    """A row for each topic: the share at the beginning and at the end, and "rises" or "falls"."""
    bursts: pl.DataFrame
    """A row for each burst: topic, start, end, peak, the share at the peak, the usual share, and
    their ratio (times)."""

    def without(self, topics: Collection[int]) -> "Timeline":
        """Return the timeline of the other topics."""
        return Timeline(*(table.filter(~pl.col("topic").is_in(list(topics))) for table in self))


def timeline(shares: Floats, times: pl.Series, period: str | int = "auto") -> Timeline:
    """Compute topics over time from the topics and times of documents.

    Parameters
    ----------
    shares : ndarray of shape (n_documents, n_topics)
        The share of each topic in each document.
    times : polars.Series
        The date or datetime of each document. Documents without a time are not used.
    period : str or int
        "hour", "day", "week", "month", "quarter", "year", "auto" (the shortest from "day" that
        gives at most 60 periods), or a number of equal periods.

    Returns
    -------
    Timeline
        Shares by period, trends and bursts.

    Examples
    --------
    >>> from datetime import date
    >>> import numpy as np
    >>> import polars as pl
    >>> from bittern.analysis.timeline import timeline
    >>> times = pl.Series([date(2024, 1, 1), date(2024, 1, 2)])
    >>> timeline(np.eye(2), times, "day").shares["share"].to_list()
    [1.0, 0.0, 0.0, 1.0]
    """
    periods = period_groups(times, period)
    sums = np.zeros((len(periods.names), shares.shape[1]))
    add_group_sums(periods.codes, shares, sums)
    return timeline_from_sums(periods.names, sums, periods.documents)


def documents_timeline(
    fitted: FittedTopics, corpus: Corpus, period: str | int = "auto", n_threads: int = 1
) -> Timeline:
    """Infer the topics of documents that have times, and compute the timeline.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        Documents with times over the vocabulary of the model. Those without known words, and those
        of topics that are set aside, are left out.
    period : str or int
        As for `timeline`.
    n_threads : int
        Number of threads.

    Returns
    -------
    Timeline
    """
    if corpus.times is None:
        raise InputError("a timeline needs documents with times; pass times=")
    shares = infer_topics(fitted, corpus, n_threads=n_threads)
    has_topic = main_topics(fitted, corpus, shares) >= 0
    if not has_topic.any():
        raise InputError(NO_KNOWN_WORDS)
    times = corpus.times.filter(pl.Series(has_topic))
    return timeline(shares[has_topic], times, period).without(fitted.set_aside)


def slices_timeline(slices: Sequence[Slice]) -> Timeline:
    """Compute topics over the time slices of a model, from the biterms of each slice.

    The "documents" of this timeline are biterms. Since the biterms of a document belong together,
    the intervals are too narrow.

    Parameters
    ----------
    slices : sequence of Slice
        The time slices of a model that was fitted with online BTM.

    Returns
    -------
    Timeline
        Shares by slice, trends and bursts.

    Raises
    ------
    InputError
        If there are fewer than two slices.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from bittern.algorithms import Slice
    >>> from bittern.analysis.timeline import slices_timeline
    >>> words = csr_array((3, 2))
    >>> slices = [Slice(name, np.array([4.0, 4.0]), words, 1.0) for name in ("0", "1")]
    >>> slices_timeline(slices).shares["share"].to_list()
    [0.5, 0.5, 0.5, 0.5]
    """
    if len(slices) < 2:
        raise InputError(
            "a timeline without documents needs two or more time slices; fit the model with "
            "OnlineBTM(slices=...), or give documents with times"
        )
    sums = np.array([piece.biterms for piece in slices])
    names = pl.Series("period", [piece.name for piece in slices])
    days = names.str.to_date("%Y-%m-%d", strict=False)
    hours = names.str.to_datetime("%Y-%m-%dT%H:%M", time_unit="us", strict=False)
    starts = next((times for times in (days, hours) if not times.has_nulls()), names)
    return timeline_from_sums(starts, sums, sums.sum(axis=1))


def timeline_from_sums(
    starts: pl.Series, sums: NDArray[np.float64], documents: Numbers
) -> Timeline:
    """Compute a timeline from the sums of shares (periods, K) and the number of documents."""
    check_not_forked()
    with np.errstate(invalid="ignore"):
        share = np.asarray(sums / documents[:, np.newaxis])
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
    return Timeline(table, _trends(share, documents), _bursts(starts, share, documents))


def _interval(
    sums: NDArray[np.float64], documents: Numbers
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Jeffreys intervals of shares: always within 0 to 1, wide for few documents."""
    rest = documents[:, np.newaxis] - sums
    ends = [
        beta.ppf(p, np.maximum(sums, 0) + 0.5, np.maximum(rest, 0) + 0.5)
        for p in ((1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2)
    ]
    low, high = np.where(sums <= 0, 0, ends[0]), np.where(rest <= 0, 1, ends[1])
    empty = (documents == 0)[:, np.newaxis]
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def _robust_line(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a line to the shares of a topic that a burst does not move (Theil-Sen)."""
    x = np.arange(len(share), dtype=float)
    slope, intercept, *_ = theilslopes(share, x)
    return np.asarray(np.maximum(intercept + slope * x, 0))


def _deviations(
    share: NDArray[np.float64], usual: NDArray[np.float64], documents: Numbers
) -> NDArray[np.float64]:
    """Return by how many standard deviations shares exceed the usual ones, (periods, K).

    The arcsine of the square root stabilizes the variance of a share. The spread of a topic beyond
    chance is estimated from its median absolute deviation; since that of a single topic may be
    small by chance, it is at least the median over all topics.
    """
    roots = 2 * np.sqrt(documents)[:, np.newaxis] * (_arcsine(share) - _arcsine(usual))
    spread = 1.4826 * np.median(np.abs(roots - np.median(roots, axis=0)), axis=0)
    return np.asarray(roots / np.maximum(np.maximum(spread, np.median(spread)), 0.1))


def _arcsine(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Stabilize the variance of shares."""
    return np.asarray(np.arcsin(np.sqrt(np.clip(share, 0, 1))))


def _trends(share: NDArray[np.float64], documents: Numbers) -> pl.DataFrame:
    """Fit a line to the arcsines of each topic's shares, and test whether it rises or falls."""
    observed = np.flatnonzero(documents > 0)
    x, weight = observed.astype(float), documents[observed].astype(float)
    limit = student.isf(FALSE_ALARM_RATE / (2 * share.shape[1]), max(len(observed) - 2, 1))
    rows = []
    for topic, y in enumerate(_arcsine(share[observed]).T):
        mean_x, mean_y = np.average(x, weights=weight), np.average(y, weights=weight)
        ssx = (weight * (x - mean_x) ** 2).sum()
        slope = (weight * (x - mean_x) * (y - mean_y)).sum() / ssx if ssx > 0 else 0.0
        line = mean_y + slope * (np.arange(len(share)) - mean_x)
        noise = (weight * (y - line[observed]) ** 2).sum() / max(len(y) - 2, 1)
        z = slope * np.sqrt(ssx / max(noise, 1e-12)) if len(y) > 3 else 0.0
        begin, end = np.sin(np.clip(line[[0, -1]], 0, np.pi / 2)) ** 2
        trend = "rises" if z > limit else "falls" if z < -limit else ""
        rows.append({"topic": topic, "start": begin, "end": end, "z": float(z), "trend": trend})
    return pl.DataFrame(rows)


def _bursts(starts: pl.Series, share: NDArray[np.float64], documents: Numbers) -> pl.DataFrame:
    """Find runs of periods in which the share of a topic is far above its usual one."""
    schema: dict[str, Any] = {"topic": pl.Int64}
    schema |= dict.fromkeys(("start", "end", "peak"), starts.dtype)
    schema |= dict.fromkeys(("share", "usual", "times", "z"), pl.Float64)
    observed = np.flatnonzero(documents > 0)
    starts, share, documents = starts.gather(observed), share[observed], documents[observed]
    rows: list[tuple[Any, ...]] = []
    if len(observed) > 3:
        limit = student.isf(FALSE_ALARM_RATE / share.size, len(observed) - 2)
        lines = np.array([_robust_line(column) for column in share.T]).T
        deviations = _deviations(share, lines, documents)
        for topic, (own, line, z) in enumerate(zip(share.T, lines.T, deviations.T, strict=True)):
            usual = np.maximum(line, 0.5 / documents)
            high = (z > limit) & (own * documents >= MIN_BURST_DOCUMENTS)
            for begin, end in _runs(z > BURST_EDGE, high):
                peak = begin + int(z[begin:end].argmax())
                dates = starts[begin], starts[end - 1], starts[peak]
                ratio = own[peak] / usual[peak]
                rows.append((topic, *dates, own[peak], usual[peak], ratio, z[peak]))
    return pl.DataFrame(rows, schema=schema, orient="row").sort("z", descending=True)


def _runs(wide: NDArray[np.bool_], high: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the begin and end of each run of `wide` that contains a `high`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wide, [False]]).astype(int)))
    return [
        (int(begin), int(end))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
        if high[begin:end].any()
    ]
