"""Files of texts: txt, csv, tsv, jsonl and parquet, plain or compressed."""

import csv
import glob
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

import polars as pl

from bittern._core.memory import release_memory
from bittern._core.progress import ProgressBar
from bittern.corpus.corpus import CHUNK, Corpus, assemble, tokenize_chunks
from bittern.errors import InputError
from bittern.text.preprocessing import TextOptions

FORMATS = ("txt", "csv", "tsv", "jsonl", "parquet")
SEPARATORS = {"csv": ",", "tsv": "\t"}
STDIN = "-"
ZONED_TIME = "%Y-%m-%dT%H:%M:%S%.f%z"
TIME_FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M")
HEAD = 1 << 16  # bytes that are looked at to tell text from binary files
JSON_ROWS = 10_000  # that are looked at to find out which columns there are


def read(
    *paths: str | Path,
    text: str | None = None,
    time: str | None = None,
    label: str | None = None,
    format: str | None = None,
    vocabulary: list[str] | None = None,
    keep_texts: bool = False,
    verbose: int = 0,
    **options: Any,
) -> Corpus:
    """A corpus from files, one after the other.

    Parameters
    ----------
    paths
        Files or patterns such as ``posts/*.csv.gz``: txt (a text per line), csv, tsv, jsonl or
        parquet, each also with .gz or .zst; "-" is standard input.
    text, time, label
        The columns with the texts, their times and their labels. `text` may be left out where
        there is only one column, or one called "text".
    format
        What the files are, if their names don't say so.
    vocabulary
        Keep only these words.
    keep_texts
        Keep the texts themselves, too.
    verbose
        1 shows a progress bar.
    options
        How texts become words: see `bittern.text.TextOptions`.
    """
    how = TextOptions(**options)
    kept: dict[str, list[pl.Series]] = {"time": [], "label": [], "text": []}

    def texts() -> Iterator[pl.Series]:
        for batch in _all_batches(paths, format, text, time, label):
            for name in batch.columns:
                if name != "text" or keep_texts:
                    kept[name].append(batch[name])
            yield batch["text"]

    tokens = []
    with ProgressBar("reading", None, "texts", verbose) as bar:
        for chunk in tokenize_chunks(texts(), how):
            tokens.append(chunk)
            bar.advance(len(chunk.lengths))
    release_memory()  # what tokenizing took
    columns = {name: pl.concat(parts) if parts else None for name, parts in kept.items()}
    corpus = assemble(tokens, how, vocabulary, columns["time"], columns["label"])
    release_memory()
    return replace(corpus, texts=columns["text"])


def read_batches(
    *paths: str | Path,
    text: str | None = None,
    format: str | None = None,
    vocabulary: list[str],
    verbose: int = 0,
    **options: Any,
) -> Iterator[Corpus]:
    """The same texts as by `read`, a hundred thousand at a time: memory does not grow with them.

    All are over the same vocabulary; the ids go on from batch to batch.
    """
    how = TextOptions(**options)
    batches = (batch["text"] for batch in _all_batches(paths, format, text, None, None))
    start = 0
    with ProgressBar("reading", None, "texts", verbose) as bar:
        for chunk in tokenize_chunks(batches, how):
            corpus = assemble([chunk], how, vocabulary)
            yield replace(corpus, ids=corpus.ids + start)
            start += len(corpus)
            bar.advance(len(corpus))


def _all_batches(
    paths: tuple[str | Path, ...],
    format: str | None,
    text: str | None,
    time: str | None,
    label: str | None,
) -> Iterator[pl.DataFrame]:
    for path in _expand(paths):
        yield from _batches(path, format, text, time, label)


def _expand(paths: tuple[str | Path, ...]) -> list[str]:
    if not paths:
        raise InputError("no file was given")
    found: list[str] = []
    for path in map(str, paths):
        if path == STDIN or (Path(path).exists() and not Path(path).is_dir()):
            found.append(path)
            continue
        matches = sorted(
            match for match in glob.glob(path, recursive=True) if Path(match).is_file()
        )
        if not matches:
            what = "is a directory: name its files" if Path(path).is_dir() else "does not exist"
            raise FileNotFoundError(f"{path} {what}")
        found.extend(matches)
    return found


