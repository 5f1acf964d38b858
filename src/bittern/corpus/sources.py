"""Sources of texts: files, patterns, pipes and standard input, plain or compressed."""

import codecs
import glob
import gzip
import io
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from bittern._core.validation import check_path, is_unicode, quote
from bittern.corpus.formats import FORMATS, Format, Scannable, format_by_suffix
from bittern.errors import InputError

STDIN = "-"
COMPRESSIONS = (".gz", ".zst")
HEAD_SIZE = 1 << 16  # bytes that are read to tell text from binary files

BYTE_ORDER_MARKS = {  # the mark of UTF-32 starts with that of UTF-16
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


@dataclass(frozen=True)
class Source:
    """A file to read, or its contents where Polars cannot read it from disk."""

    path: str
    format: Format
    compression: str
    buffer: io.BytesIO | None = None

    @property
    def scannable(self) -> Scannable:
        """What Polars can scan."""
        return self.path if self.buffer is None else self.buffer

    def first_lines(self) -> list[str]:
        """Return the first lines that are complete, decoded."""
        head = self.head()
        lines = head.decode("utf-8", "replace").splitlines(keepends=True)
        return lines if len(head) < HEAD_SIZE else lines[:-1]

    def head(self) -> bytes:
        """Return the first decompressed bytes."""
        if self.buffer is not None:
            return self.buffer.getvalue()[:HEAD_SIZE]
        return _read(self.path, self.compression, HEAD_SIZE)

    def lines(self) -> Iterator[bytes]:
        """Yield the decompressed lines."""
        if self.buffer is not None:
            yield from self.buffer.getvalue().splitlines(keepends=True)
        else:
            with _open(self.path, self.compression) as file:
                yield from file


def expand_paths(paths: tuple[str | Path, ...]) -> list[str]:
    """Return the files that paths and patterns refer to, in order."""
    if not paths:
        raise InputError("no files given; pass one or more paths or patterns")
    files: list[str] = []
    for path in map(str, map(check_path, paths)):
        if path == STDIN or (Path(path).exists() and not Path(path).is_dir()):
            files.append(path)
            continue
        matches = sorted(
            match for match in glob.glob(path, recursive=True) if Path(match).is_file()
        )
        if not matches:
            if Path(path).is_dir():
                raise FileNotFoundError(
                    f"{path} is a directory; use a pattern such as {Path(path) / '*.csv'}"
                )
            raise FileNotFoundError(f"{path} does not exist")
        files.extend(matches)
    return files


def open_source(path: str, format_name: str | None) -> Source:
    """Determine the format of a file, check that it is text where it must be, and return it."""
    format, compression = detect_format(path, format_name)
    _let_interrupts_through()
    buffer = None
    if path == STDIN:
        buffer = io.BytesIO(_read_standard_input())
    elif _needs_buffer(path) or (compression and not format.is_text):
        buffer = io.BytesIO(_read(path, compression))
    source = Source(path, format, compression, buffer)
    if format.is_text:
        _check_text(source)
    if not format.reads_bom and source.head().startswith(codecs.BOM_UTF8):
        data = _read(path, compression) if buffer is None else buffer.getvalue()
        return replace(source, buffer=io.BytesIO(data.removeprefix(codecs.BOM_UTF8)))
    return source


def _needs_buffer(path: str) -> bool:
    """Return whether Polars cannot open a file: pipes cannot seek, and names must be UTF-8."""
    return not Path(path).is_file() or not is_unicode(path)


def detect_format(path: str, format_name: str | None) -> tuple[Format, str]:
    """Return the format of a file and the suffix of its compression, "" if there is none."""
    if format_name is not None and not (isinstance(format_name, str) and format_name in FORMATS):
        raise InputError(f"unknown format {quote(format_name)}; choose from {', '.join(FORMATS)}")
    name = "" if path == STDIN else Path(path).name.lower()
    compression = next((suffix for suffix in COMPRESSIONS if name.endswith(suffix)), "")
    suffix = Path(name.removesuffix(compression)).suffix
    if format_name is not None:
        return FORMATS[format_name], compression
    if path == STDIN:
        return FORMATS["txt"], compression
    format = format_by_suffix(suffix)
    if format is None:
        suffixes = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
        raise InputError(
            f"cannot tell the format of {path} from its name; use one of {suffixes}, "
            f"also with {' or '.join(COMPRESSIONS)}, or set the format"
        )
    return format, compression


def _open(path: str, compression: str) -> BinaryIO:
    """Open a file for reading decompressed bytes."""
    match compression:
        case ".gz":
            return cast(BinaryIO, gzip.open(path))
        case ".zst":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd
            return cast(BinaryIO, zstd.open(path))
    return open(path, "rb")


def _let_interrupts_through() -> None:
    """Let Ctrl-C end a wait for data or threads, as usual in Python: Polars turns that off."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def _read_standard_input() -> bytes:
    """Return all bytes of standard input."""
    if not hasattr(sys.stdin, "buffer"):  # it was closed, or replaced by a notebook
        raise InputError("there is no standard input; give the path of a file instead of -")
    return sys.stdin.buffer.read()


def _read(path: str, compression: str, size: int = -1) -> bytes:
    """Return the first decompressed bytes of a file, by default all."""
    with _open(path, compression) as file:
        try:
            return file.read(size)
        except Exception as error:  # each decompressor has its own exceptions
            raise decompression_error(path, error) from None


def decompression_error(path: str, error: Exception) -> InputError:
    """Return the error for a file that cannot be decompressed."""
    return InputError(f"{path}: cannot be decompressed ({error}); check that it is complete")


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
