"""The share of topics over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

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
    dated = rows["period"].dtype in (pl.Date, pl.Datetime)
    data = alt.InlineData(rows.with_columns(pl.col("period").cast(pl.String)).to_dicts())
    panel = _period_layers(data, dated).properties(width=240, height=110)
    return facet_topics(panel, [titles[topic] for topic in topics], y="independent")


def _period_layers(data: "alt.InlineData", dated: bool) -> "alt.LayerChart":
    """Draw the share of a topic in each period, with its interval."""
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
    return layer_charts(band, line)