def _batches(
    path: str, format: str | None, text: str | None, time: str | None, label: str | None
) -> Iterator[pl.DataFrame]:
    """The texts, times and labels of a file as columns "text", "time" and "label"."""
    kind, compression = _kind(path, format)
    source: str | io.BytesIO = path
    if path == STDIN:
        source = io.BytesIO(sys.stdin.buffer.read())
    elif (kind == "parquet" and compression) or not Path(path).is_file():  # a pipe is not seekable
        with _open(path, compression) as file:
            source = io.BytesIO(_decompressed(path, file.read))
    if kind != "parquet":
        _refuse_binary(path, source, compression)
    row = 0
    try:
        frame = _scan(source, kind)
        columns = {"text": _text_column(path, kind, frame, text)}
        for name, column in (("time", time), ("label", label)):
            if column is not None:
                _check_column(path, kind, frame, column)
                columns[name] = column
        if kind == "jsonl":
            frame = pl.scan_ndjson(source, schema=dict.fromkeys(columns.values(), pl.String))
        chosen = frame.select(
            *(
                pl.col(column).alias(name)
                if name == "time"
                else pl.col(column).cast(pl.String).alias(name)
                for name, column in columns.items()
            )
        )
        # a csv row with too many fields is found only where all of its fields are looked at
        flags = pl.QueryOptFlags(projection_pushdown=kind not in SEPARATORS)
        for batch in chosen.collect_batches(
            chunk_size=CHUNK, maintain_order=True, optimizations=flags
        ):
            if time is not None:
                batch = batch.with_columns(_parse_times(batch["time"], path, time, row))
            row += batch.height
            yield batch
    except (pl.exceptions.PolarsError, OSError, EOFError) as error:
        _explain(path, source, kind, compression, error)


def _kind(path: str, format: str | None) -> tuple[str, str]:
    """What a file is ("csv") and how it is compressed ("", "gz" or "zst")."""
    if format is not None and format not in FORMATS:
        raise InputError(f'unknown format "{format}": choose from {", ".join(FORMATS)}')
    name = "" if path == STDIN else Path(path).name.lower()
    compression = next((end for end in ("gz", "zst") if name.endswith(f".{end}")), "")
    ending = Path(name.removesuffix(f".{compression}")).suffix.lstrip(".")
    kind = format or {"ndjson": "jsonl", "pq": "parquet"}.get(ending, ending)
    if path == STDIN:
        kind = kind or "txt"
    if kind not in FORMATS:
        raise InputError(
            f"{path}: the name does not say what it is: bittern reads "
            f"{', '.join('.' + known for known in FORMATS)}, also with .gz or .zst; "
            "or give the format"
        )
    return kind, compression


def _scan(source: str | io.BytesIO, kind: str) -> pl.LazyFrame:
    match kind:
        case "txt":
            return pl.scan_lines(source, name="text", glob=False)
        case "jsonl":
            return pl.scan_ndjson(source, infer_schema_length=JSON_ROWS)
        case "parquet":
            return pl.scan_parquet(source, glob=False)
    return pl.scan_csv(source, separator=SEPARATORS[kind], infer_schema=False, glob=False)


def _text_column(path: str, kind: str, frame: pl.LazyFrame, text: str | None) -> str:
    columns = frame.collect_schema().names()
    if text is None:
        if len(columns) == 1:
            if kind in SEPARATORS and len(columns[0].split(";")) > 1:
                raise InputError(f"{path}: the columns are separated by ; : save it with , instead")
            return columns[0]
        if "text" in columns:
            return "text"
        raise InputError(f"{path}: say which column has the texts: {', '.join(columns)}")
    _check_column(path, kind, frame, text)
    return text


def _check_column(path: str, kind: str, frame: pl.LazyFrame, column: str) -> None:
    columns = frame.collect_schema().names()
    if column not in columns:
        what = "a txt file has only texts" if kind == "txt" else f"it has {', '.join(columns)}"
        raise InputError(f'{path}: there is no column "{column}": {what}')


def _parse_times(values: pl.Series, path: str, column: str, first_row: int) -> pl.Series:
    """Dates and times as they are; strings as ISO 8601; 9 to 11 digits as seconds since 1970."""
    if values.dtype in (pl.Date, pl.Datetime):
        return values.cast(pl.Datetime("us"))
    text = values.cast(pl.String)
    if text.count() and text.str.contains(r"^\d{9,11}$").all():
        return pl.from_epoch(text.cast(pl.Int64)).cast(pl.Datetime("us"))
    parsed = _iso_times(text)
    if parsed.null_count() > text.null_count():
        bad = int((parsed.is_null() & text.is_not_null()).arg_max() or 0)
        raise InputError(
            f'{path}: row {first_row + bad + 1}: the column "{column}" has "{text[bad]}", '
            "which is no time: write dates as 2024-05-31 or 2024-05-31T12:00"
        )
    return parsed.alias("time")


