"""Columns that people give: texts, and the times and labels beside them."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl

from bittern.errors import InputError


def strings(texts: Iterable[str | None]) -> pl.Series:
    """Texts as a column; what is missing is null."""
    if isinstance(texts, str):
        raise InputError("texts must be a list of texts, not one text")
    if isinstance(texts, pl.Series):
        return texts.cast(pl.String)
    items = [None if is_missing(text) else text for text in texts]
    for row, item in enumerate(items):
        if not (item is None or isinstance(item, str)):
            raise InputError(f"text {row} is not a string but {type(item).__name__}: {item!r}")
    try:
        return pl.Series(items, dtype=pl.String)
    except UnicodeEncodeError:
        row = next(i for i, item in enumerate(items) if item and not _is_encodable(item))
        raise InputError(f"text {row} is not Unicode: it has half of a surrogate pair") from None


def is_missing(value: Any) -> bool:
    """Whether this stands for a missing text: None, or what pandas has for it."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and value != value)
    )


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_times(values: Iterable[Any] | None, n: int) -> pl.Series | None:
    """The times of n documents: dates, datetimes, or strings such as 2024-05-31."""
    if values is None:
        return None
    with suppress(TypeError, OverflowError, pl.exceptions.PolarsError):
        column = _column(values)
        if column.null_count() == len(column):
            column = column.cast(pl.Date)
        if column.dtype == pl.String:
            column = _parsed(column)
        if column.dtype in (pl.Date, pl.Datetime):
            return _fitting(column, n, "times")
    raise InputError("times must be dates or datetimes, or strings such as 2024-05-31")


def _parsed(column: pl.Series) -> pl.Series:
    try:
        return column.str.to_date()
    except pl.exceptions.PolarsError:
        return column.str.to_datetime()


def parse_labels(values: Iterable[Any] | None, n: int) -> pl.Series | None:
    """The labels of n documents; those of different kinds become strings."""
    if values is None:
        return None
    try:
        column = _column(values)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        column = _column([None if is_missing(value) else str(value) for value in values])
    return _fitting(column, n, "labels")


def _column(values: Iterable[Any]) -> pl.Series:
    if isinstance(values, pl.Series):
        return values
    if isinstance(values, np.ndarray) and values.dtype != object:
        return pl.Series(values, nan_to_null=True)
    return pl.Series([None if is_missing(value) else value for value in values])


def _fitting(column: pl.Series, n: int, name: str) -> pl.Series:
    if len(column) != n:
        raise InputError(f"{n} documents but {len(column)} {name}")
    return column
