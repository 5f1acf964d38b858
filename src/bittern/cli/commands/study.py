from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.checks import check_inputs
from bittern.cli.groups import FileArguments, TextArguments
from bittern.cli.input import read_corpus, readable_name
from bittern.cli.options import (
    Files,
    Jobs,
    Quiet,
    Seed,
    TextColumn,
)
from bittern.cli.output import print_message
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_numbers

PANEL = Panel.RESEARCH
EXAMPLE = "bittern study tweets.csv --text tweet --language en --out study"


def study(
    files: Files,
    reading: FileArguments,
    words: TextArguments,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="DIRECTORY",
            help="Directory for the results; an interrupted study resumes from it.",
        ),
    ],
    text: TextColumn = None,
    topics: Annotated[
        str | None,
        typer.Option(
            "--topics",
            "-k",
            help="Numbers of topics to compare, separated by commas.",
            show_default="20,50,100,150,200",
        ),
    ] = None,
    focus: Annotated[
        int | None,
        typer.Option(
            help="Number of topics, one of --topics, for the experiments that use only one.",
            show_default="the one closest to 100",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(min=2, help="Number of training runs per algorithm.", show_default="10"),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(
            help="Two words form a biterm if they are fewer than this many positions apart.",
            show_default="the whole text",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Run a smaller study, with fewer topics, repeats and sweeps."),
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
) -> None:
    """Repeat the paper's experiments on your texts and write a page with the results.

    Trains six algorithms repeatedly by the paper's protocol. The page compares their held-out
    likelihood by number of topics, amount of data and time, and their costs, and reports which of
    the paper's claims hold. To resume an interrupted study, run the same command again.
    """
    check_inputs(files, reading, text=text)
    from dataclasses import replace

    from bittern.charts import check_installed
    from bittern.study import QUICK, Protocol
    from bittern.study import study as run_study

    check_installed()
    protocol = QUICK if quick else Protocol()
    numbers = parse_numbers("--topics", topics) if topics else protocol.topics
    closest = min(numbers, key=lambda n: abs(n - protocol.focus))
    protocol = replace(
        protocol,
        topics=numbers,
        focus=focus or closest,
        repeats=repeats or protocol.repeats,
        window=window,
        seed=seed,
    )
    corpus = read_corpus(files, words, quiet, text=text, **reading.as_keywords())
    name = ", ".join(readable_name(Path(file).name) for file in files)
    try:
        page = run_study(corpus, out, protocol, jobs, int(not quiet), name)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"finished runs are in {out}; run the same command to resume"
        ) from None
    print(page)
    if not quiet:
        print_message(f"Open {page} in a browser.")
