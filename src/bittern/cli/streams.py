"""Standard streams that are closed, full, lost, or in an encoding without all characters."""

import io
import os
import select
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD_OUTPUT = "standard output"  # its name in errors
N_STREAMS = 3  # standard input, output and error


class _ResultFile(io.FileIO):
    """Standard output; errors name it."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all data, however little fits at a time: callers may not look at the number."""
        rest = memoryview(data).cast("B")
        n_bytes = rest.nbytes
        try:
            while rest:
                n = super().write(rest)
                if n is None:  # a pipe that does not block, with a slow reader
                    select.select([], [self], [])
                rest = rest[n or 0 :]
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise
        return n_bytes


class _MessageFile(io.FileIO):
    """Standard error; messages that cannot be written are dropped, and the work continues."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Make it safe to print anything, wherever standard output and standard error go."""
    _occupy_closed_descriptors()
    sys.stdout = _reopen(sys.stdout, _ResultFile)
    sys.stderr = _reopen(sys.stderr, _MessageFile)
    if isinstance(sys.stdout, io.TextIOWrapper) and _may_fail(sys.stdout):
        sys.stdout.reconfigure(errors="replace")


def _may_fail(stream: io.TextIOWrapper) -> bool:
    """Return whether a stream cannot encode all characters, as in the C locale."""
    is_unicode = stream.encoding.lower().startswith("utf")
    return stream.errors == "strict" or (stream.errors == "surrogateescape" and not is_unicode)


def discard_output() -> None:
    """Send what is left for standard output nowhere: it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _occupy_closed_descriptors() -> None:
    """Keep files from getting the number of a closed stream: a library might print into them."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < N_STREAMS:
        pass
    os.close(descriptor)


def _reopen(stream: TextIO | None, kind: type[io.FileIO]) -> TextIO:
    """Return a stream to the same file through another class; a closed one leads nowhere."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if os.name == "nt" or not isinstance(stream, io.TextIOWrapper):  # consoles of Windows differ
        return stream
    try:
        file = kind(stream.fileno(), "w", closefd=False)
    except OSError:  # a stream in memory
        return stream
    # Whole lines need no buffer, which would repeat them after an interruption.
    is_direct = stream.line_buffering or stream.write_through
    return io.TextIOWrapper(
        file if is_direct else io.BufferedWriter(file),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=is_direct,
    )
