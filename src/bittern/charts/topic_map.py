"""The map of topics."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bittern.analysis.topic_map import map_positions, topic_distances
from bittern.charts.style import BLUE, ORANGE, apply_style, check_installed, layer_charts
from bittern.fitted import NAME_RELEVANCE, FittedModel, FittedTopics, as_fitted

if TYPE_CHECKING:
    import altair as alt

TOOLTIP_WORDS = 8
MAX_LABELED_TOPICS = 60  # with more topics, labels are numbers without a word


def map_chart(model: FittedModel | FittedTopics) -> "alt.LayerChart":
    """Draw a map of topics: topics with similar words are close together.

    The area of a circle is the share of the topic.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.

    Returns
    -------
    altair.LayerChart
        The chart; a notebook shows it, and `save_chart` saves it.

    Examples
    --------
    >>> import bittern
    >>> from bittern.charts import map_chart
    >>> model = bittern.BTM(2, random_state=0).fit(["cats purr", "dogs bark"] * 20)
    >>> chart = map_chart(model)
    """
    check_installed()
    import altair as alt

    fitted = as_fitted(model)
    rows = map_rows(fitted, topic_distances(fitted.theta, fitted.phi))
    rows = [row for row in rows if row["topic"] not in fitted.set_aside]
    chart = map_layers(alt.InlineData(rows), len(rows))
    return apply_style(chart.properties(width=520, height=520))


def map_rows(fitted: FittedTopics, distances: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return a row for each topic: its position on the map, name, share and top words."""
    rows = fitted.all_topic_info(TOOLTIP_WORDS, NAME_RELEVANCE).to_dicts()
    for row, (x, y) in zip(rows, map_positions(distances), strict=True):
        row["x"], row["y"] = round(float(x), 4), round(float(y), 4)
        row["words"] = " ".join(row["words"])
        word = "" if len(rows) > MAX_LABELED_TOPICS else row["name"].split(",")[0]
        row["label"] = f"{row['topic']} {word}".rstrip()
    return rows


def map_layers(
    data: "alt.InlineData | alt.NamedData", n_topics: int, selected: str | None = None
) -> "alt.LayerChart":
    """Draw circles for topics; `selected` names the parameter with the topic to highlight."""
    import altair as alt

    scale = alt.Scale(domain=[-1.25, 1.25])
    base = alt.Chart(data).encode(
        x=alt.X("x:Q", scale=scale, axis=None),
        y=alt.Y("y:Q", scale=scale, axis=None),
        tooltip=[
            alt.Tooltip("topic:Q", title="topic"),
            alt.Tooltip("name:N", title="name"),
            alt.Tooltip("share:Q", title="share", format=".1%"),
            alt.Tooltip("words:N", title="words"),
        ],
    )
    max_area = min(3600, max(500, 130_000 // n_topics))
    size = alt.Size("share:Q", legend=None, scale=alt.Scale(range=[0, max_area], zero=True))
    circles = base.mark_circle(
        color=BLUE, opacity=1, fillOpacity=0.45, stroke=BLUE, strokeWidth=0.5, cursor="pointer"
    )
    labels = base.mark_text(fontSize=11, limit=110, cursor="pointer").encode(text="label:N")
    if selected is not None:
        is_selected = alt.when(f"datum.topic === {selected}")
        color = is_selected.then(alt.value(ORANGE)).otherwise(alt.value(BLUE))
        width = is_selected.then(alt.value(3)).otherwise(alt.value(0.5))
        circles = circles.encode(color=color, stroke=color, strokeWidth=width)
    return layer_charts(circles.encode(size=size), labels)
