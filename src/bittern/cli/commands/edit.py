from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.options import AsJson, ModelPath
from bittern.cli.output import print_topics
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_numbers
from bittern.errors import InputError

PANEL = Panel.EDIT
EXAMPLE = "bittern edit answers.model --merge 3,7 --name 0=trains --out better.model"


def edit(
    model: ModelPath,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to save the model; its own place will do.")
    ],
    merge: Annotated[
        list[str] | None, typer.Option(help="Topics that become one, such as 3,7; may be repeated.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Topics that go, such as 4,9, by their old numbers.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name for a topic, such as 0=trains, by its old number."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Merge topics, remove topics and give them names: for what only people can see."""
    import numpy as np

    from bittern import load
    from bittern.fitted.storage import check_target
    from bittern.fitted.topics import check_topics

    check_target(out)
    fitted = load(model)
    fitted.name_topics(dict(_named(item) for item in name or []))
    numbers = np.arange(fitted.n_topics)
    if merge:
        numbers = fitted.merge_topics(*(parse_numbers("--merge", group) for group in merge))
    if remove:
        gone = [topic for group in remove for topic in parse_numbers("--remove", group)]
        check_topics(gone, len(numbers))
        fitted.remove_topics(*{int(numbers[topic]) for topic in gone})
    fitted.save(out)
    print_topics(fitted, words=10, relevance=1.0, as_json=as_json)


def _named(given: str) -> tuple[int, str]:
    number, sign, name = given.partition("=")
    try:
        return int(number), name if sign else ""
    except ValueError:
        raise InputError(
            f'--name "{given}": write a topic and its name, such as 0=trains'
        ) from None
