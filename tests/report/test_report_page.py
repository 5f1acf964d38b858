"""The report in a real browser, without a network: what people see and do."""

import re
import time
from datetime import date, timedelta
from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus
from bittern.analysis.topic_map import map_positions, topic_distances
from known import blocks

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
PATIENCE = 30  # seconds: the machine may be busy
expect.set_options(timeout=1000 * PATIENCE)

TEXTS, TOPICS = (part[:-40] for part in blocks(n_topics=5, n_documents=300))
EVIL = "<!--<script>alert(1)</script> <img src=x onerror=alert(2)> topic0word1 topic0word2"
DAYS = [date(2024, 3, 1) + timedelta(days=i % 30) for i in range(len(TEXTS))]
LABELS = pl.Series(
    "<i>kind</i>", [f"<b>kind {k if i % 4 else 0}</b>" for i, k in enumerate(TOPICS)]
)
WIDTHS = [390, 768, 1280]


@pytest.fixture(scope="module")
def model():
    return BTM(5, random_state=1).fit(TEXTS)


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    texts = [EVIL, *TEXTS[1:]]
    model.report(texts, times=DAYS, labels=LABELS, title="Blocks & <co>").save(path)
    return path


def random_report(n_topics, path):
    """A report on random texts of many topics in families, with words as long as real ones."""
    rng = np.random.default_rng(n_topics)
    letters = np.array([*"aeioubcdfghlmnprstv"])
    words = ["".join(rng.choice(letters, size=rng.integers(3, 11))) for _ in range(40 * n_topics)]
    words = [f"{word}{chr(97 + i % 26)}" for i, word in enumerate(words)]
    documents = []
    for _ in range(60 * n_topics):
        k = int(n_topics * rng.random() ** 1.5)  # some topics are larger than others
        family = k % 5
        own = 40 * k + (40 * rng.random(5) ** 2).astype(int)
        shared = 40 * family + (40 * rng.random(2) ** 2).astype(int)
        documents.append([words[i] for i in [*own, *shared]])
    corpus = Corpus.from_tokens(documents)
    BTM(n_topics, random_state=0).fit(corpus).report(corpus).save(path)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Reports on 10, 20, 50 and 100 topics."""
    folder = tmp_path_factory.mktemp("many")
    for n_topics in (10, 20, 50, 100):
        random_report(n_topics, folder / f"{n_topics}.html")
    return folder


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
        return self.page.locator(f"#{chart} .name").all_text_contents()

    def until(self, condition):
        """Wait until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < deadline:
            self.page.wait_for_timeout(50)
        assert condition()


@pytest.fixture
def look(browser, file):
    """Open a page; at the end, it must have requested nothing and reported no error."""
    pages = []

    def open_page(width=1280, scheme="light", address="", zone="UTC", path=file):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            offline=True,
            timezone_id=zone,
        )
        page = context.new_page()
        opened = OpenPage(page)
        pages.append((context, opened, path))
        page.goto(f"{path.as_uri()}{address}")
        expect(page.locator("#map-canvas svg")).to_be_visible()
        return opened

    yield open_page
    for context, opened, path in pages:
        context.close()
        assert opened.messages == []
        assert {url.split("#")[0] for url in opened.requests} == {path.as_uri()}


def boxes(page, selector):
    """The left, top, right and bottom of elements."""
    find = """nodes => nodes.map(n => n.getBoundingClientRect()).map(
        b => [b.left, b.top, b.right, b.bottom])"""
    return np.array(page.locator(selector).evaluate_all(find)).reshape(-1, 4)


# Overview


def test_the_page_begins_with_what_the_texts_are_about(look, model):
    page = look().page
    expect(page.locator("h1")).to_have_text("Blocks & <co>")
    expect(page.locator(".lead")).to_contain_text(
        "260 texts from March 1, 2024 to March 30, 2024, sorted by their words into 5 topics."
    )
    cards = page.locator(".card")
    expect(cards).to_have_count(5)
    assert sorted(page.locator(".card h3").all_text_contents()) == sorted(model.topic_names_)
    expect(cards.first).to_be_in_viewport()
    for card in cards.all():
        expect(card.locator("blockquote mark").first).to_be_visible()
        expect(card.locator(".spark")).to_be_visible()
    assert cards.first.bounding_box()["y"] < 400


