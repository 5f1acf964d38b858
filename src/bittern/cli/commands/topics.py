from typing import Annotated

import typer

from bittern.cli.options import AsJson, ModelPath, TableOut, TopWords
from bittern.cli.output import expect_output, print_message, print_topics
from bittern.cli.panels import Panel

PANEL = Panel.EXPLORE
EXAMPLE = "bittern topics answers.model --words 15"


def topics(
    model: ModelPath,
    words: TopWords = 10,
    relevance: Annotated[
        float,
        typer.Option(
            help="Rank words by probability (1), by how specific they are to the topic (0), or "
            "by a mix of both."
        ),
    ] = 0.6,
    out: TableOut = None,
    as_json: AsJson = False,
) -> None:
    """Print the topics of a model, largest first, or write them to a table."""
    expect_output(out)
    from bittern.corpus.tables import check_table, write_table
    from bittern.fitted import read_fitted

    if out is not None:
        check_table(out)
    fitted = read_fitted(model)
    if out is None:
        print_topics(fitted, words, relevance, as_json)
        return
    write_table(fitted.topic_info(words, relevance, as_text=True), out)
    print_message(f"Wrote {fitted.n_topics:,} topics to {out}.")
