"""Plain text: one text per line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bittern.corpus.formats.contract import Format, Scannable
from bittern.corpus.remote import has_pattern

if TYPE_CHECKING:
    import polars as pl


def _scan(source: Scannable) -> "pl.LazyFrame":
    """Read lines into a column "text"."""
    import polars as pl

    return pl.scan_lines(source, name="text", glob=has_pattern(source))


def _find_line(_: Iterator[str], row: int) -> int:
    """Return the line of a row: every line is one."""
    return row + 1


TXT = Format("txt", (".txt",), _scan, has_columns=False, find_line=_find_line)
