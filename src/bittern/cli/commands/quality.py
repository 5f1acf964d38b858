import json
from typing import Annotated

import typer

from bittern.cli.options import AsJson, Files, Format, ModelPath, Quiet, TextColumn, Words
from bittern.cli.output import announce
from bittern.cli.panels import Panel

PANEL = Panel.LOOK
EXAMPLE = "bittern quality answers.model answers.csv --text answer --label question"


def quality(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    label: Annotated[
        str | None, typer.Option(help="The column with labels to compare the topics with.")
    ] = None,
    words: Words = 10,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say how good the topics are: likelihood, coherence, how different, how true to labels."""
    from bittern import load

    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    corpus = fitted.read(*files, text=text, label=label, format=format, verbose=int(not quiet))
    found = fitted.quality(corpus, n=words)
    if as_json:
        print(json.dumps(found))
        return
    for measure, value in found.items():
        print(f"{measure:<24}{value:>10.4f}")
