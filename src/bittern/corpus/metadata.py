"""Columns from the user: texts, and the times and labels of documents."""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.validation import check_list, check_text, is_unicode, quote, shorten
from bittern.errors import InputError

TIME_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y/%m/%d", "%d.%m.%Y")
ZONED_TIME_FORMATS = ("%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%dT%H:%M%z")
DATE_PATTERN = r"^\d+[-/.]\d+[-/.]\d+$"
EPOCH_PATTERN = r"^\d{9,11}$"  # seconds since 1970, from 1973 to 5138
TIME_HINT = "use 2024-05-31 or 2024-05-31T12:00"

RowName = Callable[[int], str]
"""Returns what to call a row in messages; rows are counted from 0."""


def parse_texts(texts: Iterable[str | None]) -> pl.Series:
    """Return texts as a column of strings; missing texts are null."""
    if isinstance(texts, str):
        raise InputError("texts must be a list of texts, not a single string")
    if isinstance(texts, pl.Series):
        return _as_strings(texts)
    items = [None if is_missing(text) else text for text in check_list("texts", texts)]
    for row, item in enumerate(items):
        if not (item is None or isinstance(item, str)):
            kind = type(item).__name__
            raise InputError(f"text {row} is not a string but {kind}: {shorten(item)}")
    try:
        return pl.Series(items, dtype=pl.String)
    except UnicodeEncodeError:
        row = next(i for i, item in enumerate(items) if item and not is_unicode(item))
        raise InputError(
            f"text {row} is not valid Unicode; remove its unpaired surrogate"
        ) from None


def _as_strings(texts: pl.Series) -> pl.Series:
    """Return a column of plain values as strings."""
    if texts.dtype.is_nested() or texts.dtype == pl.Object:
        raise InputError(f"texts must be strings, not {texts.dtype}; join lists to texts first")
    try:
        return texts.cast(pl.String)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"texts must be strings, not {texts.dtype}: {reason}") from None


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
    items = _as_items("times", values)
    try:
        column = _as_column(items)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
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
    values: pl.Series, column: str, prefix: str = "", row_name: RowName = "row {}".format
) -> pl.Series:
    """Return times of a file as datetimes without a zone (UTC).

    Accepts what `parse_times` accepts. Errors start with `prefix`.
    """
    if values.dtype in (pl.Date, pl.Datetime):
        return values.cast(pl.Datetime("us"))
    return _parse_time_strings(values.cast(pl.String), f'column "{column}"', prefix, row_name)


def _parse_time_strings(
    strings: pl.Series, name: str, prefix: str = "", row_name: RowName = "row {}".format
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
        raise _time_error(strings[row], row, name, prefix, row_name)
    return parsed.alias(strings.name)


def _time_error(
    value: object, row: int, name: str, prefix: str = "", row_name: RowName = "row {}".format
) -> InputError:
    """Return the error for a value that is not a time."""
    return InputError(
        f"{prefix}{quote(value)} in {row_name(row)} of {name} is not a valid date or time; "
        f"{TIME_HINT}"
    )


def _mixed_times_error(items: Iterable[object]) -> InputError:
    """Return the error for times that Polars cannot put into one column."""
    for row, value in enumerate(items):
        is_time = isinstance(value, str | date | np.datetime64)
        if not (is_missing(value) or is_time) or (isinstance(value, str) and not is_unicode(value)):
            return _time_error(value, row, "times")
    return InputError(
        f"times mix dates, datetimes and strings; use one type for all, or strings: {TIME_HINT}"
    )


def parse_labels(values: Iterable[object] | None, n: int) -> pl.Series | None:
    """Return the labels of n documents; labels of mixed types become strings.

    A column of a data frame keeps its name.
    """
    if values is None:
        return None
    name = getattr(values, "name", None)
    items = _as_items("labels", values)
    try:
        column = _as_column(items)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        column = _as_column(_label_names(items))
    if column.dtype.is_nested() or column.dtype == pl.Object:
        column = _as_column(_label_names(column))
    column = _check_length(column, n, "labels")
    return column.alias(name) if isinstance(name, str) and is_unicode(name) else column


def _label_names(labels: Iterable[object]) -> list[str | None]:
    """Return labels of any types as strings."""
    names = [None if is_missing(label) else str(label) for label in labels]
    for name in names:
        if name is not None:
            check_text("a label", name)
    return names


def _as_items(name: str, values: Iterable[object]) -> pl.Series | NDArray[Any] | list[Any]:
    """Return the values of a column, those of a series or an array unchanged."""
    if isinstance(values, pl.Series) or (isinstance(values, np.ndarray) and values.ndim == 1):
        return values
    return check_list(name, values)


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
