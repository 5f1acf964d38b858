"""The contents of a report; test_report_page.py opens the page in a browser."""

import json
import re
import subprocess
import sys
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus, load
from bittern.algorithms import OnlineBTM
from bittern.analysis.documents import document_topics
from bittern.analysis.quality import MEASURES, exclusivity
from bittern.analysis.topic_map import topic_distances
from bittern.errors import InputError
from bittern.fitted import encode_documents
from bittern.report import check_page, contents, make_report, summary
from bittern.report.contents import N_WORDS, RELEVANCES
from bittern.report.summary import label_groups, single_lines, summarize
from known import blocks

TEXTS, TOPICS = blocks()
EVIL = "<!--<script>alert(1)</script> & </script><b>topic0word1 topic0word2</b> “quoted”"


def dated():
    """Texts of unequal topics: 0 rises, 3 bursts on three days; labels are mostly the topics."""
    rng = np.random.default_rng(0)
    texts, days, labels = [EVIL], [date(2024, 1, 1)], ["evil"]
    for day in range(40):
        shares = np.array([5 + day, 20, 15, 60 if day in (20, 21, 22) else 5], float)
        for k in rng.choice(4, size=60, p=shares / shares.sum()):
            texts.append(" ".join(f"topic{k}word{w}" for w in rng.integers(6, size=5)))
            days.append(date(2024, 1, 1) + timedelta(days=day))
            labels.append(f"kind {k if rng.random() < 0.8 else rng.integers(6)}")
    return texts, days, labels


@pytest.fixture(scope="module")
def model():
    return BTM(4, n_init=3, random_state=1).fit(dated()[0])


@pytest.fixture(scope="module")
def corpus(model):
    texts, days, labels = dated()
    return Corpus.from_texts(
        texts, times=days, labels=labels, vocabulary=model.vocabulary_, keep_texts=True
    )


@pytest.fixture(scope="module")
def html(model, corpus):
    return model.report(corpus, title="A <title>").html


def page_data(html):
    """The data that the page's script reads."""
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.S)[1])


def card_rows(html):
    return dict(re.findall(r'<dt>(.*?)</dt><dd(?: class="value")?>(.*?)</dd>', html))


def test_topics_have_the_numbers_of_the_model(model, corpus, html):
    topics = pl.DataFrame(page_data(html)["topics"])
    assert topics["topic"].to_list() == [0, 1, 2, 3]
    assert topics["name"].to_list() == model.topic_names_
    np.testing.assert_allclose(topics["biterms"], model.theta_, rtol=1e-3)
    main = model.document_info(corpus)["topic"].to_numpy()
    np.testing.assert_array_equal(topics["documents"], np.bincount(main))
    np.testing.assert_allclose(topics["share"], np.bincount(main) / len(main), rtol=1e-3)
    np.testing.assert_array_equal(page_data(html)["order"], np.argsort(-np.bincount(main)))
    np.testing.assert_allclose(topics["coherence"], model.coherence(corpus), rtol=1e-3)
    np.testing.assert_allclose(topics["exclusivity"], exclusivity(model.phi_), rtol=1e-3)
    distances = topic_distances(model.theta_, model.phi_)
    for k, nearest in enumerate(topics["nearest"]):
        assert nearest.to_list() == [j for j in distances[k].argsort(kind="stable") if j != k]


def test_words_are_those_of_the_model_at_every_relevance(model, html):
    data = page_data(html)
    assert data["relevances"] == pytest.approx(RELEVANCES)
    assert data["relevances"][data["initial_relevance"]] == 0.6
    index = {word: i for i, word in enumerate(model.vocabulary_)}
    for step, relevance in enumerate(RELEVANCES):
        for k, words in enumerate(model.top_words(N_WORDS, float(relevance))):
            own = data["words"][k]
            assert [data["terms"][own["terms"][i]] for i in own["order"][step]] == words
            inside = [own["inside"][i] for i in own["order"][step]]
            np.testing.assert_allclose(inside, model.phi_[k, [index[w] for w in words]], rtol=1e-3)
    overall = model.theta_ @ model.phi_
    columns = data["terms"], data["overall"], data["term_topics"]
    for word, p, topics in zip(*columns, strict=True):
        joint = model.theta_ * model.phi_[:, index[word]] / overall[index[word]]
        assert p == pytest.approx(overall[index[word]], rel=1e-3)
        assert [k for k, _ in topics] == np.argsort(-joint, kind="stable")[:3].tolist()
        assert [share for _, share in topics] == np.rint(100 * np.sort(joint)[::-1][:3]).tolist()


