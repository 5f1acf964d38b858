"""Charts of topics, drawn with Altair: show them in a notebook, or save them."""

from bittern.charts.history import history_chart
from bittern.charts.saving import check_chart, save_chart
from bittern.charts.selection import selection_chart
from bittern.charts.style import check_installed
from bittern.charts.timeline import timeline_chart
from bittern.charts.topic_map import map_chart
from bittern.charts.words import words_chart

__all__ = [
    "check_chart",
    "check_installed",
    "history_chart",
    "map_chart",
    "save_chart",
    "selection_chart",
    "timeline_chart",
    "words_chart",
]
