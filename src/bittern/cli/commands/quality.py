import json

from bittern.cli.input import load_model
from bittern.cli.options import (
    AsJson,
    Files,
    Format,
    LabelColumn,
    ModelPath,
    Quiet,
    TextColumn,
    TopWords,
)
from bittern.cli.panels import Panel

PANEL = Panel.EXPLORE
EXAMPLE = "bittern quality answers.model answers.csv --text answer --label question"


def quality(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    label: LabelColumn = None,
    format: Format = None,
    words: TopWords = 10,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Report topic quality: likelihood, coherence, diversity, agreement with labels.

    Agreement with labels is reported only if --label is given.
    """
    fitted = load_model(model, quiet)
    corpus = fitted.read(*files, text=text, label=label, format=format, verbose=int(not quiet))
    measures = fitted.quality(corpus, n=words)
    if as_json:
        print(json.dumps(measures))
        return
    for measure, value in measures.items():
        print(f"{measure:<24}{value:>10.4f}")