def test_a_card_opens_its_topic_and_back_returns_to_it(look):
    page = look().page
    card = page.locator(".card").nth(3)
    name = card.locator("h3").text_content()
    card.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    box = card.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 8, box["y"] + box["height"] - 8)  # anywhere on it
    expect(page.locator("#topic-title")).to_have_text(name)
    expect(page.locator("#topic-title")).to_be_in_viewport()
    assert re.search(r"#topic-\d$", page.url)
    page.go_back()
    expect(card).to_be_in_viewport()
    assert "#" not in page.url
    assert page.evaluate("scrollY") == pytest.approx(before, abs=2)
    page.go_forward()
    expect(page.locator("#topic-title")).to_be_in_viewport()


def test_the_overview_needs_no_script(browser, file, model):
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    assert sorted(page.locator(".card h3").all_text_contents()) == sorted(model.topic_names_)
    expect(page.locator("#table tbody tr")).to_have_count(5)
    for hidden in ("#map", "#topic", "#search", "#theme"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator(".noscript")).to_contain_text("need JavaScript")
    context.close()


def test_many_topics_are_listed_by_branch(look, many):
    page = look(path=many / "50.html").page
    expect(page.locator(".card")).to_have_count(9)
    expect(page.locator(".branch")).to_have_count(6)
    listed = page.locator(".branch li a").evaluate_all("links => links.map(l => l.hash)")
    topics = page.evaluate("JSON.parse(document.getElementById('data').textContent).topics")
    with_texts = [topic["topic"] for topic in topics if topic["in_use"] and topic["documents"]]
    assert sorted(listed) == sorted(f"#topic-{k}" for k in with_texts)
    assert page.locator(".branch li:visible").count() < 50
    page.locator(".branch details").first.click()
    last = page.locator(".branch").first.locator("li a").last
    name = last.text_content()
    last.click()
    expect(page.locator("#topic-title")).to_have_text(name)


# The map


def circles_of(page):
    """The centers and radii of the circles, by topic."""
    find = """links => links.map(l => [Number(l.dataset.topic), ...["cx", "cy", "r"].map(
        name => Number(l.querySelector(".circle").getAttribute(name)))])"""
    found = page.locator("#map-canvas a").evaluate_all(find)
    return np.array([circle for _, *circle in sorted(found)])


@pytest.mark.parametrize("width", [390, 1280])
def test_the_map_is_true(look, model, width):
    """Areas are numbers of texts, and a step is as long across as it is down."""
    page = look(width).page
    circles = circles_of(page)
    documents = np.bincount(model.document_info([EVIL, *TEXTS[1:]])["topic"])
    ratio = circles[:, 2] ** 2 / documents
    np.testing.assert_allclose(ratio, ratio.mean(), rtol=0.01)
    places = map_positions(topic_distances(model.theta_, model.phi_)) * [1, -1]
    steps = (circles[1:, :2] - circles[0, :2]) / (places[1:] - places[0])
    np.testing.assert_allclose(steps, steps.mean(), rtol=0.01)


@pytest.mark.parametrize("n_topics", [10, 20, 50, 100])
@pytest.mark.parametrize(("width", "readable"), [(390, 0.2), (1280, 0.8)])
def test_nothing_on_the_map_overlaps(look, many, n_topics, width, readable):
    page = look(width, path=many / f"{n_topics}.html").page
    labels, circles = boxes(page, "#map-canvas text"), boxes(page, "#map-canvas .circle")
    names = page.locator("#map-canvas text").evaluate_all(
        "t => t.map(n => Number(n.dataset.topic))"
    )
    order = page.locator("#map-canvas a").evaluate_all("a => a.map(n => Number(n.dataset.topic))")
    assert len(circles) >= 0.7 * n_topics  # those in use
    assert len(labels) >= readable * len(circles)
    assert len(set(names)) == len(names)
    for a, b in combinations(labels, 2):
        assert (a[:2] >= b[2:]).any() or (b[:2] >= a[2:]).any()
    middle, radius = (circles[:, :2] + circles[:, 2:]) / 2, (circles[:, 2] - circles[:, 0]) / 2
    for (i, a), (j, b) in combinations(enumerate(middle), 2):
        assert np.hypot(*(a - b)) >= radius[i] + radius[j] - 2  # with their outlines
    for label, topic in zip(labels, names, strict=True):
        closest = np.clip(middle, label[:2], label[2:])
        outside = np.hypot(*(closest - middle).T) >= radius - 0.8
        outside[order.index(topic)] = True  # its own
        assert outside.all()
    frame = boxes(page, "#map-canvas svg")[0]
    for box in [*labels, *circles]:
        assert (box[:2] >= frame[:2] - 1).all()
        assert (box[2:] <= frame[2:] + 1).all()


