"""Sources of texts: files, addresses, pipes and standard input, plain or compressed."""

import codecs
import gzip
import io
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import BinaryIO, cast

from bittern._core.validation import is_unicode, quote
from bittern.corpus.formats import FORMATS, Format, Scannable, format_by_suffix
from bittern.corpus.paths import COMPRESSIONS, STDIN
from bittern.corpus.portions import first_record, read_portions
from bittern.corpus.remote import (
    explain_stored,
    has_pattern,
    is_remote,
    is_served,
    is_stored,
    open_served,
    path_of,
)
from bittern.errors import InputError

SPREADSHEETS = (".xlsx", ".xls", ".ods")
HEAD_ROWS = 100  # lines of a file in a store
HEAD_SIZE = 1 << 16  # bytes that are read to tell text from binary files

BYTE_ORDER_MARKS = {  # the mark of UTF-32 starts with that of UTF-16
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


@dataclass(frozen=True)
class Source:
    """A file to read, or a portion of what Polars cannot read from disk."""

    path: str
    format: Format
    compression: str
    scannable: Scannable
    """What Polars can scan."""
    header: bytes = b""
    """What a portion starts with because it is the start of the stream."""
    n_lines_before: int = 0
    """Lines of the stream between the header and this portion."""

    def first_lines(self) -> list[str]:
        """Return the first lines that are complete, decoded."""
        head = self.head()
        lines = head.decode("utf-8", "replace").splitlines(keepends=True)
        return lines if len(head) < HEAD_SIZE else lines[:-1]

    def head(self) -> bytes:
        """Return the first decompressed bytes."""
        if isinstance(self.scannable, io.BytesIO):
            return self.scannable.getvalue()[:HEAD_SIZE]
        if is_stored(self.path):
            return b"".join(_scan_lines(self.path, HEAD_ROWS))
        return _read_head(self.path, self.compression)

    def lines(self, n_before: int = 0) -> Iterator[bytes]:
        """Yield the decompressed lines; before a portion, n empty ones, so that numbers agree."""
        if isinstance(self.scannable, io.BytesIO):
            data = self.scannable.getvalue().removeprefix(self.header)
            yield from self.header.splitlines(keepends=True)
            yield from repeat(b"\n", n_before)
            yield from data.splitlines(keepends=True)
        elif is_stored(self.path):
            yield from _scan_lines(self.path)
        else:
            with _open(self.path, self.compression) as file:
                yield from file


def open_sources(path: str, format_name: str | None) -> Iterator[Source]:
    """Yield a file that Polars can scan, or the portions of one that it cannot, as they arrive."""
    format, compression = detect_format(path, format_name)
    _let_interrupts_through()
    if is_stored(path):
        yield Source(path, format, compression, path)
        return
    if (
        is_stream(path)
        or is_served(path)
        or not is_unicode(path)
        or (compression and not format.is_text)
    ):
        yield from _stream_sources(path, format, compression)
        return
    source = Source(path, format, compression, path)
    if format.is_text:
        _check_text(source)
    if not format.reads_bom and source.head().startswith(codecs.BOM_UTF8):
        yield from _stream_sources(path, format, compression)
    else:
        yield source


def source_name(path: str) -> str:
    """Return the name of a file in messages."""
    return "standard input" if path == STDIN else path


def is_stream(path: str) -> bool:
    """Return whether data arrives as it is written: standard input, or a pipe."""
    return path == STDIN or not (is_remote(path) or Path(path).is_file())


def _stream_sources(path: str, format: Format, compression: str) -> Iterator[Source]:
    """Yield the portions of a text file; the others are copied to a file that can be scanned."""
    name = source_name(path)
    with _open_stream(path, compression) as stream:
        if format.is_text:
            yield from _portions(Source(name, format, compression, io.BytesIO()), stream)
            return
        with tempfile.TemporaryDirectory(prefix="bittern-") as folder:
            copy = Path(folder, "copy")
            with copy.open("wb") as file, explained(path, compression):
                shutil.copyfileobj(stream, file)
            yield Source(name, format, compression, str(copy))


def _portions(source: Source, stream: BinaryIO) -> Iterator[Source]:
    """Yield the portions of a stream, each with the header of its format."""
    has_quotes, n_lines = source.format.has_quotes, 0
    portions = read_portions(stream, has_quotes)
    with explained(source.path, source.compression):
        data = next(portions, b"").removeprefix(codecs.BOM_UTF8)
    first = replace(source, scannable=io.BytesIO(data))
    _check_text(first)
    header = first_record(data, has_quotes) if source.format.has_header else b""
    data = data.removeprefix(header)
    yield replace(first, header=header)
    while True:
        n_lines += data.count(b"\n")
        with explained(source.path, source.compression):
            data = next(portions, b"")
        if not data:
            return
        yield replace(
            first, scannable=io.BytesIO(header + data), header=header, n_lines_before=n_lines
        )


@contextmanager
def _open_stream(path: str, compression: str) -> Iterator[BinaryIO]:
    """Open a file or standard input for reading decompressed bytes."""
    if is_served(path):
        with open_served(path) as response, _open(response, compression) as file:
            yield file
    elif path != STDIN:
        with _open(path, compression) as file:
            yield file
    elif hasattr(sys.stdin, "buffer"):
        yield sys.stdin.buffer
    else:  # it was closed, or replaced by a notebook
        raise InputError("there is no standard input; give the path of a file instead of -")


def detect_format(path: str, format_name: str | None) -> tuple[Format, str]:
    """Return the format of a file and the suffix of its compression, "" if there is none."""
    if format_name is not None and not (isinstance(format_name, str) and format_name in FORMATS):
        raise InputError(f"unknown format {quote(format_name)}; choose from {', '.join(FORMATS)}")
    name = "" if path == STDIN else Path(path_of(path)).name.lower()
    compression = next((suffix for suffix in COMPRESSIONS if name.endswith(suffix)), "")
    suffix = Path(name.removesuffix(compression)).suffix
    if format_name is not None:
        return FORMATS[format_name], compression
    if path == STDIN:
        return FORMATS["txt"], compression
    format = format_by_suffix(suffix)
    if suffix in SPREADSHEETS:
        raise InputError(f"{path} is a spreadsheet; save it as csv, with a comma between columns")
    if format is None:
        suffixes = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
        raise InputError(
            f"cannot tell the format of {path} from its name; use one of {suffixes}, "
            f"also with {' or '.join(COMPRESSIONS)}, or set the format"
        )
    return format, compression


def _open(file: str | BinaryIO, compression: str) -> BinaryIO:
    """Open a file, or its raw bytes, for reading decompressed bytes."""
    match compression:
        case ".gz":
            return cast(BinaryIO, gzip.open(file))
        case ".zst":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd
            return cast(BinaryIO, zstd.open(file))
    return open(file, "rb") if isinstance(file, str) else file


def _let_interrupts_through() -> None:
    """Let Ctrl-C end a wait for data or threads, as usual in Python: Polars turns that off."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def _scan_lines(address: str, n: int | None = None) -> Iterator[bytes]:
    """Yield the first lines of a file in a store."""
    import polars as pl

    try:
        lines = pl.scan_lines(address, name="line", glob=has_pattern(address))
        for batch in (lines if n is None else lines.head(n)).collect_batches():
            yield from (line.encode() + b"\n" for line in batch["line"])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise explain_stored(address, error) or error from None


def _read_head(path: str, compression: str) -> bytes:
    """Return the first decompressed bytes of a file."""
    with _open(path, compression) as file, explained(path, compression):
        return file.read(HEAD_SIZE)


@contextmanager
def explained(path: str, compression: str) -> Iterator[None]:
    """Raise InputError where a file cannot be decompressed: each decompressor has its own errors"""
    try:
        yield
    except Exception as error:
        if not compression:
            raise
        raise InputError(
            f"{path}: cannot be decompressed ({error}); check that it is complete"
        ) from None


def _check_text(source: Source) -> None:
    """Raise InputError for files that are UTF-16, UTF-32 or binary."""
    head = source.head()
    encoding = _wide_encoding(head)
    if encoding is not None:
        raise InputError(
            f"{source.path}: the file is {encoding.upper()}; "
            f"convert it with iconv -f {encoding} -t utf-8"
        )
    if b"\0" in head:
        raise InputError(
            f"{source.path}: this is a binary file, not text; save it as csv or parquet"
        )


def _wide_encoding(head: bytes) -> str | None:
    """Return the name of an encoding with two or four bytes for each character."""
    for encoding, marks in BYTE_ORDER_MARKS.items():
        if head.startswith(marks):
            return encoding
    if b"\0" not in head:
        return None
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = head[: len(head) // 4 * 4].decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\n" in text and "\0" not in text:  # random bytes hardly are such a text
            return encoding
    return None
