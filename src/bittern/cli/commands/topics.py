from typing import Annotated

import typer

from bittern.cli.checks import check_model
from bittern.cli.options import AsJson, ModelPath, Quiet, TableFormat, TableOut, TopWords
from bittern.cli.output import print_topics
from bittern.cli.panels import Panel
from bittern.cli.tables import check_out, write_out

PANEL = Panel.EXPLORE
EXAMPLE = "bittern topics answers.model --words 15"


def topics(
    model: ModelPath,
    words: TopWords = 10,
    relevance: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Rank words by probability (1), by how specific they are to the topic (0), or "
            "by a mix of both.",
        ),
    ] = 0.6,
    out: TableOut = None,
    out_format: TableFormat = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print the topics of a model, largest first, or write them to a table."""
    check_out(out, out_format)
    check_model(model)
    from bittern.fitted import read_fitted

    fitted = read_fitted(model)
    if out is None and out_format is None:
        print_topics(fitted, words, relevance, as_json, quiet)
        return
    write_out(iter([fitted.topic_info(words, relevance, as_text=True)]), out, out_format, quiet)
