"""Write tables to files or to standard output."""

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from bittern.cli.output import expect_output, print_status
from bittern.corpus.tables import check_table, check_values, write_tables
from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

STDOUT = "-"
PRINTED = ("csv", "tsv", "jsonl")  # formats that are written row by row


def check_out(out: Path | None, format: str | None, inputs: Sequence[str] = ()) -> None:
    """Check before any work that a table can be written, but not over an input file.

    Without a path, it is written to standard output.
    """
    if inputs and out is not None and out.is_file():
        from bittern.corpus.paths import expand_paths

        for path in expand_paths(tuple(inputs)):
            if os.path.exists(path) and os.path.samefile(path, out):
                raise InputError(f"{out} is also an input; choose another name for the table")
    if out is not None and str(out) != STDOUT:
        expect_output(out)
        check_table(out, format)
    elif format is not None and format not in PRINTED:
        check_table(STDOUT, format)
        raise InputError(
            f"{format} cannot be written to standard output; use --out FILE, or choose from "
            f"{', '.join(PRINTED)}"
        )


def is_printed(out: Path | None, format: str | None) -> bool:
    """Return whether the table takes standard output, where nothing else may be then."""
    return str(out) == STDOUT or (out is None and format is not None)


def write_out(
    tables: "Iterator[pl.DataFrame]", out: Path | None, format: str | None, quiet: bool
) -> None:
    """Write one table or more to a file or to standard output, and report what was written."""
    if out is None or str(out) == STDOUT:
        for number, table in enumerate(tables):
            _print_table(table, format or "csv", is_first=number == 0)
        return
    n_rows = 0

    def counted() -> "Iterator[pl.DataFrame]":
        nonlocal n_rows
        for table in chain([first], tables):
            n_rows += table.height
            yield table

    first = next(tables)
    write_tables(counted(), out, first.schema, format)
    print_status(f"Wrote {n_rows:,} row{'s' if n_rows != 1 else ''} to {out}.", quiet)


def _print_table(table: "pl.DataFrame", format: str, is_first: bool) -> None:
    """Print a table at once: whoever reads it need not wait for the next one."""
    check_values(table.schema, format)
    if format == "jsonl":
        text = table.write_ndjson()
    else:
        separator = "\t" if format == "tsv" else ","
        text = table.write_csv(include_header=is_first, separator=separator)
    if sys.stdout.isatty():
        print(text, end="")
    else:  # data for programs is UTF-8, whatever the locale is
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()
