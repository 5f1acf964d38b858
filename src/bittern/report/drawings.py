"""The charts of a report as Vega-Lite, without data: the page puts those in."""

from typing import Any

from bittern.charts import BLUE, ORANGE, draw_bars, draw_map, draw_periods

HEIGHTS = {"map": 520, "words": 400, "periods": 150, "labels": 260}


def drawings(n_topics: int) -> dict[str, Any]:
    """The specification of each chart, which has its data under its own name, and their colours."""
    import altair as alt

    def data(name: str) -> Any:
        return alt.NamedData(name)

    made = {
        "map": draw_map(data("map"), n_topics, "chosen").add_params(
            alt.param(name="chosen", value=-1)
        ),
        "words": draw_bars(data("words")),
        "periods": draw_periods(data("periods")),
        "labels": draw_bars(data("labels")),
    }
    specifications = {
        name: chart.properties(width="container", height=HEIGHTS[name]).to_dict()
        for name, chart in made.items()
    }
    return {"blue": BLUE, "orange": ORANGE, "charts": specifications}
