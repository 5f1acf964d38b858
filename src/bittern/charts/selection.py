"""The measures of each number of topics."""

from typing import TYPE_CHECKING

import polars as pl

from bittern.charts.style import BLUE, ORANGE, apply_style, check_installed, layer_charts

if TYPE_CHECKING:
    import altair as alt

PANELS = {
    "held_out": "held-out log-likelihood",
    "npmi": "coherence (NPMI)",
    "stability": "stability",
    "redundancy": "redundancy",
}


def selection_chart(table: pl.DataFrame, recommended: int) -> "alt.ConcatChart":
    """Draw the measures of each number of topics, and highlight the recommended number.

    Parameters
    ----------
    table : polars.DataFrame
        A row for each number of topics: topics, held_out, held_out_error, npmi, stability and
        redundancy.
    recommended : int
        The recommended number of topics.

    Returns
    -------
    altair.ConcatChart
        The chart; a notebook shows it, and `save_chart` saves it.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.charts import selection_chart
    >>> measures = ["held_out", "held_out_error", "npmi", "stability", "redundancy"]
    >>> table = pl.DataFrame({"topics": [2, 4]} | {name: [0.1, 0.2] for name in measures})
    >>> chart = selection_chart(table, recommended=4)
    """
    check_installed()
    import altair as alt

    rows = table.with_columns(
        low=pl.col("held_out") - pl.col("held_out_error"),
        high=pl.col("held_out") + pl.col("held_out_error"),
        recommended=pl.col("topics") == recommended,
    )
    color = alt.condition("datum.recommended", alt.value(ORANGE), alt.value(BLUE))
    x = alt.X("topics:O", title="topics", axis=alt.Axis(labelAngle=0))

    def panel(name: str, title: str) -> "alt.LayerChart":
        base = alt.Chart(rows).encode(x=x, y=alt.Y(name, title=title, scale=alt.Scale(zero=False)))
        line = base.mark_line(color=BLUE, opacity=0.5)
        points = base.mark_point(filled=True, size=60, opacity=1).encode(color=color)
        layers = [line, points]
        if name == "held_out":
            bars = alt.Chart(rows).mark_rule().encode(x=x, y=alt.Y("low", title=title), y2="high")
            layers.insert(1, bars.encode(color=color))
        return layer_charts(*layers).properties(width=280, height=180)

    panels = [panel(name, title) for name, title in PANELS.items()]
    title = f"Recommended number of topics: {recommended}"
    return apply_style(alt.concat(*panels, columns=2).properties(title=title))
