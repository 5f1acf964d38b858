from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.options import TopicCount
from bittern.cli.output import (
    announce_compilation,
    expect_output,
    print_message,
    print_topics,
)
from bittern.cli.panels import Panel

PANEL = Panel.FIND
EXAMPLE = "bittern demo --report demo.html"


def demo(
    topics: TopicCount = 20,
    report: Annotated[
        Path | None, typer.Option(help="Also write a report to this html file.")
    ] = None,
) -> None:
    """Find topics in the docstrings of Python's standard library.

    A quick way to see what bittern does. It needs no files and no network connection.
    """
    expect_output(report)
    from bittern import BTM
    from bittern.datasets import docstrings

    if report is not None:
        from bittern.report import check_page

        check_page(report)
    announce_compilation(quiet=False)
    texts, modules = docstrings(verbose=1)
    print_message(f"{len(texts):,} docstrings of Python's standard library, {topics} topics")
    model = BTM(topics, random_state=0, verbose=1).fit(texts)
    print_topics(model.fitted_, words=10)
    if report is not None:
        page = model.report(texts, labels=modules, title="Python's standard library")
        page.save(report)
        print_message(f"Open {report} in a browser.")
    print_message(
        "Next, try your own texts: bittern fit answers.csv --text answer --out answers.model"
    )
