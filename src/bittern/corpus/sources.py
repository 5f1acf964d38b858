"""Sources of texts: files, addresses, pipes and standard input, plain or compressed."""

import codecs
import gzip
import io
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path
from typing import BinaryIO, cast

from bittern._core.validation import check_choice, is_unicode, shorten
from bittern.corpus.encodings import (
    UTF8,
    check_encoding,
    find_wide_encoding,
    has_old_line_ends,
    is_utf8,
    utf8_chunks,
)
from bittern.corpus.formats import FORMATS, FileOptions, Format, Scannable, format_by_suffix
from bittern.corpus.formats.dialect import parse_separator
from bittern.corpus.paths import COMPRESSIONS, STDIN
from bittern.corpus.portions import first_record, read_available, read_portions
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

HEAD_SIZE = 1 << 16  # bytes that are read to find out how a file is written
HEAD_ROWS = 100  # lines of a file in a store
WORKBOOK_MARKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of xlsx and xls
CONTROL = bytes({*range(1, 9), *range(14, 27), *range(28, 32), 127})  # characters, not in texts
MAX_NULLS = 0.25  # of the bytes of a text


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
    """Lines of the stream before this portion, except for those of the header."""

    @property
    def is_portion(self) -> bool:
        """Whether this is in memory, as UTF-8."""
        return isinstance(self.scannable, io.BytesIO)

    def first_lines(self) -> list[str]:
        """Return the first lines that are complete, decoded, without a byte order mark."""
        head = self.head()
        text = head.decode("utf-8", "replace").removeprefix("\ufeff")
        lines = list(io.StringIO(text, newline="\n"))
        return lines if len(head) < HEAD_SIZE else lines[:-1]

    def row_name(self, row: int, first_row: int = 0) -> str:
        """Return what to call a row in messages, and where users find it in the file.

        Rows are counted from 0 without the header; `first_row` is the one of this portion.
        """
        name = f"row {first_row + row}"
        if self.format.find_line is None:
            return name
        lines = (line.decode("utf-8", "replace") for line in self.lines())
        number = self.format.find_line(lines, row)
        if number is None:
            return name
        return f"{name} ({self.format.line_name.format(number + self.n_lines_before)})"

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
            yield from io.BytesIO(self.header)
            yield from repeat(b"\n", n_before)
            yield from io.BytesIO(data)
        elif is_stored(self.path):
            yield from _scan_lines(self.path)
        else:
            with _open(self.path, self.compression) as file:
                yield from file


def open_sources(
    path: str, options: FileOptions, converted: bool = False
) -> Generator[Source, None, None]:
    """Yield a file that Polars can scan, or the portions of one that it cannot, as they arrive.

    Parameters
    ----------
    path : str
        The file.
    options : FileOptions
        What the user has set about it.
    converted : bool
        Convert a text file to UTF-8 even if its first bytes are.

    Yields
    ------
    Source
        With the format of this file.
    """
    format, compression = detect_format(path, options)
    _let_interrupts_through()
    source = Source(path, format, compression, path)
    if is_stored(path):
        yield _stored_source(source, options)
        return
    if (
        is_stream(path)
        or is_served(path)
        or not is_unicode(path)
        or (compression and not format.is_text)
    ):
        yield from _stream_sources(path, format, compression, options)
        return
    if format.is_text:
        converted = converted or _needs_conversion(source, options.encoding)
    if not converted:
        source = _adapt(source, options)
    if converted or source.format.header is not None:
        yield from _stream_sources(path, format, compression, options)
    else:
        yield source


def _stored_source(source: Source, options: FileOptions) -> Source:
    """Return a file in a store, which is read where it is."""
    if source.format.has_sheets or options.encoding not in (None, UTF8):
        raise InputError(f"{source.path}: download this file and give its path")
    adapted = _adapt(source, options)
    if adapted.format.header is not None:
        raise InputError(
            f"{source.path}: the header needs repair; download the file and give its path"
        )
    return adapted


def _needs_conversion(source: Source, encoding: str | None) -> bool:
    """Return whether Polars cannot read a text as it is, judging by its first bytes."""
    if encoding is not None and check_encoding(encoding) != UTF8:
        return True
    head = source.head()
    if encoding is None:
        _check_text(source.path, head)
    is_plain = b"\0" not in head and (is_utf8(head) or encoding == UTF8)
    has_mark = head.startswith(codecs.BOM_UTF8) and not source.format.reads_bom
    return not is_plain or has_mark or has_old_line_ends(head)


def _adapt(source: Source, options: FileOptions) -> Source:
    """Return a source with the format of this file."""
    adapt = source.format.adapt
    if adapt is None:
        return source
    lines = source.first_lines() if source.format.is_text else []
    try:
        return replace(source, format=adapt(source.scannable, lines, options))
    except InputError as error:
        raise InputError(f"{source.path}: {error}") from None


