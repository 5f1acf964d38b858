from typing import Annotated, Any

import typer

from bittern.cli.checks import EXPLANATIONS, check_choice, check_model
from bittern.cli.options import AsJson, ModelPath
from bittern.cli.output import print_json
from bittern.cli.panels import Panel

PANEL = Panel.APPLY
EXAMPLE = 'bittern explain answers.model "the train was late again"'


def explain(
    model: ModelPath,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Text to explain.")],
    topic: Annotated[
        int | None,
        typer.Option(min=0, help="Explain this topic instead of the most probable one."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="BASIS",
            help="What the topics of the text are inferred from: informative, words or biterms.",
        ),
    ] = "informative",
    as_json: AsJson = False,
) -> None:
    """Show which words speak for the topic of a text.

    For each word, prints its part in the topic's share of the text, and the probability (p) of the
    topic given this word alone.
    """
    check_choice("--by", by, EXPLANATIONS)
    check_model(model)
    import numpy as np

    from bittern import load

    fitted = load(model)
    basis: Any = by  # checked by both methods
    document = fitted.document_info([text], basis, shares=True).row(0, named=True)
    shares = [document.pop(f"topic_{k}") for k in range(fitted.n_topics)]
    is_known = None not in shares
    if is_known and topic is None:
        topic = int(np.argmax(shares))
    table = fitted.explain(text, topic, basis)
    if as_json:
        parts = "biterms" if by == "biterms" else "words"
        print_json({"document": document, parts: table.to_dicts()})
        return
    if topic is None or not is_known:
        print("no topic: the model knows no word of this text")
        return
    print(f"topic {topic} ({shares[topic]:.1%}): {fitted.topic_names_[topic]}")
    if table.is_empty() and by == "biterms":
        print("no biterms: the model knows fewer than two distinct words of this text")
    for row in table.to_dicts():
        part = f"{row['first']} + {row['second']}" if by == "biterms" else row["word"]
        print(f"{row['share']:>6.1%}  {part}  (p = {row['probability']:.2f})")