def test_the_map_is_the_same_every_time(look, many):
    first, second = (look(path=many / "50.html").page.locator("#map-canvas svg") for _ in "ab")
    assert first.inner_html() == second.inner_html()


def test_a_click_on_a_circle_opens_its_topic(look, model):
    page = look().page
    for k in range(5):
        page.locator(f"#map-canvas a[data-topic='{k}'] .circle").click()
        expect(page.locator("#topic-title")).to_have_text(model.topic_names_[k])
        expect(page.locator("#topic-title")).to_be_in_viewport()
        assert page.url.endswith(f"#topic-{k}")
        expect(page.locator("#map-canvas a.selected")).to_have_attribute("data-topic", f"{k}")


def test_the_map_works_with_the_keyboard(look, model):
    page = look().page
    assert page.locator("#map-canvas a[tabindex='0']").count() == 1
    page.locator("#map-canvas a[tabindex='0']").focus()
    circles, seen = circles_of(page), set()
    for key in ["ArrowLeft"] * 4 + ["ArrowUp"] * 4 + ["ArrowRight"] * 4 + ["ArrowDown"] * 4:
        before = int(page.evaluate("document.activeElement.dataset.topic"))
        page.keyboard.press(key)
        after = int(page.evaluate("document.activeElement.dataset.topic"))
        axis, sign = {"L": (0, -1), "R": (0, 1), "U": (1, -1), "D": (1, 1)}[key[5]]
        moved = sign * (circles[after] - circles[before])[axis]
        assert moved > 0 or before == after
        seen |= {before, after}
    assert len(seen) >= 4
    expect(page.locator("#tooltip")).to_contain_text(model.topic_names_[after])
    page.keyboard.press("Enter")
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[after])
    expect(page.locator("#topic")).to_be_focused()


@pytest.mark.parametrize("width", [390, 1280])
def test_tooltips_stay_inside_the_window_and_hold_their_text(look, many, width):
    page = look(width, path=many / "50.html").page
    page.locator("#map-canvas").scroll_into_view_if_needed()
    links = page.locator("#map-canvas a").all()
    for link in links[::5]:
        link.focus()
        # the page may scroll to the circle; the tooltip follows in the next frame
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        tooltip = page.locator("#tooltip")
        expect(tooltip).to_be_visible()
        left, top, right, bottom = boxes(page, "#tooltip")[0]
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= 900
        size = tooltip.evaluate(
            "t => [t.scrollWidth - t.clientWidth, t.scrollHeight - t.clientHeight]"
        )
        assert size == [0, 0]
    page.keyboard.press("Escape")
    expect(page.locator("#tooltip")).to_be_hidden()


# One topic


def test_the_largest_topic_is_shown_first(look, model):
    opened = look()
    documents = np.bincount(model.document_info([EVIL, *TEXTS[1:]])["topic"])
    largest = int(documents.argmax())
    expect(opened.page.locator("#topic-title")).to_have_text(model.topic_names_[largest])
    expect(opened.page.locator("#facts")).to_contain_text(
        f"20% of texts · {documents[largest]} texts"
    )
    assert opened.bars("words") == model.top_words(20, 0.6)[largest]