def test_search_covers_frequent_words_that_no_topic_shows():
    texts = [f"{text} everywhere{i % 40}" for i, text in enumerate(TEXTS)]
    model = BTM(4, random_state=0).fit(texts)
    assert set(page_data(model.report(texts).html)["terms"]) == set(model.vocabulary_)


def test_texts_of_a_topic_are_the_representative_ones(model, corpus, html):
    data = page_data(html)
    for k, best in enumerate(data["representative"]):
        texts = [data["texts"][i]["text"] for i, _ in best]
        rows = model.representative(corpus, contents.N_REPRESENTATIVE).filter(pl.col("topic") == k)
        assert texts == rows["text"].to_list()
        assert len(set(texts)) == contents.N_REPRESENTATIVE
        np.testing.assert_allclose([share for _, share in best], rows["probability"], atol=6e-4)
        for (i, _), document in zip(best, rows["id"], strict=True):
            assert data["texts"][i]["time"] == str(corpus.times[document])
            assert data["texts"][i]["label"] == corpus.labels[document]


def test_repeated_and_empty_texts_are_not_representative(model):
    texts = ["topic0word1 topic0word2 topic0word3"] * 100 + TEXTS[:100] + ["", None] * 20
    data = page_data(model.report(texts).html)
    assert [len(best) for best in data["representative"]] == [contents.N_REPRESENTATIVE] * 4
    for best in data["representative"]:
        found = [data["texts"][i]["text"] for i, _ in best]
        assert len(set(found)) == len(found)
        assert "" not in found
    few = page_data(model.report([*TEXTS[:2], "", None]).html)
    assert sorted(map(len, few["representative"])) == [0, 0, 1, 1]


def test_a_summary_in_chunks_is_the_same(model, corpus):
    groups = {"label": label_groups(corpus.labels)}
    whole = summarize(model.fitted_, corpus, groups, 5, 50)
    pieces = summarize(model.fitted_, corpus, groups, 5, 50, chunk_size=37)
    np.testing.assert_array_equal(whole.main_topics, pieces.main_topics)
    np.testing.assert_array_equal(whole.documents, pieces.documents)
    np.testing.assert_allclose(whole.sums["label"], pieces.sums["label"], rtol=1e-5)
    assert whole.representative.equals(pieces.representative)
    assert whole.shown.equals(pieces.shown)
    shares = document_topics(model.theta_, model.phi_, corpus)
    for name, sums in zip(groups["label"].names, whole.sums["label"], strict=True):
        mine = shares[(corpus.labels == name).to_numpy()].sum(axis=0)
        np.testing.assert_allclose(sums, mine, rtol=1e-5)


def test_times(model, corpus, html):
    periods = page_data(html)["periods"]
    found = model.timeline(corpus)
    assert periods["starts"] == [str(day) for day in sorted(set(corpus.times))]
    assert periods["documents"] == [61, *[60] * 39]
    for k, table in enumerate(found.shares.partition_by("topic", maintain_order=True)):
        for name in ("share", "low", "high"):
            np.testing.assert_allclose(periods[name][k], table[name], rtol=1e-3)
    assert periods["period"] == "day"
    words = {"rises": "rising", "falls": "falling", "": ""}
    assert periods["trends"] == [words[trend] for trend in found.trends["trend"]]
    assert "rising" in periods["trends"]
    starts = periods["starts"]
    bursts = [
        (k, *(starts[burst[name]] for name in ("first", "last", "peak")), burst["times"])
        for k, bursts in enumerate(periods["bursts"])
        for burst in bursts
    ]
    expected = [
        (
            row["topic"],
            *(str(row[name]) for name in ("start", "end", "peak")),
            pytest.approx(row["times"], abs=0.06),
        )
        for row in found.bursts.sort("topic", "start").to_dicts()
    ]
    assert bursts == expected
    assert ("2024-01-21", "2024-01-23") in [burst[1:3] for burst in bursts]


