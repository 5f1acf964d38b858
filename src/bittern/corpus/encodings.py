"""Text in any encoding, turned into UTF-8 as it arrives."""

import codecs
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import chain

from bittern._core.validation import quote
from bittern.errors import EncodingGuessWarning, InputError

UTF8 = "utf-8"
WINDOWS = "cp1252"
HINT = "--encoding or, in Python, encoding="
BYTE_ORDER_MARKS = {  # the mark of UTF-32 starts with that of UTF-16
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
WIDE_ENCODINGS = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
UTF8_SEQUENCES = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
QUOTED = re.compile(rb'"[^"]*("|$)')
HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in Windows-1252
_AS_WINDOWS, _AS_CONTROL = "bittern-as-windows", "bittern-as-control"  # names of error handlers
SYMBOLS_IN_WORDS = re.compile(rb"(?<=[A-Za-z])[\xa1-\xb3\xb5\xb6\xb8-\xbf](?=[A-Za-z])")
MAX_NEIGHBORS = 0.5  # of the bytes above 127 in a Western text, those beside another one
MAX_WRONG = 0.1  # of the bytes above 127, those that are undefined or symbols inside of words


def check_encoding(encoding: object) -> str:
    """Return the name of an encoding as Python knows it, or raise InputError.

    Latin-1 becomes Windows-1252, as on the web: hardly any file has its control characters.
    """
    try:
        name = codecs.lookup(encoding).name  # type: ignore[arg-type]
        "".encode(name)  # not every codec is for text
        b"".decode(name)
    except (LookupError, TypeError, ValueError):
        raise InputError(
            f"unknown encoding {quote(encoding)}; use a name such as utf-8, cp1252, utf-16, cp1251 "
            "or shift_jis"
        ) from None
    return {"iso8859-1": WINDOWS, "utf-8-sig": UTF8, "ascii": UTF8}.get(name, name)


def find_wide_encoding(head: bytes) -> str | None:
    """Return the encoding of data with two or four bytes for each character; None for others."""
    for encoding, marks in BYTE_ORDER_MARKS.items():
        if head.startswith(marks):
            return encoding
    if b"\0" not in head:
        return None
    for encoding in WIDE_ENCODINGS:
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        if ("\n" in text or "\r" in text) and "\0" not in text:  # random bytes hardly are
            return encoding
    return None


def is_utf8(head: bytes) -> bool:
    """Return whether the first bytes of a file are UTF-8; a character may be cut off at the end."""
    try:
        codecs.utf_8_decode(head, "strict", False)
    except UnicodeDecodeError:
        return False
    return True


def has_old_line_ends(head: bytes) -> bool:
    """Return whether lines end with carriage returns only, as on old Macs."""
    if b"\r" not in head[:-1] or b"\r\n" in head:
        return False
    return b"\n" not in QUOTED.sub(b"", head)


def utf8_chunks(chunks: Iterator[bytes], encoding: str | None, name: str) -> Iterator[bytes]:
    r"""Yield data as UTF-8 without a byte order mark and null characters.

    Parameters
    ----------
    chunks : iterator of bytes
        The data of a file as it arrives.
    encoding : str or None
        Its encoding. By default, UTF-16 and UTF-32 are recognized; in all other data, bytes that
        are not UTF-8 are read as Windows-1252, with a warning.
    name : str
        Name of the file in messages.

    Yields
    ------
    bytes
        Whole characters. Lines that end with carriage returns only end with "\n".

    Examples
    --------
    >>> from bittern.corpus.encodings import utf8_chunks
    >>> list(utf8_chunks(iter(["Züge\n".encode("utf-16")]), None, "answers.txt"))
    [b'Z\xc3\xbcge\n']
    """
    first = next(chunks, b"")
    encoding = encoding or find_wide_encoding(first)
    converter = _Utf8(name) if encoding is None else _Named(name, encoding)
    converted = converter.decode_all(chain([first], chunks))
    first = next(converted, b"").removeprefix(codecs.BOM_UTF8)
    is_old = has_old_line_ends(first)
    for data in chain([first], converted):
        clean = data.replace(b"\0", b"") if b"\0" in data else data
        if clean:
            yield clean.replace(b"\r", b"\n") if is_old else clean


class _Converter(ABC):
    """Turns data into UTF-8."""

    def decode_all(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the data as UTF-8."""
        for data in chunks:
            yield self.decode(data)
        yield self.decode(b"", is_last=True)

    @abstractmethod
    def decode(self, data: bytes, is_last: bool = False) -> bytes:
        """Return the next data; a character that is cut off comes with the data after it."""


class _Utf8(_Converter):
    """UTF-8; bytes that are not are read as Windows-1252."""

    def __init__(self, name: str) -> None:
        self._name, self._rest, self._n_lines, self._is_guessed = name, b"", 0, False

    def decode(self, data: bytes, is_last: bool = False) -> bytes:
        """Return the next data; a character that is cut off comes with the data after it."""
        data = self._rest + data
        try:
            n_used = codecs.utf_8_decode(data, "strict", is_last)[1]
            converted = data[:n_used]
        except UnicodeDecodeError as error:
            self._guess(data, self._n_lines + data.count(b"\n", 0, error.start) + 1)
            text, n_used = codecs.utf_8_decode(data, _AS_WINDOWS, is_last)
            converted = text.encode()
        self._rest = data[n_used:]
        self._n_lines += converted.count(b"\n")
        return converted

    def _guess(self, data: bytes, line: int) -> None:
        """Warn, once, that this is going to be read as Windows-1252 if it can be."""
        if self._is_guessed:
            return
        if not _may_be_windows(data):
            raise InputError(
                f"{self._name}: line {line} is not UTF-8, and hardly Windows-1252; give the "
                f"encoding (cp1250, cp1251, shift_jis, gb18030, ...) with {HINT}"
            )
        self._is_guessed = True
        warnings.warn(
            f"{self._name} is not UTF-8 (line {line}); read as Windows-1252. If characters are "
            f"wrong, give its encoding with {HINT}",
            EncodingGuessWarning,
            stacklevel=2,
        )


class _Named(_Converter):
    """An encoding that is known."""

    def __init__(self, name: str, encoding: str) -> None:
        self._name, self._encoding, self._n_lines = name, encoding, 0
        errors = _AS_CONTROL if encoding == WINDOWS else "strict"
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)

    def decode(self, data: bytes, is_last: bool = False) -> bytes:
        """Return the next data as UTF-8."""
        try:
            converted = self._decoder.decode(data, is_last).encode()
        except UnicodeError as error:
            line = self._n_lines + data.count(b"\n", 0, getattr(error, "start", 0)) + 1
            raise InputError(
                f"{self._name}: line {line} is not {self._encoding}; set another encoding, or none "
                "to detect it"
            ) from None
        self._n_lines += converted.count(b"\n")
        return converted


def _may_be_windows(data: bytes) -> bool:
    """Return whether bytes that are not UTF-8 may be Western letters and punctuation.

    In these texts, most of their neighbors are plain letters; in Cyrillic, Chinese or Japanese
    texts, they are beside each other. Polish letters would be symbols.
    """
    data = UTF8_SEQUENCES.sub(b" ", data)
    runs = HIGH_BYTES.findall(data)
    n_bytes = sum(map(len, runs))
    n_neighbors = sum(len(run) for run in runs if len(run) > 1)
    n_wrong = len(UNDEFINED.findall(data)) + len(SYMBOLS_IN_WORDS.findall(data))
    return n_neighbors <= MAX_NEIGHBORS * n_bytes and n_wrong <= MAX_WRONG * n_bytes


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode the bytes of an error as Windows-1252."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode(WINDOWS, "replace"), error.end


def _as_control(error: UnicodeError) -> tuple[str, int]:
    """Decode the bytes that Windows-1252 leaves undefined as control characters."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_AS_WINDOWS, _as_windows)
codecs.register_error(_AS_CONTROL, _as_control)
