"""Tables written to files, complete or not at all.

Polars is imported inside functions: the command line checks where it writes before it waits for
Polars.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bittern._core.atomic import atomic_path, check_directory
from bittern.corpus.formats import format_by_suffix, join_names, table_sinks, table_suffixes
from bittern.corpus.formats.xlsx import check_installed
from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

FULL = (errno.ENOSPC, errno.EFBIG)  # a disk, or a file that may not grow
FLAT = ("csv", "tsv", "xlsx")  # formats whose values are not lists or objects


def check_table(path: str | Path, format: str | None = None) -> str:
    """Check that a table can be written to a file.

    Parameters
    ----------
    path : str or Path
        The file.
    format : str or None
        Format of the table; by default the suffix of the file determines it.

    Returns
    -------
    str
        The name of the format to write.

    Raises
    ------
    InputError
        If tables cannot be written in this format.
    FileNotFoundError
        If the directory of the file does not exist.

    Examples
    --------
    >>> from bittern.corpus.tables import check_table
    >>> check_table("topics.csv")
    'csv'
    """
    sinks = table_sinks()
    if format is None:
        suffix = Path(path).suffix.lower()
        known = format_by_suffix(suffix)
        format = suffix.removeprefix(".") if known is None else known.name
        if format not in sinks:
            raise InputError(f"cannot write a table to {path}; use {join_names(table_suffixes())}")
    elif format not in sinks:
        raise InputError(f'unknown format "{format}" of tables; choose from {", ".join(sinks)}')
    if format == "xlsx":
        check_installed()
    check_directory(Path(path))
    return format


def check_values(schema: "pl.Schema", format: str) -> None:
    """Reject columns whose values a format cannot hold.

    Parameters
    ----------
    schema : polars.Schema
        The columns of a table and their types.
    format : str
        The name of the format.
    """
    for name, dtype in schema.items():
        if format in FLAT and dtype.is_nested():
            raise InputError(
                f'column "{name}" has lists or objects, which {format} cannot hold; '
                "write jsonl or parquet"
            )


def write_table(table: "pl.DataFrame", path: str | Path, format: str | None = None) -> None:
    """Write a table to a file, complete or not at all.

    Parameters
    ----------
    table : polars.DataFrame
        The table.
    path : str or Path
        The file: .csv, .tsv, .jsonl, .parquet or .xlsx. An existing file is replaced.
    format : str or None
        Format of the table; by default the suffix of the file determines it.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.tables import write_table
    >>> write_table(pl.DataFrame({"topic": [0, 1]}), "topics.csv")
    """
    write_tables(iter([table]), path, table.schema, format)


def write_tables(
    tables: "Iterator[pl.DataFrame]",
    path: str | Path,
    schema: "pl.Schema",
    format: str | None = None,
) -> None:
    """Write the rows of several tables to one file, complete or not at all.

    Parameters
    ----------
    tables : iterator of polars.DataFrame
        The tables; memory holds only a few of them at a time, unless the format is xlsx.
    path : str or Path
        The file: .csv, .tsv, .jsonl, .parquet or .xlsx. An existing file is replaced.
    schema : polars.Schema
        The columns of the tables and their types.
    format : str or None
        Format of the table; by default the suffix of the file determines it.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.tables import write_tables
    >>> tables = [pl.DataFrame({"topic": [i]}) for i in range(3)]
    >>> write_tables(iter(tables), "topics.csv", tables[0].schema)
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    format = check_table(path, format)
    check_values(schema, format)
    rows = register_io_source(lambda *_: tables, schema=schema)
    # Opened here: Polars may open a path only after its reader failed, and leave a file behind.
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        try:
            table_sinks()[format](rows, file)
        except (OSError, pl.exceptions.PolarsError) as error:
            _raise_if_full(error)
            raise


def _raise_if_full(error: Exception) -> None:
    """Raise OSError if there was no space for a table: Polars puts that into many words."""
    for code in FULL:
        if f"(os error {code})" in str(error):
            raise OSError(code, os.strerror(code)) from None
