import json
from typing import Annotated

import typer

from bittern.cli.options import AsJson, ModelPath
from bittern.cli.panels import Panel

PANEL = Panel.APPLY
EXAMPLE = 'bittern explain answers.model "the train was late again"'


def explain(
    model: ModelPath,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to explain.")],
    topic: Annotated[
        int | None, typer.Option(min=0, help="What speaks for this topic; else for its own.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the biterms that put a text into its topic, with the part that each has in it."""
    from bittern import load

    fitted = load(model)
    info = fitted.document_info([text]).row(0, named=True)
    table = fitted.explain(text, topic)
    if as_json:
        print(json.dumps({"document": info, "biterms": table.to_dicts()}, ensure_ascii=False))
        return
    topic = info["topic"] if topic is None else topic
    share = fitted.transform([text])[0, topic]
    print(f"topic {topic} ({share:.1%}): {fitted.topic_names_[topic]}")
    if table.is_empty():
        print("no biterm: the model knows fewer than two different words of the text")
    for row in table.to_dicts():
        pair = f"{row['first']} + {row['second']}"
        print(f"{row['share']:>6.1%}  {pair}  (p = {row['probability']:.2f})")
