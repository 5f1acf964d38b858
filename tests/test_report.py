"""What is on a report; tests/test_report_page.py looks at the page in a browser."""

import json
import re
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus, load
from bittern import charts as drawing
from bittern.documents import document_topics
from bittern.errors import InputError
from bittern.evidence import different_words
from bittern.report import contents as parts
from bittern.report.contents import RELEVANCES, WORDS
from bittern.report.summary import label_groups, summarize
from known import blocks

TEXTS, TOPICS = blocks()
EVIL = "<script>alert(1)</script> & </script><b>topic0word1 topic0word2</b> \u2028 “quoted”"
DAYS = [date(2024, 1, 1) + timedelta(days=i % 40) for i in range(len(TEXTS))]


@pytest.fixture(scope="module")
def model():
    return BTM(4, random_state=1).fit(TEXTS)


@pytest.fixture(scope="module")
def corpus(model):
    texts = [EVIL, *TEXTS[1:]]
    return Corpus.from_texts(
        texts, times=DAYS, labels=TOPICS, vocabulary=model.vocabulary_, keep_texts=True
    )


@pytest.fixture(scope="module")
def html(model, corpus):
    return model.report(corpus, title="A <title>").html


def shown(html):
    """What the page's script reads."""
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.S)[1])


def test_all_topics_are_there_with_their_numbers(model, corpus, html):
    topics = shown(html)["topics"]
    assert [topic["topic"] for topic in topics] == [0, 1, 2, 3]
    assert [topic["name"] for topic in topics] == model.topic_names_
    np.testing.assert_allclose([topic["share"] for topic in topics], model.theta_)
    main = model.document_info(corpus)["topic"].to_numpy()
    np.testing.assert_array_equal([topic["documents"] for topic in topics], np.bincount(main))
    np.testing.assert_allclose(
        [topic["coherence"] for topic in topics], model.coherence(corpus), rtol=1e-3
    )
    assert all(topic["topic"] not in topic["near"] for topic in topics)


def test_the_words_are_those_of_the_model_at_every_relevance(model, html):
    data = shown(html)
    assert data["relevances"] == pytest.approx(RELEVANCES)
    for step, relevance in enumerate(RELEVANCES):
        for k, words in enumerate(model.top_words(WORDS, float(relevance))):
            mine = data["words"][k]
            assert [data["terms"][mine["terms"][i]] for i in mine["order"][step]] == words
    overall = model.theta_ @ model.phi_
    for word, p, of in zip(data["terms"], data["overall"], data["of"], strict=True):
        at = model.vocabulary_.index(word)
        assert p == pytest.approx(overall[at], rel=1e-3)
        best, share = of[0]
        joint = model.theta_ * model.phi_[:, at] / overall[at]
        assert joint[best] == joint.max()
        assert share == round(100 * joint.max())


def test_the_texts_of_a_topic_are_the_representative_ones(model, corpus, html):
    data = shown(html)
    for k, best in enumerate(data["best"]):
        texts = [data["texts"][i]["text"] for i, _ in best]
        assert len(set(texts)) == len(texts) == parts.BEST
        rows = model.representative(corpus, 40).filter(pl.col("topic") == k)
        assert texts == rows["text"].unique(maintain_order=True).to_list()[: parts.BEST]
        for i, share in best:
            row = data["texts"][i]
            assert row["topic"] == k
            assert row["probability"] == pytest.approx(share, abs=2e-3)
            assert row["label"] == str(k_label(corpus, row["text"]))


def k_label(corpus, text):
    return corpus.labels[corpus.texts.to_list().index(text)]


def test_walking_in_chunks_finds_the_same(model, corpus, monkeypatch):
    groups = {"label": label_groups(corpus.labels)}
    whole = summarize(model, corpus, groups, 5, 50)
    monkeypatch.setattr("bittern.report.summary.CHUNK", 37)
    pieces = summarize(model, corpus, groups, 5, 50)
    np.testing.assert_array_equal(whole.documents, pieces.documents)
    np.testing.assert_allclose(whole.sums["label"], pieces.sums["label"], rtol=1e-5)
    assert whole.best.equals(pieces.best)
    assert whole.shown.sort("place").equals(pieces.shown.sort("place"))
    shares = document_topics(model.theta_, model.phi_, corpus)
    for label in range(4):
        mine = shares[corpus.labels.to_numpy() == label].sum(axis=0)
        np.testing.assert_allclose(whole.sums["label"][label], mine, rtol=1e-5)


def test_times_and_labels(model, corpus, html):
    data = shown(html)
    found = model.timeline(corpus)
    assert data["periods"]["starts"] == [str(day) for day in sorted(set(DAYS))]
    for k in range(4):
        shares = found.shares.filter(pl.col("topic") == k)["share"]
        np.testing.assert_allclose(data["periods"]["share"][k], shares, rtol=1e-3)
        labels = data["labels"]
        assert labels["inside"][k][0] > 0.9  # every topic has one label
    assert sorted(order[0] for order in data["labels"]["order"]) == [0, 1, 2, 3]
    assert labels["overall"] == [0.25] * 4


def test_rare_labels_and_missing_ones():
    groups = label_groups(pl.Series(["b", None, "a", "b"]))
    assert groups.names.to_list() == ["a", "b"]
    assert groups.place.tolist() == [1, -1, 0, 1]
    assert groups.documents.tolist() == [1, 2]