@pytest.mark.parametrize(
    ("days", "period"),
    [(30, "day"), (200, "week"), (1000, "month"), (3000, "quarter"), (9000, "year")],
)
def test_periods_are_named_by_their_length(model, days, period):
    times = [date(2000, 1, 1) + timedelta(days=i * days // 20) for i in range(21)]
    assert page_data(model.report(TEXTS[:21], times=times).html)["periods"]["period"] == period


def test_bursts_have_the_words_that_they_are_about():
    rng = np.random.default_rng(0)
    texts, days = [], []
    for day in range(30):
        for _ in range(150 if day == 12 else 40):
            k = 0 if day == 12 and rng.random() < 0.7 else rng.integers(4)
            words = [f"topic{k}word{w}" for w in rng.integers(6, size=5)]
            texts.append(" ".join([*words, "quake"] if day == 12 and k == 0 else words))
            days.append(date(2024, 1, 1) + timedelta(days=day))
    model = BTM(4, random_state=0).fit(texts)
    periods = page_data(model.report(texts, times=days).html)["periods"]
    (burst,) = [burst for bursts in periods["bursts"] for burst in bursts]
    assert periods["starts"][burst["first"]] == periods["starts"][burst["last"]] == "2024-01-13"
    assert burst["words"] == ["quake"]


def test_labels(model, corpus, html):
    labels = page_data(html)["labels"]
    shares = document_topics(model.theta_, model.phi_, corpus)
    given = corpus.labels.to_numpy()
    for k in range(4):
        inside = {name: shares[given == name, k].sum() / shares[:, k].sum() for name in set(given)}
        found = [labels["names"][i] for i in labels["order"][k]]
        assert set(found) == set(inside)
        np.testing.assert_allclose(labels["inside"][k], [inside[name] for name in found], rtol=1e-3)
        assert labels["inside"][k] == sorted(labels["inside"][k], reverse=True)
    assert labels["column"] == "Group"
    overall = [np.mean(given == name) for name in labels["names"]]
    np.testing.assert_allclose(labels["overall"], overall, rtol=1e-3)


def test_groups_are_called_as_their_column(model):
    given = pl.Series("<b>region</b>", ["North", "South"] * 10)
    html = model.report(TEXTS[:20], labels=given).html
    assert page_data(html)["labels"]["column"] == "<b>region</b>"
    assert "<bdi>&lt;b&gt;region&lt;/b&gt;</bdi>" in html
    assert (
        "<b>region"
        not in html.replace(json.dumps("<b>region<\\/b>")[1:-1], "").split(
            '<script type="application/json"'
        )[0]
    )
    long = model.report(TEXTS[:20], labels=given.alias("x" * 999)).html
    assert len(page_data(long)["labels"]["column"]) == contents.MAX_WORD_BYTES - 4


def test_rare_labels_are_counted_together(model, monkeypatch):
    monkeypatch.setattr(summary, "MAX_LABELS", 2)
    groups = label_groups(pl.Series(["b", None, "a", "b", "c", "d", "a", "c"]))
    assert groups.names.to_list() == ["a", "b", None]
    assert groups.codes.tolist() == [1, -1, 0, 1, 2, 2, 0, 2]
    assert groups.documents.tolist() == [2, 2, 3]
    labels = page_data(model.report(TEXTS[:8], labels=[*"aabbcdef"]).html)["labels"]
    assert labels["overall"][:2] == [0.25, 0.25]
    assert {label for order in labels["order"] for label in order} == {0, 1}


@pytest.mark.parametrize("missing", [None, np.nan, pl.Series([None] * 20, dtype=pl.String)])
def test_labels_that_are_all_missing_are_not_shown(model, missing):
    given = missing if isinstance(missing, pl.Series) else [missing] * 20
    html = model.report(TEXTS[:20], labels=given).html
    assert page_data(html)["labels"] is None
    assert "<dt>purity</dt>" not in html


def test_texts_cannot_become_markup(model):
    html = model.report([EVIL, *TEXTS[:20]], title="A <title>").html
    assert EVIL in {row["text"] for row in page_data(html)["texts"]}
    assert "alert(1)</script>" not in html
    assert "<!--<script" not in html
    assert "<title>A &lt;title&gt;</title>" in html
    assert "default-src 'none'" in html  # the browser refuses to load anything
    assert "unsafe-eval" not in html


def test_a_page_without_times_labels_and_texts(model):
    tokens = Corpus.from_tokens([text.split() for text in TEXTS])
    data = page_data(model.report(tokens).html)
    assert data["periods"] is None
    assert data["labels"] is None
    assert data["texts"][0]["text"] in set(TEXTS)
    one = page_data(BTM(1, random_state=0).fit(TEXTS).report(TEXTS[:3]).html)
    assert one["topics"][0]["nearest"] == []


def test_a_page_needs_neither_altair_nor_vega(model):
    html = model.report(TEXTS).html
    assert len(html.encode()) < 300_000
    code = (
        "import sys; sys.modules['altair'] = sys.modules['vl_convert'] = None\n"
        "from bittern import BTM\n"
        "texts = ['cats purr', 'dogs bark'] * 20\n"
        "BTM(2, random_state=0).fit(texts).report(texts)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "vega" not in html.lower()


def test_numbers_agree_with_their_nouns(model):
    html = model.report([TEXTS[0], "-", "?"]).html
    assert re.search(r"<strong>3 texts</strong>", html)
    assert "2 texts without a word that the model knows\n  have no topic" in html
    assert "100% of texts" in html
    assert " · 1 text<" in html
    assert not re.search(r"\b1 (texts|topics)\b", html)
    assert re.search(r"<strong>1 text</strong>,\s+sorted", model.report(TEXTS[:1]).html)


def test_topics_without_texts_are_named_as_such(model):
    html = model.report([TEXTS[0]]).html
    assert "3 topics without texts" in html


def test_missing_and_wrong_times(model):
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(20)]
    data = page_data(model.report(["nothing of it", *TEXTS[:20]], times=[None, *days]).html)
    assert sum(data["periods"]["documents"]) == 20
    for one in (["2024-05-01"] * 20, [None] * 20, [None] * 19 + [days[0]]):
        assert page_data(model.report(TEXTS[:20], times=one).html)["periods"] is None
    with pytest.warns(
        UserWarning, match="dates from 0001-01-01 to 2024-01-20 span more than 120 years"
    ):
        data = page_data(model.report(TEXTS[:20], times=[date(1, 1, 1), *days[1:]]).html)
    assert data["periods"] is None


@pytest.mark.slow
@pytest.mark.parametrize("character", ["ж", "<", "\x00", "😀", '"'])
def test_a_page_of_a_hundred_topics_stays_small(character):
    rng = np.random.default_rng(0)
    words = [f"{character * 300}w{i}" for i in range(3000)]
    tokens = [[words[i] for i in rng.integers(3000, size=12)] for _ in range(4000)]
    days = [date(1904 + i % 120, 1, 1) for i in range(4000)]
    labels = [f"{i % 2000} {character * 3000}" for i in range(4000)]
    corpus = Corpus.from_tokens(tokens, times=days, labels=labels)
    model = BTM(100, random_state=0).fit(corpus).name_topics({0: character * 9999})
    report = model.report(corpus)
    assert len(report.html.encode()) < 5e6


def test_labels_are_truncated_to_one_line():
    given = pl.Series([" a\n b\x00\tc ", "x" * 30, None, ""])
    assert single_lines(given, 20).to_list() == ["a b c", "x" * 19 + "…", None, ""]


def test_texts_are_truncated_to_one_line(model):
    assert (
        page_data(model.report(["topic0word1 topic0word2 e\u0301cole"]).html)["texts"][0]["text"][
            -5:
        ]
        == "école"
    )
    letters = ["x", "ж", "字", "😀", '"', "\x01"]
    texts = [f"topic0word1 topic0word{i} {x * 1000}" for i, x in enumerate(letters)]
    rows = page_data(model.report([*texts, "topic0word1\n\ttopic0word2"]).html)["texts"]
    *long, short = (row["text"] for row in rows)
    assert short == "topic0word1 topic0word2"
    for text in long:
        assert text.endswith("…")
        size = len(json.dumps(text, ensure_ascii=False).encode())
        assert contents.MAX_TEXT_BYTES - 6 < size <= contents.MAX_TEXT_BYTES


def test_scores_of_a_sample_are_marked(model, monkeypatch):
    monkeypatch.setattr(contents, "MAX_SCORED", 100)
    assert "Scores are of a random sample of 100 texts." in model.report(TEXTS).html
    labels = ["one", *[None] * (len(TEXTS) + 499)]  # the sample may have none
    html = model.report(TEXTS + [""] * 500, labels=labels).html
    assert page_data(html)["labels"]["names"] == ["one"]


def test_notebooks_display_the_page_in_a_frame(model):
    report = model.report(TEXTS)
    frame = report._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame
    assert "MB" in repr(report)


def test_unsuitable_file_names_are_rejected_before_any_work(model, tmp_path, call):
    report = model.report(TEXTS)
    with pytest.raises(
        InputError, match=r"report\.pdf: a report is an HTML page; use a name that ends in \.html"
    ):
        report.save(tmp_path / "report.pdf")
    with pytest.raises(FileNotFoundError, match="none"):
        report.save(tmp_path / "none" / "report.html")
    model.save(tmp_path / "model")
    (tmp_path / "texts.txt").write_text("topic0word1 topic0word2\n")
    page = tmp_path / "report.pdf"
    code, _, err = call("report", tmp_path / "model", tmp_path / "texts.txt", "--out", page)
    assert code == 2
    assert "use a name that ends in .html" in err


def test_unsuitable_documents_are_rejected(model):
    with pytest.raises(InputError, match="400 documents but 3 labels"):
        model.report(TEXTS, labels=[1, 2, 3])
    with pytest.raises(InputError, match="no texts to report on"):
        model.report([])
    with pytest.raises(InputError, match="no word of these texts"):
        model.report(["nothing of it"])
    with pytest.raises(InputError, match="pass the column"):
        model.report(pl.DataFrame({"text": TEXTS, "n": range(len(TEXTS))}))
    assert page_data(model.report(TEXTS[:3], labels=[1, "a", [2]]).html)["labels"]["names"]


def test_the_report_command(model, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    model.save("model")
    texts, days, labels = dated()
    pl.DataFrame({"answer": texts, "day": days, "kind": labels}).write_csv("answers.csv")
    options = ("--text", "answer", "--time", "day", "--label", "kind", "--out", "page.html")
    code, _, err = call("report", "model", "answers.csv", *options)
    assert code == 0
    assert "Wrote the report. Open page.html in a browser." in err
    html = (tmp_path / "page.html").read_text("utf-8")
    assert '<h1 dir="auto">Topics of answers.csv</h1>' in html
    data = page_data(html)
    assert data["labels"]["column"] == "kind"
    assert sum(data["periods"]["documents"]) == len(texts)
    assert len(data["labels"]["names"]) == len(set(labels))
    (tmp_path / "empty.csv").write_text("answer\n")
    code, _, err = call("report", "model", "empty.csv", "--text", "answer", "--out", "x.html")
    assert code == 2
    assert "no texts" in err
    assert not (tmp_path / "x.html").exists()


def test_the_card_has_the_scores_of_the_model(model, corpus, html):
    card = card_rows(html)
    for name, value in model.quality(corpus).items():
        assert card[MEASURES[name].label] == f"{value:.3f}".replace("-", "−")


def test_every_measure_of_the_card_says_what_it_means(html):
    for measure in MEASURES.values():
        row = re.search(
            rf"<dt>{re.escape(measure.label)}</dt>.*?<dd class=\"muted\">(.*?)</dd>", html
        )
        assert len(row[1]) > 20


def test_a_report_of_a_fitted_result(model, corpus, html):
    made = make_report(model.fitted_, corpus, "A <title>", n_threads=2)
    assert page_data(made.html) == page_data(html)


def test_the_card_lists_the_settings_of_the_model(tmp_path):
    texts = Corpus.from_texts(TEXTS, stop_words=["english", "via"], min_df=2)
    model = BTM(3, random_state=7, n_init=2).fit(texts)
    model.save(tmp_path / "model")
    card = card_rows(load(tmp_path / "model").report(TEXTS).html)
    assert card["algorithm"] == "SDM"
    assert card["random seed"] == "7"
    assert card["random starts"] == "2"
    assert card["biterms visited, all passes and sweeps"] == f"{model.history_['biterms'][-1]:,}"
    assert card["stop words"] == "english, via"
    assert card["minimum document frequency"] == "2"
    assert "seed share" not in card
    online = BTM(3, algorithm=OnlineBTM(), random_state=0).fit(TEXTS)
    assert card_rows(online.report(TEXTS).html)["algorithm"] == "OnlineBTM"
    counts = Corpus.from_counts([[2, 3, 0], [0, 1, 4]] * 20)
    card = card_rows(BTM(2, random_state=0).fit(counts).report(counts).html)
    assert card["mean words per text"] == "5.0"


def test_a_topic_that_is_set_aside_is_marked_and_has_no_texts():
    model = BTM(4, random_state=1).fit(TEXTS)
    n_texts = (model.document_info(TEXTS)["topic"] == 1).sum()
    model.set_aside_topics(1)
    corpus = encode_documents(model.fitted_, [*TEXTS, "unheard"])
    found = contents.report_contents(model.fitted_, corpus, "Topics", 1, 0)
    assert (found["documents"], found["without_words"]) == (401, 1)
    assert found["set_aside"] == n_texts
    assert sorted(found["order"]) == [0, 2, 3]
    assert found["topics"][1]["documents"] == 0
    assert found["representative"][1] == []
    assert all(1 not in row["nearest"] for row in found["topics"])
    assert all(share == 0 for row in found["term_topics"] for k, share in row if k == 1)


def test_a_missing_package_gets_an_install_hint(model, monkeypatch):
    monkeypatch.setattr("bittern.report.report.find_spec", lambda name: None)
    for work in (lambda: check_page("page.html"), lambda: model.report(TEXTS)):
        with pytest.raises(InputError, match=r'need jinja2; run: pip install "bittern\[report\]"'):
            work()
