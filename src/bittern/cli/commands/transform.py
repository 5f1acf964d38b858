from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.options import Files, Format, ModelPath, Quiet, TextColumn
from bittern.cli.output import announce
from bittern.cli.panels import Panel
from bittern.errors import InputError

PANEL = Panel.APPLY
EXAMPLE = "bittern transform answers.model new.csv --text answer --out topics.csv"


def transform(
    model: ModelPath,
    files: Files,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A csv, jsonl or parquet file; without it, csv is printed."
        ),
    ] = None,
    text: TextColumn = None,
    format: Format = None,
    by: Annotated[
        str,
        typer.Option(
            help="Go by the biterms of a text, its words, or a mix: one topic as a whole."
        ),
    ] = "biterms",
    shares: Annotated[
        bool, typer.Option("--shares", help="Also the share of every topic in every text.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Say which topic each text has, and which comes second: their numbers and probabilities.

    Texts are read and written in batches: there may be more of them than memory holds.
    """
    from itertools import chain

    from bittern import load
    from bittern._core.atomic import check_table, write_tables

    if out is not None:
        check_table(out)
    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    batches = fitted.read_batches(*files, text=text, format=format, verbose=int(not quiet))
    tables = (fitted.document_info(batch, by, shares=shares) for batch in batches)
    first = next(tables, None)
    if first is None:
        raise InputError(f"there are no texts in {', '.join(files)}")
    if out is not None:
        write_tables(chain([first], tables), out, first.schema)
        return
    for number, table in enumerate(chain([first], tables)):
        print(table.write_csv(include_header=number == 0), end="")