def test_no_text_can_become_part_of_the_page(html):
    assert EVIL in {row["text"] for row in shown(html)["texts"]}
    assert "alert(1)</script>" not in html
    assert "<title>A &lt;title&gt;</title>" in html


def test_a_page_without_times_labels_and_texts(model):
    tokens = Corpus.from_tokens([text.split() for text in TEXTS])
    data = shown(model.report(tokens).html)
    assert data["periods"] is None
    assert data["labels"] is None
    assert data["texts"][0]["text"] in set(TEXTS)
    one = shown(BTM(1, random_state=0).fit(TEXTS).report(TEXTS[:3]).html)
    assert one["topics"][0]["near"] == []


def test_texts_without_known_words_and_times_that_are_missing(model):
    texts = ["nothing of it", *TEXTS[:20]]
    days = [None, *DAYS[:20]]
    with pytest.raises(InputError, match="no word of these texts"):
        model.report(texts[:1])
    data = shown(model.report(texts, times=days).html)
    assert sum(data["periods"]["documents"]) == 20
    same = shown(model.report(TEXTS[:5], times=["2024-05-01"] * 5).html)
    assert same["periods"] is None


def test_size_does_not_grow_with_the_texts(model):
    long = [f"{'ж' * 500} {text}" for text in TEXTS]
    small, large = (len(model.report(texts).html) for texts in (long * 10, long * 30))
    assert large < 1.02 * small
    texts = shown(model.report(long).html)["texts"]
    assert max(len(row["text"]) for row in texts) == parts.LONGEST


def test_scores_of_a_sample_say_so(model, monkeypatch):
    monkeypatch.setattr(parts, "SCORED", 100)
    data = shown(model.report(TEXTS).html)
    assert data["card"][2][0] == "Scores, on 100 of the texts, at random"


def test_notebooks_show_the_page_in_a_frame(model):
    report = model.report(TEXTS)
    frame = report._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame
    assert "MB" in repr(report)


def test_a_place_that_cannot_be_is_refused_before_any_work(model, tmp_path, call):
    report = model.report(TEXTS)
    with pytest.raises(InputError, match=r"written as \.html"):
        report.save(tmp_path / "report.pdf")
    with pytest.raises(FileNotFoundError, match="no directory"):
        report.save(tmp_path / "none" / "report.html")
    code, _, err = call("report", "no.model", "no.csv", "--out", tmp_path / "report.pdf")
    assert code == 2
    assert "written as .html" in err
    with pytest.raises(InputError, match="400 documents but 3 labels"):
        model.report(TEXTS, labels=[1, 2, 3])


def test_the_command(model, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    model.save("model")
    pl.DataFrame({"answer": TEXTS, "day": DAYS, "kind": TOPICS}).write_csv("answers.csv")
    options = ("--text", "answer", "--time", "day", "--label", "kind", "--out", "page.html")
    code, _, err = call("report", "model", "answers.csv", *options)
    assert code == 0
    assert "Open page.html" in err
    data = shown((tmp_path / "page.html").read_text("utf-8"))
    assert data["title"] == "Topics of answers.csv"
    assert data["periods"]["documents"] == [10] * 40
    assert len(data["labels"]["names"]) == 4
    (tmp_path / "empty.csv").write_text("answer\n")
    code, _, err = call("report", "model", "empty.csv", "--text", "answer", "--out", "x.html")
    assert code == 2
    assert "no texts" in err
    assert not (tmp_path / "x.html").exists()


def test_the_card_says_how_the_model_was_made(tmp_path):
    model = BTM(3, random_state=7, n_init=2).fit(TEXTS)
    model.save(tmp_path / "model")
    card = dict(shown(load(tmp_path / "model").report(TEXTS).html)["card"][1][1])
    assert card["algorithm"] == "SDM"
    assert card["seed"] == "7"
    assert card["starts tried"] == "2"
    assert card["biterms learned"] == f"{model.history_['biterms'][-1]:,}"
    assert "seed share" not in card


def test_different_words():
    corpus = Corpus.from_tokens([["a", "b", "a"], [], ["c"], ["a", "a"]])
    assert different_words(corpus).tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("kind", ["png", "svg", "html"])
def test_charts_are_drawn_and_saved(model, tmp_path, kind):
    for name in ("words", "map", "trace"):
        what = model.history_ if name == "trace" else model
        path = tmp_path / f"{name}.{kind}"
        drawing.save_chart(getattr(drawing, f"{name}_chart")(what), path)
        assert path.stat().st_size > 3000
    if kind == "svg":
        words = (tmp_path / "words.svg").read_text()
        assert model.top_words(1, 0.6)[0][0] in words
        assert model.topic_names_[0] in words


def test_the_chart_of_words_has_the_topics_that_were_asked_for(model):
    chart = drawing.words_chart(model, topics=[2, 0], n=3).to_dict()
    (rows,) = chart["datasets"].values()
    assert [row["name"] for row in rows[:3]] == model.top_words(3, 0.6)[2]
    assert rows[0]["inside"] == pytest.approx(
        model.phi_[2, model.vocabulary_.index(rows[0]["name"])]
    )
