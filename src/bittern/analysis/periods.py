"""Periods of time that documents belong to."""

from datetime import date, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.validation import check_choice, check_integer, is_integer, shorten
from bittern.analysis.groups import Groups
from bittern.biterms import PERIODS
from bittern.errors import InputError

PERIOD_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
TOLERANCE = 0.1  # of the lengths of months, quarters and years
MAX_AUTO_PERIODS = 60
MAX_PERIODS = 2000


def period_groups(times: pl.Series, period: str | int = "auto") -> Groups:
    """Group documents by period; documents without a time are in no group.

    Parameters
    ----------
    times : polars.Series
        The date or datetime of each document; null if it has none.
    period : str or int
        "hour", "day", "week", "month", "quarter", "year", "auto" (the shortest from "day" that
        gives at most 60 periods), or a number of equal periods.

    Returns
    -------
    Groups
        The start of each period, without gaps, and the period of each document.

    Raises
    ------
    InputError
        If no document has a time, the period is unknown, or there are too many periods.

    Examples
    --------
    >>> from datetime import date
    >>> import polars as pl
    >>> from bittern.analysis.periods import period_groups
    >>> groups = period_groups(pl.Series([date(2024, 1, 1), None, date(2024, 3, 1)]), "month")
    >>> groups.codes
    array([ 0, -1,  2])
    """
    check_not_forked()
    known_times(times)
    return plan_periods(times.min(), times.max(), period).groups(times)


class Periods(NamedTuple):
    """Consecutive periods, by their start."""

    starts: pl.Series
    every: str | None
    """Length of a period in Polars' notation; None if they are equal parts of a span."""

    def groups(self, times: pl.Series) -> Groups:
        """Return the period of each time; documents without a time are in no group."""
        if self.every is None:
            numbers = times.cast(pl.Datetime("us"))
            found = self.starts.search_sorted(numbers, "right") - 1
        else:
            found = self.starts.search_sorted(_starts_of(times, self.every))
        codes = np.asarray(found, np.int64)
        codes[times.is_null().to_numpy()] = -1
        return Groups(self.starts, codes)


def plan_periods(first: Any, last: Any, period: str | int = "auto") -> Periods:
    """Return the periods from the first time to the last, without gaps."""
    if is_integer(period):
        return _equal_periods(first, last, int(period))
    if isinstance(period, str) and period == "auto":
        days = (last - first).days
        short = (name for name, n in PERIOD_DAYS.items() if n >= 1 and days / n < MAX_AUTO_PERIODS)
        period = next(short, "year")
    check_choice("period", period, [*PERIODS, "auto"])
    every = PERIODS[str(period)]
    begin, end = _starts_of(pl.Series([first, last]), every)
    if (end - begin) / timedelta(days=PERIOD_DAYS[str(period)]) > MAX_PERIODS:
        raise InputError(
            f'too many periods from {begin} to {end} for period="{period}"; '
            "use a longer period, or check for wrong dates"
        )
    spread = pl.datetime_range if every == PERIODS["hour"] else pl.date_range
    starts = pl.select(spread(pl.lit(begin), pl.lit(end), every).alias("period"))
    return Periods(starts.to_series(), every)


def name_periods(starts: pl.Series) -> str:
    """Return the length of periods in a word; "" if they have another length, or none is known.

    Parameters
    ----------
    starts : polars.Series
        The start of each period, without gaps.

    Returns
    -------
    str
        "hour", "day", "week", "month", "quarter", "year" or "".

    Examples
    --------
    >>> from datetime import date
    >>> import polars as pl
    >>> from bittern.analysis.periods import name_periods
    >>> name_periods(pl.Series([date(2024, 1, 1), date(2024, 4, 1), date(2024, 7, 1)]))
    'quarter'
    """
    if starts.dtype not in (pl.Date, pl.Datetime):
        return ""
    days = {(end - start) / timedelta(days=1) for start, end in pairwise(starts)}
    for name, usual in PERIOD_DAYS.items():
        tolerance = TOLERANCE * usual if name in ("month", "quarter", "year") else 0
        if days and all(abs(n - usual) <= tolerance for n in days):
            return name
    return ""


def label_period(start: date, name: str) -> str:
    """Return a period in figures.

    Parameters
    ----------
    start : date or datetime
        Its start.
    name : str
        Its length, from `name_periods`.

    Returns
    -------
    str
        Such as 2024-Q4 for a quarter, 2024-10-31 14:00 for an hour, and the first day of others.

    Examples
    --------
    >>> from datetime import date
    >>> from bittern.analysis.periods import label_period
    >>> label_period(date(2024, 10, 1), "quarter")
    '2024-Q4'
    """
    if name == "quarter":
        return f"{start.year}-Q{(start.month + 2) // 3}"
    return f"{start:%Y-%m-%d %H:%M}" if name == "hour" else f"{start:%Y-%m-%d}"


def _starts_of(times: pl.Series, every: str) -> pl.Series:
    """Return the start of the period of each time."""
    if every == PERIODS["hour"]:
        return times.cast(pl.Datetime("us")).dt.truncate(every)
    return times.dt.truncate(every).dt.date()


def known_times(times: pl.Series) -> NDArray[np.bool_]:
    """Tell which documents have a time; reject other data than times."""
    if times.dtype not in (pl.Date, pl.Datetime):
        raise InputError(f"times must be dates or datetimes, not {times.dtype}")
    known = times.is_not_null().to_numpy()
    if not known.any():
        raise InputError("no document has a time; give at least one")
    return np.asarray(known)


def _equal_periods(first: Any, last: Any, n: int) -> Periods:
    """Split the time from the first to the last document into n equal periods."""
    check_integer("the number of periods", n, 2)
    if n > MAX_PERIODS:
        raise InputError(f"the number of periods must be at most {MAX_PERIODS}, not {shorten(n)}")
    if first == last:
        raise InputError("all documents have the same time; a timeline needs different times")
    begin, end = pl.Series([first, last]).cast(pl.Datetime("us")).to_physical()
    edges = np.linspace(begin, end, n + 1)[:-1].astype(np.int64)
    return Periods(pl.Series("period", edges).cast(pl.Datetime("us")), None)
