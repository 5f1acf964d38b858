"""The rows of files, batch by batch, with the columns that a corpus needs."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn

import polars as pl

from bittern._core.forks import check_not_forked
from bittern._core.validation import check_text
from bittern.corpus.paths import expand_paths
from bittern.corpus.remote import explain_stored, is_served, is_stored
from bittern.corpus.sources import Source, explained, open_sources
from bittern.corpus.times import TimeParser, name_row
from bittern.errors import InputError

CHUNK = 100_000  # rows that are read together
TABLE = "table"  # a column of whole rows
MAX_NAMES, NAME_SIZE = 20, 50  # columns in messages, and the characters of their names


class _Layout(NamedTuple):
    """The columns to read from a file, which all of its portions have."""

    columns: dict[str, str]
    """The columns by what they are: "text", "time" or "label"."""
    schema: Mapping[str, pl.DataType]
    """The types of all columns to read, for formats that infer them from a sample."""
    keeps_rows: bool


def read_files(
    paths: tuple[str | Path, ...],
    columns: Mapping[str, str | None],
    format: str | None,
    keep_table: bool = False,
    times: TimeParser | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of several files in batches.

    Parameters
    ----------
    paths : tuple of str or Path
        Files or patterns.
    columns : mapping
        The columns of the files by what they are: "text", "time" or "label". The column with the
        texts may be None, as for `read`.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    keep_table : bool
        Also yield all columns of the files, as the fields of a column "table".
    times : TimeParser or None
        Parses the times, if there is a column with times.

    Yields
    ------
    polars.DataFrame
        The next rows, with columns named by what they are.

    Raises
    ------
    InputError
        If a file cannot be read, or a column or a time is not valid.
    """
    kept, first_path = None, ""
    for path in expand_paths(paths):
        for batch in _read_file(path, columns, format, None, keep_table, times):
            if keep_table:
                fields = batch[TABLE].struct.schema
                if kept is None:
                    kept, first_path = fields, path
                elif fields != kept:
                    raise _other_columns(path, fields, first_path, kept)
            yield batch