def test_a_topic_has_its_words_texts_and_groups(look, model):
    opened = look()
    page = opened.page
    index = {word: i for i, word in enumerate(model.vocabulary_)}
    for k in range(5):
        page.evaluate(f"location.hash = '#topic-{k}'")
        expect(page.locator("#topic-title")).to_have_text(model.topic_names_[k])
        assert opened.bars("words") == model.top_words(20, 0.6)[k]
        widths = [box[2] - box[0] for box in boxes(page, "#words .bar")]
        inside = model.phi_[k, [index[word] for word in opened.bars("words")]]
        np.testing.assert_allclose(widths[:6] / widths[0], inside[:6] / inside[0], rtol=0.02)
        best = page.locator("#texts li")
        expect(best).to_have_count(8)
        own = model.top_words(1)[k][0][: len("topic0")]
        for text in best.all_text_contents():
            assert own in text
        expect(best.first).to_contain_text(
            re.compile(r"Mar \d+, 2024 · <b>kind \d</b> · 9\d% about")
        )
        block = int(own.removeprefix("topic"))
        assert f"<b>kind {block}</b>" in opened.bars("labels")[:2]
        nearest = page.locator("#nearest a").all_text_contents()
        assert len(nearest) == 4
        assert model.topic_names_[k] not in nearest
    expect(page.locator("#labels-title")).to_have_text("<i>kind</i>")


def test_top_words_are_highlighted_in_texts(look):
    opened = look()
    shown = set(opened.bars("words"))
    items = opened.page.locator("#texts li")
    expect(items).to_have_count(8)
    for item in items.all():
        marked = {word.lower() for word in item.locator("mark").all_text_contents()}
        assert len(marked) >= 2
        assert marked <= shown


