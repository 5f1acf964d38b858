from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.input import read_corpus
from bittern.cli.options import (
    Files,
    Format,
    Jobs,
    Language,
    MinDf,
    Quiet,
    StopWords,
    TextColumn,
)
from bittern.cli.output import announce, say
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_numbers

PANEL = Panel.RESEARCH
EXAMPLE = "bittern study tweets.csv --text tweet --language en --out study"


def study(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The directory to write to, or to go on in.")
    ],
    text: TextColumn = None,
    format: Format = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "1",
    language: Language = None,
    topics: Annotated[
        str | None, typer.Option("--topics", "-k", help="Numbers of topics to compare at.")
    ] = None,
    focus: Annotated[
        int | None, typer.Option(help="The one of them at which to look more closely.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=2, help="How often each algorithm learns.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(help="Words make a biterm when they are less than that apart; else all do."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look: fewer topics, repeats and sweeps.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same number gives the same study.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
) -> None:
    """Repeat the paper's experiments on your texts, and write a page about what they show.

    Six algorithms learn the same texts by the paper's protocol, again and again: held-out
    likelihood by topics, data and time, what each costs, and which of the paper's claims hold.
    A study that was interrupted goes on where it was when it is called again.
    """
    from dataclasses import replace

    from bittern.charts.charts import check_installed
    from bittern.study import QUICK, Protocol
    from bittern.study import study as run_study

    check_installed()
    protocol = QUICK if quick else Protocol()
    numbers = parse_numbers("--topics", topics) if topics else protocol.topics
    near = min(numbers, key=lambda n: abs(n - protocol.focus))
    protocol = replace(
        protocol,
        topics=numbers,
        focus=focus or near,
        repeats=repeats or protocol.repeats,
        window=window,
        seed=seed,
    )
    announce(quiet)
    corpus = read_corpus(
        *(files, stop_words, min_df, quiet), text=text, format=format, language=language
    )
    name = ", ".join(Path(file).name for file in files)
    try:
        page = run_study(corpus, out, protocol, jobs, int(not quiet), name)
    except KeyboardInterrupt:
        say(f"bittern: interrupted: what is finished is in {out}; the same command goes on with it")
        raise typer.Exit(130) from None
    print(page)
