from typing import TYPE_CHECKING, Annotated, Any

import typer

from bittern.cli.checks import check_inputs, check_outputs, check_period
from bittern.cli.groups import TimedFileArguments
from bittern.cli.input import all_cores, cluster_files, load_model
from bittern.cli.options import (
    AsJson,
    ChartOut,
    Cluster,
    Files,
    ModelPath,
    ModelTokenizer,
    Quiet,
    RequiredTimeColumn,
    TableFormat,
    TableOut,
    TextColumn,
)
from bittern.cli.output import count, expect_output, print_json, print_status
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_number
from bittern.cli.tables import check_out, is_printed, write_out
from bittern.cli.texts import read_texts

if TYPE_CHECKING:
    from bittern.analysis.timeline import Timeline

PANEL = Panel.EXPLORE
EXAMPLE = "bittern timeline answers.model answers.csv --text answer --time date --period month"


def timeline(
    model: ModelPath,
    files: Files,
    reading: TimedFileArguments,
    time: RequiredTimeColumn,
    text: TextColumn = None,
    tokenizer: ModelTokenizer = None,
    period: Annotated[
        str,
        typer.Option(
            help="Length of a period: hour, day, week, month, quarter, year or auto; or the number "
            "of equally long periods."
        ),
    ] = "auto",
    cluster: Cluster = None,
    plot: ChartOut = None,
    out: TableOut = None,
    out_format: TableFormat = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show how topics change over time: trends and bursts.

    Prints whether each topic rises or falls, and when topics burst. The chart shows the topics
    that change; the table has the share of every topic in every period.
    """
    check_out(out, out_format, files)
    expect_output(plot)
    check_outputs(plot)
    check_period(period)
    check_inputs(files, reading, model, text=text, time=time)
    from bittern.charts import check_chart, save_chart, timeline_chart

    if plot is not None:
        check_chart(plot)
    fitted = load_model(model, quiet, tokenizer)
    length: Any = parse_number(period)  # checked by timeline
    columns: Any = {"text": text, "time": time, **reading.as_keywords()}
    if cluster is None:
        from bittern.analysis.timeline import documents_timeline

        corpus = read_texts(fitted, files, quiet, **columns)
        result = documents_timeline(fitted, corpus, length, all_cores())
    else:
        from bittern.cluster import timeline as timeline_of_parts

        result = timeline_of_parts(
            fitted,
            cluster_files(files),
            period=length,
            engine=cluster,
            verbose=int(not quiet),
            **columns,
        )
    names = list(fitted.topic_names)
    print_status(f"{_describe_periods(result)}.", quiet)
    if plot is not None:
        save_chart(timeline_chart(result, names), plot)
        print_status(f"Wrote the chart to {plot}.", quiet)
    if out is not None or out_format is not None:
        write_out(iter([result.shares]), out, out_format, quiet)
    if is_printed(out, out_format):
        return
    if as_json:
        tables = {"trends": result.trends.to_dicts(), "bursts": result.bursts.to_dicts()}
        print_json(tables, indent=1)
        return
    _print_timeline(result, names)


def _describe_periods(result: "Timeline") -> str:
    """Return the number and the length of the periods, with the first and the last one."""
    from bittern.analysis.periods import label_period, name_periods

    starts = result.shares["period"].unique(maintain_order=True)
    name = name_periods(starts)
    ends = " to ".join(label_period(start, name) for start in (starts[0], starts[-1]))
    return f"{count(len(starts), 'period')}, " + (f"by {name}, " if name else "") + f"from {ends}"


def _print_timeline(result: "Timeline", names: list[str]) -> None:
    """Print a table of trends and, if there are any, a table of bursts."""
    from rich.console import Console

    from bittern.analysis.periods import label_period, name_periods

    period = name_periods(result.shares["period"].unique(maintain_order=True))
    console = Console(soft_wrap=True, highlight=False)
    console.print("topic  start    end  trend  name", style="bold")
    for row in result.trends.to_dicts():
        numbers = f"{row['topic']:>5}  {row['start']:>5.1%}  {row['end']:>5.1%}  {row['trend']:<5}"
        console.print(f"{numbers}  {names[row['topic']]}", markup=False)
    if not (result.trends["trend"] != "").any():
        console.print("No topic rises or falls.")
    if result.bursts.is_empty():
        console.print("No bursts found.")
    else:
        width = 36 if period == "hour" else 25
        console.print(f"topic  {'burst':<{width}}  times  name", style="bold")
    for row in result.bursts.to_dicts():
        ends = " to ".join(label_period(row[end], period) for end in ("start", "end"))
        line = f"{row['topic']:>5}  {ends:<{width}} {row['times']:>6.1f}  {names[row['topic']]}"
        console.print(line, markup=False)
