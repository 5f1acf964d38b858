"""Import a tokenizer that the user has named: MODULE:FUNCTION."""

import os
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import reduce
from importlib import import_module
from types import ModuleType

from bittern._core.untrusted import one_line
from bittern.errors import InputError

OPTION = "--tokenizer"


def import_tokenizer(given: str | None) -> Callable[[str], Iterable[str]] | None:
    """Import a function from the installed packages or the current folder; None stays None."""
    if given is None:
        return None
    module_name, _, name = given.partition(":")
    if not (module_name and name):
        raise InputError(f"{OPTION} must be MODULE:FUNCTION, such as words:lemmas, not {given!r}")
    module = _import_module(module_name)
    try:
        function = reduce(getattr, name.split("."), module)
    except AttributeError:
        problem = f"{_describe(module)} has no {name}{_hint(module, name)}"
        raise InputError(f"{OPTION}: {problem}") from None
    if not callable(function):
        kind = type(function).__name__
        raise InputError(f"{OPTION}: {given} is not a function but of type {kind}")
    return function


def _import_module(name: str) -> ModuleType:
    """Import a module; the current folder comes after the installed packages."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:
        missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):
            raise InputError(
                f"{OPTION}: no module {missing} in the current folder or the installed packages"
            ) from None
        reason = one_line(f"{type(error).__name__}: {error}")
        raise InputError(f"{OPTION}: {name} cannot be imported: {reason}") from error


def _describe(module: ModuleType) -> str:
    """Return the name of a module, with its file: it may not be the one that was meant."""
    file = getattr(module, "__file__", None)
    return f"module {module.__name__}" + (f" ({file})" if file else "")


def _hint(module: ModuleType, name: str) -> str:
    """Suggest a function with a similar name."""
    similar = get_close_matches(name, dir(module), 1)
    return f"; did you mean {similar[0]}?" if similar else ""
