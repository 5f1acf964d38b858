"""Turn the text of an option into the value that the library expects."""

from collections.abc import Sequence

from bittern.errors import InputError


def parse_stop_words(given: str) -> str | Sequence[str] | None:
    """Split languages and words at commas; "none" means no stop words."""
    if given.strip().lower() == "none":
        return None
    items = [item.strip() for item in given.split(",") if item.strip()]
    return items[0] if len(items) == 1 else items  # a single item must be a language


def parse_list(given: str | None) -> Sequence[str] | None:
    """Split items at commas; None stays None."""
    return None if given is None else [item.strip() for item in given.split(",")]


def parse_numbers(name: str, given: str) -> tuple[int, ...]:
    """Parse integers separated by commas; `name` is the option's name for the error message."""
    try:
        return tuple(int(item) for item in given.split(","))
    except ValueError:
        raise InputError(
            f'{name} must be integers separated by commas, such as 20,50,100; got "{given}"'
        ) from None


def parse_number(given: str) -> int | float | str:
    """Parse an integer or a float; return any other text unchanged."""
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given
