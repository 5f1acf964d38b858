from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bittern.cli.input import cluster_files, load_model, no_texts
from bittern.cli.options import Cluster, Files, Format, ModelPath, Quiet, TableOut, TextColumn
from bittern.cli.output import expect_output, print_message
from bittern.cli.panels import Panel
from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

PANEL = Panel.APPLY
EXAMPLE = "bittern transform answers.model new.csv --text answer --out topics.csv"


def transform(
    model: ModelPath,
    files: Files,
    out: TableOut = None,
    text: TextColumn = None,
    format: Format = None,
    by: Annotated[
        str,
        typer.Option(
            help="Infer topics from words (words), from words weighted by what they tell about "
            "topics (informative), or from biterms; mix assumes a single topic per text."
        ),
    ] = "informative",
    shares: Annotated[
        bool, typer.Option("--shares", help="Add a column for each topic with its share.")
    ] = False,
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Assign topics to texts: the most probable one and the runner-up.

    Writes a table with one row per text. Without --out, prints it as csv. Texts are processed in
    batches, so the files may be larger than memory. On a cluster, --out is a new directory of
    parquet files.
    """
    expect_output(out)
    from itertools import chain

    from bittern.corpus.tables import check_table, write_tables

    basis: Any = by  # checked by document_info
    if cluster is not None:
        from bittern.cluster import transform as transform_parts

        if out is None:
            raise InputError("a cluster writes parquet files; give a new directory with --out")
        written = transform_parts(
            load_model(model, quiet),
            cluster_files(files),
            out,
            engine=cluster,
            text=text,
            format=format,
            by=basis,
            shares=shares,
            verbose=int(not quiet),
        )
        if not quiet:
            print_message(f"Wrote {len(written):,} files to {out}.")
        return
    if out is not None:
        check_table(out)
    fitted = load_model(model, quiet)
    batches = fitted.read_batches(*files, text=text, format=format, verbose=int(not quiet))
    n_texts = n_known = 0

    def tables() -> "Iterator[pl.DataFrame]":
        nonlocal n_texts, n_known
        for batch in batches:
            table = fitted.document_info(batch, basis, shares=shares)
            n_texts, n_known = n_texts + table.height, n_known + table["topic"].count()
            yield table

    found = tables()
    first = next(found, None)
    if first is None:
        raise no_texts(files)
    if out is not None:
        write_tables(chain([first], found), out, first.schema)
    else:
        for number, table in enumerate(chain([first], found)):
            print(table.write_csv(include_header=number == 0), end="")
    if not quiet and n_known < n_texts:
        unknown = f"{n_texts - n_known:,} of {n_texts:,}"
        print_message(f"{unknown} texts have no known words, so they have no topic.")
