"""Partitions of the texts: small descriptions of where a worker finds its share."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import polars as pl

from bittern._core.progress import print_note
from bittern.corpus.corpus import CHUNK
from bittern.corpus.formats import FileOptions
from bittern.corpus.metadata import as_times, parse_labels, parse_texts
from bittern.corpus.paths import STDIN, expand_paths
from bittern.corpus.remote import is_remote
from bittern.corpus.rows import count_rows, guess_text_column, read_columns
from bittern.corpus.sources import detect_format
from bittern.corpus.times import TimeParser
from bittern.errors import InputError

SPANS_PER_PART = 8  # of a file
MAX_FILES = 1000  # items of a list that are looked at to tell files from texts
ANY = FileOptions()  # files of any kind
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

    def read(self, *names: str, times: TimeParser | None = None) -> Iterator[pl.DataFrame]:
        """Yield rows in chunks, with these of the columns "text", "time" and "label".

        Times are those that `times` has parsed but not resolved.
        """
        ...


class Columns(NamedTuple):
    """The columns of a source; None is the default text column, or no column at all."""

    text: str | None = None
    time: str | None = None
    label: str | None = None

    def select(
        self, frame: Any, names: Iterable[str], times: TimeParser | None = None
    ) -> pl.DataFrame:
        """Return columns of a Polars or pandas frame; times are parsed but not resolved."""
        return pl.DataFrame([self._select(frame, name, times).alias(name) for name in names])

    def _select(self, frame: Any, name: str, times: TimeParser | None) -> pl.Series:
        columns, column = list(map(str, frame.columns)), getattr(self, name)
        if name == "text" and column is None:
            column = "text" if "text" in columns else columns[0] if len(columns) == 1 else None
        if column is None:
            raise InputError(f"choose the {name} column with {name}=: {', '.join(columns)}")
        if column not in columns:
            raise InputError(
                f'column "{column}" not found; available columns: {", ".join(columns)}'
            )
        if name == "text":
            return parse_texts(frame[column])
        if name == "label":
            labels = parse_labels(frame[column], len(frame))
            assert labels is not None
            return labels.cast(pl.String)
        values = as_times(frame[column])
        return values if times is None else times.parse(values, "times")


@dataclass(frozen=True)
class FilePartition:
    """A file, or some rows of it."""

    path: str
    columns: Columns
    options: FileOptions
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

    def read(self, *names: str, times: TimeParser | None = None) -> Iterator[pl.DataFrame]:
        """Read the rows."""
        columns = {name: getattr(self.columns, name) for name in names}
        return read_columns(self.path, columns, self.options, self.rows, times)


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
class FramePartition(NumberedPartition):
    """Rows that travel with the description."""

    frame: Any
    columns: Columns

    def read(self, *names: str, times: TimeParser | None = None) -> Iterator[pl.DataFrame]:
        """Yield the rows."""
        frame = self.columns.select(self.frame, names, times)
        yield from (frame[i : i + CHUNK] for i in range(0, max(frame.height, 1), CHUNK))


@dataclass(frozen=True)
class RayPartition(NumberedPartition):
    """A block of a Ray Dataset, in Ray's object store."""

    reference: Any
    columns: Columns

    def read(self, *names: str, times: TimeParser | None = None) -> Iterator[pl.DataFrame]:
        """Fetch the block, from the same machine if it is there."""
        import ray

        frame = pl.from_arrow(ray.get(self.reference))
        return FramePartition(self.number, frame, self.columns).read(*names, times=times)


@dataclass(frozen=True)
class DaskPartition(NumberedPartition):
    """A partition of a Dask collection, computed by the worker that needs it."""

    delayed: Any
    columns: Columns

    def read(self, *names: str, times: TimeParser | None = None) -> Iterator[pl.DataFrame]:
        """Compute the partition in this process."""
        value = self.delayed.compute(scheduler="synchronous")
        if not hasattr(value, "columns"):
            value = pl.DataFrame({"text": parse_texts(value)})
        return FramePartition(self.number, value, self.columns).read(*names, times=times)


