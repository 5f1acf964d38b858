"""Applying a model to texts that are spread over a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.atomic import atomic_path, temporary_directory
from bittern._core.progress import ProgressBar
from bittern._core.validation import check_integer
from bittern.analysis.documents import (
    INFERENCE_METHODS,
    InferenceMethod,
    document_table,
    infer_topics,
    main_topics,
)
from bittern.analysis.groups import add_group_sums
from bittern.analysis.likelihood import LogLikelihood, sum_biterms
from bittern.analysis.periods import Periods, known_times, plan_periods
from bittern.analysis.quality import (
    TOP_WORDS,
    CorpusEvaluation,
    SummedEvaluation,
    Sums,
    evaluate,
)
from bittern.analysis.timeline import Timeline, timeline_from_sums
from bittern.cluster.engines import Engine
from bittern.cluster.partitions import Columns, Partition, find_partitions
from bittern.cluster.scheduler import Scheduler
from bittern.cluster.training import opened_engine
from bittern.corpus.formats import FileOptions
from bittern.corpus.times import TimeParser
from bittern.errors import InputError
from bittern.fitted import FittedModel, FittedTopics, as_fitted, encode_documents


def transform(
    model: FittedTopics | FittedModel,
    source: Any,
    out: str | Path,
    *,
    engine: str | Engine = "local",
    text: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    by: InferenceMethod = "informative",
    shares: bool = False,
    verbose: int = 0,
) -> list[Path]:
    """Assign topics to texts that are spread over a cluster, and write a directory of tables.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    source : object
        The texts, as for `fit`.
    out : str or Path
        Directory for the tables, which all workers can write to: one parquet file for each
        partition, whole or not at all.
    engine : str or Engine
        A cluster, as for `fit`.
    text : str or None
        Column with the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator, encoding, sheet : str or None
        As for `bittern.read`.
    by : {"informative", "words", "biterms", "mix"}
        What to infer the topics from, as for `BTM.document_info`.
    shares : bool
        Add a column for each topic with its share.
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    list of Path
        The files. Their columns are source, the file or partition that a text comes from; id, its
        row there; topic, topic_name, probability, runner_up, runner_up_probability and reason, as
        from `BTM.document_info`.

    Raises
    ------
    InputError
        If the directory is not empty, or something is wrong with the texts.

    Examples
    --------
    >>> import bittern, polars as pl
    >>> from bittern.cluster import transform
    >>> texts = ["late train again", "dirty seats"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> files = transform(model, texts, "topics", engine="local:1")
    >>> pl.read_parquet(files).height
    40
    """
    if by not in INFERENCE_METHODS:
        raise InputError(
            f'unknown value for by: "{by}"; choose from {", ".join(INFERENCE_METHODS)}'
        )
    folder = Path(out).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{out} is not empty; choose an empty or new directory")
    folder.parent.mkdir(parents=True, exist_ok=True)
    files = FileOptions(format, separator, encoding, sheet)
    with temporary_directory(folder) as fresh:
        with _documents(model, source, Columns(text), files, engine, verbose) as documents:
            documents.map("transform", _write, str(fresh), by, shares)
        if folder.exists():
            folder.rmdir()
        fresh.rename(folder)
    return sorted(folder.iterdir())


def score(
    model: FittedTopics | FittedModel,
    source: Any,
    *,
    engine: str | Engine = "local",
    text: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    verbose: int = 0,
) -> float:
    """Return the mean log-likelihood per biterm of texts that are spread over a cluster.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    source : object
        The texts, as for `fit`.
    engine : str or Engine
        A cluster, as for `fit`.
    text : str or None
        Column with the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator, encoding, sheet : str or None
        As for `bittern.read`.
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    float
        The mean of log p(biterm), as from `BTM.score`.

    Examples
    --------
    >>> import bittern
    >>> from bittern.cluster import score
    >>> texts = ["late train again", "dirty seats"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> abs(score(model, texts, engine="local:1") - model.score(texts)) < 1e-6
    True
    """
    files = FileOptions(format, separator, encoding, sheet)
    with _documents(model, source, Columns(text), files, engine, verbose) as documents:
        total: LogLikelihood = reduce(LogLikelihood.plus, documents.map("score", _score))
    if total.weight == 0:
        raise InputError("no two known words occur together in any text; check the texts")
    return total.mean


def quality(
    model: FittedTopics | FittedModel,
    source: Any,
    *,
    label: str | None = None,
    n: int = TOP_WORDS,
    engine: str | Engine = "local",
    text: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    verbose: int = 0,
) -> dict[str, float]:
    """Measure the quality of topics on texts that are spread over a cluster.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    source : object
        The texts, as for `fit`.
    label : str or None
        Column with labels to compare the topics with.
    n : int
        Number of top words per topic.
    engine : str or Engine
        A cluster, as for `fit`.
    text : str or None
        Column with the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator, encoding, sheet : str or None
        As for `bittern.read`.
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    dict
        The value of each measure by name, as from `BTM.quality`.

    Examples
    --------
    >>> import bittern
    >>> from bittern.cluster import quality
    >>> texts = ["late train again", "dirty seats"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> quality(model, texts, n=2, engine="local:1")["diversity"]
    1.0
    """
    check_integer("n", n, 2)
    columns = Columns(text, label=label)
    files = FileOptions(format, separator, encoding, sheet)
    with _documents(model, source, columns, files, engine, verbose) as documents:
        sums = reduce(Sums.plus, documents.map("quality", _sum_quality, n, label))
    return evaluate(SummedEvaluation(as_fitted(model), n, sums=sums))


def timeline(
    model: FittedTopics | FittedModel,
    source: Any,
    *,
    time: str,
    time_format: str | None = None,
    period: str | int = "auto",
    engine: str | Engine = "local",
    text: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    verbose: int = 0,
) -> Timeline:
    """Return topics over time of texts that are spread over a cluster.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    source : object
        The texts, as for `fit`, with a column of times.
    time : str
        Column with the times of the texts.
    time_format : str or None
        Format of the times, as for `bittern.read`.
    period : str or int
        "hour", "day", "week", "month", "quarter", "year", "auto", or a number of equal periods.
    engine : str or Engine
        A cluster, as for `fit`.
    text : str or None
        Column with the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator, encoding, sheet : str or None
        As for `bittern.read`.
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    Timeline
        Shares by period, trends and bursts, as from `BTM.timeline`.

    Examples
    --------
    >>> import bittern, polars as pl
    >>> from bittern.cluster import timeline
    >>> frame = pl.DataFrame({"text": ["late train", "dirty seats"] * 20, "year": ["2023-01-01",
    ...     "2024-01-01"] * 20})
    >>> model = bittern.BTM(2, random_state=0).fit(frame["text"])
    >>> timeline(model, frame, time="year", period="year", engine="local:1").shares.height
    4
    """
    parser, columns = TimeParser(time_format), Columns(text, time)
    files = FileOptions(format, separator, encoding, sheet)
    with _documents(model, source, columns, files, engine, verbose, parser) as documents:
        spans = documents.map("find times", _find_span, parser)
        for found, _ in spans:
            parser.merge(found)
        ends = parser.resolve([times for _, times in spans])
        known_times(ends)
        periods = plan_periods(ends.min(), ends.max(), period)
        parts = documents.map("timeline", _sum_periods, parser, periods)
    sums, n_documents = (sum(part[i] for part in parts) for i in range(2))
    found = timeline_from_sums(periods.starts, sums, n_documents)
    return found.without(as_fitted(model).set_aside)


@dataclass(frozen=True)
class _Documents:
    """Texts on a cluster, and the model to apply to them."""

    scheduler: Scheduler
    fitted: Any
    partitions: list[Partition]
    verbose: int

    def map(self, name: str, function: Any, *arguments: Any) -> list[Any]:
        """Return function(fitted, number, partition, *arguments) of each partition."""
        calls = [(self.fitted, i, part, *arguments) for i, part in enumerate(self.partitions)]
        with ProgressBar(name, len(calls), "partitions", self.verbose) as bar:
            return self.scheduler.map(name, function, calls, lambda: bar.advance(1))


@contextmanager
def _documents(
    model: FittedTopics | FittedModel,
    source: Any,
    columns: Columns,
    files: FileOptions,
    engine: str | Engine,
    verbose: int,
    times: TimeParser | None = None,
) -> Iterator[_Documents]:
    """Open the engine, and find the partitions of the source."""
    with opened_engine(engine) as opened:
        partitions = find_partitions(source, columns, files, len(opened.workers()), verbose, times)
        scheduler = Scheduler(opened, len(partitions))
        yield _Documents(scheduler, opened.put(as_fitted(model)), partitions, verbose)


def _write(
    fitted: FittedTopics,
    number: int,
    partition: Partition,
    folder: str,
    by: InferenceMethod,
    shares: bool,
) -> None:
    """Write the table of a partition."""
    tables, start = [], partition.first_row
    empty = pl.DataFrame({"text": pl.Series(dtype=pl.String)})
    for rows in chain([empty], partition.read("text")):  # one at least
        corpus = encode_documents(fitted, rows["text"])
        found = infer_topics(fitted, corpus, by)
        table = document_table(fitted, replace(corpus, texts=None), found, shares)
        table = table.with_columns(pl.col("id") + start)
        tables.append(table.select(pl.lit(partition.source).alias("source"), pl.all()))
        start += len(corpus)
    with atomic_path(Path(folder) / f"part-{number:05d}.parquet") as fresh:
        pl.concat(tables).write_parquet(fresh)


def _score(fitted: FittedTopics, number: int, partition: Partition) -> LogLikelihood:
    """Return the log-likelihood of the biterms of a partition."""
    corpora = (encode_documents(fitted, rows["text"]) for rows in partition.read("text"))
    return reduce(LogLikelihood.plus, (sum_biterms(fitted, corpus) for corpus in corpora))


def _sum_quality(
    fitted: FittedTopics, number: int, partition: Partition, n: int, label: str | None
) -> Sums:
    """Return what the measures need of a partition."""

    def sums(rows: pl.DataFrame) -> Sums:
        corpus = encode_documents(fitted, rows["text"])
        labels = None if label is None else rows["label"]
        return Sums.of(CorpusEvaluation(fitted, n, corpus=corpus, labels=labels))

    names = ("text",) if label is None else ("text", "label")
    return reduce(Sums.plus, map(sums, partition.read(*names)))


def _find_span(
    fitted: FittedTopics, number: int, partition: Partition, parser: TimeParser
) -> tuple[TimeParser, pl.Series]:
    """Return the first and last times of the texts with known words in a partition.

    The parser knows what their values tell about the order of day and month.
    """
    known = []
    for rows in partition.read("text", "time", times=parser):
        has_words = encode_documents(fitted, rows["text"]).has_words
        known.append(rows["time"].filter(pl.Series(has_words)))
    return parser, parser.ends(known)


def _sum_periods(
    fitted: FittedTopics, number: int, partition: Partition, parser: TimeParser, periods: Periods
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the sums of shares (periods, K) and the number of documents of each period."""
    sums = np.zeros((len(periods.starts), fitted.n_topics))
    documents = np.zeros(len(sums), np.int64)
    for rows in partition.read("text", "time", times=parser):
        corpus = encode_documents(fitted, rows["text"])
        shares = infer_topics(fitted, corpus)
        has_topic = main_topics(fitted, corpus, shares) >= 0
        groups = periods.groups(parser.resolve([rows["time"]]).filter(pl.Series(has_topic)))
        add_group_sums(groups.codes, shares[has_topic], sums)
        documents += groups.documents
    return sums, documents
