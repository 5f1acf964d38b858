"""Checks of what the user sets: a value that cannot be used is refused with the reason."""

import math
from numbers import Integral, Real
from typing import Any

from numpy.typing import NDArray

from bittern.errors import InputError


def is_integer(value: Any) -> bool:
    """Whether this is a whole number, Python's or NumPy's."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: Any) -> bool:
    """Whether this is a finite number, Python's or NumPy's."""
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def are_indices(numbers: NDArray[Any], n: int) -> bool:
    """Whether all these are places in something of length n: a kernel does not look."""
    return len(numbers) == 0 or bool(0 <= numbers.min() <= numbers.max() < n)


def check_integer(name: str, value: Any, least: int, otherwise: str = "") -> None:
    """Refuse what is not a whole number of at least `least`."""
    if not is_integer(value) or value < least:
        allowed = f"{least} or more {otherwise}".strip()
        raise InputError(f"{name} must be {allowed}, not {value!r}")


def check_number(name: str, value: Any, least: float, most: float) -> None:
    """Refuse what is not a number from `least` to `most`."""
    if not is_number(value) or not least <= value <= most:
        raise InputError(f"{name} must be a number from {least:g} to {most:g}, not {value!r}")


def check_kappa(kappa: Any) -> None:
    """Refuse an exponent for which stochastic steps need not converge."""
    if not is_number(kappa) or not 0.5 < kappa <= 1:
        raise InputError(
            f"kappa must be greater than 0.5 and at most 1, not {kappa!r}: "
            "outside that range the steps need not converge (Robbins-Monro)"
        )
