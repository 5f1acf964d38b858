"""Memory sizes, limits and checks."""

import ctypes
import math
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bittern._core.validation import quote
from bittern.errors import InputError

UNIT_PREFIXES = ["", "k", "m", "g", "t"]  # powers of 1000; followed by an i (MiB), of 1024


def parse_size(size: str | int | float) -> int:
    """Return a memory size in bytes: "512MB" is 512,000,000, "1KiB" is 1,024, 100 is 100."""
    try:
        match = re.fullmatch(r"\s*([\d.]+)\s*([kmgt]?)(i?)b?\s*", str(size).lower())
        if match is None:
            raise ValueError
        base = 1024 if match[3] else 1000
        value = int(float(match[1]) * base ** UNIT_PREFIXES.index(match[2]))
    except (ValueError, OverflowError):
        raise InputError(f"{quote(size)} is not a valid memory size; use 512MB or 4GB") from None
    return value


def format_size(n_bytes: float) -> str:
    """Return a readable memory size: 512,000,000 bytes are "512 MB"."""
    for power, prefix in ((4, "T"), (3, "G"), (2, "M"), (1, "k")):
        if n_bytes >= 1000**power:
            return f"{n_bytes / 1000**power:.3g} {prefix}B"
    return f"{n_bytes:.0f} bytes"


def release_memory() -> None:
    """Return freed memory to the operating system, where the C library would keep it (Linux)."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def available_memory(root: Path = Path("/")) -> float:
    """Return the memory that this process may use, in bytes; infinity if it is unknown.

    This is the physical memory, or less where a control group limits it, as in a container, or
    `ulimit -v` does. `root` is the directory with `proc` and `sys`.
    """
    return min(_physical_memory(), _process_limit(), *_cgroup_limits(root))


def resident_memory(root: Path = Path("/")) -> float:
    """Return the memory that this process uses, in bytes; 0 if it is unknown."""
    try:
        pages = int((root / "proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def check_memory(n_bytes: float, subject: str, remedy: str, used: float = 0) -> None:
    """Raise InputError if `subject` (a plural) needs more memory than is available.

    `used` is memory that stays in use meanwhile.
    """
    memory = max(available_memory() - used, 0)
    if n_bytes > memory:
        raise InputError(
            f"{subject} need {format_size(n_bytes)} of memory but only {format_size(memory)} "
            f"is available; use {remedy}"
        )


def _physical_memory() -> float:
    """Return the memory of the machine in bytes; infinity where the system does not report it."""
    if not hasattr(os, "sysconf"):
        return math.inf
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def _process_limit() -> float:
    """Return the limit of this process's address space; infinity if there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else float(limit)


def _cgroup_limits(root: Path) -> Iterator[float]:
    """Yield the memory limits of this process's control groups and all their parents."""
    yield math.inf
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", maxsplit=2)
            if not controllers:  # version 2, or the part of it in a hybrid setup
                yield from _limits_upward(root / "sys/fs/cgroup", group, "memory.max")
                yield from _limits_upward(root / "sys/fs/cgroup/unified", group, "memory.max")
            elif "memory" in controllers.split(","):  # version 1
                mount = root / "sys/fs/cgroup/memory"
                yield from _limits_upward(mount, group, "memory.limit_in_bytes")


def _limits_upward(mount: Path, group: str, name: str) -> Iterator[float]:
    """Yield the limits in files called `name`, from the group's directory up to the mount.

    In a container the group may be a path of the host that does not exist here; the container's
    own limit is then at the mount itself.
    """
    parts = [part for part in group.split("/") if part not in ("", "..")]
    for depth in range(len(parts), -1, -1):
        with suppress(OSError, ValueError):  # ValueError: "max" means no limit
            yield float(int(mount.joinpath(*parts[:depth], name).read_text()))
