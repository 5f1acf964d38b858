"""The figures of a study, as Altair charts."""

from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import polars as pl

from bittern.charts.charts import save_chart, style
from bittern.study.protocol import ORDERS
from bittern.study.tables import Tables, finished, mean_length

WIDTH, HEIGHT = 560, 320
COLOURS = {
    "SDM": "#d55e00",
    "SDM with cool-down": "#e69f00",
    "SCVB0": "#0072b2",
    "iBTM": "#009e73",
    "oBTM": "#cc79a7",
    "Gibbs": "#555555",
    "CVB0": "#999999",
}
"""Colours that colour-blind people can tell apart (Okabe and Ito), and greys for references."""
VARIANTS = {"no cool-down": COLOURS["SDM"], "cool-down": COLOURS["SDM with cool-down"]}
MOST = 0.999  # of the documents are in the figure of lengths
HELD_OUT = "held-out log-likelihood per biterm"


LOG = alt.Scale(type="log", nice=False)


class Figure(NamedTuple):
    """A chart with its title and a sentence on what is to be seen."""

    name: str
    title: str
    caption: str
    chart: Any

    def save(self, folder: Path) -> None:
        """As PNG and SVG."""
        for kind in ("svg", "png"):
            save_chart(self.chart, folder / f"{self.name}.{kind}")


def figures(tables: Tables, focus: int) -> list[Figure]:
    """All figures, those of the paper first."""
    return [
        Figure(
            "lengths",
            "Figure 2: document lengths",
            "Documents by their number of words after preprocessing; the line is the mean.",
            _lengths(tables.lengths),
        ),
        Figure(
            "topics",
            "Figure 3: one pass, by number of topics",
            "Mean over the repeats, with one standard deviation; higher is better. Dashed: batch "
            "algorithms that see the biterms many times, where they were run.",
            _by_topics(tables.summary),
        ),
        Figure(
            "share",
            f"Figure 4: on the way through the data, {focus} topics",
            "Mean over the repeats, with one standard deviation.",
            _by_share(tables.curves),
        ),
        Figure(
            "seconds",
            f"Likelihood against seconds, {focus} topics",
            "The same runs by the time that they took, one at a time, on one core; a line for each "
            "repeat. The axis is logarithmic.",
            _by_seconds(tables.curves),
        ),
        Figure(
            "leave-one-out",
            "Leave-one-out likelihood against held-out likelihood (section 3.2)",
            "Each point is a run, of any algorithm and number of topics; on the dashed line both "
            "are the same. Compare points of one colour: algorithms differ in how much they "
            "flatter themselves.",
            _leave_one_out(tables.scores),
        ),
        Figure(
            "residual",
            f"The fixed-point residual against epochs (appendix), {focus} topics",
            "How far SDM's parameters are from a stationary point of the divergence, relative; "
            "both axes are logarithmic.",
            _residual(tables.scores),
        ),
        Figure(
            "underflow",
            "SCVB0's scale without a guard",
            "Held-out score of SCVB0 with 20 topics, pass after pass, with and without putting its "
            "scale back to 1 in time. The line ends where the score is no number any more.",
            _underflow(tables.underflow),
        ),
        Figure(
            "kappa",
            f"Ablation: kappa, {focus} topics",
            "How fast the steps shrink, with and without cool-down; one pass.",
            _ablation(tables.summary, "kappa", "kappa"),
        ),
        Figure(
            "cooldown",
            f"Ablation: cool-down, {focus} topics",
            "The last share of each word's updates that are averaged; 0 is the paper's algorithm.",
            _ablation(tables.summary, "cooldown", "share of the updates that cool down"),
        ),
        Figure(
            "alpha",
            f"Ablation: alpha, {focus} topics",
            "Other divergences than the paper's alpha = 1, by their second-order expansion.",
            _ablation(tables.summary, "alpha", "alpha"),
        ),
        Figure(
            "order",
            f"Ablation: the order of the biterms, {focus} topics",
            "The same biterms, shuffled, document by document in random order, and as they came.",
            _order(tables.summary),
        ),
        Figure(
            "costs",
            "Table 1, measured: time per biterm",
            "Against the number of topics, iBTM's rejuvenations and oBTM's slice; both axes are "
            "logarithmic.",
            _costs(tables.costs),
        ),
    ]


