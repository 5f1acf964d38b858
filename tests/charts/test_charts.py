"""Charts: what they show, and the files they are saved to."""

import datetime as dt
import json
import pickle
import re
import subprocess
import sys
from copy import deepcopy

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus, charts
from bittern.algorithms import OnlineBTM
from bittern.analysis.timeline import slices_timeline, timeline
from bittern.charts import topic_map
from bittern.errors import InputError
from bittern.selection import Choice
from known import blocks

TEXTS, TOPICS = blocks()
EVIL = [
    "</script><script>alert(1)</script>",
    "<!--<script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "\"'><svg onload=alert(4)>",
]


@pytest.fixture(scope="module")
def model():
    return BTM(4, n_init=3, random_state=1).fit(TEXTS)


@pytest.fixture(scope="module")
def found():
    """A timeline of 14 topics in ten days; topic 13 bursts on the fifth day."""
    rng = np.random.default_rng(0)
    days, topics = np.repeat(np.arange(10), 140), np.tile(np.arange(14), 100)
    topics[(days == 4) & (rng.random(1400) < 0.5)] = 13
    times = pl.Series([dt.date(2024, 1, 1) + dt.timedelta(int(day)) for day in days])
    return timeline(np.eye(14)[topics], times, "day")


def rows_of(chart):
    (rows,) = chart.to_dict()["datasets"].values()
    return rows


def test_importing_charts_does_not_import_altair():
    code = "import sys, bittern.charts; sys.exit('altair' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("kind", ["png", "svg", "html"])
@pytest.mark.parametrize("name", ["words", "map", "history"])
def test_charts_are_drawn_and_saved(model, tmp_path, kind, name):
    path = tmp_path / f"{name}.{kind}"
    draw = getattr(charts, f"{name}_chart")
    charts.save_chart(draw(model), path)
    assert path.stat().st_size > 3000
    assert draw(model.fitted_).to_dict() == draw(model).to_dict()
    if (name, kind) == ("words", "svg"):
        words = path.read_text()
        assert model.top_words(1, 0.6)[0][0] in words
        assert model.topic_names_[0] in words


def test_words_chart_shows_the_topics_that_were_asked_for(model):
    rows = rows_of(charts.words_chart(model, topics=[2, 0], n=3))
    assert [row["name"] for row in rows[:3]] == model.top_words(3, 0.6)[2]
    words = [model.vocabulary_.index(row["name"]) for row in rows]
    np.testing.assert_allclose([row["inside"] for row in rows[:3]], model.phi_[2, words[:3]])
    overall = (model.theta_ @ model.phi_)[words]
    np.testing.assert_allclose([row["overall"] for row in rows], overall)
    with pytest.raises(InputError, match="no topic 9"):
        charts.words_chart(model, topics=[9])


def test_map_labels_are_words_if_there_is_room(model, monkeypatch):
    labels = [row["label"] for row in rows_of(charts.map_chart(model))]
    assert labels == [name.split(", ")[0] for name in model.topic_names_]
    named = model.fitted_.with_names({2: "food, drinks"})
    assert [row["label"] for row in rows_of(charts.map_chart(named))][2] == "food, drinks"
    monkeypatch.setattr(topic_map, "MAX_LABELED_TOPICS", 3)
    assert [row["label"] for row in rows_of(charts.map_chart(model))] == [*"0123"]


def test_history_chart_draws_a_model_or_its_history(model):
    rows = rows_of(charts.history_chart(model))
    assert rows == rows_of(charts.history_chart(model.history_))
    assert [row["log_likelihood"] for row in rows] == model.history_["log_likelihood"].to_list()
    assert rows[-1]["millions"] == pytest.approx(model.history_["biterms"][-1] / 1e6)


