from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.checks import check_inputs, check_outputs, check_page_name
from bittern.cli.groups import TimedFileArguments
from bittern.cli.input import all_cores, load_model, readable_name
from bittern.cli.options import (
    Files,
    LabelColumn,
    ModelPath,
    ModelTokenizer,
    Quiet,
    TextColumn,
    TimeColumn,
)
from bittern.cli.output import expect_output, print_status
from bittern.cli.panels import Panel
from bittern.cli.texts import read_texts

PANEL = Panel.EXPLORE
EXAMPLE = "bittern report answers.model answers.csv --text answer --out answers.html"


def report(
    model: ModelPath,
    files: Files,
    reading: TimedFileArguments,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the report to this html file.")],
    text: TextColumn = None,
    tokenizer: ModelTokenizer = None,
    time: TimeColumn = None,
    label: LabelColumn = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the report.", show_default="Topics of FILE")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write an interactive report on the topics and their texts.

    The report is a single html file that opens in any browser without a network connection, so
    it is easy to share. It begins with what the texts are about, followed by a map of the topics;
    the words, representative texts, labels and share over time of each topic; and the model's
    settings and scores.
    """
    expect_output(out)
    check_outputs(out)
    check_page_name(out)
    check_inputs(files, reading, model, text=text, time=time, label=label)
    from bittern.report import check_page, make_report

    check_page(out)
    fitted = load_model(model, quiet, tokenizer)
    corpus = read_texts(
        fitted,
        files,
        quiet,
        text=text,
        time=time,
        label=label,
        keep_texts=True,
        **reading.as_keywords(),
    )
    names = [Path(file).name for file in files if file != "-"]
    title = title or (f"Topics of {readable_name(names[0])}" if names else "Topics")
    make_report(fitted, corpus, title, all_cores(), int(not quiet)).save(out)
    print_status(f"Wrote the report. Open {out} in a browser.", quiet)
