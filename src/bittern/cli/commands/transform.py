import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bittern.cli.checks import INFERENCE_METHODS, check_choice, check_inputs
from bittern.cli.groups import FileArguments
from bittern.cli.input import all_cores, cluster_files, load_model, no_texts
from bittern.cli.options import (
    Cluster,
    Files,
    ModelPath,
    ModelTokenizer,
    Quiet,
    TableFormat,
    TableOut,
    TextColumn,
)
from bittern.cli.output import (
    count,
    expect_output,
    print_message,
    print_status,
    report_missing,
    report_reading,
)
from bittern.cli.panels import Panel
from bittern.cli.tables import check_out, write_out
from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from bittern.fitted import FittedTopics

PANEL = Panel.APPLY
EXAMPLE = "bittern transform answers.model new.csv --text answer --keep --out topics.csv"


def transform(
    model: ModelPath,
    files: Files,
    reading: FileArguments,
    out: TableOut = None,
    out_format: TableFormat = None,
    text: TextColumn = None,
    tokenizer: ModelTokenizer = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Keep all columns of the files, and add the new ones after them. A new column "
            "whose name is in use gets a _ at the end.",
        ),
    ] = False,
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
    batches, so the files may be larger than memory, and those from standard input as they arrive.
    On a cluster, --out is a new directory of parquet files.
    """
    if cluster is not None:
        if out is None or str(out) == "-":
            raise InputError("a cluster writes parquet files; give a new directory with --out")
        if keep or out_format is not None:
            option = "--keep" if keep else "--out-format"
            raise InputError(f"{option} has no effect on a cluster; leave it out")
        _transform_on_cluster(
            model,
            files,
            out,
            cluster,
            tokenizer,
            quiet,
            text=text,
            by=by,
            shares=shares,
            **reading.as_keywords(),
        )
        return
    check_out(out, out_format, files)
    check_choice("--by", by, INFERENCE_METHODS)
    check_inputs(files, reading, model, text=text)
    fitted = load_model(model, quiet, tokenizer)
    is_seen = (out is None or str(out) == "-") and sys.stdout.isatty()  # a bar would be in between
    verbose = int(not quiet and not is_seen)
    options = {"text": text, **reading.as_keywords(), "keep_table": keep, "verbose": verbose}
    tables = _tables(fitted, files, options, by, shares, quiet)
    first = next(tables, None)
    if first is None:
        raise no_texts(files)
    write_out(chain([first], tables), out, out_format, quiet)


def _tables(
    fitted: "FittedTopics",
    files: list[str],
    options: dict[str, Any],
    by: Any,
    shares: bool,
    quiet: bool,
) -> "Iterator[pl.DataFrame]":
    """Yield the table of each batch of texts; then report what was read and left out."""
    from bittern.analysis.documents import document_table, infer_topics
    from bittern.fitted import read_encoded_batches

    n_texts, reasons, n_threads = 0, Counter[str](), all_cores()
    for batch in read_encoded_batches(fitted, *files, **options):
        table = document_table(fitted, batch, infer_topics(fitted, batch, by, n_threads), shares)
        new = table.columns[0 if batch.table is None else batch.table.width :]
        if n_texts == 0:
            _report_names(new, quiet)
        column = next(name for name in new if name.rstrip("_") == "reason")
        reasons.update(table[column].drop_nulls())
        n_texts += table.height
        yield table
    if n_texts > 0:
        report_reading(n_texts, files, quiet)
        report_missing(reasons, n_texts, quiet)
    if 0 < n_texts == reasons.total():
        print_message("bittern: warning: no text has a topic; check --text and the model")


def _report_names(columns: list[str], quiet: bool) -> None:
    """Print which columns have other names than usual."""
    renamed = [name for name in columns if name.endswith("_")]
    if renamed:
        listed = ", ".join(renamed)
        print_status(f"The files have columns of the same name; the new ones are {listed}.", quiet)


def _transform_on_cluster(
    model: Path,
    files: list[str],
    out: Path,
    cluster: str,
    tokenizer: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a directory of tables."""
    expect_output(out)
    from bittern.cluster import transform as transform_parts

    written = transform_parts(
        load_model(model, quiet, tokenizer),
        cluster_files(files),
        out,
        engine=cluster,
        verbose=int(not quiet),
        **options,
    )
    print_status(f"Wrote {count(len(written), 'file')} to {out}.", quiet)
