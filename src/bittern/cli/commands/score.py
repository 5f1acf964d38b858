import json

from bittern.cli.input import load_model
from bittern.cli.options import AsJson, Files, Format, ModelPath, Quiet, TextColumn
from bittern.cli.panels import Panel

PANEL = Panel.APPLY
EXAMPLE = "bittern score answers.model new.csv --text answer"


def score(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print the mean log-likelihood per biterm of texts; higher is better.

    Use held-out texts to compare models that have the same vocabulary. Words that the model does
    not know are ignored.
    """
    fitted = load_model(model, quiet)
    value = fitted.score(fitted.read(*files, text=text, format=format, verbose=int(not quiet)))
    print(json.dumps({"log_likelihood": value}) if as_json else f"{value:.4f}")