def source_name(path: str) -> str:
    """Return the name of a file in messages."""
    return "standard input" if path == STDIN else path


def is_stream(path: str) -> bool:
    """Return whether data arrives as it is written: standard input, or a pipe."""
    return path == STDIN or not (is_remote(path) or Path(path).is_file())


def _stream_sources(
    path: str, format: Format, compression: str, options: FileOptions
) -> Iterator[Source]:
    """Yield the portions of a text file; the others are copied to a file that can be scanned."""
    name = source_name(path)
    with _open_stream(path, compression) as stream:
        if format.is_text:
            yield from _portions(Source(name, format, compression, io.BytesIO()), stream, options)
            return
        with tempfile.TemporaryDirectory(prefix="bittern-") as folder:
            copy = Path(folder, "copy")
            with copy.open("wb") as file, explained(path, compression):
                shutil.copyfileobj(stream, file)
            yield _adapt(Source(name, format, compression, str(copy)), options)


def _portions(source: Source, stream: BinaryIO, options: FileOptions) -> Iterator[Source]:
    """Yield the portions of a stream, each with the header of its format."""
    has_quotes = source.format.has_quotes
    available = _explained(read_available(stream), source)
    head = next(available, b"")
    if options.encoding is None:
        _check_text(source.path, head[:HEAD_SIZE])
    encoding = None if options.encoding is None else check_encoding(options.encoding)
    portions = read_portions(
        utf8_chunks(chain([head], available), encoding, source.path), has_quotes
    )
    data = next(portions, b"")
    source = _adapt(replace(source, scannable=io.BytesIO(data)), options)
    header, data = _split_header(data, source.format)
    n_lines = header.count(b"\n")
    if source.format.header is not None:
        header = source.format.header
    n_lines -= header.count(b"\n")
    yield replace(
        source, scannable=io.BytesIO(header + data), header=header, n_lines_before=n_lines
    )
    while True:
        n_lines += data.count(b"\n")
        data = next(portions, b"")
        if not data:
            return
        yield replace(
            source, scannable=io.BytesIO(header + data), header=header, n_lines_before=n_lines
        )


def _split_header(data: bytes, format: Format) -> tuple[bytes, bytes]:
    """Return the records before the data of a table, and the data."""
    end = 0
    for _ in range(format.n_header_records):
        end += len(first_record(data[end:], format.has_quotes))
    return data[:end], data[end:]


def _explained(chunks: Iterator[bytes], source: Source) -> Iterator[bytes]:
    """Yield chunks; raise InputError where they cannot be decompressed."""
    with explained(source.path, source.compression):
        yield from chunks


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


def detect_format(path: str, options: FileOptions) -> tuple[Format, str]:
    """Return the format of a file and the suffix of its compression, "" if there is none."""
    _check_options(options)
    name = "" if path == STDIN else Path(path_of(path)).name.lower()
    compression = next((suffix for suffix in COMPRESSIONS if name.endswith(suffix)), "")
    suffix = Path(name.removesuffix(compression)).suffix
    known = options.format or ("txt" if path == STDIN else None)
    format = format_by_suffix(suffix) if known is None else FORMATS[known]
    if format is None:
        suffixes = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
        raise InputError(
            f"cannot tell the format of {path} from its name; use one of {suffixes}, "
            f"also with {' or '.join(COMPRESSIONS)}, or set the format"
        )
    _check_effect(format, options)
    return format, compression


def _check_options(options: FileOptions) -> None:
    """Raise InputError for values that no file can have."""
    if options.format is not None:
        check_choice("format", options.format, FORMATS)
    if options.encoding is not None:
        check_encoding(options.encoding)
    if options.separator is not None:
        parse_separator(options.separator)
    if options.sheet is not None and not isinstance(options.sheet, str):
        raise InputError(f"sheet must be the name of a sheet, not {shorten(options.sheet)}")


def _check_effect(format: Format, options: FileOptions) -> None:
    """Raise InputError for options that files of this format do not have."""
    for name, value, is_known in (
        ("separator", options.separator, format.has_separator),
        ("encoding", options.encoding, format.is_text),
        ("sheet", options.sheet, format.has_sheets),
    ):
        if value is not None and not is_known:
            raise InputError(f"{name} has no effect on {format.name} files; leave it out")


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


def _check_text(path: str, head: bytes) -> None:
    """Raise InputError for files that are not text, judging by their first bytes."""
    if b"\0" not in head or find_wide_encoding(head) is not None:
        return
    if head.startswith(WORKBOOK_MARKS):
        raise InputError(
            f"{path}: this is a binary file, not text; if it is a workbook, set the format to xlsx"
        )
    if head.count(0) > MAX_NULLS * len(head) or len(head.translate(None, CONTROL)) < len(head):
        raise InputError(f"{path}: this is a binary file, not text; save it as csv or parquet")
