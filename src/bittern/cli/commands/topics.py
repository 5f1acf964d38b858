from typing import Annotated

import typer

from bittern.cli.options import AsJson, ModelPath, TopWords
from bittern.cli.output import print_topics
from bittern.cli.panels import Panel

PANEL = Panel.EXPLORE
EXAMPLE = "bittern topics answers.model --words 15 --relevance 0.6"


def topics(
    model: ModelPath,
    words: TopWords = 10,
    relevance: Annotated[
        float,
        typer.Option(
            help="Rank words by probability (1), by how specific they are to the topic (0), or "
            "by a mix of both; try 0.6."
        ),
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Print the topics of a model, largest first."""
    from bittern import load

    print_topics(load(model), words, relevance, as_json)
