"""Periods of time that documents belong to."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.validation import check_choice, check_integer, is_integer, shorten
from bittern.analysis.groups import Groups
from bittern.errors import InputError

PERIODS = {"day": "1d", "week": "1w", "month": "1mo", "year": "1y"}
PERIOD_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
MAX_AUTO_PERIODS = 60
MAX_PERIODS = 2000


def period_groups(times: pl.Series, period: str | int = "auto") -> Groups:
    """Group documents by period; documents without a time are in no group.

    Parameters
    ----------
    times : polars.Series
        The date or datetime of each document; null if it has none.
    period : str or int
        "day", "week", "month", "year", "auto" (the shortest that gives at most 60 periods), or a
        number of equal periods.

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
            found = self.starts.search_sorted(times.dt.truncate(self.every).dt.date())
        codes = np.asarray(found, np.int64)
        codes[times.is_null().to_numpy()] = -1
        return Groups(self.starts, codes)


def plan_periods(first: Any, last: Any, period: str | int = "auto") -> Periods:
    """Return the periods from the first time to the last, without gaps."""
    if is_integer(period):
        return _equal_periods(first, last, int(period))
    if isinstance(period, str) and period == "auto":
        days = (last - first).days
        short = (name for name, n in PERIOD_DAYS.items() if days / n < MAX_AUTO_PERIODS)
        period = next(short, "year")
    check_choice("period", period, [*PERIODS, "auto"])
    every = PERIODS[str(period)]
    begin, end = pl.Series([first, last]).dt.truncate(every).dt.date()
    if (end - begin).days / PERIOD_DAYS[str(period)] > MAX_PERIODS:
        raise InputError(
            f'too many periods from {begin} to {end} for period="{period}"; '
            "use a longer period, or check for wrong dates"
        )
    starts = pl.select(pl.date_range(pl.lit(begin), pl.lit(end), every).alias("period"))
    return Periods(starts.to_series(), every)


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
