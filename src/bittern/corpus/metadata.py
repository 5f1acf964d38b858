"""Columns from the user: texts, and the times and labels of documents."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.validation import check_list, check_text, is_unicode, quote, shorten
from bittern.corpus.times import TIME_HINT, TimeParser, has_clock, name_row
from bittern.errors import InputError


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


def parse_times(
    values: Iterable[object] | None, n: int, time_format: str | None = None
) -> pl.Series | None:
    """Return the times of n documents: dates, datetimes, strings, or seconds since 1970.

    Strings without a time of day become dates. Strings with a time zone become UTC.
    """
    parser = TimeParser(time_format)
    if values is None:
        return None
    column = _check_length(as_times(values), n, "times")
    if column.dtype != pl.String:
        return column
    times = parser.resolve([parser.parse(column, "times")])
    return times if has_clock(column, time_format) else times.cast(pl.Date)


def as_times(values: Iterable[object]) -> pl.Series:
    """Return a column of dates, datetimes or strings; seconds since 1970 become strings."""
    items = _as_items("times", values)
    try:
        column = _as_column(items)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise _mixed_times_error(items) from None
    if column.null_count() == len(column):
        return column.cast(pl.Date)
    if column.dtype.is_integer():
        return column.cast(pl.String)
    if column.dtype not in (pl.Date, pl.Datetime, pl.String):
        row = int(column.is_not_null().arg_max() or 0)
        raise _time_error(column.to_list()[row], row)
    return column


def _time_error(value: object, row: int) -> InputError:
    """Return the error for a value that is not a time; rows are counted from 0."""
    return InputError(
        f"{quote(value)} in {name_row(row)} of times is not a valid date or time; {TIME_HINT}"
    )


def _mixed_times_error(items: Iterable[object]) -> InputError:
    """Return the error for times that Polars cannot put into one column."""
    for row, value in enumerate(items):
        is_time = isinstance(value, str | date | np.datetime64)
        if not (is_missing(value) or is_time) or (isinstance(value, str) and not is_unicode(value)):
            return _time_error(value, row)
    return InputError(
        "times mix dates, datetimes and strings; use one type for all, such as strings"
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
