from typing import Annotated

import typer

from bittern.cli.options import AsJson, ModelOut, ModelPath
from bittern.cli.output import print_topics
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_numbers
from bittern.errors import InputError

PANEL = Panel.EDIT
EXAMPLE = "bittern edit answers.model --merge 3,7 --name 0=trains --out edited.model"


def edit(
    model: ModelPath,
    out: ModelOut,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOPICS", help="Topics to merge into one, such as 3,7; can be repeated."
        ),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPICS", help="Topics to remove, such as 4,9; can be repeated."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPIC=NAME", help="Name a topic, such as 0=trains; can be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Merge, remove and name topics.

    All topic numbers refer to MODEL as it is before any edit. To change a model in place, use
    the same directory for --out.
    """
    import numpy as np

    from bittern import load
    from bittern.fitted import check_target, check_topics

    check_target(out)
    names = dict(_parse_name(item) for item in name or [])
    groups = [parse_numbers("--merge", group) for group in merge or []]
    removed = [topic for group in remove or [] for topic in parse_numbers("--remove", group)]
    _check_edits(names, groups, removed)
    fitted = load(model)
    fitted.name_topics(names)
    check_topics(removed, fitted.n_topics)
    new_numbers = fitted.merge_topics(*groups) if groups else np.arange(fitted.n_topics)
    if removed:
        fitted.remove_topics(*{int(new_numbers[topic]) for topic in removed})
    fitted.save(out)
    print_topics(fitted, words=10, relevance=1.0, as_json=as_json)


def _check_edits(names: dict[int, str], groups: list[tuple[int, ...]], removed: list[int]) -> None:
    """Reject edits that contradict each other."""
    if not (names or groups or removed):
        raise InputError("nothing to edit; use --merge, --remove or --name")
    for group in groups:
        both = set(group) & set(removed)
        if both:
            raise InputError(f"topic {min(both)} is both merged and removed; choose one")
        if len(set(group) & set(names)) > 1:
            listed = ", ".join(map(str, group))
            raise InputError(f"topics {listed} become one topic; give it one --name")


def _parse_name(given: str) -> tuple[int, str]:
    """Parse a topic and its name, such as 0=trains."""
    number, sign, name = given.partition("=")
    try:
        return int(number), name if sign else ""
    except ValueError:
        raise InputError(
            f'--name must be a topic and its name, such as 0=trains; got "{given}"'
        ) from None
