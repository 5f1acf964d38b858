from typing import TYPE_CHECKING, Annotated

import typer

from bittern.cli.checks import check_inputs
from bittern.cli.groups import FileArguments
from bittern.cli.input import all_cores, load_model
from bittern.cli.options import AsJson, Files, ModelPath, ModelTokenizer, Quiet, TextColumn
from bittern.cli.output import print_json
from bittern.cli.panels import Panel
from bittern.cli.texts import read_texts

if TYPE_CHECKING:
    import polars as pl

    from bittern.fitted import FittedTopics

PANEL = Panel.EXPLORE
EXAMPLE = "bittern examples answers.model answers.csv --text answer -n 5"


def examples(
    model: ModelPath,
    files: Files,
    reading: FileArguments,
    text: TextColumn = None,
    tokenizer: ModelTokenizer = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of texts per topic.")] = 3,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show representative texts for each topic that is in use.

    Each text has at least two of the topic's twenty top words, which stand out on a terminal.
    """
    check_inputs(files, reading, model, text=text)
    from bittern.analysis.documents import infer_topics
    from bittern.analysis.representative import representative_table

    fitted = load_model(model, quiet, tokenizer)
    corpus = read_texts(fitted, files, quiet, text=text, keep_texts=True, **reading.as_keywords())
    table = representative_table(
        fitted, corpus, infer_topics(fitted, corpus, n_threads=all_cores()), n
    )
    if as_json:
        print_json(table.to_dicts(), indent=1)
        return
    _print_texts(fitted, table)


def _print_texts(fitted: "FittedTopics", table: "pl.DataFrame") -> None:
    """Print the texts of each topic, with its top words in bold."""
    import re

    from rich.console import Console
    from rich.text import Text

    from bittern.analysis.representative import TOP_WORDS
    from bittern.fitted import DEFAULT_RELEVANCE

    console = Console(soft_wrap=True, highlight=False)
    names, in_use = fitted.topic_names, fitted.in_use
    top = fitted.top_words(TOP_WORDS, DEFAULT_RELEVANCE)
    for row in table.to_dicts():
        topic = row["topic"]
        if not in_use[topic]:
            continue
        if row["rank"] == 0:
            console.print(Text(f"topic {topic}: {names[topic]}", "cyan"))
        line = Text(f"{row['probability']:>7.1%}  ").append(row["text"])
        words = "|".join(map(re.escape, sorted(top[topic], key=len, reverse=True)))
        line.highlight_regex(rf"(?i)\b(?:{words})\b", "bold")
        console.print(line)
