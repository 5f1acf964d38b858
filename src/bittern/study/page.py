"""study.html: a single file that shows the whole study and needs no network."""

import base64
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from bittern._core.html import render_page
from bittern.study.claims import Claim
from bittern.study.costs import (
    CORRECTED_COSTS,
    N_TOPICS,
    PAPER_COSTS,
    bytes_per_biterm,
    doubling_ratio,
    find_cost,
)
from bittern.study.figures import Figure
from bittern.study.protocol import DEFAULT, PRIORS
from bittern.study.results import Results, completed


def study_page(
    settings: dict[str, Any],
    results: Results,
    claims: Sequence[Claim],
    figures: Sequence[Figure],
    folder: Path,
) -> str:
    """Return the page; images are read from `folder`."""
    template = files("bittern.study").joinpath("study.html").read_text("utf-8")
    images = [
        (figure, base64.b64encode((folder / f"{figure.name}.svg").read_bytes()).decode())
        for figure in figures
    ]
    return render_page(
        template,
        settings=settings,
        claims=claims,
        images=images,
        scores=_score_table(results.summary),
        differences=_difference_rows(results.differences),
        texts=_text_rows(results),
        costs=_cost_rows(results.costs),
        omissions=_omissions(results.scores),
    )


def _score_table(summary: pl.DataFrame) -> dict[str, Any]:
    """Figure 3 as a table: a row for each algorithm, a column for each K."""
    rows = completed(summary)
    topics = sorted(rows["topics"].unique())
    cells = {
        (row["label"], row["topics"]): f"{row['held_out']:.3f}"
        + ("" if row["held_out_sd"] is None else f" ± {row['held_out_sd']:.3f}")
        for row in rows.to_dicts()
    }
    labels = rows["label"].unique(maintain_order=True)
    return {
        "topics": topics,
        "rows": [(label, [cells.get((label, k), "") for k in topics]) for label in labels],
    }


def _difference_rows(differences: pl.DataFrame) -> list[tuple[str, list[dict[str, Any]]]]:
    """A row for each pair of algorithms, a cell for each K."""
    return [
        (f"{of} − {minus}", group.sort("topics").to_dicts())
        for (of, minus), group in differences.group_by("of", "minus", maintain_order=True)
    ]


def _text_rows(results: Results) -> list[dict[str, Any]]:
    """A row for each algorithm on held-out texts: scores by word prior, and differences."""
    summary = results.summary.filter(pl.col("experiment") == "texts")
    scores = {(row["label"], row["setting"]): row for row in summary.to_dicts()}
    gains = {(row["of"], row["minus"]): row for row in results.text_differences.to_dicts()}
    return [
        {
            "label": label,
            "scores": [scores.get((label, prior)) for prior in PRIORS],
            "differences": [gains.get((label, label)), gains.get((DEFAULT, label))],
        }
        for label in summary["label"].unique(maintain_order=True)
    ]


def _cost_rows(costs: pl.DataFrame) -> list[dict[str, str]]:
    """Table 1: the paper's, the corrected and the measured costs."""
    rows = []
    for label, (paper_time, paper_memory) in PAPER_COSTS.items():
        time, memory = CORRECTED_COSTS[label]
        rows.append(
            {
                "algorithm": label,
                "paper_time": paper_time,
                "time": time,
                "measured_time": _describe_time(costs, label),
                "paper_memory": paper_memory,
                "memory": memory,
                "measured_memory": _describe_memory(costs, label),
            }
        )
    return rows


def _describe_time(costs: pl.DataFrame, label: str) -> str:
    """The time per biterm, and how it grows."""
    times = costs.filter((pl.col("algorithm") == label) & (pl.col("unit") == "nanoseconds"))
    growth = [
        f"× {doubling_ratio(times, varies, value):.2f} for twice the {name}"
        for varies, value, name in (
            ("topics", N_TOPICS, "topics"),
            ("rejuvenation", 10, "R"),
            ("slice", None, "slice size"),
        )
        if varies in times["varies"]
    ]
    time = find_cost(costs, label, "nanoseconds", "topics", N_TOPICS)
    return f"{time:.0f} ns at K={N_TOPICS}; {', '.join(growth)}"


def _describe_memory(costs: pl.DataFrame, label: str) -> str:
    """The memory per topic and word, and per biterm."""
    sizes = costs.filter((pl.col("algorithm") == label) & (pl.col("unit") == "bytes"))
    size = sizes.filter(pl.col("varies") == "")["measured"][0]
    doubled = sizes.filter(pl.col("varies") == "words")
    per_cell = (doubled["measured"][0] - size) / (N_TOPICS * doubled["value"][0] / 2)
    parts = [
        f"{per_cell:.1f} bytes per topic and word",
        f"{bytes_per_biterm(costs, label):.0f} per biterm",
    ]
    if "slice" in sizes["varies"]:
        per_biterm = bytes_per_biterm(costs, label, of_slice=True)
        parts.append(f"{per_biterm:.0f} per biterm of a slice")
    return ", ".join(parts)


def _omissions(scores: pl.DataFrame) -> list[str]:
    """Why there are fewer runs of some algorithms."""
    refused = scores.filter(pl.col("left_out").is_not_null()).unique(
        ["label", "topics"], maintain_order=True
    )
    reasons = [
        f"{row['label']} with {row['topics']} topics was left out: {row['left_out']}."
        for row in refused.to_dicts()
    ]
    runs = scores.filter((pl.col("experiment") == "reference") & pl.col("held_out").is_not_null())
    reasons += [
        f"{label} was run only once because of its running time."
        for label, n in runs.group_by("label", maintain_order=True).len().rows()
        if n == 1
    ]
    return reasons
