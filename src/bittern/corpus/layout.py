"""Which columns of a file to read."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from bittern._core.validation import check_text
from bittern.corpus.sources import Source
from bittern.corpus.text_column import MAX_COLUMNS, SAMPLE, find_text_columns, list_columns
from bittern.errors import InputError

MAX_NAMES, NAME_SIZE = 20, 50  # columns in messages, and the characters of their names
CHOOSE = "with --text or, in Python, text="


class Layout(NamedTuple):
    """The columns to read from a file, which all of its portions have."""

    columns: dict[str, str]
    """The columns by what they are: "text", "time" or "label"."""
    schema: Mapping[str, pl.DataType]
    """The types of all columns to read, for formats that infer them from a sample."""
    keeps_rows: bool
    note: str = ""
    """What the user should know if the column with the texts was guessed."""


def find_layout(source: Source, named: Mapping[str, str | None], keep_table: bool) -> Layout:
    """Find the columns to read, and check them."""
    schema = source.format.scan(source.scannable).collect_schema()
    available, note = schema.names(), ""
    columns = {name: column for name, column in named.items() if column is not None}
    for column in columns.values():
        check_text("the name of a column", column)
    if named.get("text", "") is None:
        others = [name for name in available if name not in columns.values()]
        columns["text"], note = _text_column(source, schema, others)
    for column in columns.values():
        _check_column(source, available, column)
        _check_type(source, column, schema[column])
    strings = dict.fromkeys(columns.values(), pl.String())
    return Layout(columns, (schema | strings) if keep_table else strings, keep_table, note)


def _text_column(source: Source, schema: pl.Schema, names: list[str]) -> tuple[str, str]:
    """Return the column with the texts if the user did not name it, and what to say about it."""
    if "text" in names:
        return "text", ""
    _check_columns(source)
    if len(schema) == 1:
        return schema.names()[0], ""
    sample = _read_sample(source, schema, names[:MAX_COLUMNS])
    used = [column.name for column in sample if column.null_count() < len(column)]
    found = used if len(used) == 1 else find_text_columns(sample)
    if len(found) == 1 and len(names) <= MAX_COLUMNS:
        name = " ".join(found[0].split())[:NAME_SIZE]
        return found[0], f'{source.path}: the texts are in column "{name}"; choose another {CHOOSE}'
    if found:
        raise InputError(
            f"{source.path} has several columns with texts; choose one {CHOOSE}: "
            f"{list_columns(sample, found)}"
        )
    raise InputError(
        f"{source.path} has several columns; choose the text column {CHOOSE}: "
        f"{list_columns(sample, names)}"
    )


def _read_sample(source: Source, schema: pl.Schema, names: list[str]) -> pl.DataFrame:
    """Return the first rows of the columns with plain values."""
    plain = [name for name in names if not schema[name].is_nested()]
    return source.format.scan(source.scannable).select(plain).head(SAMPLE).collect()


def _check_column(source: Source, available: list[str], column: str) -> None:
    """Raise InputError if there is no such column, or more than one."""
    if f"{column}_duplicated_0" in available:  # as Polars renames the second one
        raise InputError(f'{source.path} has several columns "{column}"; rename all but one')
    if column in available:
        return
    _check_columns(source)
    if source.format.has_columns:
        reason = f"available columns: {_list_names(available)}"
    else:
        reason = f"a {source.format.name} file has only texts, one per line"
    raise InputError(f'column "{column}" not found in {source.path}; {reason}')


def _check_columns(source: Source) -> None:
    """Raise InputError if the columns show what is wrong with the file."""
    check = source.format.check_columns
    problem = None if check is None else check()
    if problem is not None:
        raise InputError(f"{source.path}: {problem}")


def _check_type(source: Source, column: str, dtype: pl.DataType) -> None:
    """Raise InputError for a column of lists or objects."""
    if dtype.is_nested():
        raise nested_error(source, column)


def nested_error(source: Source, column: str, row_name: str | None = None) -> InputError:
    """Return the error for values that are lists or objects."""
    where = "" if row_name is None else f" in {row_name}"
    return InputError(
        f'{source.path}: column "{column}" has lists or objects{where}, not plain values; '
        "choose another column, or write its texts to a column of their own"
    )


def _list_names(names: list[str]) -> str:
    """Return the first names of a list, shortened, and the number of the others."""
    shown = ", ".join(" ".join(name.split())[:NAME_SIZE] for name in names[:MAX_NAMES])
    n_more = len(names) - MAX_NAMES
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown
