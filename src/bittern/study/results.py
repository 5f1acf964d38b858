"""The results of a study as tables."""

import warnings
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from bittern.corpus.corpus import Corpus
from bittern.corpus.tables import write_table
from bittern.study.costs import Cost
from bittern.study.folder import Folder
from bittern.study.plan import plan_points
from bittern.study.protocol import ADAPTIVE, COMPARED_ALGORITHMS, DEFAULT, FIXED, Protocol
from bittern.study.underflow import UnderflowPoint

CONFIDENCE = 0.95
SCORES_SCHEMA = {
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
CURVES_SCHEMA = {
    "label": pl.String,
    "topics": pl.Int64,
    "repeat": pl.Int64,
    "share": pl.Float64,
    "seconds": pl.Float64,
    "held_out": pl.Float64,
    "leave_one_out": pl.Float64,
    "running": pl.Float64,
}


@dataclass(frozen=True)
class Results:
    """The tables of a finished study, and the settings needed to read them."""

    focus: int
    n_train: int
    lengths: pl.DataFrame
    """The number of documents by number of words."""
    scores: pl.DataFrame
    """A row for each point of an experiment and each repeat."""
    curves: pl.DataFrame
    """The learning curves of the compared algorithms."""
    summary: pl.DataFrame
    """Mean and standard deviation of the scores over the repeats."""
    differences: pl.DataFrame
    """Paired differences of held-out scores, with their confidence intervals."""
    text_differences: pl.DataFrame
    """The same for held-out texts: what the adaptive prior gains, and bittern's default."""
    costs: pl.DataFrame
    underflow: pl.DataFrame

    def write(self, folder: Path) -> None:
        """Write each table as CSV and Parquet."""
        folder.mkdir(exist_ok=True)
        for field in fields(self):
            table = getattr(self, field.name)
            if isinstance(table, pl.DataFrame):
                for kind in ("csv", "parquet"):
                    write_table(table, folder / f"{field.name}.{kind}")


def collect_results(protocol: Protocol, folder: Folder, corpus: Corpus, n_train: int) -> Results:
    """Return the results of a study whose runs are all finished."""
    rows, curves = [], []
    for repeat in range(protocol.repeats):
        for point in plan_points(protocol, repeat, n_train):
            result = folder.load(point.run.name)
            base = {"label": point.label, "topics": point.run.n_topics, "repeat": repeat}
            rows.append(
                {"experiment": point.experiment, "setting": point.setting, **base, **result}
            )
            if point.run.watched:
                curves += [{**base, **scored} for scored in result["curve"]]
    scores = pl.DataFrame(rows, schema=SCORES_SCHEMA)
    lengths = pl.Series("words", np.diff(corpus.indptr)).value_counts(name="documents")
    return Results(
        focus=protocol.focus,
        n_train=n_train,
        lengths=lengths.sort("words"),
        scores=scores,
        curves=pl.DataFrame(curves, schema=CURVES_SCHEMA),
        summary=_summarize(scores),
        differences=paired_differences(scores),
        text_differences=paired_text_differences(scores),
        costs=pl.DataFrame(folder.load("costs"), schema=_schema(Cost)),
        underflow=pl.DataFrame(folder.load("underflow"), schema=_schema(UnderflowPoint)),
    )


def completed(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of compared and reference algorithms, without those that were left out."""
    compared = pl.col("experiment").is_in(["pass", "reference"])
    return table.filter(compared & pl.col("held_out").is_not_null())


def mean_length(lengths: pl.DataFrame) -> float:
    """Return the mean number of words per document."""
    return float(np.average(lengths["words"], weights=lengths["documents"]))


def paired_differences(scores: pl.DataFrame) -> pl.DataFrame:
    """Return each SDM minus each other algorithm after one pass, paired by repeat, for every K.

    Both were trained on the same biterms and are scored on the same held-out biterms.
    """
    passes = scores.filter(pl.col("experiment") == "pass")
    rows = []
    for ours, theirs in _pairs():
        for n_topics in passes["topics"].unique(maintain_order=True).sort():
            same_k = passes.filter(pl.col("topics") == n_topics).sort("repeat")
            mine = same_k.filter(pl.col("label") == ours)["held_out"]
            others = same_k.filter(pl.col("label") == theirs)["held_out"]
            if mine.null_count() + others.null_count() == 0:  # neither was left out
                found = paired_interval(mine.to_numpy(), others.to_numpy())
                rows.append({"of": ours, "minus": theirs, "topics": n_topics, **found})
    return pl.DataFrame(rows)


def paired_text_differences(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the gain of the adaptive prior for each algorithm, and that of bittern's default."""
    texts = scores.filter((pl.col("experiment") == "texts") & pl.col("held_out").is_not_null())
    labels = texts["label"].unique(maintain_order=True)
    others = [label for label in labels if label != DEFAULT]
    pairs = [((label, ADAPTIVE), (label, FIXED)) for label in others]
    pairs += [((DEFAULT, ADAPTIVE), (label, FIXED)) for label in others]
    by_run = {
        key: group.sort("repeat")["held_out"].to_numpy()
        for key, group in texts.group_by("label", "setting")
    }
    names = ("of", "of_prior", "minus", "minus_prior")
    return pl.DataFrame(
        [
            dict(zip(names, (*mine, *other), strict=True))
            | paired_interval(by_run[mine], by_run[other])
            for mine, other in pairs
            if mine in by_run and other in by_run
        ]
    )


def paired_interval(mine: NDArray[np.float64], others: NDArray[np.float64]) -> dict[str, float]:
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


def _schema(row: type[tuple[Any, ...]]) -> dict[str, Any]:
    """The Polars types of a named tuple's fields."""
    types = {str: pl.String, int: pl.Int64, float: pl.Float64}
    return {name: types.get(kind, pl.Float64) for name, kind in row.__annotations__.items()}


def _summarize(scores: pl.DataFrame) -> pl.DataFrame:
    """Mean and standard deviation over the repeats."""
    measured = ("held_out", "leave_one_out", "residual", "count_error", "seconds")
    return scores.group_by("experiment", "label", "setting", "topics", maintain_order=True).agg(
        pl.len().alias("repeats"),
        *(pl.col(name).mean() for name in measured),
        *(pl.col(name).std().alias(f"{name}_sd") for name in measured),
    )


def _pairs() -> list[tuple[str, str]]:
    """The pairs of algorithms whose differences are reported."""
    paper, ours, *others = COMPARED_ALGORITHMS
    return [(ours, paper), *((mine, other) for mine in (paper, ours) for other in others)]
