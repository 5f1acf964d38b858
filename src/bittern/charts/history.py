"""The learning curve of a model."""

from typing import TYPE_CHECKING

import polars as pl

from bittern.charts.style import BLUE, ORANGE, apply_style, check_installed
from bittern.fitted import FittedModel, FittedTopics, as_fitted

if TYPE_CHECKING:
    import altair as alt


def history_chart(model: FittedModel | FittedTopics | pl.DataFrame) -> "alt.Chart":
    """Draw the learning curve of a model: the log-likelihood of biterms before they are learned.

    In a pass, each biterm is predicted from all others, in a sweep from all other texts.

    Parameters
    ----------
    model : BTM, FittedTopics or polars.DataFrame
        A fitted model, or its `history_`.

    Returns
    -------
    altair.Chart
        The chart; a notebook shows it, and `save_chart` saves it.

    Examples
    --------
    >>> import bittern
    >>> from bittern.charts import history_chart
    >>> model = bittern.BTM(2, random_state=0).fit(["cats purr", "dogs bark"] * 20)
    >>> chart = history_chart(model)
    """
    check_installed()
    import altair as alt

    history = model if isinstance(model, pl.DataFrame) else as_fitted(model).history_table()
    rows = history.with_columns(millions=pl.col("biterms") / 1e6)
    lines = alt.Chart(alt.InlineData(rows.to_dicts())).mark_line(point=True)
    y = alt.Y(
        "log_likelihood:Q", title="mean log-likelihood per biterm", scale=alt.Scale(zero=False)
    )
    x = alt.X("millions:Q", title="biterms trained on (millions)")
    colors = alt.Scale(domain=["pass", "sweep"], range=[BLUE, ORANGE])
    color = alt.Color("stage:N", title=None, scale=colors)
    chart: alt.Chart = lines.encode(x=x, y=y, color=color).properties(width=480, height=280)
    return apply_style(chart)
