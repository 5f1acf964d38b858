"""The report in a real browser, without a network: what people see and do."""

import re
import time
from datetime import date, timedelta
from functools import partial

import numpy as np
import pytest

from bittern import BTM
from bittern.analysis.topic_map import topic_distances
from bittern.charts.topic_map import map_rows
from known import blocks

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
PATIENCE = 30  # seconds: the machine may be busy
expect.set_options(timeout=1000 * PATIENCE)

TEXTS, TOPICS = (part[:-40] for part in blocks(n_topics=5, n_documents=300))
EVIL = "<!--<script>alert(1)</script> <img src=x onerror=alert(2)> topic0word1 topic0word2"
DAYS = [date(2024, 3, 1) + timedelta(days=i % 30) for i in range(len(TEXTS))]
LABELS = [f"<b>kind {k if i % 4 else 0}</b>" for i, k in enumerate(TOPICS)]


@pytest.fixture(scope="module")
def model():
    return BTM(5, random_state=1).fit(TEXTS)


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    texts = [EVIL, *TEXTS[1:]]
    model.report(texts, times=DAYS, labels=LABELS, title="Blocks & <co>").save(path)
    return path


class OpenPage:
    """A page that is open, with its messages and requests."""

    def __init__(self, page):
        self.page, self.messages, self.requests = page, [], []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: (self.messages.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    def bars(self, chart):
        """The names at the bars of a chart, from the top."""
        labels = self.page.locator(f"#{chart} .role-axis-label text").filter(has_not_text="%")
        find = "labels => labels.map(l => [l.getBoundingClientRect().y, l.textContent])"
        return [name for _, name in sorted(labels.evaluate_all(find))]

    def has_bars(self, chart, names):
        """Wait for these names at the bars of a chart, which is redrawn a moment later."""
        self.until(lambda: self.bars(chart) == names)
        assert self.bars(chart) == names

    def until(self, condition):
        """Wait until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < deadline:
            self.page.wait_for_timeout(50)

    def wait_for_charts(self):
        """Wait until all charts are drawn."""
        for chart in ("map", "words", "periods", "labels"):
            expect(self.page.locator(f"#{chart} svg")).to_be_visible()


@pytest.fixture
def look(browser, file):
    """Open the page; at the end, it must have requested nothing and reported no error."""
    pages = []

    def open_page(width=1280, scheme="light", address="", zone="UTC"):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            offline=True,
            timezone_id=zone,
        )
        page = context.new_page()
        opened = OpenPage(page)
        pages.append((context, opened))
        page.goto(f"{file.as_uri()}{address}")
        opened.wait_for_charts()
        return opened

    yield open_page
    for context, opened in pages:
        context.close()
        assert opened.messages == []
        assert {url.split("#")[0] for url in opened.requests} == {file.as_uri()}


def test_the_largest_topic_is_shown_first(look, model):
    page = look()
    largest = int(model.theta_.argmax())
    expect(page.page.locator("h1")).to_have_text("Blocks & <co>")
    title = f"Topic {largest}: {model.topic_names_[largest]}"
    expect(page.page.locator("#topic-title")).to_have_text(title)
    page.has_bars("words", model.top_words(20, 0.6)[largest])


def test_clicking_a_circle_shows_its_topic(look, model):
    opened = look()
    page = opened.page
    for k in range(5):
        label = page.locator("#map .mark-text text").nth(k)
        expect(label).to_have_text(re.compile(rf"^{k} "))
        label.click()
        expect(page.locator("#topic-title")).to_have_text(f"Topic {k}: {model.topic_names_[k]}")
        best = page.locator("#texts li")
        expect(best).to_have_count(8)
        own = model.top_words(1)[k][0][: len("topic0")]
        for text in best.all_text_contents():
            assert own in text
        expect(best.first).to_contain_text("99% · 2024-03-")
        assert page.url.endswith(f"#topic-{k}")
        opened.has_bars("words", model.top_words(20, 0.6)[k])
        block = int(own.removeprefix("topic"))
        first = page.locator("#labels .role-axis-label text").filter(has_text="kind")
        expect(first.filter(has_text=f"kind {block}")).to_have_count(1)
        expect(page.locator("#map .mark-symbol path").nth(k)).to_have_attribute("fill", "#d55e00")


def test_top_words_are_highlighted_in_texts(look):
    page = look().page
    shown = set(page.locator("#words-summary").text_content().split())
    items = page.locator("#texts li")
    expect(items).to_have_count(8)
    for item in items.all():
        marked = {word.lower() for word in item.locator("mark").all_text_contents()}
        assert len(marked) >= 2
        assert marked <= shown


def test_a_click_beside_a_circle_finds_it(look, model):
    page = look().page
    box = page.locator("#map .mark-symbol path").nth(3).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] - 4)
    expect(page.locator("#topic-title")).to_have_text(f"Topic 3: {model.topic_names_[3]}")
    corner = page.locator("#map").bounding_box()
    page.mouse.click(corner["x"] + 2, corner["y"] + 2)
    expect(page.locator("#topic-title")).to_have_text(f"Topic 3: {model.topic_names_[3]}")


def test_the_map_is_true(look, model):
    """Areas are shares, and a step is as long across as it is down."""
    for width in (390, 1280):
        page = look(width).page
        find = (
            "circles => circles.map(c => c.getBoundingClientRect()).map(b => [b.x, b.y, b.width])"
        )
        circles = np.array(page.locator("#map .mark-symbol path").evaluate_all(find))
        circles[:, :2] += circles[:, 2:] / 2
        expected = map_rows(model.fitted_, topic_distances(model.theta_, model.phi_))
        diameter = circles[:, 2] / np.sqrt(model.theta_)
        np.testing.assert_allclose(diameter, diameter.mean(), rtol=0.1)  # with its outline
        places = np.array([[row["x"], -row["y"]] for row in expected])
        steps = (circles[1:, :2] - circles[0, :2]) / (places[1:] - places[0])
        np.testing.assert_allclose(steps, steps.mean(), rtol=0.02)


def test_charts_follow_the_topic(look, model):
    opened = look(address="#topic-0")
    page = opened.page

    def drawn():
        line = page.locator("#periods .mark-line path").get_attribute("d")
        bars = page.locator("#labels .mark-rect path").evaluate_all("b => b.map(p => p.outerHTML)")
        return line, bars

    def differ(before):
        return all(old != new for old, new in zip(before, drawn(), strict=True))

    for k in (1, 2):
        before = drawn()
        name = model.topic_names_[k]
        page.locator("#table tbody tr").filter(has_text=name).get_by_role("button").click()
        expect(page.locator("#topic-title")).to_contain_text(f"Topic {k}:")
        opened.until(partial(differ, before))
        assert differ(before)
        nearest = page.locator("#nearest button").all_text_contents()
        assert len(nearest) == 3
        assert not any(text.startswith(f"{k}:") for text in nearest)
    page.locator("#nearest button").first.click()
    expect(page.locator("#topic-title")).not_to_contain_text("Topic 2:")


def test_days_do_not_depend_on_the_time_zone(look):
    days = []
    for zone in ("UTC", "America/Los_Angeles", "Pacific/Kiritimati"):
        page = look(zone=zone).page
        days.append(page.locator("#periods .role-axis-label text").all_text_contents())
    assert "Mar 10" in days[0]
    assert days[1] == days[2] == days[0]


def test_the_slider_changes_the_words(look, model):
    opened = look(address="#topic-2")
    slider = opened.page.locator("#relevance")
    for step, relevance in ((0, 0.0), (10, 1.0)):
        slider.fill(str(step))
        expect(opened.page.locator("#relevance-value")).to_have_text(f"{relevance:.1f}")
        opened.has_bars("words", model.top_words(20, relevance)[2])


def test_search_finds_words_and_texts(look, model):
    page = look().page
    page.locator("#query").fill("topic3word2")
    results = page.locator("#results")
    expect(results.locator("strong").first).to_have_text("topic3word2")
    k = int((model.theta_ * model.phi_[:, model.vocabulary_.index("topic3word2")]).argmax())
    expect(results.locator("li.chips button").first).to_have_text(re.compile(f"^{k}: "))
    n = sum("topic3word2" in text for text in TEXTS)
    expect(results).to_contain_text(f"{n} of 260 texts")
    expect(results.locator("mark").first).to_have_text("topic3word2")
    results.locator("li.chips button").first.click()
    expect(page.locator("#topic-title")).to_have_text(re.compile(f"^Topic {k}:"))
    expect(page.locator("#topic")).to_be_focused()
    assert page.locator("#topic-title").bounding_box()["y"] >= 0
    page.locator("#query").fill("TOPIC3WORD2")
    expect(results.locator("strong").first).to_have_text("topic3word2")
    expect(page.locator("#search-status")).to_have_text(f"1 word and {n} texts found")
    page.locator("#query").fill("no such word")
    expect(results).to_contain_text("No matching words")
    page.locator("#query").fill("")
    expect(results).to_be_hidden()


def test_texts_are_shown_but_never_executed(look):
    opened = look()
    opened.page.locator("#query").fill("alert(1)")
    expect(opened.page.locator("#results")).to_contain_text(EVIL)
    assert opened.page.locator("#results img").count() == 0
    assert "<b>kind 1</b>" in opened.bars("labels")
    assert opened.page.locator("b").count() == 0


def test_the_table_can_be_sorted(look, model):
    page = look().page
    rows = page.locator("#table tbody tr")

    def column(n):
        return [row.locator("td").nth(n).inner_text() for row in rows.all()]

    by_share = sorted(range(5), key=lambda k: (-model.theta_[k], k))
    assert column(0) == [str(k) for k in by_share]
    page.get_by_role("button", name="topic", exact=True).click()
    assert column(0) == ["0", "1", "2", "3", "4"]
    page.get_by_role("button", name="topic", exact=True).click()
    assert column(0) == ["4", "3", "2", "1", "0"]
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="name", exact=True).click()
    assert column(1) == sorted(model.topic_names_)
    page.get_by_role("button", name="coherence", exact=True).click()
    values = [float(value) for value in column(4)]
    assert values == sorted(values, reverse=True)
    rows.nth(3).locator("button").click()
    expect(page.locator("#topic-title")).to_contain_text(column(1)[3])
    expect(page.locator("#topic-title")).to_be_in_viewport()


def test_the_page_works_with_the_keyboard(look):
    page = look().page
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#topic")).to_be_focused()
    page.goto(f"{page.url.split('#')[0]}#topic-4")
    page.locator("#next").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#topic-title")).to_have_text(re.compile("^Topic 0:"))
    page.locator("#previous").focus()
    page.keyboard.press("Space")
    expect(page.locator("#topic-title")).to_have_text(re.compile("^Topic 4:"))
    page.locator("#relevance").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#relevance-value")).to_have_text("0.5")
    expect(page.locator("#relevance")).to_have_attribute("aria-valuetext", "0.5")


def test_an_address_opens_a_topic(look):
    page = look(390, address="#topic-3").page
    expect(page.locator("#topic-title")).to_contain_text("Topic 3:")
    expect(page.locator("#topic-title")).to_be_in_viewport()
    page.evaluate("location.hash = '#topic-1'")
    expect(page.locator("#topic-title")).to_contain_text("Topic 1:")
    expect(look(address="#topic-99").page.locator("#topic-title")).not_to_contain_text("99")


def test_a_tap_on_a_phone_scrolls_to_the_topic(look):
    page = look(390).page
    page.locator("#map .mark-text text").nth(1).click()
    expect(page.locator("#topic-title")).to_contain_text("Topic 1:")
    expect(page.locator("#topic-title")).to_be_in_viewport()


def test_the_page_works_in_the_frame_of_a_notebook(browser, model):
    page = browser.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.set_content(f"<h1>a notebook</h1>{model.report(TEXTS)._repr_html_()}")
    frame = page.frame_locator("iframe")
    for k in (1, 4):
        frame.locator("#map .mark-text text").nth(k).click()
        expect(frame.locator("#topic-title")).to_contain_text(f"Topic {k}:")
    frame.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(frame.locator("#topic")).to_be_focused()
    expect(page.locator("h1")).to_have_text("a notebook")
    page.close()
    assert messages == []


def test_a_single_topic(browser, tmp_path):
    BTM(1, random_state=0).fit(TEXTS).report(TEXTS[:1]).save(tmp_path / "one.html")
    page = browser.new_page()
    page.goto((tmp_path / "one.html").as_uri())
    expect(page.locator("header")).to_contain_text("1 topic in 1 text")
    expect(page.locator("#nearest")).to_be_hidden()
    expect(page.locator("#no-texts")).to_be_hidden()
    page.close()


def test_light_and_dark_mode(look):
    def paper(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = look(), look(scheme="dark")
    assert paper(light.page) != paper(dark.page)
    light.page.get_by_role("button", name="Dark mode").click()
    light.wait_for_charts()
    assert paper(light.page) == paper(dark.page)
    for opened in (light, dark):
        bar = opened.page.locator("#words .mark-rect path").first
        expect(bar).to_have_attribute("fill", "#56b4e9")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_overflows(look, width):
    page = look(width).page
    page.locator("#query").fill("topic")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for section in page.locator("main section:visible").all():
        box = section.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_accessibility(look, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = look(width, scheme).page
    page.locator("#query").fill("topic1word1")
    violations = axe.Axe().run(page).response["violations"]
    serious = [
        violation for violation in violations if violation["impact"] in ("serious", "critical")
    ]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in serious] == []
