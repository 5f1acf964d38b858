"""Validation of parameters: an unusable value raises InputError with the allowed values."""

import math
from numbers import Integral, Real
from typing import Any, TypeGuard

from numpy.typing import NDArray

from bittern.errors import InputError

MAX_INTEGER = 1 << 53  # floats and integers of 64 bits count up to here
MAX_SEED = 1 << 256
MAX_REPEATS = 1_000_000  # of anything that is done again and again


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is a Python or NumPy integer (a bool is not)."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite Python or NumPy number (a bool is not)."""
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


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
        raise InputError(f"{name} must be a text, not {value!r}")
    if not is_unicode(value):
        raise InputError(f"{name} is not valid Unicode: {value!r}; remove its unpaired surrogates")


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
        raise InputError(f"{name} must be an integer {alternative}".rstrip() + f", not {value!r}")
    if value < minimum:
        allowed = f"{minimum} or more {alternative}".rstrip()
        raise InputError(f"{name} must be {allowed}, not {value!r}")
    if value > maximum:
        raise InputError(f"{name} must be at most {maximum:,}")


def check_number(name: str, value: object, minimum: float, maximum: float) -> None:
    """Raise InputError unless the value is a finite number from `minimum` to `maximum`."""
    if not is_number(value) or not minimum <= value <= maximum:
        raise InputError(f"{name} must be a number from {minimum:g} to {maximum:g}, not {value!r}")


def check_kappa(kappa: object) -> None:
    """Raise InputError for a step size exponent that violates the Robbins-Monro conditions."""
    if not is_number(kappa) or not 0.5 < kappa <= 1:
        raise InputError(
            f"kappa must be greater than 0.5 and at most 1, not {kappa!r}; "
            "training may not converge outside of this range (Robbins-Monro)"
        )
