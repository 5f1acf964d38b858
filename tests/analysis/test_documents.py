"""The topics of documents."""

import json
import re

import numpy as np
import polars as pl
import pytest

import bittern.biterms.texts
import reference
from bittern import BTM, Corpus
from bittern.analysis import documents
from bittern.analysis.documents import document_topics, infer_topics, word_information
from bittern.biterms import Biterms
from bittern.errors import InputError
from known import blocks

TEXTS, TOPICS = blocks()
THETA = np.array([0.5, 0.3, 0.2])
PHI = np.random.default_rng(0).dirichlet(np.full(9, 0.5), size=3).astype(np.float32)
WORDS = list("abcdefghi")


@pytest.fixture(scope="module")
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def random_documents(rng, n=50):
    return [list(rng.choice(WORDS, size=rng.integers(0, 9))) for _ in range(n)]


@pytest.mark.parametrize("by", ["biterms", "words", "informative", "mix"])
@pytest.mark.parametrize("window", [3, None])
def test_document_topics_match_the_reference_implementation(by, window):
    texts = random_documents(np.random.default_rng(1))
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    found = document_topics(THETA, PHI, corpus, window, by, n_threads=2)
    numbers = [[(WORDS.index(word), 1) for word in text] for text in texts]
    expected = reference.document_topics(THETA, PHI, numbers, window or 99, by)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("by", ["biterms", "words"])
def test_long_documents_are_processed_in_portions(monkeypatch, by):
    rng = np.random.default_rng(2)
    texts = [*random_documents(rng, 9), ["a"] * 40, rng.choice(WORDS, 300), *random_documents(rng)]
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    counts = Corpus.from_counts(rng.poisson(2, (20, 9)), WORDS)
    for data, window in ((corpus, None), (corpus, 7), (counts, None)):
        expected = document_topics(THETA, PHI, data, window, by)
        with monkeypatch.context() as patch:
            patch.setattr(documents, "MAX_WORK", 200)
            found = document_topics(THETA, PHI, data, window, by, n_threads=2)
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_portions_have_little_work_or_one_document(monkeypatch):
    monkeypatch.setattr(documents, "MAX_WORK", 100)
    rng = np.random.default_rng(0)
    for work in (
        rng.integers(0, 60, 300),
        rng.integers(0, 300, 50),
        np.zeros(5, int),
        np.array([9]),
    ):
        portions = documents.document_portions(work, 3)
        assert [i for part in portions for i in range(part.start, part.stop)] == [*range(len(work))]
        for part in portions:
            assert part.stop == part.start + 1 or work[part].sum() < 200
            assert part.stop == part.start + 1 or work[part].max() <= 100
    assert documents.document_portions(np.empty(0, int), 2) == []


def test_pairs_of_all_words_of_a_long_text_are_refused(monkeypatch):
    monkeypatch.setattr(bittern.biterms.texts, "MAX_WINDOW", 50)
    corpus = Corpus.from_tokens([["a", "b"] * 26], vocabulary=WORDS)
    with pytest.raises(InputError, match="52 words, too many to pair each with all others; set"):
        document_topics(THETA, PHI, corpus, None, "biterms")
    for window, by in ((None, "informative"), (15, "biterms")):
        document_topics(THETA, PHI, corpus, window, by)
    for fit in (BTM(2, window=None).fit, BTM(2, window=None, algorithm="cvb0").fit):
        with pytest.raises(InputError, match="too many to pair each with all others; set window"):
            fit(corpus)


@pytest.mark.parametrize("by", ["words", "informative", "mix"])
def test_counts_are_weights(by):
    counts = np.random.default_rng(2).integers(0, 3, size=(20, 9)) * 1.5
    found = document_topics(THETA, PHI, Corpus.from_counts(counts, WORDS), None, by)
    numbers = [[(w, row[w]) for w in np.flatnonzero(row)] for row in counts]
    expected = reference.document_topics(THETA, PHI, numbers, 99, by)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_words_that_tell_nothing_have_no_information():
    theta = np.array([0.25, 0.75])
    phi = np.array([[0.5, 0.5, 0.0], [0.5, 0.1, 0.4]], np.float32)
    common, shared, own = word_information(theta, phi)
    assert common == pytest.approx(1e-6, rel=0.1)
    assert own == pytest.approx(np.log(1 / 0.75), rel=1e-4)
    assert common < shared < own or common < own < shared
    even = Corpus.from_tokens([["a", "a"]], vocabulary=["a", "b", "c"])
    found = document_topics(theta, phi, even, by="informative")
    np.testing.assert_allclose(found, [theta], rtol=1e-5)


def test_mix_of_a_long_document_does_not_underflow():
    corpus = Corpus.from_tokens([WORDS * 500], vocabulary=WORDS)
    shares = document_topics(THETA, PHI, corpus, by="mix")
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1)


def test_document_topics_reject_another_vocabulary():
    corpus = Corpus.from_tokens([["a", "z"]])
    with pytest.raises(InputError, match="9 words but the data has 2; convert"):
        document_topics(THETA, PHI, corpus)


