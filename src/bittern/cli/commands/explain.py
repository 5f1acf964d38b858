import json
from typing import Annotated

import typer

from bittern.cli.options import AsJson, ModelPath
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
    as_json: AsJson = False,
) -> None:
    """Show which biterms assign a text to its topic.

    For each biterm, prints how much it contributes to the topic's probability, and the
    probability (p) of the topic given this biterm alone.
    """
    from bittern import load

    fitted = load(model)
    document = fitted.document_info([text], shares=True).row(0, named=True)
    info = {name: value for name, value in document.items() if not name.startswith("topic_")}
    table = fitted.explain(text, info["topic"] if topic is None else topic)
    if as_json:
        print(json.dumps({"document": info, "biterms": table.to_dicts()}, ensure_ascii=False))
        return
    topic = info["topic"] if topic is None else topic
    print(f"topic {topic} ({document[f'topic_{topic}']:.1%}): {fitted.topic_names_[topic]}")
    if table.is_empty():
        print("no biterms: the model knows fewer than two distinct words of this text")
    for row in table.to_dicts():
        pair = f"{row['first']} + {row['second']}"
        print(f"{row['share']:>6.1%}  {pair}  (p = {row['probability']:.2f})")
