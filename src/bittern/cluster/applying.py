"""Applying a model to texts that are spread over a cluster."""

import shutil
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bittern._core.atomic import atomic_path, remove_stale, temporary_name
from bittern._core.progress import ProgressBar
from bittern.analysis.documents import (
    INFERENCE_METHODS,
    InferenceMethod,
    document_table,
    document_topics,
    share_columns,
)
from bittern.analysis.likelihood import score_biterms
from bittern.biterms import LazyBiterms
from bittern.cluster.engines import Engine
from bittern.cluster.partitions import Partition, find_partitions
from bittern.cluster.scheduler import Scheduler
from bittern.cluster.training import divide, opened_engine
from bittern.errors import InputError
from bittern.fitted import FittedModel, FittedTopics, as_fitted, encode_documents


def transform(
    model: FittedModel,
    source: Any,
    out: str | Path,
    *,
    engine: str | Engine = "local",
    text: str | None = None,
    format: str | None = None,
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
        row there; topic, probability, runner_up and runner_up_probability.

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
    remove_stale(folder)
    fresh = temporary_name(folder)
    fresh.mkdir()
    arguments = (str(fresh), by, shares)
    try:
        _each_partition(
            "transform", _write, model, source, engine, text, format, verbose, arguments
        )
        if folder.exists():
            folder.rmdir()
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return sorted(folder.iterdir())


def score(
    model: FittedModel,
    source: Any,
    *,
    engine: str | Engine = "local",
    text: str | None = None,
    format: str | None = None,
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
    >>> round(score(model, texts, engine="local:1") - model.score(texts), 6)
    0.0
    """
    parts = _each_partition("score", _score, model, source, engine, text, format, verbose, ())
    total, n = (sum(part[i] for part in parts) for i in range(2))
    if n == 0:
        raise InputError("no two known words occur together in any text; check the texts")
    return float(total / n)


def _each_partition(
    name: str,
    function: Any,
    model: FittedModel,
    source: Any,
    engine: str | Engine,
    text: str | None,
    format: str | None,
    verbose: int,
    arguments: tuple[Any, ...],
) -> list[Any]:
    """Return function(fitted, numbered partitions, *arguments) of each part."""
    with opened_engine(engine) as opened:
        n_workers = len(opened.workers())
        partitions = list(enumerate(find_partitions(source, text, format, n_workers)))
        parts = divide(partitions, n_workers)
        scheduler = Scheduler(opened, len(parts))
        fitted = opened.put(as_fitted(model))
        with ProgressBar(name, len(partitions), "partitions", verbose) as bar:
            results = scheduler.map(
                name, function, [(fitted, tuple(part), *arguments) for part in parts]
            )
            bar.advance(len(partitions))
        return results


def _write(
    fitted: FittedTopics,
    partitions: tuple[tuple[int, Partition], ...],
    folder: str,
    by: InferenceMethod,
    shares: bool,
) -> None:
    """Write a table for each partition."""
    for number, partition in partitions:
        tables, start = [], partition.first_row
        for texts in chain([pl.Series(dtype=pl.String)], partition.read()):  # one at least
            corpus = encode_documents(fitted, texts)
            found = document_topics(fitted.theta, fitted.phi, corpus, fitted.window, by)
            table = document_table(corpus, found).with_columns(pl.col("id") + start)
            if shares:
                table = table.hstack(share_columns(found))
            tables.append(table.select(pl.lit(partition.source).alias("source"), pl.all()))
            start += len(corpus)
        path = Path(folder) / f"part-{number:05d}.parquet"
        with atomic_path(path) as fresh:
            pl.concat(tables).write_parquet(fresh)


def _score(
    fitted: FittedTopics, partitions: tuple[tuple[int, Partition], ...]
) -> tuple[float, float]:
    """Return the sum of the log-likelihoods and the number of biterms."""
    total, n = 0.0, 0.0
    for _, partition in partitions:
        for texts in partition.read():
            corpus = encode_documents(fitted, texts)
            n_biterms = LazyBiterms(corpus, fitted.window).total
            if n_biterms > 0:
                total += n_biterms * score_biterms(fitted, corpus)
                n += n_biterms
    return float(np.float64(total)), n
