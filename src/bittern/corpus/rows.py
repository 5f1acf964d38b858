"""The rows of files, batch by batch, with the columns that a corpus needs."""

import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NoReturn

import polars as pl

from bittern._core.forks import check_not_forked
from bittern.corpus.encodings import is_utf8
from bittern.corpus.formats import FileOptions
from bittern.corpus.layout import Layout, find_layout, nested_error
from bittern.corpus.paths import expand_paths
from bittern.corpus.remote import explain_stored, is_served, is_stored
from bittern.corpus.sources import Source, detect_format, explained, open_sources
from bittern.corpus.times import TimeParser
from bittern.errors import EncodingGuessWarning, InputError

CHUNK = 100_000  # rows that are read together
TABLE = "table"  # a column of whole rows

OnGuess = Callable[[str, str], None]
"""Is called with the column that the texts are in, if it was guessed, and what to say about it."""


class _NotUtf8Error(Exception):
    """A file that starts as UTF-8 does not go on like that."""


def _ignore(_: str, __: str) -> None:
    """Do nothing."""


def read_files(
    paths: tuple[str | Path, ...],
    columns: Mapping[str, str | None],
    options: FileOptions,
    keep_table: bool = False,
    note: Callable[[str], None] | None = None,
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
    options : FileOptions
        What the user has set about the files.
    keep_table : bool
        Also yield all columns of the files, as the fields of a column "table".
    note : callable or None
        Tells the user which column was chosen by its values. Later files must have it, too.
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
    named = dict(columns)

    def on_guess(column: str, message: str) -> None:
        named["text"] = column
        if note is not None:
            note(message)

    for path in expand_paths(paths):
        for batch in _read_file(path, dict(named), options, None, keep_table, on_guess, times):
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
    options: FileOptions,
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
    options : FileOptions
        What the user has set about the file.
    rows : tuple of int or None
        First row and number of rows, for formats that `count_rows` can count.
    times : TimeParser or None
        Parses the times, if there is a column with times.

    Yields
    ------
    polars.DataFrame
        The next rows, with columns named by what they are.
    """
    yield from _read_file(path, columns, options, rows, times=times)


def count_rows(path: str, options: FileOptions) -> int | None:
    """Return the number of rows of a file that can be read from the middle, otherwise None.

    Parameters
    ----------
    path : str
        The file.
    options : FileOptions
        What the user has set about the file.

    Returns
    -------
    int or None
        The number of rows of a parquet file that is not compressed as a whole.
    """
    if is_served(path) or not detect_format(path, options)[0].has_row_index:
        return None
    source = next(open_sources(path, options))
    if source.scannable != path:
        return None
    try:
        n_rows = source.format.scan(source.scannable).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        _explain(source, error, options)
    return int(n_rows)


def check_columns(
    path: str, columns: Mapping[str, str | None], options: FileOptions, keep_table: bool = False
) -> list[str]:
    """Return the names of all columns of a file that is not a stream; reject missing ones.

    Parameters
    ----------
    path : str
        The file.
    columns : mapping
        The columns of the file by what they are, as for `read_files`.
    options : FileOptions
        What the user has set about the file.
    keep_table : bool
        Whether all columns are going to be read.

    Returns
    -------
    list of str
        The names.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EncodingGuessWarning)  # follows when the file is read
        return list(_find_first_layout(path, columns, options, keep_table).schema)


def _find_first_layout(
    path: str, columns: Mapping[str, str | None], options: FileOptions, keep_table: bool
) -> Layout:
    """Find the columns to read from a file, judging by its start."""
    try:
        with closing(open_sources(path, options)) as sources:
            return _checked_layout(next(sources), columns, options, keep_table)
    except _NotUtf8Error:
        with closing(open_sources(path, options, converted=True)) as sources:
            return _checked_layout(next(sources), columns, options, keep_table)


def guess_text_column(
    path: str, columns: Mapping[str, str | None], options: FileOptions
) -> tuple[str | None, str]:
    """Return the column that the texts of a file are in if its values tell, and what to say.

    Parameters
    ----------
    path : str
        The file.
    columns : mapping
        The columns of the file by what they are, as for `read_files`.
    options : FileOptions
        What the user has set about the file.

    Returns
    -------
    column : str or None
        The column; None if the user named it, or it is the only one, or called "text".
    message : str
        Which column was chosen.
    """
    layout = _find_first_layout(path, columns, options, False)
    return (layout.columns["text"], layout.note) if layout.note else (None, "")