def find_partitions(
    source: Any,
    columns: Columns,
    options: FileOptions = ANY,
    n_parts: int = 1,
    verbose: int = 0,
    times: TimeParser | None = None,
) -> list[Partition]:
    """Return the partitions of files, of a Ray or Dask collection, or of texts.

    Parameters
    ----------
    source : object
        Files, directories and patterns; a Ray Dataset; a Dask bag, DataFrame, Series or array; a
        DataFrame; or texts.
    columns : Columns
        Columns with the texts, times and labels.
    options : FileOptions
        What the user has set about the files.
    n_parts : int
        Number of parts that the partitions are for: what can be divided is divided into at least
        as many.
    times : TimeParser or None
        Parses the times of a DataFrame; those of other sources are parsed where they are read.
    verbose : int
        1 shows which column of files has the texts if the user did not name it.

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
        return list(_file_partitions([source], columns, options, n_parts, verbose))
    module = type(source).__module__.partition(".")[0]
    if module == "ray":
        references = source.to_arrow_refs()
        return [RayPartition(i, reference, columns) for i, reference in enumerate(references)]
    if module.startswith("dask") and hasattr(source, "to_delayed"):
        if _is_persisted(source):
            raise InputError(
                "this Dask collection is persisted; pass it as it was before persist()"
            )
        delayed = source.to_delayed()
        pieces = delayed if isinstance(delayed, list) else delayed.ravel().tolist()
        return [DaskPartition(i, piece, columns) for i, piece in enumerate(pieces)]
    if hasattr(source, "columns"):
        return _frame_partitions(source, columns, n_parts, times)
    items = source if isinstance(source, pl.Series) else list(source)
    if not isinstance(source, pl.Series) and _are_files(list(items[:MAX_FILES])):
        return list(_file_partitions(items, columns, options, n_parts, verbose))
    return _frame_partitions(pl.DataFrame({"text": parse_texts(items)}), columns, n_parts)


def _is_persisted(collection: Any) -> bool:
    """Return whether the partitions of a Dask collection are kept by the workers of a cluster."""
    return any("Future" in type(task).__name__ for task in dict(collection.dask).values())


def _are_files(items: Sequence[Any]) -> bool:
    """Return whether items are files rather than texts; texts may be addresses, too."""
    are_files = [_is_file(item) for item in items]
    found = [is_file or _is_address(item) for is_file, item in zip(are_files, items, strict=True)]
    if any(are_files) and not all(found):
        raise FileNotFoundError(f"{items[found.index(False)]} does not exist")
    return len(items) > 0 and all(found)


def _is_file(item: object) -> bool:
    """Return whether an item is the path of a file rather than a text."""
    if isinstance(item, Path):
        return True
    try:
        return isinstance(item, str) and Path(item).is_file()
    except OSError:  # too long for a name
        return False


def _is_address(item: object) -> bool:
    """Return whether an item is the address of a file whose name tells its format."""
    if not isinstance(item, str) or not is_remote(item) or len(item.split()) != 1:
        return False
    try:
        detect_format(item, ANY)
    except InputError:
        return False
    return True


def _absolute(path: str) -> str:
    """Return the path of a file from the root, for workers; addresses as they are."""
    return path if is_remote(path) else str(Path(path).absolute())


def _file_partitions(
    paths: Iterable[str | Path],
    columns: Columns,
    options: FileOptions,
    n_parts: int,
    verbose: int,
) -> Iterator[Partition]:
    for path in map(str, paths):
        if path == STDIN:
            raise InputError("a cluster cannot read standard input; write the texts to a file")
        for file in map(_absolute, expand_paths((path,))):
            if columns.text is None:
                given = {name: column for name, column in columns._asdict().items() if column}
                text, message = guess_text_column(file, {**given, "text": None}, options)
                columns = columns._replace(text=text)
                print_note(message, verbose=bool(message) and verbose)
            n_rows = count_rows(file, options)
            if n_rows is None:
                yield FilePartition(file, columns, options)
                continue
            for rows in _spans(n_rows, SPANS_PER_PART * n_parts if n_parts > 1 else 1, MAX_ROWS):
                yield FilePartition(file, columns, options, rows)


def _spans(n: int, n_parts: int, longest: int) -> list[tuple[int, int]]:
    """Divide range(n) into n_parts spans or more, so that none is too long: begins and lengths."""
    n_spans = -(-max(n, 1) // max(min(-(-n // n_parts), longest), 1))
    bounds = [n * i // n_spans for i in range(n_spans + 1)]
    return [(begin, end - begin) for begin, end in pairwise(bounds)]


def _frame_partitions(
    frame: Any, columns: Columns, n_parts: int, times: TimeParser | None = None
) -> list[Partition]:
    if len(frame) == 0:
        raise InputError("there are no texts; pass files or texts")
    names = [name for name, column in columns._asdict().items() if name == "text" or column]
    whole = columns.select(frame, names, times)
    if times is not None:
        whole = whole.with_columns(times.resolve([whole["time"]]))
    spans = _spans(whole.height, n_parts, CHUNK)
    named = Columns(*(name if name in names else None for name in Columns._fields))
    return [FramePartition(i, whole.slice(*span), named) for i, span in enumerate(spans)]
