"""The table of quality measures."""

import re

import numpy as np
import pytest

from bittern import BTM, Corpus
from bittern.analysis import quality
from bittern.analysis.clustering import cluster_scores
from bittern.analysis.coherence import coherence
from bittern.analysis.quality import MEASURES, Measure, diversity, exclusivity, measure_quality
from bittern.analysis.similarity import redundancy
from known import blocks

PHI = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0.5, 0, 0]])
TEXTS, TOPICS = blocks()
NEED_LABELS = ["purity", "nmi", "ari", "v_measure"]


@pytest.fixture(scope="module")
def model():
    return BTM(4, random_state=1).fit(TEXTS)


def test_diversity():
    assert diversity([["a", "b"], ["c", "d"]]) == 1
    assert diversity([["a", "b"], ["a", "b"]]) == 0.5


def test_exclusivity():
    np.testing.assert_allclose(exclusivity(PHI, 2), [0.5, 1, 0.5])
    assert exclusivity(PHI, 99).shape == (3,)


@pytest.mark.parametrize("repeats", [1, 5])  # documents shorter and longer than a window
def test_each_measure_is_that_of_its_function(model, repeats):
    corpus = Corpus.from_texts([" ".join([text] * repeats) for text in TEXTS])
    found = measure_quality(model.fitted_, corpus, TOPICS, n=5, n_threads=2)
    top = model.top_words(5)
    expected = {
        "log_likelihood": model.score(corpus),
        "word_log_likelihood": model.score_documents(corpus),
        "npmi": coherence(top, corpus, "npmi").mean(),
        "c_v": coherence(top, corpus, "c_v").mean(),
        "umass": coherence(top, corpus, "umass").mean(),
        "diversity": diversity(top),
        "exclusivity": exclusivity(model.phi_, 5).mean(),
        "redundancy": redundancy(model.phi_).mean(),
        **cluster_scores(TOPICS, model.transform(corpus).argmax(axis=1)),
    }
    assert list(found) == list(expected) == list(MEASURES)
    assert found == pytest.approx(expected, rel=1e-6)


def test_measures_of_agreement_need_labels(model):
    corpus = Corpus.from_texts(TEXTS)
    assert [name for name, measure in MEASURES.items() if measure.needs_labels] == NEED_LABELS
    assert list(model.quality(corpus)) == [name for name in MEASURES if name not in NEED_LABELS]
    labeled = model.quality(corpus.with_labels(TOPICS))
    assert labeled["purity"] == model.quality(corpus, TOPICS)["purity"] == 1


def test_windows_of_short_texts_are_counted_once(model, monkeypatch):
    calls = []

    def count_windows(*arguments):
        calls.append(arguments)
        return original(*arguments)

    original = quality.count_windows
    monkeypatch.setattr(quality, "count_windows", count_windows)
    model.quality(TEXTS)
    assert len(calls) == 1


def test_a_new_measure_is_one_entry(model, monkeypatch):
    measure = Measure(
        "topics", "number of topics", "Number of topics.", lambda e: e.fitted.n_topics
    )
    monkeypatch.setitem(MEASURES, "topics", measure)
    assert model.quality(TEXTS)["topics"] == 4
    html = model.report(TEXTS).html
    assert re.search(r"<dt>number of topics</dt>\s*<dd[^>]*>4\.000</dd>", html)
