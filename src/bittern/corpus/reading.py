"""Reading a corpus from files."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from bittern._core.forks import check_not_forked
from bittern._core.memory import release_memory
from bittern._core.progress import ProgressBar
from bittern._core.validation import check_text
from bittern.corpus.corpus import CHUNK, Corpus, assemble, tokenize_chunks
from bittern.corpus.metadata import parse_time_column
from bittern.corpus.sources import Source, decompression_error, expand_paths, open_source
from bittern.errors import InputError
from bittern.text.preprocessing import TextOptions

MAX_NAMES, NAME_SIZE = 20, 50  # columns in messages, and the characters of their names


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
    r"""Read a corpus from one or more files.

    Parameters
    ----------
    *paths : str or Path
        Files or patterns such as ``posts/*.csv.gz``: txt (one text per line), csv, tsv, jsonl or
        parquet, each also with .gz or .zst; "-" is standard input.
    text : str or None
        Column with the texts; by default the only column, or the one called "text".
    time : str or None
        Column with the times of the texts.
    label : str or None
        Column with the labels of the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    vocabulary : list of str or None
        Keep only these words.
    keep_texts : bool
        Keep the raw texts in `Corpus.texts`.
    verbose : int
        1 shows a progress bar.
    **options
        Options of `bittern.text.TextOptions`, such as `stop_words` and `min_df`.

    Returns
    -------
    Corpus
        One document for each row, in order; a missing text is a document without words.

    Raises
    ------
    InputError
        If a file cannot be read, or a column or a time is not valid.
    FileNotFoundError
        If a file does not exist.

    Examples
    --------
    >>> import bittern
    >>> with open("answers.csv", "w") as file:
    ...     _ = file.write("id,answer,date\n1,Late train,2024-05-31\n2,Dirty seats,2024-06-01\n")
    >>> corpus = bittern.read("answers.csv", text="answer", time="date")
    >>> corpus
    <Corpus: 2 documents, 4 words, 4 tokens>
    >>> corpus.times[0].isoformat()
    '2024-05-31T00:00:00'
    """
    text_options = TextOptions.from_arguments(options)
    kept: dict[str, list[pl.Series]] = {"time": [], "label": [], "text": []}

    def texts() -> Iterator[pl.Series]:
        for batch in _read_files(paths, format, text, time, label):
            for name in batch.columns:
                if name != "text" or keep_texts:
                    kept[name].append(batch[name])
            yield batch["text"]

    chunks = []
    with ProgressBar("reading", None, "texts", verbose) as bar:
        for chunk in tokenize_chunks(texts(), text_options):
            chunks.append(chunk)
            bar.advance(len(chunk.lengths))
    release_memory()  # used by the tokenizer
    columns = {name: pl.concat(parts) if parts else None for name, parts in kept.items()}
    corpus = assemble(chunks, text_options, vocabulary, columns["time"], columns["label"])
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
    r"""Read files in batches of at most 100,000 documents, in constant memory.

    Parameters
    ----------
    *paths : str or Path
        Files or patterns, as for `read`.
    text : str or None
        Column with the texts, as for `read`.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    vocabulary : list of str
        The vocabulary of all batches; other words are dropped.
    verbose : int
        1 shows a progress bar.
    **options
        Options of `bittern.text.TextOptions`.

    Yields
    ------
    Corpus
        The next documents; their `ids` continue from batch to batch.

    Examples
    --------
    >>> from bittern.corpus import read_batches
    >>> with open("answers.txt", "w") as file:
    ...     _ = file.write("Late train\nDirty seats\n")
    >>> [len(batch) for batch in read_batches("answers.txt", vocabulary=["late", "train"])]
    [2]
    """
    text_options = TextOptions.from_arguments(options)
    texts = (batch["text"] for batch in _read_files(paths, format, text, None, None))
    start = 0
    with ProgressBar("reading", None, "texts", verbose) as bar:
        for chunk in tokenize_chunks(texts, text_options):
            corpus = assemble([chunk], text_options, vocabulary)
            yield replace(corpus, ids=corpus.ids + start)
            start += len(corpus)
            bar.advance(len(corpus))


def read_columns(
    path: str,
    columns: Mapping[str, str | None],
    format: str | None,
    rows: tuple[int, int] | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield columns of a file in chunks.

    Parameters
    ----------
    path : str
        The file.
    columns : mapping
        The columns of the file by what they are: "text", "time" or "label". The column with the
        texts may be None, as for `read`.
    format : str or None
        Format of the file, if it cannot be inferred from its name.
    rows : tuple of int or None
        First row and number of rows, for formats that `count_rows` can count.

    Yields
    ------
    polars.DataFrame
        The next rows, with columns named by what they are.
    """
    yield from _read_source(open_source(path, format), columns, rows)


def count_rows(path: str, format: str | None = None) -> int | None:
    """Return the number of rows of a file that can be read from the middle, otherwise None.

    Parameters
    ----------
    path : str
        The file.
    format : str or None
        Format of the file, if it cannot be inferred from its name.

    Returns
    -------
    int or None
        The number of rows of a parquet file that is not compressed as a whole.
    """
    source = open_source(path, format)
    if not source.format.has_row_index or source.buffer is not None:
        return None
    try:
        n_rows = source.format.scan(source.scannable).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        _explain(source, error)
    return int(n_rows)


def _read_files(
    paths: tuple[str | Path, ...],
    format: str | None,
    text: str | None,
    time: str | None,
    label: str | None,
) -> Iterator[pl.DataFrame]:
    """Yield batches of rows of all files."""
    named = {"time": time, "label": label}
    given = {name: column for name, column in named.items() if column is not None}
    for path in expand_paths(paths):
        yield from _read_source(open_source(path, format), {"text": text} | given)


def _read_source(
    source: Source, named: Mapping[str, str | None], rows: tuple[int, int] | None = None
) -> Iterator[pl.DataFrame]:
    """Yield the texts, times and labels of a file as columns "text", "time" and "label"."""
    check_not_forked()
    format, row = source.format, 0
    try:
        frame = format.scan(source.scannable)
        schema = frame.collect_schema()
        available = schema.names()
        columns = {
            name: _text_column(source, available) if column is None else column
            for name, column in named.items()
        }
        for column in columns.values():
            check_text("the name of a column", column)
            _check_column(source, available, column)
            _check_type(source, column, schema[column])
        if format.scan_strings is not None:
            frame = format.scan_strings(source.scannable, list(columns.values()))
        selected = frame.select(
            pl.col(column).alias(name)
            if name == "time"
            else pl.col(column).cast(pl.String).alias(name)
            for name, column in columns.items()
        )
        if rows is not None:
            selected = selected.slice(*rows)
        flags = pl.QueryOptFlags(projection_pushdown=not format.reads_whole_rows)
        for batch in selected.collect_batches(
            chunk_size=CHUNK, maintain_order=True, optimizations=flags
        ):
            for name, column in columns.items():
                if name != "time":
                    _check_plain(source, batch[name], column, row)
            if "time" in columns:
                times = parse_time_column(batch["time"], columns["time"], f"{source.path}: ", row)
                batch = batch.with_columns(times)
            row += batch.height
            yield batch
    except (pl.exceptions.PolarsError, OSError, EOFError) as error:
        _explain(source, error)


def _text_column(source: Source, available: list[str]) -> str:
    """Return the column with the texts if the user did not name it."""
    if "text" in available:
        return "text"
    _check_columns(source, available)
    if len(available) != 1:
        raise InputError(
            f"{source.path} has several columns; choose the text column with text= "
            f"(--text on the command line): {_list_names(available)}"
        )
    return available[0]


def _check_column(source: Source, available: list[str], column: str) -> None:
    """Raise InputError if there is no such column, or more than one."""
    if f"{column}_duplicated_0" in available:  # as Polars renames the second one
        raise InputError(f'{source.path} has several columns "{column}"; rename all but one')
    if column in available:
        return
    _check_columns(source, available)
    if source.format.has_columns:
        reason = f"available columns: {_list_names(available)}"
    else:
        reason = f"a {source.format.name} file has only texts, one per line"
    raise InputError(f'column "{column}" not found in {source.path}; {reason}')


def _check_columns(source: Source, available: list[str]) -> None:
    """Raise InputError if the columns show what is wrong with the file."""
    check = source.format.check_columns
    problem = None if check is None else check(available, source.first_lines())
    if problem is not None:
        raise InputError(f"{source.path}: {problem}")


def _check_type(source: Source, column: str, dtype: pl.DataType) -> None:
    """Raise InputError for a column of lists or objects."""
    if dtype.is_nested():
        raise _nested_error(source, column)


def _check_plain(source: Source, values: pl.Series, column: str, first_row: int) -> None:
    """Raise InputError if a value was a list or an object before it was read as a string."""
    find = source.format.find_nested
    if find is None:
        return
    row = find(values, column, _skip_rows(source.lines(), first_row))
    if row is not None:
        raise _nested_error(source, column, first_row + row)


def _skip_rows(lines: Iterator[bytes], n: int) -> Iterator[bytes]:
    """Return lines without the first n that are not empty; reads nothing before it is used."""
    rows = (line for line in lines if line.strip())
    return islice(rows, n, None)


def _nested_error(source: Source, column: str, row: int | None = None) -> InputError:
    """Return the error for values that are lists or objects; rows are counted from 1."""
    where = "" if row is None else f" in row {row + 1}"
    return InputError(
        f'{source.path}: column "{column}" has lists or objects{where}, not plain values; '
        "choose another column, or write its texts to a column of their own"
    )


def _list_names(names: list[str]) -> str:
    """Return the first names of a list, shortened, and the number of the others."""
    shown = ", ".join(" ".join(name.split())[:NAME_SIZE] for name in names[:MAX_NAMES])
    n_more = len(names) - MAX_NAMES
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown


def _explain(source: Source, error: Exception) -> NoReturn:
    """Raise InputError with the line or row that made reading fail, and the remedy."""
    if isinstance(error, pl.exceptions.NoDataError):
        raise InputError(f"{source.path}: the file is empty") from None
    problem = _find_problem(source) if source.format.is_text else None
    if problem is None:
        reason = str(error).splitlines()[0]
        problem = f"not a valid {source.format.name} file: {reason}"
        if "utf8" in reason:  # of a column of bytes
            problem = "a column has bytes that are not UTF-8; convert it to strings"
    raise InputError(f"{source.path}: {problem}") from None


def _find_problem(source: Source) -> str | None:
    """Describe the first line that is not UTF-8 or not valid in the format."""
    diagnose = source.format.diagnose
    try:
        problem = _find_encoding_problem(source.lines())
        if problem is None and diagnose is not None:
            problem = diagnose(line.decode() for line in source.lines())
    except Exception as error:  # each decompressor has its own exceptions
        if not source.compression:
            raise
        raise decompression_error(source.path, error) from None
    return problem


def _find_encoding_problem(lines: Iterator[bytes]) -> str | None:
    """Describe the first line that is not UTF-8."""
    for number, line in enumerate(lines, start=1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return (
                f"line {number} is not UTF-8 (byte 0x{line[error.start]:02x}); "
                "convert the file, for example with iconv -f latin1 -t utf-8"
            )
    return None
