"""The contract of a file format.

Modules of formats import Polars inside their functions: the command line lists the formats in its
help, which must not wait for Polars.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import polars as pl

Scannable = str | io.BytesIO
"""What Polars can scan: the path of a file, or its contents."""

Sink = Callable[["pl.LazyFrame", BinaryIO], object]
"""Writes rows in order."""


@dataclass(frozen=True)
class FileOptions:
    """What a user has set about the files to read; None is found out from each file."""

    format: str | None = None
    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None


@dataclass(frozen=True)
class Format:
    """A file format: how to read it, write it, and explain what is wrong with a file."""

    name: str
    suffixes: tuple[str, ...]
    """File name suffixes, such as ".jsonl", the usual one first."""
    scan: Callable[[Scannable], "pl.LazyFrame"]
    """Read a file lazily, with all columns."""
    sink: Sink | None = None
    """None if tables cannot be written in this format."""
    scan_typed: Callable[[Scannable, Mapping[str, "pl.DataType"]], "pl.LazyFrame"] | None = None
    """Read only these columns, as these types; for formats whose `scan` infers them from a sample.
    """
    is_text: bool = True
    """Whether files must be UTF-8 text, which Polars decompresses itself."""
    has_columns: bool = True
    """Whether files have named columns; if not, `scan` calls the only one "text"."""
    adapt: Callable[[Scannable, Sequence[str], FileOptions], "Format"] | None = None
    """Return the format of one file, given what to scan, its first lines, and what the user set."""
    n_header_records: int = 0
    """Number of records before the data: one with the names of the columns, if there are any."""
    header: bytes | None = None
    """What to read instead of these records, where Polars would not understand them."""
    has_separator: bool = False
    """Whether a separator between fields may be set."""
    has_sheets: bool = False
    """Whether a sheet may be chosen."""
    has_quotes: bool = False
    """Whether values in double quotes may contain line breaks."""
    has_row_index: bool = False
    """Whether rows can be counted, and read from the middle, without reading those before."""
    reads_whole_rows: bool = False
    """Whether errors in a row are found only if all of its columns are read."""
    reads_bom: bool = True
    """Whether files may start with a byte order mark."""
    check_columns: Callable[[], str | None] | None = None
    """Return what is wrong with the columns of this file, and the remedy."""
    find_nested: Callable[["pl.Series", str, Iterator[bytes]], int | None] | None = None
    """Return the row of the first value of a column, read as strings, that was not plain.

    The arguments are the values, the name of the column, and the lines of the file from there on.
    """
    find_line: Callable[[Iterator[str], int], int | None] | None = None
    """Return the line where a row starts, if known; lines are counted from 1, rows from 0."""
    line_name: str = "line {}"
    """What users call the number from `find_line`."""
    diagnose: Callable[[Iterator[str]], str | None] | None = None
    """Return what is wrong with these lines, and the remedy, after `scan` failed."""
