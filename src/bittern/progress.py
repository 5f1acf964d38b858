"""Progress bars on standard error: Rich on a terminal, nothing else anywhere."""

import sys
from types import TracebackType
from typing import Any, Self


class Bar:
    """A progress bar; with `verbose` 0, or away from a terminal, it shows nothing.

    `total` may be None where the end is not known.
    """

    def __init__(self, title: str, total: float | None, unit: str, verbose: int) -> None:
        self._progress: Any = None
        if verbose and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                SpinnerColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            counted = "{task.fields[count]} " + unit
            columns: list[Any] = [TextColumn("{task.description:<9}")]
            if total is None:
                columns += [SpinnerColumn(), TextColumn(counted), TimeElapsedColumn()]
            else:
                columns += [BarColumn(), TextColumn(counted), TimeRemainingColumn()]
            columns.append(TextColumn("{task.fields[note]}"))
            self._progress = Progress(*columns, console=Console(stderr=True))
            self._task = self._progress.add_task(title, total=total, count="0", note="")

    def advance(self, n: float, note: str = "") -> None:
        """Another n are done."""
        if self._progress is not None:
            done = self._progress.tasks[self._task].completed + n
            self._progress.update(self._task, completed=done, count=_short(done), note=note)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()


def _short(n: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.1f}{letter}"
    return f"{n:.0f}"