def read_columns(
    path: str,
    columns: Mapping[str, str | None],
    format: str | None,
    rows: tuple[int, int] | None = None,
    times: TimeParser | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield columns of a file in batches.

    Parameters
    ----------
    path : str
        The file.
    columns : mapping
        The columns of the file by what they are, as for `read_files`.
    format : str or None
        Format of the file, if it cannot be inferred from its name.
    rows : tuple of int or None
        First row and number of rows, for formats that `count_rows` can count.
    times : TimeParser or None
        Parses the times, if there is a column with times.

    Yields
    ------
    polars.DataFrame
        The next rows, with columns named by what they are.
    """
    yield from _read_file(path, columns, format, rows, times=times)


def count_rows(path: str, format: str | None = None) -> int | None:
    """Return the number of rows of a file that can be read from the middle, otherwise None.

    Parameters
    ----------
    path : str
        The file.
    format : str or None
        Format of the file, if it cannot be inferred from its name.

    Returns
    -------
    int or None
        The number of rows of a parquet file that is not compressed as a whole.
    """
    if is_served(path):
        return None
    source = next(open_sources(path, format))
    if not source.format.has_row_index or source.scannable != path:
        return None
    try:
        n_rows = source.format.scan(source.scannable).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        _explain(source, error)
    return int(n_rows)


def check_columns(
    path: str, columns: Mapping[str, str | None], format: str | None, keep_table: bool = False
) -> list[str]:
    """Return the names of all columns of a file that is not a stream; reject missing ones.

    Parameters
    ----------
    path : str
        The file.
    columns : mapping
        The columns of the file by what they are, as for `read_files`.
    format : str or None
        Format of the file, if it cannot be inferred from its name.
    keep_table : bool
        Whether all columns are going to be read.

    Returns
    -------
    list of str
        The names.
    """
    source = next(open_sources(path, format))
    try:
        return list(_find_layout(source, columns, keep_table).schema)
    except (pl.exceptions.PolarsError, OSError, EOFError) as error:
        _explain(source, error)


def _read_file(
    path: str,
    named: Mapping[str, str | None],
    format: str | None,
    rows: tuple[int, int] | None = None,
    keep_table: bool = False,
    times: TimeParser | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the texts, times and labels of a file as columns "text", "time" and "label"."""
    check_not_forked()
    layout, n_rows = None, 0
    for source in open_sources(path, format):
        try:
            layout = layout or _find_layout(source, named, keep_table)
            for batch in _read_source(source, layout, n_rows, rows, times):
                n_rows += batch.height
                yield batch
        except (pl.exceptions.PolarsError, OSError, EOFError) as error:
            _explain(source, error, n_rows)


def _find_layout(source: Source, named: Mapping[str, str | None], keep_table: bool) -> _Layout:
    """Find the columns to read, and check them."""
    schema = source.format.scan(source.scannable).collect_schema()
    available = schema.names()
    columns = {
        name: _text_column(source, available) if column is None else column
        for name, column in named.items()
    }
    for column in columns.values():
        check_text("the name of a column", column)
        _check_column(source, available, column)
        _check_type(source, column, schema[column])
    strings = dict.fromkeys(columns.values(), pl.String())
    return _Layout(columns, (schema | strings) if keep_table else strings, keep_table)


def _read_source(
    source: Source,
    layout: _Layout,
    first_row: int,
    rows: tuple[int, int] | None,
    times: TimeParser | None,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of a file, or of a portion whose first row has this number in the file."""
    format, columns = source.format, layout.columns
    if format.scan_typed is not None:
        frame = format.scan_typed(source.scannable, layout.schema)
    else:
        frame = format.scan(source.scannable)
    selected = frame.select(
        *(
            pl.col(column).alias(name)
            if name == "time"
            else pl.col(column).cast(pl.String).alias(name)
            for name, column in columns.items()
        ),
        *([pl.struct(pl.all()).alias(TABLE)] if layout.keeps_rows else []),
    )
    if rows is not None:
        selected = selected.slice(*rows)
    flags = pl.QueryOptFlags(projection_pushdown=not format.reads_whole_rows)
    row = 0
    for batch in selected.collect_batches(
        chunk_size=CHUNK, maintain_order=True, optimizations=flags
    ):
        for name, column in columns.items():
            if name != "time":
                _check_plain(source, batch[name], column, row, first_row)
        if times is not None:
            parsed = _parse_times(times, source, batch["time"], columns["time"], first_row + row)
            batch = batch.with_columns(parsed)
        row += batch.height
        yield batch


def _parse_times(
    times: TimeParser, source: Source, values: pl.Series, column: str, first_row: int
) -> pl.Series:
    """Parse the times of a batch that starts at this row of the file."""
    return times.parse(
        values, f'column "{column}"', source.path, lambda row: name_row(first_row + row)
    )


def _other_columns(
    path: str, fields: Mapping[str, object], first_path: str, expected: Mapping[str, object]
) -> InputError:
    """Return the error for files whose rows do not fit into one table."""
    different = [name for name in [*fields, *expected] if fields.get(name) != expected.get(name)]
    problem = (
        f'column "{different[0]}" differs' if different else "the columns are in another order"
    )
    return InputError(
        f"{path} does not have the same columns as {first_path} ({problem}); "
        "files whose columns are kept must have the same ones"
    )


def _text_column(source: Source, available: list[str]) -> str:
    """Return the column with the texts if the user did not name it."""
    if "text" in available:
        return "text"
    _check_columns(source, available)
    if len(available) != 1:
        raise InputError(
            f"{source.path} has several columns; choose the text column with --text or, in "
            f"Python, text=: {_list_names(available)}"
        )
    return available[0]


def _check_column(source: Source, available: list[str], column: str) -> None:
    """Raise InputError if there is no such column, or more than one."""
    if f"{column}_duplicated_0" in available:  # as Polars renames the second one
        raise InputError(f'{source.path} has several columns "{column}"; rename all but one')
    if column in available:
        return
    _check_columns(source, available)
    if source.format.has_columns:
        reason = f"available columns: {_list_names(available)}"
    else:
        reason = f"a {source.format.name} file has only texts, one per line"
    raise InputError(f'column "{column}" not found in {source.path}; {reason}')


def _check_columns(source: Source, available: list[str]) -> None:
    """Raise InputError if the columns show what is wrong with the file."""
    check = source.format.check_columns
    problem = None if check is None else check(available, source.first_lines())
    if problem is not None:
        raise InputError(f"{source.path}: {problem}")


def _check_type(source: Source, column: str, dtype: pl.DataType) -> None:
    """Raise InputError for a column of lists or objects."""
    if dtype.is_nested():
        raise _nested_error(source, column)


def _check_plain(
    source: Source, values: pl.Series, column: str, skipped: int, first_row: int
) -> None:
    """Raise InputError if a value was a list or an object before it was read as a string."""
    find = source.format.find_nested
    if find is None:
        return
    row = find(values, column, _skip_rows(source.lines(), skipped))
    if row is not None:
        raise _nested_error(source, column, first_row + skipped + row)


def _skip_rows(lines: Iterator[bytes], n: int) -> Iterator[bytes]:
    """Return lines without the first n that are not empty; reads nothing before it is used."""
    rows = (line for line in lines if line.strip())
    return islice(rows, n, None)


def _nested_error(source: Source, column: str, row: int | None = None) -> InputError:
    """Return the error for values that are lists or objects; rows are counted from 1."""
    where = "" if row is None else f" in row {row + 1}"
    return InputError(
        f'{source.path}: column "{column}" has lists or objects{where}, not plain values; '
        "choose another column, or write its texts to a column of their own"
    )


def _list_names(names: list[str]) -> str:
    """Return the first names of a list, shortened, and the number of the others."""
    shown = ", ".join(" ".join(name.split())[:NAME_SIZE] for name in names[:MAX_NAMES])
    n_more = len(names) - MAX_NAMES
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown


def _explain(source: Source, error: Exception, n_rows: int = 0) -> NoReturn:
    """Raise InputError with the line or row that made reading fail, and the remedy."""
    if isinstance(error, pl.exceptions.NoDataError):
        raise InputError(f"{source.path}: the file is empty") from None
    if is_stored(source.path) and (explained_error := explain_stored(source.path, error)):
        raise explained_error from None
    problem = _find_problem(source, n_rows) if source.format.is_text else None
    if problem is None:
        reason = str(error).splitlines()[0]
        problem = f"not a valid {source.format.name} file: {reason}"
        if "utf8" in reason:  # of a column of bytes
            problem = "a column has bytes that are not UTF-8; convert it to strings"
    raise InputError(f"{source.path}: {problem}") from None


def _find_problem(source: Source, n_rows: int) -> str | None:
    """Describe the first line that is not UTF-8 or not valid in the format."""
    diagnose = source.format.diagnose
    with explained(source.path, source.compression):
        problem = _find_encoding_problem(source.lines(source.n_lines_before))
        if problem is None and diagnose is not None:
            n_before = n_rows if source.format.has_quotes else source.n_lines_before
            problem = diagnose(line.decode() for line in source.lines(n_before))
    return problem


def _find_encoding_problem(lines: Iterator[bytes]) -> str | None:
    """Describe the first line that is not UTF-8."""
    for number, line in enumerate(lines, start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return (
                f"line {number} is not UTF-8 (byte 0x{line[error.start]:02x}); "
                "convert the file, for example with iconv -f latin1 -t utf-8"
            )
    return None