def _iso_times(text: pl.Series) -> pl.Series:
    """Each string by the first of the ISO forms that it has; null where it has none."""
    strings = text.str.replace(r"^(\S+) (\S)", "${1}T$2").str.replace("Z$", "+0000")
    plain = [
        pl.col("t").str.to_datetime(form, time_unit="us", strict=False) for form in TIME_FORMATS
    ]
    zoned = pl.col("t").str.to_datetime(ZONED_TIME, time_unit="us", strict=False)
    tries = [*plain, zoned.dt.replace_time_zone(None)]
    return strings.to_frame("t").select(pl.coalesce(tries)).to_series()


def _open(path: str, compression: str) -> BinaryIO:
    match compression:
        case "gz":
            return cast(BinaryIO, gzip.open(path))
        case "zst":
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd
            return cast(BinaryIO, zstd.open(path))
    return open(path, "rb")


def _lines(path: str, source: str | io.BytesIO, compression: str) -> Iterator[bytes]:
    if isinstance(source, io.BytesIO):
        yield from source.getvalue().splitlines(keepends=True)
    else:
        with _open(path, compression) as file:
            yield from file


def _decompressed(path: str, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except Exception as error:  # each decompressor has errors of its own
        raise InputError(f"{path}: cannot be decompressed: {error}") from None


def _refuse_binary(path: str, source: str | io.BytesIO, compression: str) -> None:
    if isinstance(source, io.BytesIO):
        start = source.getvalue()[:HEAD]
    else:
        with _open(path, compression) as file:
            start = _decompressed(path, lambda: file.read(HEAD))
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: this is UTF-16: convert it with iconv -f utf-16 -t utf-8")
    if b"\0" in start:
        raise InputError(f"{path}: this is a binary file, not text: save it as csv or parquet")


def _explain(
    path: str, source: str | io.BytesIO, kind: str, compression: str, error: Exception
) -> NoReturn:
    """Say in one line, with the row, what was wrong with a file that could not be read."""
    if isinstance(error, pl.exceptions.NoDataError):
        raise InputError(f"{path}: the file is empty") from None
    if kind != "parquet":
        try:
            _find_bad_line(path, kind, _lines(path, source, compression))
            if kind in SEPARATORS:
                _find_bad_row(path, kind, _lines(path, source, compression))
        except InputError:
            raise
        except Exception as broken:  # each decompressor has errors of its own
            raise InputError(f"{path}: cannot be decompressed: {broken}") from None
    raise InputError(f"{path}: cannot be read as {kind}: {str(error).splitlines()[0]}") from None


def _find_bad_line(path: str, kind: str, lines: Iterator[bytes]) -> None:
    for number, line in enumerate(lines, start=1):
        try:
            decoded = line.decode("utf-8")
        except UnicodeDecodeError as bad:
            raise InputError(
                f"{path}: line {number} is not UTF-8 (byte 0x{line[bad.start]:02x}): "
                "convert the file, for instance with iconv -f latin1 -t utf-8"
            ) from None
        if kind == "jsonl" and decoded.strip():
            try:
                json.loads(decoded)
            except ValueError as bad_json:
                raise InputError(f"{path}: line {number} is not JSON: {bad_json}") from None


def _find_bad_row(path: str, kind: str, lines: Iterator[bytes]) -> None:
    csv.field_size_limit(sys.maxsize)
    rows = csv.reader((line.decode() for line in lines), delimiter=SEPARATORS[kind], strict=True)
    width, row = 0, 0
    try:
        for row, fields in enumerate(rows, start=1):
            width = width or len(fields)
            if len(fields) > width:
                raise InputError(
                    f"{path}: row {row} has {len(fields)} fields but the header has {width}: "
                    "put texts with separators into double quotes"
                )
    except csv.Error as bad:
        raise InputError(
            f'{path}: row {row + 1} has broken quotes ({bad}): write " inside of quotes twice'
        ) from None
