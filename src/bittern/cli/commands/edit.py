from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer

from bittern.cli.checks import check_model
from bittern.cli.options import AsJson, ModelOut, ModelPath, Quiet
from bittern.cli.output import MODEL_SAVED, expect_output, print_status, print_topics
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_numbers
from bittern.cli.saving import save_model
from bittern.errors import InputError

if TYPE_CHECKING:
    from bittern.fitted import FittedTopics

PANEL = Panel.EDIT
EXAMPLE = "bittern edit answers.model --merge 3,7 --set-aside 4 --name 0=trains --out edited.model"


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
        typer.Option(
            metavar="TOPICS",
            help="Topics to remove, such as 4,9; their texts go to other topics; can be repeated.",
        ),
    ] = None,
    set_aside: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOPICS",
            help="Topics to set aside, such as advertising: their texts get no topic, and other "
            "texts keep theirs; can be repeated.",
        ),
    ] = None,
    restore: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPICS", help="Topics to restore after --set-aside."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPIC=NAME", help="Name a topic, such as 0=trains; can be repeated."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Merge, remove, set aside and name topics.

    All topic numbers refer to MODEL as it is before any edit. To change a model in place, use
    the same directory for --out.
    """
    expect_output(out, MODEL_SAVED)
    names = dict(_parse_name(item) for item in name or [])
    groups = [parse_numbers("--merge", group) for group in merge or []]
    removed = _parse_topics("--remove", remove)
    hidden, restored = _parse_topics("--set-aside", set_aside), _parse_topics("--restore", restore)
    _check_edits(names, groups, removed, hidden, restored)
    check_model(model)
    from bittern.fitted import check_target, read_fitted

    check_target(out)
    fitted = read_fitted(model).with_names(names)
    if hidden or restored:
        fitted = fitted.with_set_aside([*fitted.set_aside, *hidden]).without_set_aside(restored)
    fitted, numbers = _apply_edits(fitted, groups, removed)
    out = save_model(fitted, out)
    print_topics(fitted, words=10, as_json=as_json, quiet=quiet)
    if removed:
        listed = ", ".join(map(str, sorted(set(removed))))
        print_status(f"Removed {listed}; their texts go to other topics.", quiet)
    moved = [f"{old} is now {new}" for old, new in enumerate(numbers) if new not in (old, -1)]
    if moved:
        print_status(f"New topic numbers: {', '.join(moved)}.", quiet)
    print_status(f"Saved the model to {out}.", quiet)


def _apply_edits(
    fitted: "FittedTopics", groups: list[tuple[int, ...]], removed: list[int]
) -> tuple["FittedTopics", list[int]]:
    """Merge and remove topics; also return the new number of each old one, -1 if it is removed."""
    from bittern.fitted import check_topics

    check_topics(removed, fitted.n_topics)
    numbers = list(range(fitted.n_topics))
    if groups:
        fitted, merged = fitted.merge_topics(groups)
        numbers = merged.tolist()
    if removed:
        fitted, left = fitted.remove_topics([numbers[topic] for topic in removed])
        numbers = [int(left[number]) for number in numbers]
    return fitted, numbers


def _parse_topics(option: str, given: list[str] | None) -> list[int]:
    """Parse the topics of an option that can be repeated."""
    return [topic for group in given or [] for topic in parse_numbers(option, group)]


def _check_edits(
    names: dict[int, str],
    groups: list[tuple[int, ...]],
    removed: list[int],
    hidden: list[int],
    restored: list[int],
) -> None:
    """Reject edits that contradict each other."""
    if not (names or groups or removed or hidden or restored):
        raise InputError("nothing to edit; use --merge, --remove, --set-aside, --restore or --name")
    changed = {"removed": removed, "set aside": hidden, "restored": restored}
    for (one, some), (other, others) in combinations(changed.items(), 2):
        if both := set(some) & set(others):
            raise InputError(f"topic {min(both)} is both {one} and {other}; choose one")
    for group in groups:
        for what, topics in (("removed", removed), ("set aside", hidden)):
            both = set(group) & set(topics)
            if both and not set(group) <= set(hidden):
                raise InputError(f"topic {min(both)} is both merged and {what}; choose one")
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
