"""What a model says of documents: their topics, the evidence, and how well words are predicted."""

import numpy as np
import polars as pl
import pytest

import reference
from bittern import BTM, Corpus
from bittern.analysis.documents import document_topics
from bittern.analysis.likelihood import document_log_likelihood
from bittern.analysis.representative import documents_with, representative
from bittern.biterms.biterms import Biterms
from bittern.errors import InputError
from known import blocks

TEXTS, TOPICS = blocks()
THETA = np.array([0.5, 0.3, 0.2])
PHI = np.random.default_rng(0).dirichlet(np.full(9, 0.5), size=3).astype(np.float32)
WORDS = list("abcdefghi")


@pytest.fixture(scope="module")
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def documents(rng, n=50):
    return [list(rng.choice(WORDS, size=rng.integers(0, 9))) for _ in range(n)]


@pytest.mark.parametrize("by", ["biterms", "words", "mix"])
@pytest.mark.parametrize("window", [3, None])
def test_topics_of_documents_are_those_of_the_twin(by, window):
    texts = documents(np.random.default_rng(1))
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    found = document_topics(THETA, PHI, corpus, window, by, n_threads=2)
    numbers = [[(WORDS.index(word), 1) for word in text] for text in texts]
    expected = reference.document_topics(THETA, PHI, numbers, window or 99, by)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("by", ["words", "mix"])
def test_counts_weigh(by):
    counts = np.random.default_rng(2).integers(0, 3, size=(20, 9)) * 1.5
    found = document_topics(THETA, PHI, Corpus.from_counts(counts, WORDS), None, by)
    numbers = [[(w, row[w]) for w in np.flatnonzero(row)] for row in counts]
    expected = reference.document_topics(THETA, PHI, numbers, 99, by)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_a_long_document_is_a_mix_all_the_same():
    corpus = Corpus.from_tokens([WORDS * 500], vocabulary=WORDS)
    shares = document_topics(THETA, PHI, corpus, by="mix")
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1)


def test_other_words_are_refused():
    corpus = Corpus.from_tokens([["a", "z"]])
    with pytest.raises(InputError, match="9 words and the data 2"):
        document_topics(THETA, PHI, corpus)


def test_unknown_ways_are_refused():
    with pytest.raises(InputError, match="biterms, words, mix"):
        document_topics(THETA, PHI, Corpus.from_tokens([["a"]], vocabulary=WORDS), by="magic")


def test_document_info(fitted):
    info = fitted.document_info(TEXTS)
    shares = fitted.transform(TEXTS)
    assert info.columns == [
        *("id", "topic", "probability", "runner_up", "runner_up_probability", "text")
    ]
    assert info["text"].to_list() == TEXTS
    np.testing.assert_array_equal(info["topic"], shares.argmax(axis=1))
    np.testing.assert_array_equal(info["probability"], shares.max(axis=1))
    assert (info["topic"] != info["runner_up"]).all()
    np.testing.assert_allclose(info["runner_up_probability"], np.sort(shares, axis=1)[:, -2])
    columns = fitted.document_info(TEXTS, shares=True).select(pl.col("^topic_.*$"))
    np.testing.assert_array_equal(columns.to_numpy(), shares)


def test_a_corpus_that_kept_no_texts_has_none(fitted):
    bare = Corpus.from_texts(TEXTS)
    assert "text" not in fitted.document_info(bare).columns
    kept = Corpus.from_texts(TEXTS, keep_texts=True)[100:]
    info = fitted.document_info(kept)
    assert info["text"].to_list() == TEXTS[100:]
    assert info["id"].to_list() == list(range(100, 400))
    with pytest.raises(InputError, match="documents"):
        fitted.document_info(Biterms.from_words(["topic0word1"], ["topic0word2"]))


def test_one_topic_is_its_own_runner_up():
    info = BTM(1, random_state=0).fit(TEXTS).document_info(TEXTS[:2])
    assert info["topic"].to_list() == info["runner_up"].to_list() == [0, 0]