def _read_file(
    path: str,
    named: Mapping[str, str | None],
    options: FileOptions,
    rows: tuple[int, int] | None = None,
    keep_table: bool = False,
    on_guess: OnGuess = _ignore,
    times: TimeParser | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the texts, times and labels of a file as columns "text", "time" and "label"."""
    check_not_forked()
    n_rows = 0
    try:
        sources = open_sources(path, options)
        for batch in _read_sources(sources, named, options, rows, keep_table, times, on_guess):
            n_rows += batch.height
            yield batch
    except _NotUtf8Error:  # before, it was the same in both encodings
        sources = open_sources(path, options, converted=True)
        batches = _read_sources(sources, named, options, rows, keep_table, times)
        yield from _skip(batches, n_rows)


def _skip(batches: Iterator[pl.DataFrame], n_rows: int) -> Iterator[pl.DataFrame]:
    """Yield batches without the first rows."""
    for batch in batches:
        if n_rows < batch.height:
            yield batch[n_rows:]
        n_rows = max(n_rows - batch.height, 0)


def _read_sources(
    sources: Generator[Source, None, None],
    named: Mapping[str, str | None],
    options: FileOptions,
    rows: tuple[int, int] | None,
    keep_table: bool,
    times: TimeParser | None,
    on_guess: OnGuess = _ignore,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of a file, or of its portions."""
    layout, n_rows = None, 0
    with closing(sources):  # temporary files are removed
        for source in sources:
            if layout is None:
                layout = _checked_layout(source, named, options, keep_table)
                if layout.note:
                    on_guess(layout.columns["text"], layout.note)
            try:
                for batch in _read_source(source, layout, n_rows, rows, times):
                    n_rows += batch.height
                    yield batch
            except (pl.exceptions.PolarsError, OSError, EOFError) as error:
                _explain(source, error, options)


def _checked_layout(
    source: Source, named: Mapping[str, str | None], options: FileOptions, keep_table: bool
) -> Layout:
    """Find the columns to read, and explain what is wrong with the file."""
    try:
        return find_layout(source, named, keep_table)
    except (pl.exceptions.PolarsError, OSError, EOFError) as error:
        _explain(source, error, options)


def _read_source(
    source: Source,
    layout: Layout,
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
            parsed = _parse_times(times, source, batch["time"], columns["time"], row, first_row)
            batch = batch.with_columns(parsed)
        row += batch.height
        yield batch


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


def _parse_times(
    times: TimeParser,
    source: Source,
    values: pl.Series,
    column: str,
    skipped: int,
    first_row: int,
) -> pl.Series:
    """Parse times; errors tell where they are in the file."""

    def row_name(row: int) -> str:
        return source.row_name(skipped + row, first_row)

    return times.parse(values, f'column "{column}"', source.path, row_name)


def _check_plain(
    source: Source, values: pl.Series, column: str, skipped: int, first_row: int
) -> None:
    """Raise InputError if a value was a list or an object before it was read as a string."""
    find = source.format.find_nested
    if find is None:
        return
    row = find(values, column, _skip_rows(source.lines(), skipped))
    if row is not None:
        raise nested_error(source, column, source.row_name(skipped + row, first_row))


def _skip_rows(lines: Iterator[bytes], n: int) -> Iterator[bytes]:
    """Return lines without the first n that are not empty; reads nothing before it is used."""
    rows = (line for line in lines if line.strip())
    return islice(rows, n, None)


def _explain(source: Source, error: Exception, options: FileOptions) -> NoReturn:
    """Raise InputError with the line that made reading fail, and the remedy.

    Raise _NotUtf8Error if the file can be read once it is converted.
    """
    if isinstance(error, pl.exceptions.NoDataError):
        raise InputError(f"{source.path}: the file is empty") from None
    if is_stored(source.path) and (explained_error := explain_stored(source.path, error)):
        raise explained_error from None
    problem = _find_problem(source, options) if source.format.is_text else None
    if problem is None:
        reason = str(error).splitlines()[0]
        problem = f"not a valid {source.format.name} file: {reason}"
        if "utf8" in reason:  # of a column of bytes
            problem = "a column has bytes that are not UTF-8; convert it to strings"
    raise InputError(f"{source.path}: {problem}") from None


def _find_problem(source: Source, options: FileOptions) -> str | None:
    """Describe the first line that is not UTF-8 or not valid in the format."""
    diagnose = source.format.diagnose
    with explained(source.path, source.compression):
        line = _find_other_encoding(source.lines(source.n_lines_before))
        if line is not None:
            if options.encoding is None and not source.is_portion:
                raise _NotUtf8Error from None
            return f"line {line} is not UTF-8; set another encoding, or none to detect it"
        if diagnose is None:
            return None
        return diagnose(line.decode() for line in source.lines(source.n_lines_before))


def _find_other_encoding(lines: Iterator[bytes]) -> int | None:
    """Return the number of the first line that is not UTF-8."""
    return next((number for number, line in enumerate(lines, 1) if not is_utf8(line)), None)
