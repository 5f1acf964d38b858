"""Tables with separated values and a header: csv and tsv."""

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from bittern.corpus.formats.contract import FileOptions, Format, Scannable
from bittern.corpus.formats.dialect import (
    Dialect,
    find_dialect,
    find_header_problem,
    parse_separator,
)
from bittern.corpus.remote import has_pattern

if TYPE_CHECKING:
    import polars as pl


def _delimited_format(name: str, usual: str) -> Format:
    """Return the format whose files usually have this separator."""

    def sink(rows: "pl.LazyFrame", file: BinaryIO) -> None:
        rows.sink_csv(file, separator=usual, maintain_order=True)

    def adapt(_: Scannable, lines: Sequence[str], options: FileOptions) -> Format:
        given = None if options.separator is None else parse_separator(options.separator)
        return _adapted(generic, find_dialect(lines, usual, given), lines)

    generic = Format(
        name,
        (f".{name}",),
        _scan_adapted,
        sink,
        adapt=adapt,
        n_header_records=1,
        has_separator=True,
        has_quotes=True,
        reads_whole_rows=True,
    )
    return generic


def _scan_adapted(_: Scannable) -> "pl.LazyFrame":
    """Files are scanned by the format that `adapt` returns."""
    raise NotImplementedError


def _adapted(generic: Format, dialect: Dialect, lines: Sequence[str]) -> Format:
    """Return the format of a file with this dialect and first lines."""
    separator = dialect.separator

    def scan(source: Scannable) -> "pl.LazyFrame":
        import polars as pl

        return pl.scan_csv(
            source, separator=separator, infer_schema=False, glob=has_pattern(source)
        )

    def check_columns() -> str | None:
        return find_header_problem(lines, separator)

    def find_line(lines: Iterator[str], row: int) -> int | None:
        return _find_line(lines, row, separator)

    def diagnose(lines: Iterator[str]) -> str | None:
        return _find_invalid_row(lines, separator)

    return replace(
        generic,
        scan=scan,
        n_header_records=dialect.n_header_records,
        header=dialect.header,
        check_columns=check_columns,
        find_line=find_line,
        diagnose=diagnose,
    )


def _records(lines: Iterator[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line where each record starts, and its fields, from the header on."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    start, has_header = 1, False
    try:
        for fields in reader:
            has_header = has_header or bool(fields)
            if has_header:
                yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f'line {start} has invalid quotes ({error}); write " as "" inside of quoted texts'
        ) from None


def _find_line(lines: Iterator[str], row: int, separator: str) -> int | None:
    """Return the line where a row starts; None if quotes are not clear."""
    try:
        record = next(islice(_records(lines, separator), row + 1, None), None)
    except ValueError:
        return None
    return None if record is None else record[0]


def _find_invalid_row(lines: Iterator[str], separator: str) -> str | None:
    """Describe the first row with too many fields or invalid quotes."""
    width = 0
    try:
        for line, fields in _records(lines, separator):
            width = width or len(fields)
            if len(fields) > width:
                return (
                    f"line {line} has {len(fields)} fields, the header {width}; "
                    "put texts that contain separators in double quotes"
                )
    except ValueError as error:
        return str(error)
    return None


CSV = _delimited_format("csv", ",")
TSV = _delimited_format("tsv", "\t")