def _size(chart: Any, width: int = WIDTH, height: int = HEIGHT) -> Any:
    return chart.properties(width=width, height=height)


def _score(title: str = HELD_OUT) -> Any:
    return alt.Y("held_out:Q", title=title, scale=alt.Scale(zero=False))


def _colour(labels: dict[str, str], found: pl.Series) -> Any:
    """A colour for each label, in one order everywhere."""
    domain = [label for label in labels if label in found.unique()]
    scale = alt.Scale(domain=domain, range=[labels[label] for label in domain])
    legend = alt.Legend(symbolOpacity=1) if len(domain) > 1 else None
    return alt.Color("label:N", title=None, scale=scale, legend=legend)


def _with_error(base: Any) -> Any:
    """Points with a line, and bars of one standard deviation."""
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title=HELD_OUT), y2="high:Q")
    return base.mark_line() + bars + base.mark_point(filled=True, size=45)


def _spread(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(
        low=pl.col("held_out") - pl.col("held_out_sd"),
        high=pl.col("held_out") + pl.col("held_out_sd"),
    )


def _lengths(lengths: pl.DataFrame) -> Any:
    total = int(lengths["documents"].sum())
    mean = mean_length(lengths)
    shares = lengths.with_columns(
        share=pl.col("documents") / total,
        begin=pl.col("words") - 0.4,
        end=pl.col("words") + 0.4,
    )
    most = shares.filter(pl.col("share").cum_sum() - pl.col("share") < MOST)
    bars = (
        alt.Chart(most)
        .mark_rect(color=COLOURS["SCVB0"])
        .encode(
            x=alt.X("begin:Q", title="words in a document", axis=alt.Axis(tickMinStep=1)),
            x2="end:Q",
            y=alt.Y("share:Q", title="share of the documents", axis=alt.Axis(format="%")),
            y2=alt.datum(0),
        )
    )
    line = alt.Chart(pl.DataFrame({"words": [mean], "text": [f"mean {mean:.2f}"]}))
    rule = line.mark_rule(strokeDash=[5, 4]).encode(x="words:Q")
    text = line.mark_text(baseline="bottom", y=-4, fontSize=12).encode(x="words:Q", text="text:N")
    return style(_size(bars + rule + text))


def _by_topics(summary: pl.DataFrame) -> Any:
    table = _spread(finished(summary))
    colour = _colour(COLOURS, table["label"])
    x = alt.X("topics:Q", title="topics", axis=alt.Axis(values=table["topics"].unique().to_list()))
    passes = alt.Chart(table.filter(pl.col("experiment") == "pass"))
    chart = _with_error(passes.encode(x=x, y=_score(), color=colour))
    batch = table.filter(pl.col("experiment") == "reference")
    if len(batch):
        lines = alt.Chart(batch).mark_line(strokeDash=[6, 4], point={"shape": "square"})
        chart += lines.encode(x=x, y=_score(), color=colour)
    return style(_size(chart))


def _by_share(curves: pl.DataFrame) -> Any:
    # blocks end at nearly the same shares in all repeats: number them
    table = (
        curves.sort("share")
        .with_columns(point=pl.int_range(pl.len()).over("label", "repeat"))
        .group_by("label", "point")
        .agg(
            pl.col("share").mean(),
            pl.col("held_out").mean(),
            pl.col("held_out").std().alias("held_out_sd"),
        )
        .sort("label", "point")
    )
    x = alt.X("share:Q", title="share of the biterms learned", axis=alt.Axis(format="%"))
    base = alt.Chart(_spread(table)).encode(x=x, y=_score(), color=_colour(COLOURS, table["label"]))
    return style(_size(_with_error(base)))


def _by_seconds(curves: pl.DataFrame) -> Any:
    chart = alt.Chart(curves).mark_line(opacity=0.6)
    return style(
        _size(
            chart.encode(
                x=alt.X("seconds:Q", title="seconds of learning", scale=LOG),
                y=_score(),
                color=_colour(COLOURS, curves["label"]),
                detail="repeat:N",
            )
        )
    )


def _leave_one_out(scores: pl.DataFrame) -> Any:
    ends = finished(scores)
    both = pl.concat([ends["held_out"], ends["leave_one_out"]])
    line = pl.DataFrame({"held_out": [both.min(), both.max()]})
    same = (
        alt.Chart(line)
        .mark_line(color="#bbbbbb", strokeDash=[4, 4])
        .encode(x=alt.X("held_out:Q"), y=alt.Y("held_out:Q"))
    )
    runs = (
        alt.Chart(ends)
        .mark_point(filled=True, size=40, opacity=0.7)
        .encode(
            x=alt.X(
                "leave_one_out:Q",
                title="leave-one-out log-likelihood of learned biterms",
                scale=alt.Scale(zero=False),
            ),
            y=_score(),
            color=_colour(COLOURS, ends["label"]),
        )
    )
    return style(_size(same + runs))


def _residual(scores: pl.DataFrame) -> Any:
    table = (
        scores.filter(pl.col("experiment") == "epochs")
        .group_by("label", pl.col("setting").cast(pl.Int64).alias("epochs"))
        .agg(
            pl.col("residual").mean(),
            pl.col("residual").min().alias("low"),
            pl.col("residual").max().alias("high"),
        )
        .sort("label", "epochs")
    )
    base = alt.Chart(table).encode(
        x=alt.X(
            "epochs:Q",
            scale=LOG,
            axis=alt.Axis(values=table["epochs"].unique().to_list()),
        ),
        y=alt.Y("residual:Q", title="relative residual", scale=alt.Scale(type="log")),
        color=_colour(VARIANTS, table["label"]),
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title="relative residual"), y2="high:Q")
    return style(_size(base.mark_line() + bars + base.mark_point(filled=True, size=45)))


