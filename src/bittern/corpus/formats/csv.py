"""Tables with separated values and a header: csv and tsv."""

import csv
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from bittern.corpus.formats.contract import Format, Scannable

if TYPE_CHECKING:
    import polars as pl


def _delimited_format(name: str, separator: str) -> Format:
    """Return the format with this separator between fields."""

    def scan(source: Scannable) -> "pl.LazyFrame":
        import polars as pl

        return pl.scan_csv(source, separator=separator, infer_schema=False, glob=False)

    def sink(rows: "pl.LazyFrame", file: BinaryIO) -> None:
        rows.sink_csv(file, separator=separator, maintain_order=True)

    def diagnose(lines: Iterator[str]) -> str | None:
        return _find_invalid_row(lines, separator)

    return Format(
        name,
        (f".{name}",),
        scan,
        sink,
        reads_whole_rows=True,
        check_columns=_check_separator,
        diagnose=diagnose,
    )


def _check_separator(columns: Sequence[str]) -> str | None:
    """Recognize a file with semicolons, which spreadsheets write in many countries."""
    if len(columns) == 1 and ";" in columns[0]:
        return "columns are separated by semicolons; save the file with commas instead"
    return None


def _find_invalid_row(lines: Iterator[str], separator: str) -> str | None:
    """Describe the first row with too many fields or invalid quotes."""
    csv.field_size_limit(sys.maxsize)
    width, row = 0, 0
    try:
        for row, fields in enumerate(csv.reader(lines, delimiter=separator, strict=True), start=1):
            width = width or len(fields)
            if len(fields) > width:
                return (
                    f"row {row} (with the header) has {len(fields)} fields, the header {width}; "
                    "put texts that contain separators in double quotes"
                )
    except csv.Error as error:
        return f'row {row + 1} (with the header) has invalid quotes ({error}); write " as "" inside'
    return None


CSV = _delimited_format("csv", ",")
TSV = _delimited_format("tsv", "\t")
