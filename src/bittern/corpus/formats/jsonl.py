"""JSON Lines: one object per line."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from bittern.corpus.formats.contract import Format, Scannable

if TYPE_CHECKING:
    import polars as pl

SCHEMA_ROWS = 10_000  # rows that are read to find the columns
EXPECTED = 'write one object per line, such as {"text": "..."}'


def _scan(source: Scannable) -> "pl.LazyFrame":
    """Read objects; the first rows determine the columns."""
    import polars as pl

    return pl.scan_ndjson(source, infer_schema_length=SCHEMA_ROWS)


def _scan_typed(source: Scannable, schema: Mapping[str, "pl.DataType"]) -> "pl.LazyFrame":
    """Read some columns as these types: later rows may have other ones than the first ones."""
    import polars as pl

    return pl.scan_ndjson(source, schema=schema)


def _sink(rows: "pl.LazyFrame", file: BinaryIO) -> None:
    """Write a line for each row."""
    rows.sink_ndjson(file, maintain_order=True)


def _find_invalid_line(lines: Iterator[str]) -> str | None:
    """Describe the first line that is not a JSON object."""
    for number, line in enumerate(lines, start=1):
        if line.strip() in ("[", "{"):
            return "this is one JSON document; write one object per line instead"
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except RecursionError:
            return f"line {number} is nested too deeply; write objects with plain values"
        except ValueError as error:
            problem = getattr(error, "msg", error)
            return f"line {number} is not valid JSON ({problem}); write one object per line"
        if not isinstance(value, dict):
            return f"line {number} is not an object; {EXPECTED}"
    return None


def _find_line(lines: Iterator[str], row: int) -> int | None:
    """Return the line of a row: those that are not blank are rows."""
    numbers = (number for number, line in enumerate(lines, start=1) if line.strip())
    return next(islice(numbers, row, None), None)


def _find_nested(values: "pl.Series", column: str, lines: Iterator[bytes]) -> int | None:
    """Find an object or a list, which `_scan_strings` has turned into its JSON text.

    A string may look the same, which only the line itself tells.
    """
    is_object = values.str.starts_with("{") & values.str.ends_with("}")
    is_list = values.str.starts_with("[") & values.str.ends_with("]")
    suspects = values.filter(is_object | is_list).unique().to_list()
    nested = [text for text in suspects if _is_json(text)]
    if not nested:
        return None
    rows = values.is_in(nested).arg_true().to_list()
    objects = (line for line in lines if line.strip())
    for row, line in enumerate(islice(objects, rows[-1] + 1)):
        if values[row] in nested and not isinstance(json.loads(line).get(column), str):
            return row
    return None


def _is_json(text: str) -> bool:
    """Return whether a text is JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:
        pass
    return True


JSONL = Format(
    "jsonl",
    (".jsonl", ".ndjson"),
    _scan,
    _sink,
    scan_typed=_scan_typed,
    reads_bom=False,
    find_nested=_find_nested,
    find_line=_find_line,
    diagnose=_find_invalid_line,
)