def test_shares_over_time_follow_the_topic_and_explain_themselves(look):
    page = look(address="#topic-0").page
    seen = set()
    for k in range(5):
        page.evaluate(f"location.hash = '#topic-{k}'")
        expect(page.locator("#topic")).to_be_focused()
        seen.add(page.locator("#periods .line").get_attribute("d"))
    assert len(seen) == 5
    box = page.locator("#periods svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 60)
    expect(page.locator("#tooltip")).to_contain_text("March 30, 2024")
    expect(page.locator("#tooltip")).to_contain_text(re.compile(r"\d+% \(.*% to \d+%\)"))
    expect(page.locator("#tooltip")).to_contain_text("8 texts in all")
    page.mouse.move(0, 0)
    expect(page.locator("#tooltip")).to_be_hidden()
    ticks = boxes(page, "#periods text")
    for a, b in combinations(ticks, 2):
        assert (a[:2] >= b[2:]).any() or (b[:2] >= a[2:]).any()


@pytest.mark.parametrize("days", [7, 330, 365, 4000])
def test_dates_below_the_shares_do_not_overlap(look, model, tmp_path, days):
    times = [date(2024, 11, 1) + timedelta(days=days * i // len(TEXTS)) for i in range(len(TEXTS))]
    path = tmp_path / "report.html"
    model.report(TEXTS, times=times, labels=LABELS).save(path)
    dates = boxes(look(path=path).page, "#periods text[text-anchor=middle]")
    assert len(dates) >= 2
    for before, after in pairwise(dates):
        assert before[2] + 4 < after[0]


def test_days_do_not_depend_on_the_time_zone(look):
    days = []
    for zone in ("UTC", "America/Los_Angeles", "Pacific/Kiritimati"):
        page = look(zone=zone).page
        days.append(page.locator("#periods text, #texts .muted").all_text_contents())
    assert "Mar 1" in days[0]
    assert days[1] == days[2] == days[0]


def test_the_slider_changes_the_words(look, model):
    opened = look(address="#topic-2")
    slider = opened.page.locator("#relevance")
    for step, relevance in ((0, 0.0), (10, 1.0)):
        slider.fill(str(step))
        expect(slider).to_have_attribute("aria-valuetext", f"{relevance:.1f}")
        assert opened.bars("words") == model.top_words(20, relevance)[2]


@pytest.mark.filterwarnings("ignore::bittern.errors.CopiesWarning")
def test_bursts_are_told_with_their_words(browser, tmp_path):
    rng = np.random.default_rng(0)
    texts, _ = blocks(n_documents=1200)
    days = [date(2024, 1, 1) + timedelta(days=int(day)) for day in rng.integers(30, size=1200)]
    texts += ["topic0word1 topic0word2 quake"] * 100
    days += [date(2024, 1, 20)] * 100
    BTM(4, random_state=1).fit(texts).report(texts, times=days).save(tmp_path / "burst.html")
    page = browser.new_page()
    page.goto((tmp_path / "burst.html").as_uri())
    expect(page.locator("#bursts li")).to_have_text(
        re.compile(r"^January 20, 2024: \d.* times the usual share; more often than usual: .*quake")
    )
    assert page.locator("#periods .burst").count() == 1
    expect(page.locator(".card .trend").first).to_contain_text("peak on January 20, 2024")
    page.close()


# Search, table and navigation


def test_search_finds_topics_words_and_texts(look, model):
    page = look().page
    page.locator("#query").fill("topic3word2")
    results = page.locator("#results")
    expect(results.locator("strong").first).to_have_text("topic3word2")
    k = int((model.theta_ * model.phi_[:, model.vocabulary_.index("topic3word2")]).argmax())
    found = results.locator("li li a").first
    expect(found).to_contain_text(model.topic_names_[k])
    n = sum("topic3word2" in text for text in TEXTS)
    expect(results).to_contain_text(f"{n} of 260 texts")
    expect(results.locator("mark").first).to_have_text("topic3word2")
    found.click()
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[k])
    expect(page.locator("#topic")).to_be_focused()
    assert page.locator("#topic-title").bounding_box()["y"] >= 0
    page.locator("#query").fill("TOPIC3WORD2")
    expect(results.locator("strong").first).to_have_text("topic3word2")
    expect(page.locator("#search-status")).to_contain_text(f"1 word and {n} texts found")
    page.locator("#query").fill(model.topic_names_[k])
    expect(results.locator("h3").first).to_have_text("Topics")
    expect(page.locator("#search-status")).to_contain_text("1 topic,")
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
    assert opened.page.locator("b, i, img").count() == 0


def test_names_are_shown_but_never_executed(look, model, tmp_path):
    named = BTM(5, random_state=1).fit(TEXTS)
    named.name_topics([f"{EVIL} {k}" for k in range(4)] + ["x" * 300])
    report = named.report(TEXTS, times=DAYS, labels=LABELS.alias(EVIL), title=EVIL)
    report.save(tmp_path / "evil.html")
    page = look(390, path=tmp_path / "evil.html").page
    expect(page.locator("h1")).to_have_text(EVIL)
    start = EVIL[:40]
    for part in (".card h3", "#table td", "#labels-title"):
        expect(page.locator(part).filter(has_text=start).first).to_be_visible()
    page.locator("#map-canvas a[data-topic='1']").focus()
    expect(page.locator("#tooltip")).to_contain_text(start)
    page.keyboard.press("Enter")
    expect(page.locator("#topic-title")).to_contain_text(start)
    page.locator("#query").fill("alert(1)")
    assert page.locator("img, b, i").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_table_can_be_sorted(look, model):
    page = look().page
    rows = page.locator("#table tbody tr")

    def column(name):
        return rows.locator(f"td[data-name='{name}']").all_text_contents()

    sizes = [int(n) for n in column("texts")]
    assert sizes == sorted(sizes, reverse=True)
    header = page.locator("#table thead")
    header.get_by_role("button", name="Number").click()
    assert column("number") == ["0", "1", "2", "3", "4"]
    header.get_by_role("button", name="Number").click()
    assert column("number") == ["4", "3", "2", "1", "0"]
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    header.get_by_role("button", name="Topic").click()
    assert rows.locator("td:first-child").all_inner_texts() == sorted(model.topic_names_)
    header.get_by_role("button", name="Coherence").click()
    values = [float(value.replace("−", "-")) for value in column("coherence")]
    assert values == sorted(values, reverse=True)
    name = rows.nth(3).locator("a").inner_text()
    rows.nth(3).locator("a").click()
    expect(page.locator("#topic-title")).to_have_text(name)
    expect(rows.nth(3)).to_have_attribute("aria-current", "true")


def test_the_rows_of_many_topics_unfold(look, many):
    page = look(path=many / "50.html").page
    expect(page.locator("#table tbody tr:visible")).to_have_count(25)
    page.get_by_role("button", name="Show all 50 topics").click()
    expect(page.locator("#table tbody tr:visible")).to_have_count(50)


def test_hardly_used_topics_are_out_of_the_way_and_named_as_such(look, tmp_path):
    model = BTM(20, word_prior=1.0, random_state=0).fit(blocks()[0])  # a prior that starves topics
    model.report(TEXTS).save(tmp_path / "unused.html")
    page = look(path=tmp_path / "unused.html").page
    expect(page.locator("#eyebrow")).to_have_text("Topic 1 of 4 by size")
    expect(page.locator("#map-canvas a")).to_have_count(4)
    expect(page.locator("#table tbody tr:visible")).to_have_count(4)
    page.get_by_text("16 topics hardly used").click()
    link = page.locator(".quiet a").first
    number = link.text_content()
    link.click()
    expect(page.locator("#topic-title")).to_have_text(f"{number} (hardly used)")
    expect(page.locator("#eyebrow")).to_have_text("Hardly used topic")
    expect(page.locator("#words li")).to_have_count(0)
    page.get_by_role("button", name="Show all 20 topics").click()
    expect(page.locator("#table tbody tr:visible")).to_have_count(20)
    expect(page.locator("#table tbody tr").last).to_contain_text("(hardly used)")


def test_a_phone_shows_every_column_of_the_table(look):
    page = look(390).page
    for cell in page.locator("#table tbody tr").first.locator("td:not(:empty)").all():
        expect(cell).to_be_visible()
        box = cell.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    first = page.locator("#table tbody tr").first.locator("td[data-name='coherence']")
    label = first.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert "attr(data-name)" in label or "coherence" in label
    page.locator("#table thead").get_by_role("button", name="Number").click()
    assert page.locator("#table td[data-name='number']").first.text_content() == "0"


def test_the_page_works_with_the_keyboard(look, model):
    page = look().page
    order = page.locator("#table tbody tr").evaluate_all("r => r.map(n => Number(n.dataset.topic))")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#topic")).to_be_focused()
    page.goto(f"{page.url.split('#')[0]}#topic-{order[-1]}")
    page.locator("#next").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[order[0]])
    page.locator("#previous").focus()
    page.keyboard.press("Space")
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[order[-1]])
    page.locator("#relevance").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#relevance")).to_have_attribute("aria-valuetext", "0.5")
    page.locator(".card a").nth(2).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[order[2]])