def test_document_topics_reject_an_unknown_method():
    with pytest.raises(
        InputError,
        match='unknown value for by: "magic"; choose from informative, words, biterms, mix',
    ):
        document_topics(THETA, PHI, Corpus.from_tokens([["a"]], vocabulary=WORDS), by="magic")


def test_document_info(fitted):
    info = fitted.document_info(TEXTS)
    shares = fitted.transform(TEXTS)
    assert info.columns == [
        *("id", "topic", "topic_name", "probability", "runner_up", "runner_up_probability"),
        *("reason", "text"),
    ]
    assert info["topic_name"].to_list() == [fitted.topic_names_[topic] for topic in info["topic"]]
    assert info["text"].to_list() == TEXTS
    np.testing.assert_array_equal(info["topic"], shares.argmax(axis=1))
    np.testing.assert_array_equal(info["probability"], shares.max(axis=1))
    assert (info["topic"] != info["runner_up"]).all()
    np.testing.assert_allclose(info["runner_up_probability"], np.sort(shares, axis=1)[:, -2])
    columns = fitted.document_info(TEXTS, shares=True).select(pl.col(r"^topic_\d+$"))
    np.testing.assert_array_equal(columns.to_numpy(), shares)


def test_document_info_has_texts_only_if_the_corpus_kept_them(fitted):
    bare = Corpus.from_texts(TEXTS)
    assert "text" not in fitted.document_info(bare).columns
    kept = Corpus.from_texts(TEXTS, keep_texts=True)[100:]
    info = fitted.document_info(kept)
    assert info["text"].to_list() == TEXTS[100:]
    assert info["id"].to_list() == list(range(100, 400))
    with pytest.raises(InputError, match="needs documents"):
        fitted.document_info(Biterms.from_words(["topic0word1"], ["topic0word2"]))


def test_a_single_topic_has_no_runner_up():
    info = BTM(1, random_state=0).fit(TEXTS).document_info(TEXTS[:2])
    assert info["topic"].to_list() == [0, 0]
    assert info["runner_up"].to_list() == info["runner_up_probability"].to_list() == [None, None]


def test_infer_topics_uses_the_parameters_of_the_model(fitted):
    corpus = Corpus.from_texts(TEXTS, vocabulary=fitted.vocabulary_)
    expected = document_topics(fitted.theta_, fitted.phi_, corpus, fitted.window)
    np.testing.assert_array_equal(infer_topics(fitted.fitted_, corpus), expected)
    unknown = Corpus.from_texts(["nothing known"], vocabulary=fitted.vocabulary_)
    shares = infer_topics(fitted.fitted_, unknown)
    np.testing.assert_allclose(shares[0], fitted.theta_, rtol=1e-5)


def test_documents_without_known_words_have_no_topic(fitted):
    texts = [TEXTS[0], "", "-", None, "中文", TEXTS[1]]
    info = fitted.document_info(texts, shares=True)
    known = [True, False, False, False, False, True]
    assert info["topic"].is_not_null().to_list() == known
    reasons = [None, "empty", "no content", "empty", "no known words", None]
    assert info["reason"].to_list() == reasons
    values = info.drop("id", "reason", "text")
    assert all(values[name].is_not_null().to_list() == known for name in values.columns)
    with pytest.warns(UserWarning, match="4 of 6 documents have no known words"):
        shares = fitted.transform(texts)
    assert np.isfinite(shares).all()  # arrays have no missing values


def test_empty_documents_do_not_count(fitted):
    empty = [""] * 300
    dates = [f"2024-{1 + i % 9:02d}-01" for i in range(len(TEXTS))]
    alone = fitted.timeline(TEXTS, dates, "month").shares
    mixed = fitted.timeline([*TEXTS, *empty], [*dates, *["2024-05-05"] * 300], "month").shares
    assert mixed.equals(alone)
    times = [*dates, *[f"{year}-01-01" for year in range(1700, 2000)]]  # of nothing
    assert fitted.timeline([*TEXTS, *empty], times).shares.equals(fitted.timeline(TEXTS, dates)[0])
    shifts = fitted.word_shifts(TEXTS, dates)
    assert shifts.height > 0
    assert fitted.word_shifts([*TEXTS, *empty], times).equals(shifts)
    for method in (fitted.timeline, fitted.word_shifts):
        with pytest.raises(InputError, match="no documents with known words; use texts like"):
            method(empty, dates[:300])
    labels = [f"label {k}" for k in TOPICS]
    quality = fitted.quality([*TEXTS, *empty], [*labels, *["empty"] * 300])
    assert quality["purity"] == fitted.quality(TEXTS, labels)["purity"] == 1
    report = fitted.report([*TEXTS, *empty])
    assert "300 texts without a word that the model knows" in report.html
    assert "without a word that the model knows" not in fitted.report(TEXTS).html
    assert "<dt>texts without known words</dt><dd>300</dd>" in report.html
    card = re.compile("<dt>mean words per text</dt><dd>[^<]*</dd>")
    assert card.search(report.html)[0] == card.search(fitted.report(TEXTS).html)[0]
    data = json.loads(re.search(r'id="data">(.*?)</script>', report.html, re.S)[1])
    assert sum(topic["documents"] for topic in data["topics"]) == len(TEXTS)
