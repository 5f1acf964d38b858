import json
from typing import Annotated

import typer

from bittern.cli.input import load_model
from bittern.cli.options import AsJson, Files, Format, ModelPath, Quiet, TextColumn
from bittern.cli.panels import Panel

PANEL = Panel.EXPLORE
EXAMPLE = "bittern examples answers.model answers.csv --text answer -n 5"


def examples(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of texts per topic.")] = 3,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show representative texts for each topic that is in use."""
    fitted = load_model(model, quiet)
    corpus = fitted.read(*files, text=text, format=format, keep_texts=True, verbose=int(not quiet))
    table = fitted.representative(corpus, n)
    if as_json:
        print(json.dumps(table.to_dicts(), ensure_ascii=False, indent=1))
        return
    names, in_use = fitted.topic_names_, fitted.fitted_.in_use
    for row in table.to_dicts():
        if not in_use[row["topic"]]:
            continue
        if row["rank"] == 0:
            print(f"topic {row['topic']}: {names[row['topic']]}")
        print(f"{row['probability']:>7.1%}  {row['text']}")
