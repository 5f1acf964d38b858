"""The pictures of the documentation: the report and charts of the passenger survey.

Every test run takes them; `make pictures` also stores them in docs/images.
"""

from pathlib import Path

import pytest

from bittern import BTM, read
from bittern.charts import save_chart, selection_chart, timeline_chart
from bittern.datasets import save_survey
from bittern.selection import choose

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTH, GAP = 1280, 12
HEAT_WAVE = "air"  # the topic to show in depth has this word first

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = save_survey(tmp_path_factory.mktemp("survey") / "answers.csv")
    return read(path, text="answer", time="date", label="region", keep_texts=True)


@pytest.fixture(scope="module")
def model(corpus):
    return BTM(10, random_state=0).fit(corpus)


@pytest.fixture(scope="module")
def report(corpus, model, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    model.report(corpus, title="Passenger survey").save(path)
    return path


def test_picture_of_the_overview(browser, report, tmp_path, pictures):
    """The title and two rows of topics."""
    page = open_page(browser, report)
    bottom = box(page, ".card >> nth=5")["bottom"]
    shoot(page, tmp_path / "report-overview.png", 0, bottom + GAP, pictures)


@pytest.mark.parametrize("section", ["map", "topic"])
def test_picture_of_a_section(browser, report, model, tmp_path, pictures, section):
    """The map and the topic of the heat wave, with this topic selected."""
    topic = next(k for k, words in enumerate(model.top_words()) if words[0] == HEAT_WAVE)
    page = open_page(browser, report, f"#topic-{topic}")
    found = box(page, f"#{section}")
    top, bottom = found["top"] - GAP, found["bottom"] + GAP
    shoot(page, tmp_path / f"report-{section}.png", top, bottom, pictures)


def open_page(browser, report, address=""):
    size = {"width": WIDTH, "height": 1000}
    page = browser.new_page(viewport=size, color_scheme="light", offline=True)
    page.goto(f"{report.as_uri()}{address}")
    page.locator("#map-canvas svg").wait_for()
    page.evaluate("scrollTo(0, 0)")
    return page


def box(page, selector):
    found = page.locator(selector).bounding_box()
    return {"top": found["y"], "bottom": found["y"] + found["height"]}


def shoot(page, path, top, bottom, pictures):
    clip = {"x": 0, "y": top, "width": WIDTH, "height": bottom - top}
    page.screenshot(path=path, clip=clip, full_page=True)
    page.close()
    keep(path, pictures)


def test_picture_of_the_timeline(corpus, model, tmp_path, pictures):
    """The three topics that change: two bursts and a rise."""
    timeline = model.timeline(corpus, corpus.times, "week")
    rising = timeline.trends.filter(timeline.trends["trend"] == "rises")["topic"]
    topics = [*timeline.bursts["topic"], *rising]
    assert len(topics) == 3
    path = tmp_path / "timeline.svg"
    save_chart(timeline_chart(timeline, model.topic_names_, topics), path)
    keep(path, pictures)


def test_picture_of_the_number_of_topics(corpus, tmp_path, pictures):
    path = tmp_path / "choice.svg"
    save_chart(selection_chart(choose(corpus, random_state=0)), path)
    keep(path, pictures)


def keep(path, pictures):
    assert path.stat().st_size > 20_000  # an empty picture has less
    if pictures:
        (IMAGES / path.name).write_bytes(path.read_bytes())