def test_an_address_opens_a_topic(look, model):
    page = look(390, address="#topic-3").page
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[3])
    expect(page.locator("#topic-title")).to_be_in_viewport()
    page.evaluate("location.hash = '#topic-1'")
    expect(page.locator("#topic-title")).to_have_text(model.topic_names_[1])
    expect(look(address="#topic-99").page.locator("h1")).to_be_in_viewport()


def test_the_page_works_in_the_frame_of_a_notebook(browser, model):
    context = browser.new_context(offline=True)
    page = context.new_page()
    messages, requests = [], []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.set_content(f"<h1>a notebook</h1>{model.report(TEXTS)._repr_html_()}")
    frame = page.frame_locator("iframe")
    for k in (1, 4):
        frame.locator(f"#map-canvas a[data-topic='{k}'] .circle").click()
        expect(frame.locator("#topic-title")).to_have_text(model.topic_names_[k])
    frame.locator(".card a").first.click()
    expect(frame.locator("#topic-title")).to_be_in_viewport()
    frame.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(frame.locator("#topic")).to_be_focused()
    expect(page.locator("h1")).to_have_text("a notebook")
    context.close()
    assert messages == []
    assert all(url.startswith("about:") for url in requests)


def test_a_single_topic(browser, tmp_path):
    BTM(1, random_state=0).fit(TEXTS).report(TEXTS[:1]).save(tmp_path / "one.html")
    page = browser.new_page()
    page.goto((tmp_path / "one.html").as_uri())
    expect(page.locator(".lead")).to_have_text(
        re.compile(r"^1 text,\s+sorted by their words into 1 topic\.\s*$")
    )
    expect(page.locator("#similar")).to_be_hidden()
    expect(page.locator("#no-texts")).to_be_hidden()
    page.close()


# Layout


