"""Periods of time that documents belong to."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.validation import check_integer, is_integer
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
    known = known_times(times)
    starts, known_codes = _split(times.filter(pl.Series(known)), period)
    codes = np.full(len(times), -1)
    codes[known] = known_codes
    return Groups(starts, codes)


def known_times(times: pl.Series) -> NDArray[np.bool_]:
    """Tell which documents have a time; reject other data than times."""
    if times.dtype not in (pl.Date, pl.Datetime):
        raise InputError(f"times must be dates or datetimes, not {times.dtype}")
    known = times.is_not_null().to_numpy()
    if not known.any():
        raise InputError("no document has a time; give at least one")
    return np.asarray(known)


def _split(times: pl.Series, period: str | int) -> tuple[pl.Series, NDArray[np.int64]]:
    """Return the start of each period, without gaps, and the period of each time."""
    if is_integer(period):
        return _equal_periods(times, int(period))
    if period == "auto":
        days = _days(times)
        short = (name for name, n in PERIOD_DAYS.items() if days / n < MAX_AUTO_PERIODS)
        period = next(short, "year")
    if period not in PERIODS:
        raise InputError(f'unknown period "{period}"; choose from {", ".join(PERIODS)}, auto')
    every = PERIODS[str(period)]
    dates = times.dt.truncate(every).dt.date().alias("period")
    if _days(dates) / PERIOD_DAYS[str(period)] > MAX_PERIODS:
        raise InputError(
            f'too many periods from {dates.min()!s} to {dates.max()!s} for period="{period}"; '
            "use a longer period, or check for wrong dates"
        )
    first, last = pl.lit(dates.min()), pl.lit(dates.max())
    starts = pl.select(pl.date_range(first, last, every).alias("period")).to_series()
    return starts, np.asarray(starts.search_sorted(dates), np.int64)


def _equal_periods(times: pl.Series, n: int) -> tuple[pl.Series, NDArray[np.int64]]:
    """Split the time from the first to the last document into n equal periods."""
    check_integer("the number of periods", n, 2)
    if n > MAX_PERIODS:
        raise InputError(f"the number of periods must be at most {MAX_PERIODS}, not {n}")
    if times.min() == times.max():
        raise InputError("all documents have the same time; a timeline needs different times")
    numbers = times.cast(pl.Datetime("us")).to_physical().to_numpy()
    edges = np.linspace(numbers.min(), numbers.max(), n + 1)
    codes = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, n - 1)
    return pl.Series("period", edges[:-1].astype(np.int64)).cast(pl.Datetime("us")), codes


def _days(times: pl.Series) -> int:
    """Return the number of days from the first to the last time."""
    return int((times.max() - times.min()).days)  # type: ignore[operator, union-attr]
