"""The map of topics."""

from typing import TYPE_CHECKING, Any

from bittern.analysis.topic_map import map_positions, topic_distances
from bittern.charts.style import BLUE, apply_style, check_installed, layer_charts
from bittern.fitted import DEFAULT_RELEVANCE, FittedModel, FittedTopics, as_fitted

if TYPE_CHECKING:
    import altair as alt

TOOLTIP_WORDS = 8
MAX_LABELED_TOPICS = 60  # with more topics, labels are the numbers of topics


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
    data = alt.InlineData(_map_rows(fitted))
    n_topics = fitted.n_topics - len(fitted.set_aside)
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
        color=BLUE, opacity=1, fillOpacity=0.45, stroke=BLUE, strokeWidth=0.5
    ).encode(size=size)
    labels = base.mark_text(fontSize=11, limit=110).encode(text="label:N")
    return apply_style(layer_charts(circles, labels).properties(width=520, height=520))


def _map_rows(fitted: FittedTopics) -> list[dict[str, Any]]:
    """Return a row for each topic: its position on the map, name, label, share and top words."""
    rows = fitted.topic_info(TOOLTIP_WORDS, DEFAULT_RELEVANCE).to_dicts()
    positions = map_positions(topic_distances(fitted.theta, fitted.phi))[~fitted.is_set_aside]
    for row, (x, y) in zip(rows, positions, strict=True):
        topic, name = row["topic"], row["name"]
        row["x"], row["y"] = round(float(x), 4), round(float(y), 4)
        row["words"] = " ".join(row["words"])
        word = name if topic in fitted.given_names else name.split(", ")[0]
        row["label"] = word if len(rows) <= MAX_LABELED_TOPICS else f"{topic}"
    return rows
