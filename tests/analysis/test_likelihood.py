"""The log-likelihood of biterms and words."""

import numpy as np
import pytest

import reference
from bittern import BTM, Corpus
from bittern.analysis import likelihood
from bittern.analysis.likelihood import document_log_likelihood, log_likelihood, score_biterms
from bittern.biterms import Biterms, extract_biterms
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


def test_word_likelihood_matches_the_reference_implementation():
    texts = [text for text in random_documents(np.random.default_rng(4)) if text]
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    logs = []
    for text in texts:
        given = [(WORDS.index(word), 1) for word in text[::2]]
        share = reference.document_topics(THETA, PHI, [given], 15)[0]
        logs += [np.log(share @ PHI[:, WORDS.index(word)]) for word in text[1::2]]
    found = document_log_likelihood(THETA, PHI, corpus, 15, n_threads=3)
    assert found == pytest.approx(np.mean(logs), rel=1e-5)


def test_unknown_words_are_not_scored(fitted):
    texts = ["topic0word1 topic0word2 topic0word3", "topic1word1 topic1word5"]
    stranger = ["unknown topic0word1 topic0word2 strange topic0word3", "topic1word1 topic1word5"]
    assert fitted.score_documents(texts) == fitted.score_documents(stranger)
    with pytest.raises(InputError, match="two words"):
        fitted.score_documents(["alone", "topic0word1"])


def test_better_models_have_a_higher_word_likelihood(fitted):
    poor = BTM(1, random_state=0).fit(TEXTS)
    assert fitted.score_documents(TEXTS) > poor.score_documents(TEXTS) + 0.5


@pytest.mark.parametrize("kind", ["texts", "counts", "biterms"])
def test_biterms_are_scored_in_chunks(fitted, kind, monkeypatch):
    corpus = Corpus.from_texts(TEXTS, vocabulary=fitted.vocabulary_)
    if kind == "counts":
        counts = np.random.default_rng(0).integers(3, size=(40, len(fitted.vocabulary_)))
        corpus = Corpus.from_counts(counts, fitted.vocabulary_)
    biterms = extract_biterms(corpus, fitted.window)
    expected = log_likelihood(fitted.theta_, fitted.fitted_.mixed_phi, biterms)
    data = biterms if kind == "biterms" else corpus
    assert score_biterms(fitted.fitted_, data) == pytest.approx(expected, rel=1e-6)
    monkeypatch.setattr(likelihood, "CHUNK_SIZE", 7)
    assert score_biterms(fitted.fitted_, data, n_threads=2) == pytest.approx(expected, rel=1e-6)


def test_data_without_biterms_is_rejected(fitted):
    for data in (
        Corpus.from_texts(["topic0word1"], vocabulary=fitted.vocabulary_),
        Biterms.from_words([], [], vocabulary=fitted.vocabulary_),
    ):
        with pytest.raises(InputError, match="no biterms"):
            score_biterms(fitted.fitted_, data)
