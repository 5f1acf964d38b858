"""Sizes of memory, as people write them."""

import os
import re

from bittern.errors import InputError

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def parse_size(size: str | int | float) -> int:
    """Bytes: "512MB" is 512,000,000; numbers are bytes already."""
    match = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)i?b?\s*", str(size).lower())
    try:
        if match is None:
            raise ValueError
        value = int(float(match[1]) * UNITS[match[2]])
    except ValueError:
        raise InputError(f'"{size}" is not a size of memory: write 512MB or 4GB') from None
    return value


def format_size(n_bytes: float) -> str:
    """512,000,000 as "512 MB"."""
    for letter in "TGMk":
        if n_bytes >= UNITS[letter.lower()]:
            return f"{n_bytes / UNITS[letter.lower()]:.3g} {letter}B"
    return f"{n_bytes:.0f} bytes"


def check_fits(n_bytes: float, what: str) -> None:
    """Refuse what is larger than all the memory of the machine, before it is asked for."""
    if not hasattr(os, "sysconf"):
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if n_bytes > memory:
        raise InputError(
            f"{what} need {format_size(n_bytes)} of memory, and there are {format_size(memory)}: "
            "take a smaller window, fewer texts, or smaller weights"
        )
