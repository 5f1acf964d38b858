"""Validation of parameters: an unusable value raises InputError with the allowed values."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard

from numpy.typing import NDArray

from bittern.errors import InputError

MAX_INTEGER = 1 << 53  # floats and integers of 64 bits count up to here
MAX_SEED = 1 << 256
MAX_REPEATS = 1_000_000  # of anything that is done again and again
NOT_LISTS = (str, bytes, bytearray, memoryview, Mapping, Set)  # that can be iterated over
MAX_SIZE = 80  # characters of a value in a message


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is a Python or NumPy integer (a bool is not)."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite Python or NumPy number (a bool is not)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that is too large for a float
        return False


def is_unicode(text: str) -> bool:
    """Return whether a string can be encoded: it has no unpaired surrogates.

    Python makes these of bytes that are not UTF-8, in arguments and in the names of files.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_text(name: str, value: object) -> None:
    """Raise InputError unless the value is a string of valid Unicode."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be a text, not {shorten(value)}")
    if not is_unicode(value):
        raise InputError(
            f"{name} is not valid Unicode: {shorten(value)}; remove its unpaired surrogates"
        )


def check_path(path: object) -> Path:
    """Return the path of a file, or raise InputError if it is not a path."""
    if not isinstance(path, str | PathLike) or "\0" in str(path):
        raise InputError(f"a path must be a string or a Path, not {shorten(path)}")
    return Path(path)


def check_list(name: str, values: object) -> list[Any]:
    """Return the items of a list or another sequence, an array, a series or an iterator.

    A mapping and a set are rejected, because the order of items matters, and so are tables.
    """
    is_list = isinstance(values, Iterable) and getattr(values, "ndim", 1) == 1
    if not is_list or hasattr(values, "columns") or isinstance(values, NOT_LISTS):
        raise InputError(f"{name} must be a list or another sequence, not {shorten(values)}")
    return list(values)  # type: ignore[call-overload, no-any-return]


def check_words(name: str, words: object) -> list[str]:
    """Return distinct words as a list, or raise InputError."""
    found = check_list(name, words)
    for word in found:
        if not isinstance(word, str):
            raise InputError(f"{name} must be a list of strings; it contains {shorten(word)}")
    if not is_unicode("".join(found)):
        word = next(word for word in found if not is_unicode(word))
        raise InputError(f"{name} has a word that is not valid Unicode: {shorten(word)}")
    if len(set(found)) < len(found):
        word, n = Counter(found).most_common(1)[0]
        raise InputError(f'"{word}" occurs {n} times in the {name}; words must be distinct')
    return found


def check_flag(name: str, value: object) -> None:
    """Raise InputError unless the value is True or False."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be True or False, not {shorten(value)}")


def shorten(value: object) -> str:
    """Return a value for a message: one line, not too long."""
    try:
        text = repr(value)
    except Exception:  # such as an integer with thousands of digits
        text = f"a value of type {type(value).__name__}"
    return _one_line(text)


def quote(value: object) -> str:
    """Return a value for a message, in double quotes."""
    return f'"{_one_line(value) if isinstance(value, str) else shorten(value)}"'


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SIZE else f"{line[:MAX_SIZE]}..."


def are_indices(numbers: NDArray[Any], n: int) -> bool:
    """Return whether all numbers are valid indices for length n; kernels do not check bounds."""
    return len(numbers) == 0 or bool(0 <= numbers.min() <= numbers.max() < n)


def check_integer(
    name: str,
    value: object,
    minimum: int,
    alternative: str = "",
    maximum: int = MAX_INTEGER,
) -> None:
    """Raise InputError unless the value is an integer from `minimum` to `maximum`.

    `alternative` names other values that the caller allows, such as "or None".
    """
    if not is_integer(value):
        raise InputError(
            f"{name} must be an integer {alternative}".rstrip() + f", not {shorten(value)}"
        )
    if value < minimum:
        allowed = f"{minimum} or more {alternative}".rstrip()
        raise InputError(f"{name} must be {allowed}, not {shorten(value)}")
    if value > maximum:
        raise InputError(f"{name} must be at most {maximum:,}")


def check_number(name: str, value: object, minimum: float, maximum: float) -> None:
    """Raise InputError unless the value is a finite number from `minimum` to `maximum`."""
    if not is_number(value) or not minimum <= value <= maximum:
        raise InputError(
            f"{name} must be a number from {minimum:g} to {maximum:g}, not {shorten(value)}"
        )


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise InputError unless the value is one of the choices."""
    allowed = list(choices)
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"unknown {name} {quote(value)}; choose from {', '.join(allowed)}")


def check_kappa(kappa: object) -> None:
    """Raise InputError for a step size exponent that violates the Robbins-Monro conditions."""
    if not is_number(kappa) or not 0.5 < kappa <= 1:
        raise InputError(
            f"kappa must be greater than 0.5 and at most 1, not {shorten(kappa)}; "
            "training may not converge outside of this range (Robbins-Monro)"
        )
