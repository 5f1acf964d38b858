"""Sizes of memory, as people write them."""

import ctypes
import os
import re
from contextlib import suppress

from bittern.errors import InputError

POWERS = ["", "k", "m", "g", "t"]  # of a thousand; with an i, as in MiB, of 1024


def parse_size(size: str | int | float) -> int:
    """Bytes: "512MB" is 512,000,000, "1KiB" is 1,024; numbers are bytes already."""
    match = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)(i?)b?\s*", str(size).lower())
    try:
        if match is None:
            raise ValueError
        base = 1024 if match[3] else 1000
        value = int(float(match[1]) * base ** POWERS.index(match[2]))
    except ValueError:
        raise InputError(f'"{size}" is not a size of memory: write 512MB or 4GB') from None
    return value


def format_size(n_bytes: float) -> str:
    """512,000,000 as "512 MB"."""
    for power, letter in ((4, "T"), (3, "G"), (2, "M"), (1, "k")):
        if n_bytes >= 1000**power:
            return f"{n_bytes / 1000**power:.3g} {letter}B"
    return f"{n_bytes:.0f} bytes"


def release_memory() -> None:
    """Give freed memory back to the system, where the C library would keep it (on Linux)."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def available_memory() -> float:
    """The memory of the machine; without end where it does not say."""
    if not hasattr(os, "sysconf"):
        return float("inf")
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_memory(n_bytes: float, what: str, instead: str) -> None:
    """Refuse what is larger than all the memory of the machine, before it is asked for."""
    memory = available_memory()
    if n_bytes > memory:
        raise InputError(
            f"{what} need {format_size(n_bytes)} of memory, and there are {format_size(memory)}: "
            f"take {instead}"
        )
