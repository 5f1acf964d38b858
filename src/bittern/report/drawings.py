"""The charts of a report as Vega-Lite, without data and sizes: the page puts those in."""

from typing import Any

from bittern.charts.charts import BLUE, ORANGE, draw_bars, draw_map, draw_periods


def drawings(n_topics: int) -> dict[str, Any]:
    """The specification of each chart, which has its data under its own name, and their colours."""
    import altair as alt

    def data(name: str) -> Any:
        return alt.NamedData(name)

    chosen = alt.param(name="chosen", value=-1)
    charts = {
        "map": draw_map(data("map"), n_topics, "chosen").add_params(chosen),
        "words": draw_bars(data("words")),
        "periods": draw_periods(data("periods")),
        "labels": draw_bars(data("labels")),
    }
    said = {
        "map": "Topics as circles; the table below has them all",
        "words": "Words of the topic, read out below",
        "periods": "The share of the topic over time",
        "labels": "Labels of the topic's texts",
    }
    fit = {"type": "fit", "contains": "padding"}
    specifications = {
        name: chart.properties(autosize=fit, description=said[name]).to_dict()
        for name, chart in charts.items()
    }
    return {"blue": BLUE, "orange": ORANGE, "charts": specifications}
