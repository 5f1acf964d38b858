"""Charts, made with Altair: each function gives one, to be shown in a notebook or saved."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from bittern.errors import InputError
from bittern.writing import check_folder, written_whole

if TYPE_CHECKING:
    from bittern.timeline import Timeline

KINDS = ("svg", "png", "html")
PANELS = 12
BLUE, ORANGE = "#0072b2", "#d55e00"  # of Okabe and Ito: colour-blind people can tell them apart


def check_installed() -> None:
    """Say what is missing before any work is done, if charts cannot be drawn."""
    for module in ("altair", "jinja2", "vl_convert"):
        if find_spec(module) is None:
            raise InputError('figures need more packages: pip install "bittern[report]"')


def check_chart(path: str | Path) -> str:
    """What a chart to be saved there is; refuse any other name."""
    check_installed()
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in KINDS:
        raise InputError(f"{path}: figures are written as .{', .'.join(KINDS)}")
    check_folder(Path(path))
    return kind


def save_chart(chart: Any, path: str | Path) -> None:
    """Write a chart as SVG, PNG or a page of its own that needs no network."""
    kind = check_chart(path)
    options: dict[str, dict[str, Any]] = {"png": {"scale_factor": 2}, "html": {"inline": True}}
    with written_whole(path) as fresh:
        chart.save(str(fresh), format=kind, **options.get(kind, {}))


def style(chart: Any) -> Any:
    """How all charts look: nothing but the data, and thin lines behind it."""
    return chart.configure_view(stroke=None).configure_axis(
        gridColor="#e5e5e5", labelFontSize=12, titleFontSize=12, titleFontWeight="normal"
    )


def timeline_chart(
    found: "Timeline", names: Sequence[str], topics: Sequence[int] | None = None
) -> Any:
    """The share of topics over time with its 95 % interval, each in a panel of its own.

    Without a choice of topics the twelve are shown that have most to tell: those that burst, then
    those that rise or fall most.
    """
    import altair as alt

    if topics is None:
        by_trend = found.trends.sort(pl.col("z").abs(), descending=True)["topic"]
        topics = list(dict.fromkeys([*found.bursts["topic"], *by_trend]))[:PANELS]
    shares = found.shares
    titles = {topic: f"{topic}: {names[topic]}" for topic in topics}
    rows = shares.filter(pl.col("topic").is_in(topics)).with_columns(
        name=pl.col("topic").replace_strict(titles, return_dtype=pl.String)
    )
    dated = rows["period"].dtype in (pl.Date, pl.Datetime)
    x = alt.X("period:T", title=None) if dated else alt.X("period:O", title=None, sort=None)
    base = alt.Chart(alt.InlineData(rows.with_columns(pl.col("period").cast(pl.String)).to_dicts()))
    base = base.encode(x=x)
    percent = alt.Axis(format="%", title=None, tickCount=4)
    band = base.mark_area(opacity=0.25, color=BLUE).encode(
        y=alt.Y("low:Q", axis=percent), y2="high:Q"
    )
    line = base.mark_line(color=BLUE).encode(y=alt.Y("share:Q", axis=percent))
    panels = alt.layer(band, line).properties(width=240, height=110)
    order = [titles[topic] for topic in topics]
    facet = alt.Facet("name:N", sort=order, title=None, header=alt.Header(labelFontSize=12))
    return style(panels.facet(facet, columns=3).resolve_scale(y="independent"))


def choice_chart(table: pl.DataFrame, recommended: int) -> Any:
    """What `choose` has measured for each number of topics, and the one that it recommends."""
    import altair as alt

    rows = table.with_columns(
        low=pl.col("held_out") - pl.col("held_out_error"),
        high=pl.col("held_out") + pl.col("held_out_error"),
        chosen=pl.col("topics") == recommended,
    )
    colour = alt.condition("datum.chosen", alt.value(ORANGE), alt.value(BLUE))
    x = alt.X("topics:O", title="topics", axis=alt.Axis(labelAngle=0))

    def panel(name: str, title: str) -> Any:
        base = alt.Chart(rows).encode(x=x, y=alt.Y(name, title=title, scale=alt.Scale(zero=False)))
        line = base.mark_line(color=BLUE, opacity=0.5)
        points = base.mark_point(filled=True, size=60, opacity=1).encode(color=colour)
        layers = [line, points]
        if name == "held_out":
            bars = alt.Chart(rows).mark_rule().encode(x=x, y=alt.Y("low", title=title), y2="high")
            layers.insert(1, bars.encode(color=colour))
        return alt.layer(*layers).properties(width=280, height=180)

    panels = [
        panel("held_out", "held-out log-likelihood"),
        panel("npmi", "coherence (NPMI)"),
        panel("stability", "stability"),
        panel("redundancy", "redundancy"),
    ]
    title = f"{recommended} topics are recommended"
    return style(alt.concat(*panels, columns=2).properties(title=title))
