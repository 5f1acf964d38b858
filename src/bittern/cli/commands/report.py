from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.options import Files, Format, ModelPath, Quiet, TextColumn
from bittern.cli.output import announce, say
from bittern.cli.panels import Panel
from bittern.errors import InputError

PANEL = Panel.LOOK
EXAMPLE = "bittern report answers.model answers.csv --text answer --out answers.html"


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
