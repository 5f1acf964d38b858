"""Plain text: one text per line."""

from typing import TYPE_CHECKING

from bittern.corpus.formats.contract import Format, Scannable
from bittern.corpus.remote import has_pattern

if TYPE_CHECKING:
    import polars as pl


def _scan(source: Scannable) -> "pl.LazyFrame":
    """Read lines into a column "text"."""
    import polars as pl

    return pl.scan_lines(source, name="text", glob=has_pattern(source))


TXT = Format("txt", (".txt",), _scan, has_columns=False)