def test_representative_documents_are_of_the_topic(fitted):
    best = fitted.representative(TEXTS, 3)
    assert best.shape == (12, 5)
    assert best["rank"].to_list() == [0, 1, 2] * 4
    shares = fitted.transform(TEXTS)
    np.testing.assert_array_equal(best["probability"], shares[best["id"], best["topic"]])
    assert (best["probability"] > 0.9).all()
    labels = best.with_columns(label=pl.Series(TOPICS).gather(best["id"]))
    assert labels.select("topic", "label").n_unique() == 4
    with pytest.raises(InputError, match="no documents"):
        fitted.representative([], 3)


def test_the_longer_of_two_sure_documents_stands_for_the_topic():
    shares = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.4]])
    best = representative(shares, np.array([2, 8, 50]), 2)
    assert best.tolist() == [[1, 2], [2, 0]]
    assert representative(shares, np.array([2, 8, 50]), 10).shape == (2, 3)


def test_explain_adds_up_to_the_share(fitted):
    text = "topic0word1 topic0word2 topic1word3 topic0word1"
    table = fitted.explain(text)
    topic = fitted.transform([text]).argmax()
    assert table["topic"].unique().to_list() == [topic]
    assert table["share"].sum() == pytest.approx(1)
    assert table["share"].is_sorted(descending=True)
    times = [2 if "topic0word1" in pair else 1 for pair in table.select("first", "second").rows()]
    mean = np.average(table["probability"], weights=times)
    assert mean == pytest.approx(fitted.transform([text]).max(), rel=1e-4)
    assert set(table.select("first", "second").row(0)) == {"topic0word1", "topic0word2"}
    other = fitted.explain(text, topic=(topic + 1) % 4)
    assert other["topic"].unique().to_list() == [(topic + 1) % 4]


def test_explain_takes_one_text_and_a_topic_that_is_there(fitted):
    with pytest.raises(InputError, match="one text"):
        fitted.explain(TEXTS[:2])
    with pytest.raises(InputError, match="0 to 3"):
        fitted.explain(TEXTS[0], topic=4)
    with pytest.warns(UserWarning, match="no word"):
        assert fitted.explain("nothing known").height == 0


@pytest.mark.parametrize("window", [2, 3, None])
def test_documents_behind_a_biterm(window):
    texts = documents(np.random.default_rng(3), 200)
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    expected = [
        d
        for d, text in enumerate(texts)
        if any(set(pair) == {"b", "e"} for pair in reference.pairs([text], window or 99, False))
    ]
    assert documents_with(corpus, "b", "e", window).tolist() == expected
    assert documents_with(corpus, "e", "b", window).tolist() == expected


def test_documents_behind_a_biterm_of_the_model(fitted):
    table = fitted.documents_with(TEXTS, "topic0word1", "topic0word2")
    assert len(table) > 0
    assert all("topic0word1" in text and "topic0word2" in text for text in table["text"])
    with pytest.raises(InputError, match='"nope" is not'):
        fitted.documents_with(TEXTS, "nope", "topic0word2")
    with pytest.raises(InputError, match="two different"):
        fitted.documents_with(TEXTS, "topic0word2", "topic0word2")


def test_words_are_predicted_from_the_others():
    texts = [text for text in documents(np.random.default_rng(4)) if text]
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    logs = []
    for text in texts:
        given = [(WORDS.index(word), 1) for word in text[::2]]
        share = reference.document_topics(THETA, PHI, [given], 15)[0]
        logs += [np.log(share @ PHI[:, WORDS.index(word)]) for word in text[1::2]]
    found = document_log_likelihood(THETA, PHI, corpus, 15, n_threads=3)
    assert found == pytest.approx(np.mean(logs), rel=1e-5)


def test_unknown_words_say_nothing(fitted):
    texts = ["topic0word1 topic0word2 topic0word3", "topic1word1 topic1word5"]
    stranger = ["unknown topic0word1 topic0word2 strange topic0word3", "topic1word1 topic1word5"]
    assert fitted.score_documents(texts) == fitted.score_documents(stranger)
    with pytest.raises(InputError, match="two words"):
        fitted.score_documents(["alone", "topic0word1"])


def test_better_models_predict_better(fitted):
    poor = BTM(1, random_state=0).fit(TEXTS)
    assert fitted.score_documents(TEXTS) > poor.score_documents(TEXTS) + 0.5


def test_coherence_of_a_model(fitted):
    values = fitted.coherence(TEXTS, n=4)
    assert values.shape == (4,)
    assert (values > 0.2).all()
