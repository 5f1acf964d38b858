"""Time slices of a corpus or of biterms."""

from typing import Any, TypeVar

import numpy as np
import polars as pl

from bittern.biterms.biterms import Biterms
from bittern.corpus import Corpus
from bittern.errors import InputError

PERIODS = {"hour": "1h", "day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
"""Lengths of periods, in Polars' notation."""

Data = TypeVar("Data", bound=Corpus | Biterms)


def time_slices(data: Data, slices: int | str | None) -> list[tuple[str, Data]]:
    """Split data into named slices: by period, into equal parts, or not at all (None).

    Equal parts follow the times of the documents, or the order of the data if there are none.
    """
    if slices is None:
        return [("", data)]
    times = data.times if isinstance(data, Corpus) else None
    if isinstance(slices, str):
        starts = _period_starts(times, slices)
        parts = {start: np.flatnonzero(starts == start) for start in starts.unique().sort()}
    else:
        order = np.arange(len(data)) if times is None else times.arg_sort().to_numpy()
        parts = {str(i): part for i, part in enumerate(np.array_split(order, slices))}
    whole: Any = data  # indexing returns the same type
    return [(name, whole[part]) for name, part in parts.items() if len(part)]


def _period_starts(times: pl.Series | None, period: str) -> pl.Series:
    """The start of each document's period, as text."""
    if times is None:
        raise InputError(
            f'slices="{period}" needs documents with times; pass times= (--time in the command)'
        )
    if times.null_count():
        row = int(times.is_null().arg_max() or 0)
        raise InputError(f'slices="{period}" needs a time for every document; {row} has none')
    if times.dtype not in (pl.Date, pl.Datetime):
        raise InputError(f'slices="{period}" needs dates or datetimes, not {times.dtype}')
    starts = times.cast(pl.Datetime("us")).dt.truncate(PERIODS[period])
    return starts.dt.strftime("%Y-%m-%dT%H:%M" if period == "hour" else "%Y-%m-%d")
