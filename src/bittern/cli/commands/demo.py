from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.output import announce, print_topics, say
from bittern.cli.panels import Panel

PANEL = Panel.FIND
EXAMPLE = "bittern demo --report demo.html"


def demo(
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, help="How many.")] = 20,
    report: Annotated[
        Path | None, typer.Option(help="Also write a page to look at, such as demo.html.")
    ] = None,
) -> None:
    """Find the topics of Python's own documentation, the docstrings of its standard library."""
    from bittern import BTM
    from bittern.corpus.stdlib_docs import docstrings

    if report is not None:
        from bittern.report import check_page

        check_page(report)
    announce(quiet=False)
    texts, modules = docstrings(verbose=1)
    say(f"{len(texts):,} docstrings of Python's standard library, {topics} topics")
    model = BTM(topics, random_state=0, verbose=1).fit(texts)
    print_topics(model, words=10, relevance=0.6)
    if report is not None:
        page = model.report(texts, labels=modules, title="Python's standard library")
        page.save(report)
        say(f"Open {report} in a browser")
    say("Now your own texts: bittern fit answers.csv --text answer --topics 20 --out model")
