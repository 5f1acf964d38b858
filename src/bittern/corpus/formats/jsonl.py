"""JSON Lines: one object per line."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from bittern.corpus.formats.contract import Format, Scannable

if TYPE_CHECKING:
    import polars as pl

SCHEMA_ROWS = 10_000  # rows that are read to find the columns


def _scan(source: Scannable) -> "pl.LazyFrame":
    """Read objects; the first rows determine the columns."""
    import polars as pl

    return pl.scan_ndjson(source, infer_schema_length=SCHEMA_ROWS)


def _scan_strings(source: Scannable, columns: Sequence[str]) -> "pl.LazyFrame":
    """Read some columns as strings: later rows may have other types than the first ones."""
    import polars as pl

    return pl.scan_ndjson(source, schema=dict.fromkeys(columns, pl.String))


def _sink(rows: "pl.LazyFrame", file: BinaryIO) -> None:
    """Write a line for each row."""
    rows.sink_ndjson(file, maintain_order=True)


def _find_invalid_line(lines: Iterator[str]) -> str | None:
    """Describe the first line that is not JSON."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                json.loads(line)
            except ValueError as error:
                problem = getattr(error, "msg", error)
                return f"line {number} is not valid JSON ({problem}); write one object per line"
    return None


JSONL = Format(
    "jsonl",
    (".jsonl", ".ndjson"),
    _scan,
    _sink,
    scan_strings=_scan_strings,
    diagnose=_find_invalid_line,
)
