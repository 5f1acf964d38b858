from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bittern.cli.checks import DUPLICATES, check_choice, check_inputs, check_outputs
from bittern.cli.groups import FileArguments, TextArguments
from bittern.cli.input import read_corpus
from bittern.cli.options import (
    AsJson,
    ChartOut,
    Duplicates,
    Files,
    Jobs,
    Quiet,
    Sample,
    Seed,
    TableFormat,
    TableOut,
    TextColumn,
)
from bittern.cli.output import expect_output, print_json, print_status
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_numbers
from bittern.cli.tables import check_out, is_printed, write_out

if TYPE_CHECKING:
    from bittern.selection import Choice

PANEL = Panel.FIND
EXAMPLE = "bittern choose answers.csv --text answer --topics 10,20,40 --plot choice.html"


def choose(
    files: Files,
    reading: FileArguments,
    words: TextArguments,
    topics: Annotated[
        str | None,
        typer.Option(
            "--topics",
            "-k",
            help="Numbers of topics to compare, separated by commas.",
            show_default="2 to 150, with at least 30 texts for each topic",
        ),
    ] = None,
    text: TextColumn = None,
    repeats: Annotated[int, typer.Option(min=2, help="Number of models per number of topics.")] = 5,
    duplicates: Duplicates = "keep",
    sample: Sample = None,
    plot: ChartOut = None,
    out: TableOut = None,
    out_format: TableFormat = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Recommend a number of topics by comparing models.

    Trains several models for each number of topics and compares how well they predict held-out
    texts. Doubling the recommended number would gain less than a tenth of what topics gain at all.
    The reason ends with the range of numbers that do almost as well, and how narrow it is.
    Also shows the coherence of the top words (NPMI), the stability of the topics across models, and
    their redundancy.
    """
    check_out(out, out_format, files)
    expect_output(plot)
    check_outputs(plot)
    check_choice("--duplicates", duplicates, DUPLICATES)
    numbers = parse_numbers("--topics", topics) if topics else None
    check_inputs(files, reading, text=text)
    import numpy as np

    from bittern.charts import check_chart, save_chart, selection_chart
    from bittern.selection import choose as choose_topics

    if plot is not None:
        check_chart(plot)
    corpus = read_corpus(files, words, quiet, text=text, **reading.as_keywords())
    if sample is not None and sample < len(corpus):
        indices = np.random.default_rng(seed).choice(len(corpus), sample, replace=False)
        corpus = corpus[np.sort(indices)].drop_unused_words()
    choice = choose_topics(
        corpus,
        numbers,
        repeats,
        random_state=seed,
        n_jobs=jobs,
        verbose=int(not quiet),
        duplicates=cast(Any, duplicates),
    )
    if plot is not None:
        save_chart(selection_chart(choice), plot)
        print_status(f"Wrote the chart to {plot}.", quiet)
    if out is not None or out_format is not None:
        write_out(iter([choice.table]), out, out_format, quiet)
    if is_printed(out, out_format):
        return
    if as_json:
        names = ("recommended", "low", "high", "confidence", "reason")
        result = {name: getattr(choice, name) for name in names}
        print_json(result | {"table": choice.table.to_dicts()}, indent=1)
        return
    _print_choice(choice)


def _print_choice(choice: "Choice") -> None:
    """Print a row for each number of topics, and the recommendation with its reason."""
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False)
    console.print("topics  held-out           gain   NPMI  stability  redundancy", style="bold")
    for row in choice.table.to_dicts():
        line = (
            f"{row['topics']:>6}  {row['held_out']:.3f} ± {row['held_out_error']:.3f}  "
            f"{row['gain']:>4.0%}  {row['npmi']:>+.3f}  {row['stability']:>9.2f}  "
            f"{row['redundancy']:>10.2f}"
        )
        console.print(line, style="green" if row["topics"] == choice.recommended else "")
    console.print(f"{choice.recommended} topics. {choice.reason}")