def test_timeline_chart_shows_bursts_and_trends_first(found, tmp_path):
    names = [f"name {topic}" for topic in range(14)]
    chart = charts.timeline_chart(found, names)
    titles = chart.to_dict()["facet"]["sort"]
    assert len(titles) == 12
    assert titles[0] == "13: name 13"
    charts.save_chart(chart, tmp_path / "timeline.svg")
    assert "13: name 13" in (tmp_path / "timeline.svg").read_text()
    rows = rows_of(charts.timeline_chart(found, names, topics=[5, 3]))
    assert {row["panel"] for row in rows} == {"3: name 3", "5: name 5"}
    assert len(rows) == 20
    with pytest.raises(InputError, match="no topic 14"):
        charts.timeline_chart(found, names, topics=[14])


@pytest.mark.parametrize(
    ("period", "start", "label"),
    [
        ("hour", "2024-01-01T00:00:00Z", "2024-01-01 00:00"),
        ("quarter", "2024-01-01", "2024-Q1"),
        ("year", "2024-01-01", "2024-01-01"),
    ],
)
def test_timeline_charts_label_their_periods(period, start, label, tmp_path):
    times = pl.Series([dt.datetime(2024, 1, 1) + dt.timedelta(hours=9 * i) for i in range(200)])
    if period != "hour":
        times = pl.Series([dt.datetime(2024, 1, 1) + dt.timedelta(days=9 * i) for i in range(200)])
    chart = charts.timeline_chart(timeline(np.eye(2)[np.arange(200) % 2], times, period), "ab")
    first = rows_of(chart)[0]
    assert (first["period"], first["label"]) == (start, label)
    charts.save_chart(chart, tmp_path / "timeline.svg")
    assert ("2024-Q3" in (tmp_path / "timeline.svg").read_text()) == (period == "quarter")


def test_timeline_chart_of_slices_without_dates():
    model = BTM(4, algorithm=OnlineBTM(slices=3), random_state=0).fit(TEXTS)
    chart = charts.timeline_chart(slices_timeline(model.slices_), model.topic_names_).to_dict()
    assert {row["period"] for rows in chart["datasets"].values() for row in rows} == {*"012"}
    assert chart["spec"]["layer"][0]["encoding"]["x"]["type"] == "ordinal"


def test_selection_chart_highlights_the_recommended_number():
    measures = ("held_out", "held_out_error", "npmi", "stability", "redundancy")
    table = pl.DataFrame({"topics": [2, 4, 8]} | {name: [0.1, 0.3, 0.2] for name in measures})
    chart = charts.selection_chart(Choice(4, 2, 8, "high", "", table, table)).to_dict()
    assert chart["title"] == "Recommended number of topics: 4"
    assert len(chart["concat"]) == 4
    (rows,) = chart["datasets"].values()
    assert [row["topics"] for row in rows if row["recommended"]] == [4]
    np.testing.assert_allclose([row["high"] - row["low"] for row in rows], [0.2, 0.6, 0.4])


def test_charts_are_displayed_without_a_network(model, browser):
    """The output has the chart, and a picture for notebooks that cannot draw it."""
    chart = charts.map_chart(model)
    bundle = chart._repr_mimebundle_()
    (native,) = (kind for kind in bundle if kind.startswith("application/vnd.vegalite"))
    assert native.endswith("+json")  # nbformat refuses objects under other names
    assert set(bundle) == {native, "image/svg+xml", "text/plain"}
    assert bundle[native]["layer"] == chart.to_dict()["layer"]
    assert bundle["text/plain"] == "<LayerChart>"
    page = browser.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_content(bundle["image/svg+xml"])
    for name in model.topic_names_:
        assert page.get_by_text(name.split(", ")[0]).count() >= 1
    page.close()
    assert requests == []


def test_displaying_a_chart_leaves_altair_as_it_is(model):
    import altair as alt

    chart = charts.words_chart(model)
    assert alt.renderers.active == "default"
    chart._repr_mimebundle_()
    assert alt.renderers.active == "default"
    own = alt.Chart(alt.InlineData([])).mark_point()
    assert "text/html" in own._repr_mimebundle_()
    with alt.renderers.enable("png"):  # what a user has chosen is used
        assert "image/png" in chart._repr_mimebundle_()[0]


