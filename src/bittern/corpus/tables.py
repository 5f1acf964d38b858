"""Tables written to files, complete or not at all."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from bittern._core.atomic import atomic_path, check_directory
from bittern.errors import InputError


def check_table(path: str | Path) -> str:
    """Return the format of a table to be written there: csv, jsonl or parquet."""
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in ("csv", "jsonl", "parquet"):
        raise InputError(f"cannot write {path} as a table; use .csv, .jsonl or .parquet")
    check_directory(Path(path))
    return kind


def write_table(table: pl.DataFrame, path: str | Path) -> None:
    """Write a table, complete or not at all."""
    write_tables(iter([table]), path, table.schema)


def write_tables(tables: Iterator[pl.DataFrame], path: str | Path, schema: pl.Schema) -> None:
    """Write the rows of several tables to one file, complete or not at all."""
    kind = check_table(path)
    rows = register_io_source(lambda *_: tables, schema=schema)
    # Opened here: Polars may open a path only after its reader failed, and leave a file behind.
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        if kind == "csv":
            rows.sink_csv(file, maintain_order=True)
        elif kind == "jsonl":
            rows.sink_ndjson(file, maintain_order=True)
        else:
            rows.sink_parquet(file, maintain_order=True)
