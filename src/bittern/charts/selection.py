"""The measures of each number of topics."""

from typing import TYPE_CHECKING, Protocol

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


class Selection(Protocol):
    """The measures of each number of topics, and the recommended one."""

    @property
    def table(self) -> pl.DataFrame:
        """A row for each number of topics."""
        ...

    @property
    def recommended(self) -> int:
        """The recommended number of topics."""
        ...


def selection_chart(choice: Selection) -> "alt.ConcatChart":
    """Draw the measures of each number of topics, and highlight the recommended number.

    Parameters
    ----------
    choice : bittern.selection.Choice
        The result of `bittern.selection.choose`.

    Returns
    -------
    altair.ConcatChart
        The chart; a notebook shows it, and `save_chart` saves it.

    Examples
    --------
    >>> from bittern.charts import selection_chart
    >>> from bittern.selection import choose
    >>> texts = ["red apple pie", "apple pie recipe", "fast train", "late fast train"] * 20
    >>> chart = selection_chart(choose(texts, [2, 3], n_repeats=2))
    """
    check_installed()
    import altair as alt

    recommended = choice.recommended
    rows = choice.table.with_columns(
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
