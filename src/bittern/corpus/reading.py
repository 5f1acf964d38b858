"""Reading a corpus from files."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from bittern._core.memory import release_memory
from bittern._core.progress import ProgressBar, print_note
from bittern.corpus.corpus import Corpus, assemble, tokenize_chunks
from bittern.corpus.formats import FileOptions
from bittern.corpus.paths import expand_paths
from bittern.corpus.rows import TABLE, read_files
from bittern.corpus.sources import is_stream
from bittern.corpus.times import TimeParser
from bittern.errors import InputError
from bittern.text.detection import SAMPLE, adapt_options
from bittern.text.options import AUTO, TextOptions


def read(
    *paths: str | Path,
    text: str | None = None,
    time: str | None = None,
    time_format: str | None = None,
    label: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    vocabulary: list[str] | None = None,
    keep_texts: bool = False,
    keep_table: bool = False,
    verbose: int = 0,
    **options: Any,
) -> Corpus:
    r"""Read a corpus from one or more files.

    Parameters
    ----------
    *paths : str or Path
        Files, directories, patterns such as ``posts/*.csv.gz``, or addresses such as
        ``s3://bucket/posts.parquet``: txt (one text per line), csv, tsv, jsonl, parquet or
        workbooks (xlsx, xls, ods), each also with .gz or .zst; "-" is standard input.
    text : str or None
        Column with the texts; by default the one called "text", or the only one with texts.
    time : str or None
        Column with the times of the texts.
    time_format : str or None
        Format of the times, such as "%d.%m.%Y", as for `datetime.strptime`; by default, the usual
        ones are recognized.
    label : str or None
        Column with the labels of the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator : str or None
        Separator between the fields of csv and tsv files, such as ";" or "tab"; by default, it is
        detected.
    encoding : str or None
        Encoding of text files, such as "utf-8", "cp1251" or "shift_jis". By default, UTF-8 and
        UTF-16 are detected; other files are read as Windows-1252, with a warning.
    sheet : str or None
        Name of a sheet of workbooks; by default the first one with a table.
    vocabulary : list of str or None
        Keep only these words.
    keep_texts : bool
        Keep the raw texts in `Corpus.texts`.
    keep_table : bool
        Keep all columns of the files in `Corpus.table`. Those of a jsonl file are the ones in its
        first 10,000 rows.
    verbose : int
        1 shows a progress bar, which column the texts are in if you did not name it, and the
        language that `language="auto"` finds.
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
    files = FileOptions(format, separator, encoding, sheet)
    note = partial(print_note, verbose=verbose)
    named = {"time": time, "label": label}
    given = {name: column for name, column in named.items() if column is not None}
    if time is None and time_format is not None:
        raise InputError("a time format has no effect without a column of times; set time (--time)")
    parser = TimeParser(time_format) if time is not None else None
    kept: dict[str, list[pl.Series]] = {"time": [], "label": [], "text": [], TABLE: []}

    batches = read_files(paths, {"text": text} | given, files, keep_table, note, parser)
    first = _take(batches, SAMPLE)
    text_options = adapt_options(text_options, _texts(first), verbose, is_new=vocabulary is None)

    def texts() -> Iterator[pl.Series]:
        for batch in chain(first, batches):
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
    times = parser.resolve(kept.pop("time")) if parser is not None and kept["time"] else None
    columns = {name: pl.concat(parts) if parts else None for name, parts in kept.items()}
    if label is not None and columns["label"] is not None:
        columns["label"] = columns["label"].alias(label)
    corpus = assemble(chunks, text_options, vocabulary, times, columns["label"])
    release_memory()
    table = columns[TABLE]
    return replace(
        corpus, texts=columns["text"], table=None if table is None else table.struct.unnest()
    )


def read_batches(
    *paths: str | Path,
    text: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    vocabulary: list[str],
    keep_table: bool = False,
    verbose: int = 0,
    **options: Any,
) -> Iterator[Corpus]:
    r"""Read files in batches of at most 100,000 documents, in constant memory.

    Standard input and pipes are read as their data arrives.

    Parameters
    ----------
    *paths : str or Path
        Files or patterns, as for `read`.
    text : str or None
        Column with the texts, as for `read`.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator, encoding, sheet : str or None
        As for `read`.
    vocabulary : list of str
        The vocabulary of all batches; other words are dropped.
    keep_table : bool
        Keep all columns of the files, as for `read`.
    verbose : int
        1 shows a progress bar, and which column the texts are in if you did not name it.
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
    text_options.check_separable()
    files = FileOptions(format, separator, encoding, sheet)
    note = partial(print_note, verbose=verbose)
    tables: deque[pl.DataFrame | None] = deque()

    batches = read_files(paths, {"text": text}, files, keep_table, note)
    first = _take(batches, 1) if text_options.language == AUTO else []
    text_options = adapt_options(text_options, _texts(first), verbose, is_new=False)

    def texts() -> Iterator[pl.Series]:
        for batch in chain(first, batches):
            tables.append(batch[TABLE].struct.unnest() if keep_table else None)
            yield batch["text"]

    ahead = not any(map(is_stream, expand_paths(paths)))  # nothing waits for more of a stream
    start = 0
    with ProgressBar("reading", None, "texts", verbose) as bar:
        for chunk in tokenize_chunks(texts(), text_options, ahead):
            corpus = assemble([chunk], text_options, vocabulary)
            yield replace(corpus, ids=corpus.ids + start, table=tables.popleft())
            start += len(corpus)
            bar.advance(len(corpus))


def _take(batches: Iterator[pl.DataFrame], n_rows: int) -> list[pl.DataFrame]:
    """Return the first batches, with this many rows or more if there are as many."""
    taken: list[pl.DataFrame] = []
    while sum(batch.height for batch in taken) < n_rows:
        batch = next(batches, None)
        if batch is None:
            break
        taken.append(batch)
    return taken


def _texts(batches: list[pl.DataFrame]) -> pl.Series:
    """Return the texts of batches as one column."""
    return pl.concat([pl.Series(dtype=pl.String), *(batch["text"] for batch in batches)])
