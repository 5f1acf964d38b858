import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bittern.cli.options import AsJson, Files, Format, ModelPath, Quiet, TextColumn
from bittern.cli.output import announce
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_number

if TYPE_CHECKING:
    from bittern.analysis.timeline import Timeline

PANEL = Panel.LOOK
EXAMPLE = "bittern timeline answers.model answers.csv --text answer --time date"


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