def test_light_and_dark_mode(look):
    def paper(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = look().page, look(scheme="dark").page
    assert paper(light) != paper(dark)
    light.get_by_role("button", name="Dark mode").click()
    assert paper(light) == paper(dark)
    light.get_by_role("button", name="Light mode").click()
    assert paper(light) != paper(dark)


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows(look, many, width):
    for path in (None, many / "100.html"):
        page = (look(width) if path is None else look(width, path=path)).page
        page.locator("#query").fill("a")
        page.evaluate(
            "for (const details of document.querySelectorAll('details')) details.open = true"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        find = """nodes => nodes.filter(n => n.clientWidth && n.scrollWidth > n.clientWidth + 1
                && !n.closest(".visually-hidden"))
            .map(n => n.outerHTML.slice(0, 80))"""
        parts = "section, .card, .card *:not(svg, svg *), .bars *, td, li, p, h2, h3, dd, summary"
        assert page.locator(parts).evaluate_all(find) == []


@pytest.mark.parametrize("width", [390, 768, 1000, 1280])
def test_names_in_the_table_have_room(look, many, width):
    page = look(width, path=many / "50.html").page
    names = boxes(page, "#table tbody tr:not(.folded) td:first-child")
    assert (names[:, 2] - names[:, 0] >= 170).all()
    links = boxes(page, "#table tbody tr:not(.folded) td:first-child a")
    assert (links[:, 3] - links[:, 1] <= 55).all()  # two lines


@pytest.mark.parametrize("with_times", [False, True])
@pytest.mark.parametrize("with_groups", [False, True])
def test_there_are_no_holes_at_1280_pixels(look, model, tmp_path, with_groups, with_times):
    """The two columns of a topic, and the map and its legend, have similar heights."""
    times, labels = DAYS if with_times else None, LABELS if with_groups else None
    model.report(TEXTS, times=times, labels=labels).save(tmp_path / "page.html")
    page = look(path=tmp_path / "page.html").page
    ends = page.locator("#topic-columns > div").evaluate_all(
        """columns => columns.map(c => Math.max(
            ...[...c.children].map(part => part.getBoundingClientRect().bottom)))"""
    )
    assert abs(ends[0] - ends[1]) < 350
    for section in page.locator("main > section:visible").all():
        box = section.bounding_box()
        inside = boxes(page, f"#{section.get_attribute('id')} :not(svg *)")
        inside = inside[(inside[:, 2] > inside[:, 0]) & (inside[:, 3] > inside[:, 1])]
        assert box["y"] + box["height"] - inside[:, 3].max() < 40


def luminance(color):
    """The relative luminance of an RGB color from 0 to 255."""
    parts = np.array(color) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [
        *(0.2126, 0.7152, 0.0722)
    ]


MACHADO = {  # how colors appear to color-blind people (Machado, Oliveira and Fernandes, 2009)
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
}


def oklab(color):
    """A color in a space in which distances are differences that people see."""
    linear = np.clip(color, 0, 1)
    cone = np.cbrt(
        np.array(
            [
                [0.4122, 0.5363, 0.0514],
                [0.2119, 0.6807, 0.1074],
                [0.0883, 0.2817, 0.6300],
            ]
        )
        @ linear
    )
    return (
        np.array(
            [
                [0.2105, 0.7936, -0.0041],
                [1.9780, -2.4286, 0.4506],
                [0.0259, 0.7828, -0.8087],
            ]
        )
        @ cone
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colors_of_branches_are_visible_and_differ_for_everyone(look, many, scheme):
    page = look(scheme=scheme, path=many / "50.html").page
    find = """nodes => nodes.map(n => getComputedStyle(n).borderTopColor).map(
        color => color.match(/[\\d.]+/g).map(Number))"""
    colors = page.locator(".branch").evaluate_all(find)
    paper = page.evaluate("getComputedStyle(document.querySelector('#map')).backgroundColor")
    background = luminance([float(part) for part in re.findall(r"[\d.]+", paper)])
    assert len({tuple(color) for color in colors}) == 6
    for color in colors:
        low, high = sorted([luminance(color), background])
        assert (high + 0.05) / (low + 0.05) >= 3
    linear = [((np.array(color) / 255 + 0.055) / 1.055) ** 2.4 for color in colors]
    for seen in [np.eye(3), *map(np.array, MACHADO.values())]:
        for a, b in combinations(linear, 2):
            assert np.linalg.norm(oklab(seen @ a) - oklab(seen @ b)) > 0.08


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_accessibility(look, many, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for path in (None, many / "20.html"):
        page = (look(width, scheme) if path is None else look(width, scheme, path=path)).page
        page.locator("#query").fill("topic1word1")
        page.evaluate(
            "for (const details of document.querySelectorAll('details')) details.open = true"
        )
        violations = axe.Axe().run(page).response["violations"]
        assert [(violation["id"], violation["nodes"][0]["html"]) for violation in violations] == []
