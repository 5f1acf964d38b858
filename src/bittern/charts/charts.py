"""Charts, made with Altair: each function gives one, to be shown in a notebook or saved."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.atomic import atomic_path, check_directory
from bittern.analysis.topic_map import distances, positions
from bittern.errors import InputError
from bittern.fitted.topics import NAME_RELEVANCE, check_topics, top_words

if TYPE_CHECKING:
    from bittern._fitted_mixin import FittedTopics
    from bittern.analysis.timeline import Timeline

KINDS = ("svg", "png", "html")
PANELS = 12
MOST_NAMED = 60  # topics that have room for a word beside their number on a map
BLUE, ORANGE = "#0072b2", "#d55e00"  # of Okabe and Ito: colour-blind people can tell them apart


def check_installed() -> None:
    """Say what is missing before any work is done, if charts cannot be drawn."""
    for module in ("altair", "jinja2", "vl_convert"):
        if find_spec(module) is None:
            raise InputError(
                'figures and reports need more packages: pip install "bittern[report]"'
            )


def check_chart(path: str | Path) -> str:
    """What a chart to be saved there is; refuse any other name."""
    check_installed()
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in KINDS:
        raise InputError(f"{path}: figures are written as .{', .'.join(KINDS)}")
    check_directory(Path(path))
    return kind


def save_chart(chart: Any, path: str | Path) -> None:
    """Write a chart as SVG, PNG or a page of its own that needs no network."""
    kind = check_chart(path)
    options: dict[str, dict[str, Any]] = {"png": {"scale_factor": 2}, "html": {"inline": True}}
    with atomic_path(path) as fresh:
        chart.save(str(fresh), format=kind, **options.get(kind, {}))


def style(chart: Any) -> Any:
    """How all charts look: nothing but the data, and thin lines behind it."""
    return chart.configure_view(stroke=None).configure_axis(
        gridColor="#e5e5e5", labelFontSize=12, titleFontSize=12, titleFontWeight="normal"
    )


def words_chart(
    model: "FittedTopics",
    topics: Sequence[int] | None = None,
    n: int = 10,
    relevance: float = NAME_RELEVANCE,
) -> Any:
    """The top words of topics, each topic in a panel: bars are p(word | topic), ticks p(word).

    Without a choice of topics these are the largest, twelve of them.
    """
    import altair as alt

    theta, phi = model.theta_, model.phi_
    check_topics(topics or (), len(theta))
    shown = list(np.argsort(-theta, kind="stable")[:PANELS] if topics is None else topics)
    overall, best = theta @ phi, top_words(theta, phi, n, relevance)[shown]
    titles = [f"{k}: {model.topic_names_[k]}" for k in shown]
    rows = [
        {
            "panel": title,
            "rank": rank,
            "name": model.vocabulary_[word],
            "inside": float(phi[k, word]),
            "overall": float(overall[word]),
        }
        for k, title, words in zip(shown, titles, best, strict=True)
        for rank, word in enumerate(words)
    ]
    panels = draw_bars(alt.InlineData(rows)).properties(width=180, height=18 * n)
    facet = alt.Facet("panel:N", sort=titles, title=None, header=alt.Header(labelFontSize=12))
    return style(panels.facet(facet, columns=3).resolve_scale(x="independent", y="independent"))


def map_chart(model: "FittedTopics") -> Any:
    """Topics on a map: near each other where their words are alike, as large as their share."""
    import altair as alt

    rows = map_rows(model, distances(model.theta_, model.phi_))
    chart = draw_map(alt.InlineData(rows), len(rows))
    return style(chart.properties(width=520, height=520))


def trace_chart(history: pl.DataFrame) -> Any:
    """The learning curve of a model, its `history_`: the likelihood of biterms before each step."""
    import altair as alt

    rows = history.with_columns(millions=pl.col("biterms") / 1e6)
    chart = alt.Chart(alt.InlineData(rows.to_dicts())).mark_line(point=True, color=BLUE)
    return style(
        chart.encode(
            x=alt.X("millions:Q", title="biterms learned (millions)"),
            y=alt.Y(
                "log_likelihood:Q",
                title="mean log-likelihood of a biterm",
                scale=alt.Scale(zero=False),
            ),
        ).properties(width=480, height=280)
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
    check_topics(topics, len(names))
    titles = {topic: f"{topic}: {names[topic]}" for topic in topics}
    rows = found.shares.filter(pl.col("topic").is_in(topics)).with_columns(
        panel=pl.col("topic").replace_strict(titles, return_dtype=pl.String)
    )
    dated = rows["period"].dtype in (pl.Date, pl.Datetime)
    data = alt.InlineData(rows.with_columns(pl.col("period").cast(pl.String)).to_dicts())
    panels = draw_periods(data, dated).properties(width=240, height=110)
    order = [titles[topic] for topic in topics]
    facet = alt.Facet("panel:N", sort=order, title=None, header=alt.Header(labelFontSize=12))
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


def map_rows(model: "FittedTopics", apart: NDArray[np.float64]) -> list[dict[str, Any]]:
    """A row for each topic: its place on the map, its name, its share and its top words."""
    places = positions(apart)
    rows = model.topic_info(8, NAME_RELEVANCE).to_dicts()
    for row, (x, y) in zip(rows, places, strict=True):
        row["x"], row["y"] = round(float(x), 4), round(float(y), 4)
        row["words"] = " ".join(row["words"])
        first = "" if len(rows) > MOST_NAMED else row["name"].split(",")[0]
        row["label"] = f"{row['topic']} {first}".rstrip()
    return rows


def draw_map(data: Any, n_topics: int, chosen: str | None = None) -> Any:
    """Circles for topics; `chosen` is the name of a parameter that says which one stands out."""
    import altair as alt

    room = alt.Scale(domain=[-1.25, 1.25])
    base = alt.Chart(data).encode(
        x=alt.X("x:Q", scale=room, axis=None),
        y=alt.Y("y:Q", scale=room, axis=None),
        tooltip=[
            alt.Tooltip("topic:Q", title="topic"),
            alt.Tooltip("name:N", title="name"),
            alt.Tooltip("share:Q", title="share", format=".1%"),
            alt.Tooltip("words:N", title="words"),
        ],
    )
    largest = min(3600, max(500, 130_000 // n_topics))
    size = alt.Size("share:Q", legend=None, scale=alt.Scale(range=[0, largest], zero=True))
    circles = base.mark_circle(
        color=BLUE, opacity=1, fillOpacity=0.45, stroke=BLUE, strokeWidth=0.5, cursor="pointer"
    )
    names = base.mark_text(fontSize=11, limit=110, cursor="pointer").encode(text="label:N")
    if chosen is not None:
        this = alt.when(f"datum.topic === {chosen}")
        colour = this.then(alt.value(ORANGE)).otherwise(alt.value(BLUE))
        width = this.then(alt.value(3)).otherwise(alt.value(0.5))
        circles = circles.encode(color=colour, stroke=colour, strokeWidth=width)
    return alt.layer(circles.encode(size=size), names)


def draw_bars(data: Any) -> Any:
    """Bars for words, or labels, in a topic (`inside`); ticks for the same in all (`overall`)."""
    import altair as alt

    by_rank = alt.EncodingSortField("rank", "min")
    base = alt.Chart(data).encode(
        y=alt.Y("name:N", sort=by_rank, title=None, axis=alt.Axis(labelLimit=160)),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("inside:Q", title="in the topic", format=".3%"),
            alt.Tooltip("overall:Q", title="in all texts", format=".3%"),
        ],
    )
    axis = alt.Axis(format=".1~%", title=None, tickCount=4)
    bars = base.mark_bar(color=BLUE, opacity=0.75).encode(x=alt.X("inside:Q", axis=axis))
    ticks = base.mark_tick(color=ORANGE, thickness=3, opacity=1).encode(x="overall:Q")
    return alt.layer(bars, ticks)


def draw_periods(data: Any, dated: bool = True) -> Any:
    """The share of a topic in each period, with its interval."""
    import altair as alt

    by_date = alt.X("period:T", title=None, scale=alt.Scale(type="utc"))
    x = by_date if dated else alt.X("period:O", title=None, sort=None)
    percent = alt.Axis(format="~%", title=None, tickCount=4)
    base = alt.Chart(data).encode(
        x=x,
        tooltip=[
            alt.Tooltip("period:N"),
            alt.Tooltip("share:Q", format=".2%"),
            alt.Tooltip("low:Q", format=".2%"),
            alt.Tooltip("high:Q", format=".2%"),
            alt.Tooltip("documents:Q", title="texts", format=","),
        ],
    )
    band = base.mark_area(opacity=0.25, color=BLUE).encode(
        y=alt.Y("low:Q", axis=percent), y2="high:Q"
    )
    line = base.mark_line(color=BLUE, point=alt.OverlayMarkDef(color=BLUE, size=16)).encode(
        y=alt.Y("share:Q", axis=percent)
    )
    return alt.layer(band, line)
