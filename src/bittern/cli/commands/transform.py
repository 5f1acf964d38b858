from typing import Annotated, Any

import typer

from bittern.cli.input import cluster_files, load_model, no_texts
from bittern.cli.options import Cluster, Files, Format, ModelPath, Quiet, TableOut, TextColumn
from bittern.cli.output import print_message
from bittern.cli.panels import Panel
from bittern.errors import InputError

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
    tables = (fitted.document_info(batch, basis, shares=shares) for batch in batches)
    first = next(tables, None)
    if first is None:
        raise no_texts(files)
    if out is not None:
        write_tables(chain([first], tables), out, first.schema)
        return
    for number, table in enumerate(chain([first], tables)):
        print(table.write_csv(include_header=number == 0), end="")
