"""The share of topics over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from bittern.analysis.periods import label_period, name_periods
from bittern.analysis.timeline import Timeline
from bittern.charts.style import BLUE, MAX_PANELS, check_installed, facet_topics, layer_charts
from bittern.fitted import FittedModel, FittedTopics, as_fitted, check_topics

if TYPE_CHECKING:
    import altair as alt


def timeline_chart(
    found: Timeline,
    names: Sequence[str] | FittedModel | FittedTopics,
    topics: Sequence[int] | None = None,
) -> "alt.FacetChart":
    """Draw the share of topics over time with its 95% interval, one panel per topic.

    Parameters
    ----------
    found : Timeline
        The timeline, from `BTM.timeline`.
    names : sequence of str, BTM or FittedTopics
        The name of each topic, or the model, which knows them.
    topics : sequence of int, optional
        The topics to draw. Default: 12 topics, those with bursts first, then those with the
        strongest trends.

    Returns
    -------
    altair.FacetChart
        The chart; a notebook shows it, and `save_chart` saves it.

    Raises
    ------
    InputError
        If a topic does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> from bittern.analysis.timeline import timeline
    >>> from bittern.charts import timeline_chart
    >>> days = pl.Series(["2024-01-01", "2024-01-02"]).str.to_date()
    >>> chart = timeline_chart(timeline(np.eye(2), days, "day"), ["cats", "dogs"])
    """
    check_installed()
    import altair as alt

    if not isinstance(names, Sequence):
        names = as_fitted(names).topic_names
    if topics is None:
        by_trend = found.trends.sort(pl.col("z").abs(), descending=True)["topic"]
        topics = list(dict.fromkeys([*found.bursts["topic"], *by_trend]))[:MAX_PANELS]
    check_topics(topics, len(names))
    titles = {topic: f"{topic}: {names[topic]}" for topic in topics}
    rows = found.shares.filter(pl.col("topic").is_in(topics)).with_columns(
        panel=pl.col("topic").replace_strict(titles, return_dtype=pl.String)
    )
    period = name_periods(rows["period"].unique().sort())
    data = alt.InlineData(_with_labels(rows, period).to_dicts())
    panel = _period_layers(data, _period_axis(rows["period"], period))
    panel = panel.properties(width=240, height=110)
    return facet_topics(panel, [titles[topic] for topic in topics], y="independent")


def _with_labels(rows: pl.DataFrame, period: str) -> pl.DataFrame:
    """Return rows with a label for each period, and times as a browser expects them."""
    starts = rows["period"]
    if starts.dtype not in (pl.Date, pl.Datetime):
        return rows.with_columns(label="period")
    labels = pl.Series("label", [label_period(start, period) for start in starts], pl.String)
    is_day = starts.dtype == pl.Date
    times = starts.dt.strftime("%Y-%m-%d" if is_day else "%Y-%m-%dT%H:%M:%SZ")
    return rows.with_columns(labels, period=times)


def _period_axis(starts: pl.Series, period: str) -> "alt.X":
    """Return the axis of periods: times in UTC, or the names of slices in their order."""
    import altair as alt

    if starts.dtype not in (pl.Date, pl.Datetime):
        return alt.X("period:O", title=None, sort=None)
    axis = alt.Axis(title=None)
    if period == "quarter":
        n_ticks = alt.TimeIntervalStep(interval="month", step=3)
        axis = alt.Axis(title=None, format="%Y-Q%q", tickCount=n_ticks, labelOverlap=True)
    return alt.X("period:T", axis=axis, scale=alt.Scale(type="utc"))


def _period_layers(data: "alt.InlineData", x: "alt.X") -> "alt.LayerChart":
    """Draw the share of a topic in each period, with its interval."""
    import altair as alt

    percent = alt.Axis(format="~%", title=None, tickCount=4)
    base = alt.Chart(data).encode(
        x=x,
        tooltip=[
            alt.Tooltip("label:N", title="period"),
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
    return layer_charts(band, line)
