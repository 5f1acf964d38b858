"""Apache Parquet."""

from typing import TYPE_CHECKING, BinaryIO

from bittern.corpus.formats.contract import Format, Scannable
from bittern.corpus.remote import has_pattern

if TYPE_CHECKING:
    import polars as pl


def _scan(source: Scannable) -> "pl.LazyFrame":
    """Read columns with their types."""
    import polars as pl

    return pl.scan_parquet(source, glob=has_pattern(source))


def _sink(rows: "pl.LazyFrame", file: BinaryIO) -> None:
    """Write columns with their types."""
    rows.sink_parquet(file, maintain_order=True)


PARQUET = Format("parquet", (".parquet", ".pq"), _scan, _sink, is_text=False, has_row_index=True)
