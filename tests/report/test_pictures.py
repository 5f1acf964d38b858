"""The pictures of the documentation: screenshots of the report.

Every test run takes them; `make pictures DATA=titles.parquet` also stores them. The file has titles
in the column `text` and their days in `date`.
"""

from pathlib import Path

import polars as pl
import pytest

from bittern import BTM, read
from bittern.algorithms import SDM
from bittern.datasets import docstrings

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SIZE = {"width": 1280, "height": 1000}


def take(browser, report, path, scheme, address=""):
    """Take a picture of the top of the page; with the address of a topic, of the map and the topic.

    The second ends above the texts, which belong to other people.
    """
    report.save(path.with_suffix(".html"))
    context = browser.new_context(viewport=SIZE, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(f"{path.with_suffix('.html').as_uri()}{address}")
    page.locator("#map-canvas svg").wait_for()
    page.evaluate("scrollTo(0, 0)")
    clip = {"x": 0, "y": 0} | SIZE
    if address:
        clip["y"] = page.locator("#map").bounding_box()["y"] - 24
        clip["height"] = page.locator("#topic-columns").bounding_box()["y"] - clip["y"] + 12
        assert page.locator("#texts, blockquote").evaluate_all(
            f"nodes => nodes.every(n => n.getBoundingClientRect().bottom < {clip['y']}"
            f" || n.getBoundingClientRect().top > {clip['y'] + clip['height']})"
        )
    page.screenshot(path=path, clip=clip, full_page=True)
    context.close()


def keep(pictures, path):
    assert path.stat().st_size > 30_000  # an empty page has less
    if pictures is not None:
        (IMAGES / path.name).write_bytes(path.read_bytes())


@pytest.mark.slow
def test_picture_of_the_demo(browser, tmp_path, pictures):
    texts, modules = docstrings()
    model = BTM(20, random_state=0).fit(texts)
    report = model.report(
        texts, labels=pl.Series("module", modules), title="Python's standard library"
    )
    path = tmp_path / "report-demo.png"
    take(browser, report, path, "light")
    keep(pictures, path)


def test_picture_of_titles(browser, tmp_path, pictures):
    if pictures is None:
        pytest.skip("no titles: give a file with --pictures")
    corpus = read(
        pictures, text="text", time="date", stop_words=["english", "ask", "show", "hn"], min_df=3
    )
    algorithm = SDM(background=0.2)
    model = BTM(40, algorithm=algorithm, n_init=3, random_state=0, n_jobs=-1).fit(corpus)
    topic = next(k for k, words in enumerate(model.top_words(10)) if "covid-19" in words)
    path = tmp_path / "report-hackernews.png"
    report = model.report(corpus, title="Hacker News")
    take(browser, report, path, "dark", f"#topic-{topic}")
    keep(pictures, path)
