"""The top words of topics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bittern.charts.style import (
    BLUE,
    MAX_PANELS,
    ORANGE,
    check_installed,
    facet_topics,
    layer_charts,
)
from bittern.fitted import (
    DEFAULT_RELEVANCE,
    FittedModel,
    FittedTopics,
    as_fitted,
    check_topics,
    top_words,
)

if TYPE_CHECKING:
    import altair as alt

BAR_HEIGHT = 18  # pixels


def words_chart(
    model: FittedModel | FittedTopics,
    topics: Sequence[int] | None = None,
    n: int = 10,
    relevance: float = DEFAULT_RELEVANCE,
) -> "alt.FacetChart":
    """Draw the top words of topics, one panel per topic.

    Bars are p(word | topic), ticks are p(word).

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    topics : sequence of int, optional
        The topics to draw. Default: the 12 largest.
    n : int
        Number of words per topic.
    relevance : float
        Ranking of words, from 0 (by lift) to 1 (by probability).

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
    >>> import bittern
    >>> from bittern.charts import words_chart
    >>> model = bittern.BTM(2, random_state=0).fit(["cats purr", "dogs bark"] * 20)
    >>> chart = words_chart(model, topics=[1], n=2)
    """
    check_installed()
    import altair as alt

    fitted = as_fitted(model)
    theta, phi = fitted.theta, fitted.phi
    check_topics(topics or (), len(theta))
    shown = list(np.argsort(-theta, kind="stable")[:MAX_PANELS] if topics is None else topics)
    overall, best = theta @ phi, top_words(theta, phi, n, relevance)[shown]
    titles = [f"{k}: {fitted.topic_names[k]}" for k in shown]
    rows = [
        {
            "panel": title,
            "rank": rank,
            "name": fitted.vocabulary[word],
            "inside": float(phi[k, word]),
            "overall": float(overall[word]),
        }
        for k, title, words in zip(shown, titles, best, strict=True)
        for rank, word in enumerate(words)
    ]
    panel = _bar_layers(alt.InlineData(rows)).properties(width=180, height=BAR_HEIGHT * n)
    return facet_topics(panel, titles, x="independent", y="independent")


def _bar_layers(data: "alt.InlineData") -> "alt.LayerChart":
    """Draw bars for words in a topic (`inside`), and ticks for all texts (`overall`)."""
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
    return layer_charts(bars, ticks)
