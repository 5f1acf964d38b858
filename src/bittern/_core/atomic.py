"""Files that are written whole or not at all."""

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from bittern.errors import InputError


def check_table(path: str | Path) -> str:
    """What a table to be written there is, csv, jsonl or parquet; refuse any other name."""
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in ("csv", "jsonl", "parquet"):
        raise InputError(f"{path}: tables are written as .csv, .jsonl or .parquet")
    check_directory(Path(path))
    return kind


def check_directory(path: Path) -> None:
    """Refuse a file in a directory that is not there."""
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no directory {path.absolute().parent}")


def write_table(table: pl.DataFrame, path: str | Path) -> None:
    """Write a table whole or not at all."""
    write_tables(iter([table]), path, table.schema)


def write_tables(tables: Iterator[pl.DataFrame], path: str | Path, schema: Any) -> None:
    """Write tables that come one after the other as one, whole or not at all."""
    kind = check_table(path)
    rows = register_io_source(lambda *_: tables, schema=schema)
    # Opened here: Polars may open a name only after its reader has failed, and leave a file behind.
    with atomic_path(path) as fresh, fresh.open("wb") as file:
        if kind == "csv":
            rows.sink_csv(file, maintain_order=True)
        elif kind == "jsonl":
            rows.sink_ndjson(file, maintain_order=True)
        else:
            rows.sink_parquet(file, maintain_order=True)


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Another name to write to: the file gets its own name when it is whole, else it goes."""
    target = Path(path)
    check_directory(target)
    remove_stale(target)
    fresh = temporary_name(target)
    try:
        yield fresh
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def temporary_name(target: Path) -> Path:
    """What a file or directory is called until it is whole."""
    return target.with_name(f".{target.name}.saving-{os.getpid()}")


def remove_stale(target: Path) -> None:
    """Remove what processes that no longer live left behind when they were writing there."""
    for left in target.absolute().parent.glob(f".{glob.escape(target.name)}.saving-*"):
        process = left.name.rpartition("-")[2]
        if process == str(os.getpid()) or not _is_alive(process):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def _is_alive(process: str) -> bool:
    if os.name == "nt":  # asking would be a signal
        return True
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True
