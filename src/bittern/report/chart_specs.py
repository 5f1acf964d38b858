"""The charts of a report as Vega-Lite; the page's script adds data and sizes."""

from typing import Any

from bittern.charts.style import BLUE, ORANGE
from bittern.charts.timeline import period_layers
from bittern.charts.topic_map import map_layers
from bittern.charts.words import bar_layers

DESCRIPTIONS = {
    "map": "Map of topics as circles; the table below lists all topics",
    "words": "Top words of the topic; a text version follows",
    "periods": "Share of the topic over time",
    "labels": "Labels of the texts in the topic",
}


def chart_specs(n_topics: int) -> dict[str, Any]:
    """Return the specification of each chart, whose data has the name of the chart, and colors."""
    import altair as alt

    selected = alt.param(name="selected", value=-1)
    charts = {
        "map": map_layers(alt.NamedData("map"), n_topics, "selected").add_params(selected),
        "words": bar_layers(alt.NamedData("words")),
        "periods": period_layers(alt.NamedData("periods")),
        "labels": bar_layers(alt.NamedData("labels")),
    }
    fit = {"type": "fit", "contains": "padding"}
    specs = {
        name: chart.properties(autosize=fit, description=DESCRIPTIONS[name]).to_dict()
        for name, chart in charts.items()
    }
    return {"blue": BLUE, "orange": ORANGE, "specs": specs}
