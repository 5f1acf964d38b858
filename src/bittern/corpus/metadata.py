"""Columns from the user: texts, and the times and labels of documents."""

from collections.abc import Iterable
from datetime import date

import numpy as np
import polars as pl

from bittern._core.forks import check_not_forked
from bittern._core.validation import is_unicode
from bittern.errors import InputError

TIME_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y/%m/%d", "%d.%m.%Y")
ZONED_TIME_FORMATS = ("%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%dT%H:%M%z")
DATE_PATTERN = r"^\d+[-/.]\d+[-/.]\d+$"
EPOCH_PATTERN = r"^\d{9,11}$"  # seconds since 1970, from 1973 to 5138
TIME_HINT = "use 2024-05-31 or 2024-05-31T12:00"


def parse_texts(texts: Iterable[str | None]) -> pl.Series:
    """Return texts as a column of strings; missing texts are null."""
    if isinstance(texts, str):
        raise InputError("texts must be a list of texts, not a single string")
    if isinstance(texts, pl.Series):
        return texts.cast(pl.String)
    items = [None if is_missing(text) else text for text in texts]
    for row, item in enumerate(items):
        if not (item is None or isinstance(item, str)):
            raise InputError(f"text {row} is not a string but {type(item).__name__}: {item!r}")
    try:
        return pl.Series(items, dtype=pl.String)
    except UnicodeEncodeError:
        row = next(i for i, item in enumerate(items) if item and not is_unicode(item))
        raise InputError(
            f"text {row} is not valid Unicode; remove its unpaired surrogate"
        ) from None


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, or pandas' NA and NaT."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and value != value)
    )


def parse_times(values: Iterable[object] | None, n: int) -> pl.Series | None:
    """Return the times of n documents: dates, datetimes, strings, or seconds since 1970.

    Strings that are all dates become dates. Strings with a time zone become UTC.
    """
    if values is None:
        return None
    items = values if isinstance(values, pl.Series | np.ndarray) else list(values)
    try:
        column = _as_column(items)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        raise _mixed_times_error(items) from None
    if column.null_count() == len(column):
        column = column.cast(pl.Date)
    elif column.dtype == pl.String or column.dtype.is_integer():
        strings = column.cast(pl.String)
        column = _parse_time_strings(strings, "times")
        if strings.drop_nulls().str.contains(DATE_PATTERN).all():
            column = column.cast(pl.Date)
    elif column.dtype not in (pl.Date, pl.Datetime):
        row = int(column.is_not_null().arg_max() or 0)
        raise _time_error(column.to_list()[row], row, "times")
    return _check_length(column, n, "times")


def parse_time_column(
    values: pl.Series, column: str, prefix: str = "", first_row: int = 0
) -> pl.Series:
    """Return times of a file as datetimes without a zone (UTC).

    Accepts what `parse_times` accepts. Errors start with `prefix` and count rows from `first_row`.
    """
    if values.dtype in (pl.Date, pl.Datetime):
        return values.cast(pl.Datetime("us"))
    return _parse_time_strings(values.cast(pl.String), f'column "{column}"', prefix, first_row)


def _parse_time_strings(
    strings: pl.Series, name: str, prefix: str = "", first_row: int = 0
) -> pl.Series:
    """Parse dates, times, and seconds since 1970 with 9 to 11 digits; each value by itself."""
    check_not_forked()
    normalized = strings.str.replace(r"^(\S+) (\S)", "${1}T$2").str.replace("Z$", "+0000")
    times = pl.col("time").str
    seconds = pl.when(times.contains(EPOCH_PATTERN)).then("time").cast(pl.Int64, strict=False)
    parsers = [
        pl.from_epoch(seconds).cast(pl.Datetime("us")),
        *(times.to_datetime(format, time_unit="us", strict=False) for format in TIME_FORMATS),
        *(
            times.to_datetime(format, time_unit="us", strict=False).dt.replace_time_zone(None)
            for format in ZONED_TIME_FORMATS
        ),
    ]
    parsed = normalized.to_frame("time").select(pl.coalesce(parsers)).to_series()
    invalid = parsed.is_null() & strings.is_not_null()
    if invalid.any():
        row = int(invalid.arg_max() or 0)
        raise _time_error(strings[row], first_row + row, name, prefix)
    return parsed.alias(strings.name)


def _time_error(value: object, row: int, name: str, prefix: str = "") -> InputError:
    """Return the error for a value that is not a time; rows are counted from 1."""
    return InputError(
        f'{prefix}"{value}" in row {row + 1} of {name} is not a valid date or time; {TIME_HINT}'
    )


def _mixed_times_error(items: Iterable[object]) -> InputError:
    """Return the error for times that Polars cannot put into one column."""
    for row, value in enumerate(items):
        if not (is_missing(value) or isinstance(value, str | date | np.datetime64)):
            return _time_error(value, row, "times")
    return InputError(
        f"times mix dates, datetimes and strings; use one type for all, or strings: {TIME_HINT}"
    )


def parse_labels(values: Iterable[object] | None, n: int) -> pl.Series | None:
    """Return the labels of n documents; labels of mixed types become strings."""
    if values is None:
        return None
    items = values if isinstance(values, pl.Series | np.ndarray) else list(values)
    try:
        column = _as_column(items)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        column = _as_column([None if is_missing(value) else str(value) for value in items])
    return _check_length(column, n, "labels")


def _as_column(values: Iterable[object]) -> pl.Series:
    """Return values as a column; missing values are null."""
    if isinstance(values, pl.Series):
        return values
    if isinstance(values, np.ndarray) and values.dtype != object:
        return pl.Series(values, nan_to_null=True)
    return pl.Series([None if is_missing(value) else value for value in values])


def _check_length(column: pl.Series, n: int, name: str) -> pl.Series:
    """Return the column if it has n values, one for each document."""
    if len(column) != n:
        raise InputError(f"{n} documents but {len(column)} {name}; give one for each document")
    return column
