"""Partitions of the texts: small descriptions of where a worker finds its share."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from bittern.corpus.corpus import CHUNK
from bittern.corpus.formats import FORMATS
from bittern.corpus.metadata import parse_texts
from bittern.corpus.reading import count_rows, read_texts
from bittern.corpus.sources import COMPRESSIONS, STDIN, expand_paths
from bittern.errors import InputError

SPANS_PER_PART = 8  # of a file
MAX_FILES = 1000  # items of a list that are looked at to tell files from texts
MAX_ROWS = 4 * CHUNK  # of a partition, for files that can be read from the middle


class Partition(Protocol):
    """Some of the texts, readable on any worker."""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        ...

    @property
    def source(self) -> str:
        """The file, or the name of the partition if it is not from a file."""
        ...

    @property
    def first_row(self) -> int:
        """The row of its first text in the source."""
        ...

    def read(self) -> Iterator[pl.Series]:
        """Yield the texts in chunks."""
        ...


@dataclass(frozen=True)
class FilePartition:
    """A file, or some rows of it."""

    path: str
    text: str | None
    format: str | None
    rows: tuple[int, int] | None = None  # begin and number

    @property
    def name(self) -> str:
        """The path, and the first row."""
        return self.path if self.rows is None else f"{self.path} from row {self.rows[0]}"

    @property
    def source(self) -> str:
        """The path."""
        return self.path

    @property
    def first_row(self) -> int:
        """The first of its rows in the file."""
        return 0 if self.rows is None else self.rows[0]

    def read(self) -> Iterator[pl.Series]:
        """Read the rows."""
        return read_texts(self.path, self.text, self.format, self.rows)


@dataclass(frozen=True)
class NumberedPartition:
    """A partition that is not from a file."""

    number: int

    @property
    def name(self) -> str:
        """Its number."""
        return f"partition {self.number}"

    @property
    def source(self) -> str:
        """Its number."""
        return self.name

    @property
    def first_row(self) -> int:
        """Rows are counted in each partition."""
        return 0


@dataclass(frozen=True)
class TextPartition(NumberedPartition):
    """Texts that travel with the description."""

    texts: pl.Series

    def read(self) -> Iterator[pl.Series]:
        """Yield the texts."""
        yield from (self.texts.slice(i, CHUNK) for i in range(0, max(len(self.texts), 1), CHUNK))


@dataclass(frozen=True)
class RayPartition(NumberedPartition):
    """A block of a Ray Dataset, in Ray's object store."""

    reference: Any
    text: str | None

    def read(self) -> Iterator[pl.Series]:
        """Fetch the block, from the same machine if it is there."""
        import ray

        frame = pl.from_arrow(ray.get(self.reference))
        yield from TextPartition(self.number, _text_column(frame, self.text)).read()


@dataclass(frozen=True)
class DaskPartition(NumberedPartition):
    """A partition of a Dask collection, computed by the worker that needs it."""

    delayed: Any
    text: str | None

    def read(self) -> Iterator[pl.Series]:
        """Compute the partition in this process."""
        value = self.delayed.compute(scheduler="synchronous")
        if hasattr(value, "columns"):
            value = _text_column(value, self.text)
        yield from TextPartition(self.number, parse_texts(value)).read()


def find_partitions(
    source: Any, text: str | None = None, format: str | None = None, n_parts: int = 1
) -> list[Partition]:
    """Return the partitions of files, of a Ray or Dask collection, or of texts.

    Parameters
    ----------
    source : object
        Files, directories and patterns; a Ray Dataset; a Dask bag, DataFrame, Series or array; a
        DataFrame; or texts.
    text : str or None
        Column with the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    n_parts : int
        Number of parts that the partitions are for: what can be divided is divided into at least
        as many.

    Returns
    -------
    list of Partition
        In the order of the texts.

    Raises
    ------
    InputError
        If there are no texts.
    """
    if isinstance(source, str | Path):
        return list(_file_partitions([source], text, format, n_parts))
    module = type(source).__module__.partition(".")[0]
    if module == "ray":
        references = source.to_arrow_refs()
        return [RayPartition(i, reference, text) for i, reference in enumerate(references)]
    if module.startswith("dask") and hasattr(source, "to_delayed"):
        delayed = source.to_delayed()
        pieces = delayed if isinstance(delayed, list) else delayed.ravel().tolist()
        return [DaskPartition(i, piece, text) for i, piece in enumerate(pieces)]
    if hasattr(source, "columns"):
        return _text_partitions(_text_column(source, text), n_parts)
    items = source if isinstance(source, pl.Series) else list(source)
    are_files = [isinstance(item, Path) or _is_file(item) for item in items[:MAX_FILES]]
    if any(are_files) and not isinstance(source, pl.Series):
        if not all(are_files):
            raise FileNotFoundError(f"{items[are_files.index(False)]} does not exist")
        return list(_file_partitions(items, text, format, n_parts))
    return _text_partitions(parse_texts(items), n_parts)


def _is_file(item: object) -> bool:
    """Return whether a string is the path of a file rather than a text."""
    try:
        return isinstance(item, str) and Path(item).is_file()
    except OSError:  # too long for a name
        return False


def expand_directory(path: str) -> list[str]:
    """Return the files that bittern can read in a directory, or those that match a pattern."""
    if Path(path).is_dir():
        known = {suffix for format in FORMATS.values() for suffix in format.suffixes}
        known |= {suffix + compression for suffix in known for compression in COMPRESSIONS}
        files = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
        return [file for file in files if any(file.lower().endswith(suffix) for suffix in known)]
    try:
        return expand_paths((path,))
    except FileNotFoundError:
        return []


def _file_partitions(
    paths: Iterable[str | Path], text: str | None, format: str | None, n_parts: int
) -> Iterator[Partition]:
    for path in map(str, paths):
        if path == STDIN:
            raise InputError("a cluster cannot read standard input; write the texts to a file")
        files = [str(Path(file).absolute()) for file in expand_directory(path)]
        if not files:
            reason = (
                "has no files that bittern can read" if Path(path).is_dir() else "does not exist"
            )
            raise FileNotFoundError(f"{path} {reason}")
        for file in files:
            n_rows = count_rows(file, format)
            if n_rows is None:
                yield FilePartition(file, text, format)
                continue
            for rows in _spans(n_rows, SPANS_PER_PART * n_parts if n_parts > 1 else 1, MAX_ROWS):
                yield FilePartition(file, text, format, rows)


def _spans(n: int, n_parts: int, longest: int) -> list[tuple[int, int]]:
    """Divide range(n) into n_parts spans or more, so that none is too long: begins and lengths."""
    n_spans = -(-max(n, 1) // max(min(-(-n // n_parts), longest), 1))
    bounds = [n * i // n_spans for i in range(n_spans + 1)]
    return [(begin, end - begin) for begin, end in pairwise(bounds)]


def _text_partitions(texts: pl.Series, n_parts: int) -> list[Partition]:
    if len(texts) == 0:
        raise InputError("there are no texts; pass files or texts")
    spans = _spans(len(texts), n_parts, CHUNK)
    return [TextPartition(i, texts.slice(*span)) for i, span in enumerate(spans)]


def _text_column(frame: Any, text: str | None) -> pl.Series:
    """Return the column of a Polars or pandas frame with the texts."""
    names = list(map(str, frame.columns))
    column = text or ("text" if "text" in names else names[0] if len(names) == 1 else None)
    if column is None or column not in names:
        raise InputError(f"choose the text column with text=: {', '.join(names)}")
    return parse_texts(frame[column])
