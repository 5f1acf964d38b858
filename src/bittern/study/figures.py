"""The figures of a study, as Altair charts.

A figure is a function of the results; add it to `FIGURES` at the end of this file.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import polars as pl

from bittern.charts import save_chart
from bittern.charts.style import apply_style
from bittern.study.protocol import ADAPTIVE, FIXED, ORDERS
from bittern.study.results import Results, completed, mean_length
from bittern.study.underflow import N_TOPICS as UNDERFLOW_TOPICS

WIDTH, HEIGHT = 560, 320
COLORS = {
    "SDM": "#d55e00",
    "SDM with cool-down": "#e69f00",
    "SCVB0": "#0072b2",
    "iBTM": "#009e73",
    "oBTM": "#cc79a7",
    "Gibbs": "#555555",
    "CVB0": "#999999",
}
"""Colors that color-blind people can tell apart (Okabe and Ito), and grays for references."""
VARIANT_COLORS = {"no cool-down": COLORS["SDM"], "cool-down": COLORS["SDM with cool-down"]}
PRIOR_COLORS = {FIXED: COLORS["SDM"], ADAPTIVE: COLORS["SCVB0"]}
GUARD_COLORS = {"guarded": COLORS["SCVB0"], "unguarded": COLORS["SDM"]}
FRACTION_SHOWN = 0.999  # of the documents, in the figure of lengths
HELD_OUT = "held-out log-likelihood per biterm"
LOG_SCALE = alt.Scale(type="log", nice=False)


class Figure(NamedTuple):
    """A chart, its title, and a caption that explains it."""

    name: str
    title: str
    caption: str
    chart: Any

    def save(self, folder: Path) -> None:
        """Write it as SVG and PNG."""
        for kind in ("svg", "png"):
            save_chart(self.chart, folder / f"{self.name}.{kind}")


def make_figures(results: Results) -> list[Figure]:
    """Return all figures, those of the paper first."""
    return [make(results) for make in FIGURES]


def _lengths(results: Results) -> Figure:
    total = int(results.lengths["documents"].sum())
    mean = mean_length(results.lengths)
    table = results.lengths.with_columns(
        fraction=pl.col("documents") / total,
        begin=pl.col("words") - 0.4,
        end=pl.col("words") + 0.4,
    )
    shown = table.filter(pl.col("fraction").cum_sum() - pl.col("fraction") < FRACTION_SHOWN)
    bars = (
        alt.Chart(shown)
        .mark_rect(color=COLORS["SCVB0"])
        .encode(
            x=alt.X("begin:Q", title="words per document", axis=alt.Axis(tickMinStep=1)),
            x2="end:Q",
            y=alt.Y("fraction:Q", title="fraction of the documents", axis=alt.Axis(format="%")),
            y2=alt.datum(0),
        )
    )
    line = alt.Chart(pl.DataFrame({"words": [mean], "text": [f"mean {mean:.2f}"]}))
    rule = line.mark_rule(strokeDash=[5, 4]).encode(x="words:Q")
    text = line.mark_text(baseline="bottom", y=-4, fontSize=12).encode(x="words:Q", text="text:N")
    return Figure(
        "lengths",
        "Figure 2: document lengths",
        "Documents by their number of words after preprocessing. The dashed line is the mean.",
        _styled(bars + rule + text),
    )


def _by_topics(results: Results) -> Figure:
    table = _with_spread(completed(results.summary))
    color = _color(COLORS, table["label"])
    x = alt.X("topics:Q", title="topics", axis=alt.Axis(values=table["topics"].unique().to_list()))
    passes = alt.Chart(table.filter(pl.col("experiment") == "pass"))
    chart = _lines_with_bars(passes.encode(x=x, y=_score_axis(), color=color))
    batch = table.filter(pl.col("experiment") == "reference")
    if len(batch):
        lines = alt.Chart(batch).mark_line(strokeDash=[6, 4], point={"shape": "square"})
        chart += lines.encode(x=x, y=_score_axis(), color=color)
    return Figure(
        "topics",
        "Figure 3: one pass, by number of topics",
        "Mean over the repeats with one standard deviation; higher is better. Dashed lines: batch "
        "algorithms, which see the biterms many times, where they were run.",
        _styled(chart),
    )


def _by_fraction(results: Results) -> Figure:
    table = (  # blocks end at nearly the same fractions in all repeats: number them
        results.curves.sort("share")
        .with_columns(point=pl.int_range(pl.len()).over("label", "repeat"))
        .group_by("label", "point")
        .agg(
            pl.col("share").mean(),
            pl.col("held_out").mean(),
            pl.col("held_out").std().alias("held_out_sd"),
        )
        .sort("label", "point")
    )
    base = alt.Chart(_with_spread(table)).encode(
        x=alt.X("share:Q", title="fraction of the biterms", axis=alt.Axis(format="%")),
        y=_score_axis(),
        color=_color(COLORS, table["label"]),
    )
    return Figure(
        "share",
        f"Figure 4: during training, {results.focus} topics",
        "By fraction of the training biterms learned so far. Mean over the repeats with one "
        "standard deviation.",
        _styled(_lines_with_bars(base)),
    )


def _by_time(results: Results) -> Figure:
    chart = (
        alt.Chart(results.curves)
        .mark_line(opacity=0.6)
        .encode(
            x=alt.X("seconds:Q", title="training time in seconds", scale=LOG_SCALE),
            y=_score_axis(),
            color=_color(COLORS, results.curves["label"]),
            detail="repeat:N",
        )
    )
    return Figure(
        "seconds",
        f"Likelihood by training time, {results.focus} topics",
        "The same runs by training time, one run at a time on one core; one line per repeat. The "
        "time excludes the initial state and the scoring. The time axis is logarithmic.",
        _styled(chart),
    )


def _leave_one_out(results: Results) -> Figure:
    runs = completed(results.scores)
    both = pl.concat([runs["held_out"], runs["leave_one_out"]])
    diagonal = (
        alt.Chart(pl.DataFrame({"held_out": [both.min(), both.max()]}))
        .mark_line(color="#bbbbbb", strokeDash=[4, 4])
        .encode(x=alt.X("held_out:Q"), y=alt.Y("held_out:Q"))
    )
    points = (
        alt.Chart(runs)
        .mark_point(filled=True, size=40, opacity=0.7)
        .encode(
            x=alt.X(
                "leave_one_out:Q",
                title="leave-one-out log-likelihood per training biterm",
                scale=alt.Scale(zero=False),
            ),
            y=_score_axis(),
            color=_color(COLORS, runs["label"]),
        )
    )
    return Figure(
        "leave-one-out",
        "Leave-one-out and held-out likelihood (section 3.2)",
        "One point per run, for all algorithms and numbers of topics; on the dashed line both are "
        "equal. Compare points of one color: algorithms differ in how much they overestimate "
        "themselves.",
        _styled(diagonal + points),
    )


def _residual(results: Results) -> Figure:
    table = (
        results.scores.filter(pl.col("experiment") == "epochs")
        .group_by("label", pl.col("setting").cast(pl.Int64).alias("epochs"))
        .agg(
            pl.col("residual").mean(),
            pl.col("residual").min().alias("low"),
            pl.col("residual").max().alias("high"),
        )
        .sort("label", "epochs")
    )
    title = "relative residual"
    base = alt.Chart(table).encode(
        x=alt.X(
            "epochs:Q",
            scale=LOG_SCALE,
            axis=alt.Axis(values=table["epochs"].unique().to_list()),
        ),
        y=alt.Y("residual:Q", title=title, scale=alt.Scale(type="log")),
        color=_color(VARIANT_COLORS, table["label"]),
    )
    return Figure(
        "residual",
        f"Fixed-point residual by epochs (appendix), {results.focus} topics",
        "Relative distance of SDM's parameters from a stationary point of the divergence; bars are "
        "the range over the repeats. Both axes are logarithmic.",
        _styled(_lines_with_bars(base, title)),
    )


def _underflow(results: Results) -> Figure:
    table = results.underflow.filter(pl.col("held_out").is_not_null())
    table = table.rename({"algorithm": "label"})
    dashes = alt.Scale(domain=list(GUARD_COLORS), range=[[1, 0], [6, 4]])
    chart = (
        alt.Chart(table)
        .mark_line()
        .encode(
            x=alt.X("steps:Q", title="steps", axis=alt.Axis(format="~s")),
            y=_score_axis(),
            color=_color(GUARD_COLORS, table["label"]),
            strokeDash=alt.StrokeDash("label:N", legend=None, scale=dashes),
        )
    )
    return Figure(
        "underflow",
        "SCVB0 without a guard against underflow",
        f"SCVB0 with {UNDERFLOW_TOPICS} topics over several passes, with and without resetting its "
        "scale to 1 in time. A line ends where the score is no longer finite.",
        _styled(chart),
    )


def _kappa(results: Results) -> Figure:
    return Figure(
        "kappa",
        f"Ablation: kappa, {results.focus} topics",
        "How fast step sizes shrink, with and without cool-down; one pass.",
        _ablation_chart(results.summary, "kappa", "kappa"),
    )


def _cooldown(results: Results) -> Figure:
    return Figure(
        "cooldown",
        f"Ablation: cool-down, {results.focus} topics",
        "Fraction of each word's updates, at the end, that are averaged; 0 is the paper's "
        "algorithm.",
        _ablation_chart(results.summary, "cooldown", "fraction of the updates in the cool-down"),
    )


def _alpha(results: Results) -> Figure:
    return Figure(
        "alpha",
        f"Ablation: alpha, {results.focus} topics",
        "Divergences other than the paper's (alpha = 1), by their second-order expansion.",
        _ablation_chart(results.summary, "alpha", "alpha"),
    )


def _order(results: Results) -> Figure:
    table = _with_spread(results.summary.filter(pl.col("experiment") == "order"))
    base = alt.Chart(table).encode(
        x=alt.X("setting:N", title=None, sort=list(ORDERS), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("label:N", sort=list(VARIANT_COLORS)),
        y=_score_axis(),
        color=_color(VARIANT_COLORS, table["label"]),
    )
    return Figure(
        "order",
        f"Ablation: order of the biterms, {results.focus} topics",
        "The same biterms in random order, with the documents in random order, and in the order of "
        "the file.",
        _styled(_bars(base) + base.mark_point(filled=True, size=80)),
    )


def _texts(results: Results) -> Figure:
    table = _with_spread(results.summary.filter(pl.col("experiment") == "texts"))
    rows = alt.Y("label:N", title=None, sort=table["label"].unique(maintain_order=True).to_list())
    score = alt.X("held_out:Q", title=HELD_OUT, scale=alt.Scale(zero=False))
    base = alt.Chart(table.rename({"setting": "prior"})).encode(
        y=rows, color=_color(PRIOR_COLORS, table["setting"], "prior", "word prior")
    )
    bars = base.mark_rule().encode(x=alt.X("low:Q", title=HELD_OUT), x2="high:Q")
    return Figure(
        "texts",
        f"New texts, {results.focus} topics",
        "The likelihood of texts that were held out as a whole, with the paper's word prior and "
        "with one that adapts to the corpus. Mean over the repeats with one standard deviation.",
        _styled(bars + base.mark_point(filled=True, size=80).encode(x=score)),
    )


def _costs(results: Results) -> Figure:
    times = results.costs.filter(pl.col("unit") == "nanoseconds").rename({"algorithm": "label"})
    color = _color(COLORS, times["label"])

    def panel(varies: str, title: str) -> Any:
        rows = times.filter(pl.col("varies") == varies)
        base = alt.Chart(rows).encode(
            x=alt.X(
                "value:Q",
                title=title,
                scale=LOG_SCALE,
                axis=alt.Axis(values=rows["value"].unique().to_list(), format=".2~s"),
            ),
            y=alt.Y(
                "measured:Q",
                title="nanoseconds per biterm",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~s"),
            ),
            color=color,
        )
        return base.mark_line(point=True).properties(width=220, height=240)

    panels = alt.hconcat(
        panel("topics", "topics (K)"),
        panel("rejuvenation", "rejuvenations (R)"),
        panel("slice", "biterms per slice"),
    )
    return Figure(
        "costs",
        "Table 1, measured: time per biterm",
        "By number of topics, by number of rejuvenations of iBTM, and by slice size of oBTM. The "
        "time excludes the initial state. Both axes are logarithmic.",
        apply_style(panels.resolve_scale(y="shared")),
    )


def _ablation_chart(summary: pl.DataFrame, experiment: str, title: str) -> Any:
    """The held-out likelihood by a numeric setting."""
    rows = summary.filter(pl.col("experiment") == experiment)
    table = _with_spread(rows.with_columns(pl.col("setting").cast(pl.Float64).alias("x")))
    base = alt.Chart(table).encode(
        x=alt.X(
            "x:Q",
            title=title,
            scale=alt.Scale(zero=False),
            axis=alt.Axis(values=table["x"].unique().to_list()),
        ),
        y=_score_axis(),
        color=_color({**COLORS, **VARIANT_COLORS}, table["label"]),
    )
    return _styled(_lines_with_bars(base))


def _styled(chart: Any) -> Any:
    return apply_style(chart.properties(width=WIDTH, height=HEIGHT))


def _score_axis() -> Any:
    return alt.Y("held_out:Q", title=HELD_OUT, scale=alt.Scale(zero=False))


def _color(
    colors: dict[str, str], labels: pl.Series, column: str = "label", title: str | None = None
) -> Any:
    """The color of each label, in the same order everywhere."""
    domain = [label for label in colors if label in labels.unique()]
    scale = alt.Scale(domain=domain, range=[colors[label] for label in domain])
    legend = alt.Legend(symbolOpacity=1) if len(domain) > 1 else None
    return alt.Color(f"{column}:N", title=title, scale=scale, legend=legend)


def _bars(base: Any, title: str = HELD_OUT) -> Any:
    """Bars from `low` to `high`."""
    return base.mark_rule().encode(y=alt.Y("low:Q", title=title), y2="high:Q")


def _lines_with_bars(base: Any, title: str = HELD_OUT) -> Any:
    return base.mark_line() + _bars(base, title) + base.mark_point(filled=True, size=45)


def _with_spread(table: pl.DataFrame) -> pl.DataFrame:
    """Add the mean plus and minus one standard deviation."""
    return table.with_columns(
        low=pl.col("held_out") - pl.col("held_out_sd"),
        high=pl.col("held_out") + pl.col("held_out_sd"),
    )


FIGURES: list[Callable[[Results], Figure]] = [
    _lengths,
    _by_topics,
    _by_fraction,
    _by_time,
    _texts,
    _leave_one_out,
    _residual,
    _underflow,
    _kappa,
    _cooldown,
    _alpha,
    _order,
    _costs,
]
