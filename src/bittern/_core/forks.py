"""Forked processes, in which Polars would wait forever for threads that only the parent has."""

import os
import re
from contextlib import suppress
from pathlib import Path

from bittern.errors import InputError

POLARS_THREAD = re.compile(r"polars-\d")  # a name that Polars gives to its threads


class _Fork:
    """Whether Polars had threads in the parent of this process when it was forked."""

    def __init__(self) -> None:
        self.lost_threads = False
        self._had_threads = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before, after_in_child=self._after)

    def _before(self) -> None:
        self._had_threads = self.lost_threads or has_polars_threads()

    def _after(self) -> None:
        self.lost_threads = self._had_threads


_fork = _Fork()


def check_not_forked() -> None:
    """Raise InputError in a process that was forked from one in which Polars had threads.

    Call it before work that Polars does in threads.
    """
    if _fork.lost_threads:
        raise InputError(
            "this process was forked after its parent had used Polars, which would hang here; "
            'start processes with multiprocessing.get_context("spawn"), or process texts in the '
            "parent"
        )


def has_polars_threads(tasks: Path = Path("/proc/self/task")) -> bool:
    """Return whether Polars has started its threads; True where the system does not tell."""
    names = []
    for file in tasks.glob("*/comm"):
        with suppress(OSError):  # the thread has ended
            names.append(file.read_text())
    return not names or any(map(POLARS_THREAD.match, names))
