"""The numbers of a study as tables."""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from bittern.corpus.corpus import Corpus
from bittern.corpus.tables import write_table
from bittern.study.costs import Cost
from bittern.study.folder import Folder
from bittern.study.plan import points
from bittern.study.protocol import COMPARED, Protocol
from bittern.study.underflow import Point as UnderflowPoint

CONFIDENCE = 0.95
SCORES = {
    "experiment": pl.String,
    "label": pl.String,
    "setting": pl.String,
    "topics": pl.Int64,
    "repeat": pl.Int64,
    "held_out": pl.Float64,
    "leave_one_out": pl.Float64,
    "residual": pl.Float64,
    "count_error": pl.Float64,
    "seconds": pl.Float64,
    "left_out": pl.String,
}
CURVES = {
    "label": pl.String,
    "topics": pl.Int64,
    "repeat": pl.Int64,
    "share": pl.Float64,
    "seconds": pl.Float64,
    "held_out": pl.Float64,
    "leave_one_out": pl.Float64,
    "running": pl.Float64,
}


class Tables(NamedTuple):
    """All numbers of a study; `write` makes files of them."""

    lengths: pl.DataFrame
    """How many documents have so many words."""
    scores: pl.DataFrame
    """A row for each point of an experiment and each repeat."""
    curves: pl.DataFrame
    """The way of the compared algorithms through the data."""
    summary: pl.DataFrame
    """Mean and standard deviation of the scores over the repeats."""
    differences: pl.DataFrame
    """Paired differences of held-out scores, with their confidence intervals."""
    costs: pl.DataFrame
    underflow: pl.DataFrame

    def write(self, folder: Path) -> None:
        """A csv and a parquet file for each."""
        folder.mkdir(exist_ok=True)
        for name, table in self._asdict().items():
            for kind in ("csv", "parquet"):
                write_table(table, folder / f"{name}.{kind}")


def collect(protocol: Protocol, folder: Folder, corpus: Corpus, n_train: int) -> Tables:
    """The tables of a finished study."""
    scores, curves = [], []
    for repeat in range(protocol.repeats):
        for point in points(protocol, repeat, n_train):
            result = folder.load(point.run.name)
            base = {"label": point.label, "topics": point.run.n_topics, "repeat": repeat}
            scores.append(
                {"experiment": point.experiment, "setting": point.setting, **base, **result}
            )
            if point.run.watched:
                curves += [{**base, **look} for look in result["curve"]]
    table = pl.DataFrame(scores, schema=SCORES)
    lengths = pl.Series("words", np.diff(corpus.indptr)).value_counts(name="documents")
    return Tables(
        lengths=lengths.sort("words"),
        scores=table,
        curves=pl.DataFrame(curves, schema=CURVES),
        summary=_summary(table),
        differences=differences(table),
        costs=pl.DataFrame(folder.load("costs"), schema=_schema(Cost)),
        underflow=pl.DataFrame(folder.load("underflow"), schema=_schema(UnderflowPoint)),
    )


def finished(table: pl.DataFrame) -> pl.DataFrame:
    """Of scores or their summary, the compared algorithms and references that were not refused."""
    compared = pl.col("experiment").is_in(["pass", "reference"])
    return table.filter(compared & pl.col("held_out").is_not_null())


def mean_length(lengths: pl.DataFrame) -> float:
    """Words in a document, on average."""
    return float(np.average(lengths["words"], weights=lengths["documents"]))


def _schema(row: Any) -> dict[str, Any]:
    kinds = {str: pl.String, int: pl.Int64, float: pl.Float64}
    return {name: kinds.get(kind, pl.Float64) for name, kind in row.__annotations__.items()}


def _summary(scores: pl.DataFrame) -> pl.DataFrame:
    measured = ("held_out", "leave_one_out", "residual", "count_error", "seconds")
    return scores.group_by("experiment", "label", "setting", "topics", maintain_order=True).agg(
        pl.len().alias("repeats"),
        *(pl.col(name).mean() for name in measured),
        *(pl.col(name).std().alias(f"{name}_sd") for name in measured),
    )


def differences(scores: pl.DataFrame) -> pl.DataFrame:
    """Each SDM minus each other algorithm after one pass, repeat by repeat, for every K.

    Both learned the same biterms and are scored on the same; the interval is Student's.
    """
    passes = scores.filter(pl.col("experiment") == "pass")
    rows = []
    for ours, theirs in _pairs():
        for n_topics in passes["topics"].unique(maintain_order=True).sort():
            at = passes.filter(pl.col("topics") == n_topics).sort("repeat")
            mine = at.filter(pl.col("label") == ours)["held_out"]
            others = at.filter(pl.col("label") == theirs)["held_out"]
            if mine.null_count() + others.null_count() == 0:  # none was refused
                found = paired(mine.to_numpy(), others.to_numpy())
                rows.append({"of": ours, "minus": theirs, "topics": n_topics, **found})
    return pl.DataFrame(rows)


def paired(mine: NDArray[np.float64], others: NDArray[np.float64]) -> dict[str, float]:
    """Return the mean of paired differences, its 95% interval, and how many are above zero."""
    difference = mine - others
    with warnings.catch_warnings():  # equal differences are fine: their interval is a point
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high = ttest_rel(mine, others).confidence_interval(CONFIDENCE)
    return {
        "repeats": len(difference),
        "difference": float(difference.mean()),
        "sd": float(difference.std(ddof=1)),
        "low": float(low),
        "high": float(high),
        "better": int((difference > 0).sum()),
    }


def _pairs() -> list[tuple[str, str]]:
    paper, ours, *others = COMPARED
    return [(ours, paper), *((mine, other) for mine in (paper, ours) for other in others)]
