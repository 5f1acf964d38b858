"""Commands that measure and draw: how many topics, topics over time, and the report."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bittern.cli.shared import (
    AsJson,
    Files,
    Format,
    Jobs,
    Language,
    MinDf,
    ModelPath,
    Quiet,
    StopWords,
    TextColumn,
    announce,
    app,
    parse_number,
    parse_numbers,
    read_corpus,
    say,
)
from bittern.errors import InputError

if TYPE_CHECKING:
    from bittern.analysis.timeline import Timeline
    from bittern.selection import Choice


@app.command(epilog="bittern choose answers.csv --text answer --plot choice.html")
def choose(
    files: Files,
    topics: Annotated[
        str | None, typer.Option("--topics", "-k", help="Numbers to choose from: 10,20,30.")
    ] = None,
    text: TextColumn = None,
    format: Format = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "1",
    language: Language = None,
    starts: Annotated[int, typer.Option(min=2, help="Models for each number of topics.")] = 3,
    sample: Annotated[
        int | None, typer.Option(min=100, help="Only so many of the texts, at random.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw what was measured: an html, svg or png file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The table as a csv, jsonl or parquet file.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same number gives the same table.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say how many topics to take: fit models with few and many, and compare them.

    Measured are the likelihood of texts that were held out, the coherence of the top words (NPMI),
    how stable topics are from start to start, and how redundant. The recommended number is within
    a standard error of the best likelihood, and its topics are coherent and stable.
    """
    import numpy as np

    from bittern._core.atomic import check_table, write_table
    from bittern.charts.charts import check_chart, choice_chart, save_chart
    from bittern.selection import TOPICS
    from bittern.selection import choose as choose_topics

    if plot is not None:
        check_chart(plot)
    if out is not None:
        check_table(out)
    numbers = parse_numbers("--topics", topics) if topics else TOPICS
    announce(quiet)
    corpus = read_corpus(
        *(files, stop_words, min_df, quiet), text=text, format=format, language=language
    )
    if sample is not None and sample < len(corpus):
        some = np.random.default_rng(seed).choice(len(corpus), sample, replace=False)
        corpus = corpus[np.sort(some)].drop_unused_words()
    choice = choose_topics(
        corpus, numbers, starts, random_state=seed, n_jobs=jobs, verbose=int(not quiet)
    )
    if out is not None:
        write_table(choice.table, out)
    if plot is not None:
        save_chart(choice_chart(choice.table, choice.recommended), plot)
    if as_json:
        found = {"recommended": choice.recommended, "reason": choice.reason}
        print(json.dumps(found | {"table": choice.table.to_dicts()}, indent=1))
        return
    _print_choice(choice)


@app.command(epilog="bittern timeline answers.model answers.csv --text answer --time date")
def timeline(
    model: ModelPath,
    files: Files,
    time: Annotated[str, typer.Option("--time", help="The column with the times of the texts.")],
    text: TextColumn = None,
    format: Format = None,
    period: Annotated[
        str,
        typer.Option(help="day, week, month, year, auto, or a number of equal periods."),
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The shares as csv, jsonl or parquet.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the topics that change: an html, svg or png file.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show topics over time: which rise, which fall, and which burst, with their dates."""
    from bittern import load
    from bittern._core.atomic import check_table, write_table
    from bittern.charts.charts import check_chart, save_chart, timeline_chart

    if plot is not None:
        check_chart(plot)
    if out is not None:
        check_table(out)
    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    corpus = fitted.read(*files, text=text, time=time, format=format, verbose=int(not quiet))
    found = fitted.timeline(corpus, period=parse_number(period))
    if out is not None:
        write_table(found.shares, out)
    names = fitted.topic_names_
    if plot is not None:
        save_chart(timeline_chart(found, names), plot)
    if as_json:
        tables = {"trends": found.trends.to_dicts(), "bursts": found.bursts.to_dicts()}
        print(json.dumps(tables, indent=1, default=str, ensure_ascii=False))
        return
    _print_timeline(found, names)


@app.command(epilog="bittern report answers.model answers.csv --text answer --out answers.html")
def report(
    model: ModelPath,
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to write the page: an html file.")
    ],
    text: TextColumn = None,
    time: Annotated[
        str | None, typer.Option("--time", help="The column with the times of the texts.")
    ] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="The column with the labels of the texts.")
    ] = None,
    format: Format = None,
    title: Annotated[str | None, typer.Option(help="What stands above it.")] = None,
    quiet: Quiet = False,
) -> None:
    """Write a page to look at the topics and their texts, and to send round.

    It is one file that opens in any browser, without a network: a map of the topics; of each topic
    its words, the texts that stand for it, its share over time and its labels; a search, a table,
    and the settings and scores of the model.
    """
    from bittern import load
    from bittern.report import check_page

    check_page(out)
    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1, verbose=int(not quiet))
    how = {"text": text, "time": time, "label": label, "format": format}
    corpus = fitted.read(*files, keep_texts=True, verbose=int(not quiet), **how)
    if len(corpus) == 0:
        raise InputError(f"there are no texts in {', '.join(files)}")
    names = [Path(file).name for file in files if file != "-"]
    title = title or (f"Topics of {names[0]}" if names else "Topics")
    fitted.report(corpus, title=title).save(out)
    if not quiet:
        say(f"Open {out} in a browser")


def _print_choice(choice: "Choice") -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False)
    console.print("topics  held-out           NPMI    stability  redundancy", style="bold")
    for row in choice.table.to_dicts():
        line = (
            f"{row['topics']:>6}  {row['held_out']:.3f} ± {row['held_out_error']:.3f}  "
            f"{row['npmi']:>+.3f}  {row['stability']:>9.2f}  {row['redundancy']:>10.2f}"
        )
        console.print(line, style="green" if row["topics"] == choice.recommended else "")
    console.print(f"{choice.recommended} topics. {choice.reason}")


def _print_timeline(found: "Timeline", names: list[str]) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False)
    console.print("topic  begin    end  trend  name", style="bold")
    for row in found.trends.to_dicts():
        numbers = f"{row['topic']:>5}  {row['begin']:>5.1%}  {row['end']:>5.1%}  {row['trend']:<5}"
        console.print(f"{numbers}  {names[row['topic']]}", markup=False)
    if found.bursts.height:
        console.print("topic  burst                      times  name", style="bold")
    for row in found.bursts.to_dicts():
        when = f"{str(row['start'])[:10]} to {str(row['end'])[:10]}"
        line = f"{row['topic']:>5}  {when:<25} {row['times']:>6.1f}  {names[row['topic']]}"
        console.print(line, markup=False)
