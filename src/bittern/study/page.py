"""study.html: one file that shows the whole study and needs no network."""

import base64
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment

from bittern.study.claims import HOLDS, Claim, bytes_per_biterm
from bittern.study.costs import CORRECT, N_TOPICS, PAPER
from bittern.study.figures import Figure
from bittern.study.tables import Tables, finished


def page(
    settings: dict[str, Any],
    tables: Tables,
    claims: list[Claim],
    figures: list[Figure],
    folder: Path,
) -> str:
    """The page; the figures are taken from their files."""
    template = files("bittern.study").joinpath("study.html").read_text("utf-8")
    pictures = [
        (figure, base64.b64encode((folder / f"{figure.name}.svg").read_bytes()).decode())
        for figure in figures
    ]
    return (
        Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        .from_string(template)
        .render(
            settings=settings,
            claims=[(claim, claim.verdict.startswith(HOLDS)) for claim in claims],
            pictures=pictures,
            scores=_scores(tables.summary),
            differences=_differences(tables.differences),
            costs=cost_rows(tables.costs),
            left_out=_left_out(tables.scores),
        )
    )


def _scores(summary: pl.DataFrame) -> dict[str, Any]:
    """Figure 3 as a table: a row for each algorithm, a column for each K."""
    rows = finished(summary)
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


def _differences(differences: pl.DataFrame) -> list[tuple[str, list[dict[str, Any]]]]:
    """A row for each pair of algorithms, a cell for each K."""
    return [
        (f"{of} − {minus}", group.sort("topics").to_dicts())
        for (of, minus), group in differences.group_by("of", "minus", maintain_order=True)
    ]


def cost_rows(costs: pl.DataFrame) -> list[dict[str, str]]:
    """Table 1: what the paper says, what it should say, and what was measured."""
    rows = []
    for label, (paper_time, paper_memory) in PAPER.items():
        mine = costs.filter(pl.col("algorithm") == label)
        times = mine.filter(pl.col("unit") == "nanoseconds")
        grows = [
            f"× {growth(times, varies, value):.2f} for twice the {name}"
            for varies, value, name in (
                ("topics", N_TOPICS, "topics"),
                ("rejuvenation", 10, "R"),
                ("slice", None, "slice"),
            )
            if varies in times["varies"]
        ]
        size = mine.filter((pl.col("unit") == "bytes") & (pl.col("varies") == ""))["measured"][0]
        more = mine.filter((pl.col("unit") == "bytes") & (pl.col("varies") == "words"))
        per_cell = (more["measured"][0] - size) / (N_TOPICS * more["value"][0] / 2)
        memory = [
            f"{per_cell:.1f} bytes per topic and word",
            f"{bytes_per_biterm(costs, label):.0f} per biterm",
        ]
        if "slice" in mine["varies"]:
            memory.append(
                f"{bytes_per_biterm(costs, label, of_slice=True):.0f} per biterm in a slice"
            )
        base = times.filter((pl.col("varies") == "topics") & (pl.col("value") == N_TOPICS))
        time, correct_memory = CORRECT[label]
        rows.append(
            {
                "algorithm": label,
                "paper_time": paper_time,
                "time": time,
                "measured_time": f"{base['measured'][0]:.0f} ns at K={N_TOPICS}; "
                + ", ".join(grows),
                "paper_memory": paper_memory,
                "memory": correct_memory,
                "measured_memory": ", ".join(memory),
            }
        )
    return rows


def growth(times: pl.DataFrame, varies: str, value: int | None) -> float:
    """How many times as long it takes where `varies` is twice `value`, or on the last doubling."""
    rows = times.filter(pl.col("varies") == varies).sort("value")["value", "measured"]
    before = len(rows) - 2 if value is None else rows["value"].to_list().index(value)
    return float(rows["measured"][before + 1] / rows["measured"][before])


def _left_out(scores: pl.DataFrame) -> list[str]:
    """Why there are fewer reference runs than others."""
    refused = scores.filter(pl.col("left_out").is_not_null()).unique(
        ["label", "topics"], maintain_order=True
    )
    reasons = [
        f"{row['label']} with {row['topics']} topics was left out: {row['left_out']}."
        for row in refused.to_dicts()
    ]
    runs = scores.filter((pl.col("experiment") == "reference") & pl.col("held_out").is_not_null())
    reasons += [
        f"{label} was run once, because of the time that it takes."
        for label, n in runs.group_by("label").len().rows()
        if n == 1
    ]
    return reasons
