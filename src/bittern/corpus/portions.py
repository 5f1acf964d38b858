"""Portions of a stream: data is used as it arrives, so that memory does not grow with it."""

import io
import os
import select
from collections.abc import Iterator
from typing import BinaryIO

PORTION_SIZE = 1 << 23  # bytes
MAX_RECORD = 1 << 27  # bytes; after more without an end, quotes are not balanced
PAUSE = 0.2  # seconds without data, after which the portion is used as it is


def read_portions(chunks: Iterator[bytes], has_quotes: bool = False) -> Iterator[bytes]:
    r"""Yield data in portions that end with a line, except for the last one.

    Parameters
    ----------
    chunks : iterator of bytes
        The data as it arrives, as from `read_available`.
    has_quotes : bool
        Whether line breaks inside double quotes do not end a record.

    Yields
    ------
    bytes
        Whole lines or records.

    Examples
    --------
    >>> from bittern.corpus.portions import read_portions
    >>> list(read_portions(iter([b"late ", b"train\ndirty seats"])))
    [b'late train\n', b'dirty seats']
    """
    rest = b""
    for data in chunks:
        rest += data
        end = len(rest) if len(rest) > MAX_RECORD else _last_end(rest, has_quotes)
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def first_record(data: bytes, has_quotes: bool) -> bytes:
    """Return the data up to the end of the first record that is not empty."""
    end, n_quotes = len(data) - len(data.lstrip(b"\r\n")), 0
    while True:
        start, end = end, data.find(b"\n", end) + 1
        if end == 0:
            return data
        n_quotes += data.count(b'"', start, end)
        if not has_quotes or n_quotes % 2 == 0:
            return data[:end]


def _last_end(data: bytes, has_quotes: bool) -> int:
    """Return where the last complete record ends; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    is_quoted = has_quotes and data.count(b'"', 0, end) % 2 == 1
    while is_quoted and end > 0:
        previous = data.rfind(b"\n", 0, end - 1) + 1
        is_quoted = data.count(b'"', previous, end) % 2 == 0  # odd before, so odd again
        end = previous
    return end


def read_available(stream: BinaryIO) -> Iterator[bytes]:
    """Yield up to PORTION_SIZE bytes of a pipe, a file or standard input at a time.

    They are fewer when no more data arrives for a moment.
    """
    read: io.BufferedReader = stream  # type: ignore[assignment]  # each of them has read1
    while data := read.read1(PORTION_SIZE):
        parts, size = [data], len(data)
        while size < PORTION_SIZE and _has_more(stream):
            part = read.read1(PORTION_SIZE - size)
            if not part:
                break
            parts.append(part)
            size += len(part)
        yield b"".join(parts)


def _has_more(stream: BinaryIO) -> bool:
    """Return whether data, or the end of a stream, arrives soon; True where nobody can tell."""
    if os.name == "nt":  # waits for sockets only
        return True
    try:
        return bool(select.select([stream], [], [], PAUSE)[0])
    except (OSError, ValueError):  # a stream in memory
        return True