def test_copies_of_charts_are_displayed_without_a_network(model):
    chart = charts.history_chart(model)
    for copy in (chart.properties(width=99), deepcopy(chart), pickle.loads(pickle.dumps(chart))):
        assert "image/svg+xml" in copy._repr_mimebundle_()
        assert copy.to_dict()["layer" if "layer" in chart.to_dict() else "mark"]
    assert pickle.loads(pickle.dumps(chart)).to_dict() == chart.to_dict()


@pytest.fixture(scope="module")
def evil():
    """A model with markup as the names of topics and as words."""
    texts = [[f"{word}{EVIL[0]}" for word in text.split()] for text in TEXTS]
    model = BTM(4, n_init=1, random_state=1).fit(Corpus.from_tokens(texts))
    return model.name_topics(dict(enumerate(EVIL)))


def evil_charts(model):
    """Charts with the names and words of a model."""
    days = [dt.date(2024, 1, 1 + i % 20) for i in range(200)]
    found = timeline(np.eye(4)[np.arange(200) % 4], pl.Series(days), "day")
    yield charts.words_chart(model)
    yield charts.map_chart(model)
    yield charts.timeline_chart(found, model.topic_names_)


def test_names_cannot_become_markup_in_a_page(evil, tmp_path):
    for i, chart in enumerate(evil_charts(evil)):
        charts.save_chart(chart, tmp_path / f"{i}.html")
        html = (tmp_path / f"{i}.html").read_text()
        assert "alert(1)</script>" not in html
        assert "<!--<script" not in html
        assert "default-src 'none'" in html  # the browser refuses to load anything
        spec = json.loads(re.search(r'id="spec">(.*?)</script>', html, re.S)[1])
        shown = json.dumps(spec, ensure_ascii=False)
        assert all(json.dumps(name)[1:-1] in shown for name in EVIL)


def test_names_are_shown_in_a_browser_but_never_executed(evil, tmp_path, browser):
    for i, chart in enumerate(evil_charts(evil)):
        for kind in ("html", "svg"):
            path = tmp_path / f"{i}.{kind}"
            charts.save_chart(chart, path)
            page, messages = browser.new_page(), []
            page.on("console", lambda message, found=messages: found.append(message.text))
            page.on("pageerror", lambda error, found=messages: found.append(str(error)))
            page.on("dialog", lambda box, found=messages: (found.append(box.message), box.accept()))
            page.goto(path.as_uri())
            page.locator("svg, canvas").first.wait_for()
            assert page.locator("img").count() == 0
            page.close()
            assert messages == []


def test_a_page_shows_missing_numbers_as_missing(tmp_path):
    history = pl.DataFrame({"biterms": [1, 2], "log_likelihood": [-1.0, np.nan]})
    history = history.with_columns(epoch=0, stage=pl.lit("pass"))
    charts.save_chart(charts.history_chart(history), tmp_path / "history.html")
    assert '"log_likelihood":null' in (tmp_path / "history.html").read_text()


def test_unsuitable_file_names_are_rejected(tmp_path):
    assert charts.check_chart(tmp_path / "a.SVG") == "svg"
    with pytest.raises(InputError, match=r"cannot save a chart as .*pdf; use \.svg, \.png, \.html"):
        charts.check_chart(tmp_path / "a.pdf")
    with pytest.raises(FileNotFoundError, match="none"):
        charts.save_chart(None, tmp_path / "none" / "a.svg")


def test_a_missing_package_gets_an_install_hint(model, monkeypatch):
    monkeypatch.setattr("bittern.charts.style.find_spec", lambda name: None)
    for work in (charts.check_installed, lambda: charts.words_chart(model)):
        with pytest.raises(InputError, match=r'pip install "bittern\[report\]"'):
            work()


def test_a_timeline_takes_names_from_a_model(model):
    days = [f"2024-01-{1 + i % 28:02}" for i in range(len(TEXTS))]
    found = model.timeline(TEXTS, days, "day")
    by_name = charts.timeline_chart(found, model.topic_names_).to_dict()
    assert charts.timeline_chart(found, model).to_dict() == by_name
    assert charts.timeline_chart(found, model.fitted_).to_dict() == by_name
