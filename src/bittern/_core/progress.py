"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections import deque
from functools import cache
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress

LINE_INTERVAL = 10  # seconds between lines where there is no terminal
SAMPLE_INTERVAL = 0.5  # seconds between the samples that the speed is estimated from
N_SAMPLES = 40


class ProgressBar:
    """The progress of one stage of work, as a context manager.

    Parameters
    ----------
    title : str
        Name of the stage, such as "reading".
    total : float or None
        Amount of work; None if it is unknown.
    unit : str
        Unit of the work, such as "texts".
    verbose : int
        0 shows nothing.
    """

    def __init__(self, title: str, total: float | None, unit: str, verbose: int) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.done, self.note = 0.0, ""
        self._start = self._last_line = time.monotonic()
        self._samples: deque[tuple[float, float]] = deque(maxlen=N_SAMPLES)
        self._bar: Progress | None = None
        is_shown = bool(verbose) and sys.stderr is not None  # None: a program without a console
        self._prints_lines = is_shown and not sys.stderr.isatty()
        if is_shown and not self._prints_lines:
            self._bar = _rich_progress(title, total)

    def advance(self, n: float, note: str = "") -> None:
        """Add n to the work done, and show a note such as the current log-likelihood."""
        self.done, self.note = self.done + n, note
        now = time.monotonic()
        if not self._samples or now - self._samples[-1][0] >= SAMPLE_INTERVAL:
            self._samples.append((now, self.done))
        if self._bar is not None:
            self._update(self._speed(), self._left())
        elif self._prints_lines and now - self._last_line > LINE_INTERVAL:
            self._last_line = now
            self._print(self._status(self._speed(), self._left()))

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        elapsed = _format_duration(self._elapsed())
        speed = self.done / self._elapsed()
        if self._bar is not None:
            if kind is None:
                self._update(speed, elapsed)
            self._bar.stop()
        elif self._prints_lines and kind is None:
            self._print(f"{self._status(speed)}, {elapsed}")

    def _update(self, speed: float | None, time: str) -> None:
        """Update the bar."""
        assert self._bar is not None
        status = self._status(speed)
        self._bar.update(self._bar.task_ids[0], completed=self.done, time=time, status=status)

    def _elapsed(self) -> float:
        """Return the seconds since the start."""
        return max(time.monotonic() - self._start, 1e-9)

    def _speed(self) -> float | None:
        """Return the recent amount of work per second; None if it is not known yet.

        The time before the first advance does not count, nor does the slowest step since: kernels
        may be compiled in it.
        """
        steps = [
            (after - before, done - done_before)
            for (before, done_before), (after, done) in pairwise(self._samples)
        ]
        if len(steps) < 2:
            return None
        steps.remove(min(steps, key=lambda step: step[1] / step[0]))
        return sum(work for _, work in steps) / sum(seconds for seconds, _ in steps)

    def _left(self) -> str:
        """Return the estimated time to the end; "" if it is not known."""
        speed = self._speed()
        if self.total is None or not speed:
            return ""
        return f"{_format_duration(max(self.total - self.done, 0) / speed)} left"

    def _status(self, speed: float | None, left: str = "") -> str:
        """Return the work done, the speed, the remaining time and the note in one line."""
        parts = [
            f"{_format_count(self.done)} {self.unit}",
            "" if speed is None else f"{_format_count(speed)}/s",
            left,
            self.note,
        ]
        return ", ".join(filter(None, parts))

    def _print(self, status: str) -> None:
        """Print a line to standard error."""
        print(f"{self.title}: {status}", file=sys.stderr, flush=True)


def print_note(message: str, verbose: int) -> None:
    """Print a line to standard error; 0 shows nothing."""
    if verbose and sys.stderr is not None:
        print(message, file=sys.stderr, flush=True)


@cache
def announce_compilation() -> None:
    """Print one line if a kernel must be compiled because it has not run on this machine yet."""
    from numba.core import event as numba_events

    events: Any = numba_events

    class Listener(events.Listener):  # type: ignore[misc]
        """Prints the line at the first compilation event."""

        announced = False

        def on_start(self, _: Any) -> None:
            """Print the line once."""
            if not self.announced and sys.stderr is not None:
                self.announced = True
                print("compiling (only the first time) ...", file=sys.stderr)

        def on_end(self, _: Any) -> None:
            """Print nothing."""

    events.register("numba:compile", Listener())


def _rich_progress(title: str, total: float | None) -> "Progress":
    """Return a Rich progress display with one task."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    is_bounded = total is not None
    progress = Progress(
        TextColumn("{task.description:<9}"),
        BarColumn(bar_width=30) if is_bounded else SpinnerColumn(),
        TextColumn("{task.fields[time]}", "progress.remaining")
        if is_bounded
        else TimeElapsedColumn(),
        TextColumn("{task.fields[status]}"),
        console=Console(stderr=True),
    )
    progress.add_task(title, total=total, time="", status="")
    return progress


def _format_count(n: float) -> str:
    """Return a short number: 6,000 is "6.0k"."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.1f}{prefix}"
    return f"{n:.0f}"


def _format_duration(seconds: float) -> str:
    """Return a short duration: 125 seconds are "2 min 5 s"."""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
