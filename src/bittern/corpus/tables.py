"""Tables written to files, complete or not at all."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from bittern._core.atomic import atomic_path, check_directory
from bittern.corpus.formats import Format, format_by_suffix, join_names, table_suffixes
from bittern.errors import InputError

FULL = (errno.ENOSPC, errno.EFBIG)  # a disk, or a file that may not grow


def check_table(path: str | Path) -> Format:
    """Check that a table can be written to a file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix determines the format.

    Returns
    -------
    Format
        The format to write.

    Raises
    ------
    InputError
        If tables cannot be written in the format of the suffix.
    FileNotFoundError
        If the directory of the file does not exist.

    Examples
    --------
    >>> from bittern.corpus.tables import check_table
    >>> check_table("topics.csv").name
    'csv'
    """
    format = format_by_suffix(Path(path).suffix)
    if format is None or format.sink is None:
        raise InputError(f"cannot write a table to {path}; use {join_names(table_suffixes())}")
    check_directory(Path(path))
    return format


def write_table(table: pl.DataFrame, path: str | Path) -> None:
    """Write a table to a file, complete or not at all.

    Parameters
    ----------
    table : polars.DataFrame
        The table.
    path : str or Path
        The file: .csv, .tsv, .jsonl or .parquet. An existing file is replaced.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.tables import write_table
    >>> write_table(pl.DataFrame({"topic": [0, 1]}), "topics.csv")
    """
    write_tables(iter([table]), path, table.schema)


def write_tables(tables: Iterator[pl.DataFrame], path: str | Path, schema: pl.Schema) -> None:
    """Write the rows of several tables to one file, complete or not at all.

    Parameters
    ----------
    tables : iterator of polars.DataFrame
        The tables; memory holds only a few of them at a time.
    path : str or Path
        The file: .csv, .tsv, .jsonl or .parquet. An existing file is replaced.
    schema : polars.Schema
        The columns of the tables and their types.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.tables import write_tables
    >>> tables = [pl.DataFrame({"topic": [i]}) for i in range(3)]
    >>> write_tables(iter(tables), "topics.csv", tables[0].schema)
    """
    sink = check_table(path).sink
    assert sink is not None
    rows = register_io_source(lambda *_: tables, schema=schema)
    # Opened here: Polars may open a path only after its reader failed, and leave a file behind.
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        try:
            sink(rows, file)
        except (OSError, pl.exceptions.PolarsError) as error:
            _raise_if_full(error)
            raise


def _raise_if_full(error: Exception) -> None:
    """Raise OSError if there was no space for a table: Polars puts that into many words."""
    for code in FULL:
        if f"(os error {code})" in str(error):
            raise OSError(code, os.strerror(code)) from None
