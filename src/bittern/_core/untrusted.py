"""Files that may come from anyone: what they hold is checked before anything is built from it."""

import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from bittern.errors import InputError

MAX_JSON_ITEMS = 2_000_000  # an empty list takes three bytes in a file, and 70 in memory
MAX_JSON_DEPTH = 16
MAX_DIGITS = 1000  # of an integer: the time to parse it is quadratic
MAX_MESSAGE = 300  # characters


def open_regular(path: str | Path, dir_fd: int | None = None) -> BinaryIO:
    """Open a file for reading; reject pipes, devices and directories, which may never end."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, dir_fd=dir_fd)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb")


def file_size(file: BinaryIO) -> int:
    """Return the size of an open file in bytes."""
    return os.fstat(file.fileno()).st_size


def read_at_most(file: BinaryIO, limit: int, name: str) -> bytes:
    """Return the contents of a file; reject more than `limit` bytes before reading them."""
    if file_size(file) > limit:
        raise InputError(f"{name} has {file_size(file):,} bytes, more than {limit:,}")
    return file.read(limit)


def parse_json(data: bytes, name: str) -> Any:
    """Parse JSON of limited depth, number of items and length of numbers."""
    if sum(data.count(mark) for mark in (b"[", b"{", b",")) > MAX_JSON_ITEMS:
        raise InputError(f"{name} has too many items")
    try:
        value = json.loads(data.decode("utf-8"), parse_int=_parse_int)
    except RecursionError:
        raise InputError(f"{name} is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{name} is not valid JSON ({error})") from None
    _check_items(value, name)
    return value


def one_line(text: object) -> str:
    """Return a text for a message: printable, on one line, and not too long."""
    line = " ".join(str(text)[: 4 * MAX_MESSAGE].split())
    line = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line
    )
    return line if len(line) <= MAX_MESSAGE else f"{line[:MAX_MESSAGE]}…"


def _parse_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _check_items(value: Any, name: str) -> None:
    """Reject values that are nested too deeply, and strings that are not Unicode text."""
    level, depth = [value], 0
    while level:
        if depth > MAX_JSON_DEPTH:
            raise InputError(f"{name} is nested too deeply")
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
            elif isinstance(item, str) and not item.isascii():
                _check_text(item, name)
        level, depth = inner, depth + 1


def _check_text(text: str, name: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{name} has text that is not valid Unicode") from None
