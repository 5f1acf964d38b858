"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

import sys
import time
from functools import cache
from types import TracebackType
from typing import Any, Self

SECONDS = 10  # between the lines that are written where there is no terminal


class ProgressBar:
    """The progress of one stage of the work; with `verbose` 0 it shows nothing.

    `total` may be None where the end is not known.
    """

    def __init__(self, title: str, total: float | None, unit: str, verbose: int) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.done, self.note = 0.0, ""
        self._started = self._last = time.monotonic()
        self._show: Any = None
        self._lines = bool(verbose) and not sys.stderr.isatty()
        if verbose and not self._lines:
            self._show = _rich(title, total)

    def advance(self, n: float, note: str = "") -> None:
        """Another n are done."""
        self.done, self.note = self.done + n, note
        if self._show is not None:
            self._show.update(0, completed=self.done, text=self._text())
        elif self._lines and time.monotonic() - self._last > SECONDS:
            self._last = time.monotonic()
            self._write(self._text(left=self._left()))

    def __enter__(self) -> Self:
        if self._show is not None:
            self._show.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._show is not None:
            self._show.stop()
        elif self._lines and kind is None:
            self._write(f"{self._text()}, {_duration(self._seconds())}")

    def _seconds(self) -> float:
        return max(time.monotonic() - self._started, 1e-9)

    def _left(self) -> float | None:
        """Seconds to the end, if it goes on like that."""
        if self.total is None or self.done == 0:
            return None
        return self._seconds() * max(self.total / self.done - 1, 0)

    def _text(self, left: float | None = None) -> str:
        parts = [
            f"{_short(self.done)} {self.unit}",
            f"{_short(self.done / self._seconds())}/s",
            "" if left is None else f"{_duration(left)} left",
            self.note,
        ]
        return ", ".join(filter(None, parts))

    def _write(self, text: str) -> None:
        print(f"{self.title}: {text}", file=sys.stderr, flush=True)


@cache
def announce_compilation() -> None:
    """Say so, once, when a kernel has to be compiled because it has never run here before."""
    from numba.core import event as numba_events

    events: Any = numba_events

    class Listener(events.Listener):  # type: ignore[misc]
        """Hears when Numba compiles something."""

        said = False

        def on_start(self, _: Any) -> None:
            """Say it the first time."""
            if not self.said:
                self.said = True
                print("compiling, for the first time on this computer ...", file=sys.stderr)

        def on_end(self, _: Any) -> None:
            """Nothing to say."""

    events.register("numba:compile", Listener())


def _rich(title: str, total: float | None) -> Any:
    """A bar of Rich, with one task."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    known = total is not None
    progress = Progress(
        TextColumn("{task.description:<9}"),
        BarColumn(bar_width=30) if known else SpinnerColumn(),
        TimeRemainingColumn(elapsed_when_finished=True) if known else TimeElapsedColumn(),
        TextColumn("{task.fields[text]}"),
        console=Console(stderr=True),
    )
    progress.add_task(title, total=total, text="")
    return progress


def _short(n: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.1f}{letter}"
    return f"{n:.0f}"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