def _underflow(underflow: pl.DataFrame) -> Any:
    table = underflow.filter(pl.col("held_out").is_not_null()).rename({"algorithm": "label"})
    colours = {"guarded": COLOURS["SCVB0"], "unguarded": COLOURS["SDM"]}
    chart = (
        alt.Chart(table)
        .mark_line()
        .encode(
            x=alt.X("steps:Q", title="steps", axis=alt.Axis(format="~s")),
            y=_score(),
            color=_colour(colours, table["label"]),
            strokeDash=alt.StrokeDash(
                "label:N",
                legend=None,
                scale=alt.Scale(domain=list(colours), range=[[1, 0], [6, 4]]),
            ),
        )
    )
    return style(_size(chart))


def _ablation(summary: pl.DataFrame, experiment: str, title: str) -> Any:
    rows = summary.filter(pl.col("experiment") == experiment)
    table = _spread(rows.with_columns(pl.col("setting").cast(pl.Float64).alias("x")))
    base = alt.Chart(table).encode(
        x=alt.X(
            "x:Q",
            title=title,
            scale=alt.Scale(zero=False),
            axis=alt.Axis(values=table["x"].unique().to_list()),
        ),
        y=_score(),
        color=_colour({**COLOURS, **VARIANTS}, table["label"]),
    )
    return style(_size(_with_error(base)))


def _order(summary: pl.DataFrame) -> Any:
    table = _spread(summary.filter(pl.col("experiment") == "order"))
    base = alt.Chart(table).encode(
        x=alt.X("setting:N", title=None, sort=list(ORDERS), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("label:N", sort=list(VARIANTS)),
        y=_score(),
        color=_colour(VARIANTS, table["label"]),
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title=HELD_OUT), y2="high:Q")
    return style(_size(bars + base.mark_point(filled=True, size=80)))


def _costs(costs: pl.DataFrame) -> Any:
    times = costs.filter(pl.col("unit") == "nanoseconds").rename({"algorithm": "label"})
    colour = _colour(COLOURS, times["label"])

    def panel(varies: str, title: str) -> Any:
        rows = times.filter(pl.col("varies") == varies)
        base = alt.Chart(rows).encode(
            x=alt.X(
                "value:Q",
                title=title,
                scale=LOG,
                axis=alt.Axis(values=rows["value"].unique().to_list(), format=".2~s"),
            ),
            y=alt.Y(
                "measured:Q",
                title="nanoseconds per biterm",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~s"),
            ),
            color=colour,
        )
        return _size(base.mark_line(point=True), 220, 240)

    panels = (
        panel("topics", "topics (K)"),
        panel("rejuvenation", "rejuvenations (R)"),
        panel("slice", "biterms in a slice"),
    )
    return style(alt.hconcat(*panels).resolve_scale(y="shared"))
