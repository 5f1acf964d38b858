"""Tables with separated values and a header: csv and tsv."""

import csv
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from bittern.corpus.formats.contract import Format, Scannable
from bittern.corpus.remote import has_pattern

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = {  # names, and formats
    ",": ("commas", "csv"),
    ";": ("semicolons", None),
    "\t": ("tabs", "tsv"),
    "|": ("bars", None),
}


def _delimited_format(name: str, separator: str) -> Format:
    """Return the format with this separator between fields."""

    def scan(source: Scannable) -> "pl.LazyFrame":
        import polars as pl

        return pl.scan_csv(
            source, separator=separator, infer_schema=False, glob=has_pattern(source)
        )

    def sink(rows: "pl.LazyFrame", file: BinaryIO) -> None:
        rows.sink_csv(file, separator=separator, maintain_order=True)

    def diagnose(lines: Iterator[str]) -> str | None:
        return _find_invalid_row(lines, separator)

    def check_columns(columns: Sequence[str], lines: Sequence[str]) -> str | None:
        return _find_other_separator(columns, lines, separator)

    return Format(
        name,
        (f".{name}",),
        scan,
        sink,
        has_header=True,
        has_quotes=True,
        reads_whole_rows=True,
        check_columns=check_columns,
        diagnose=diagnose,
    )


def _find_other_separator(
    columns: Sequence[str], lines: Sequence[str], separator: str
) -> str | None:
    """Recognize another separator, such as the semicolons that many spreadsheets write."""
    if len(columns) != 1:
        return None
    for other, (name, format_name) in SEPARATORS.items():
        if other == separator or other not in columns[0]:
            continue
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=other) if row}
        except csv.Error:
            continue
        if len(widths) <= 1:
            remedy = f"set the format to {format_name}, or " if format_name else ""
            expected = SEPARATORS[separator][0]
            return f"columns are separated by {name}; {remedy}save the file with {expected} instead"
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
