"""Top words, names, merging and removing."""

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus, load
from bittern._core.arrays import sum_columns
from bittern.charts import map_chart
from bittern.errors import InputError
from bittern.fitted import top_words
from bittern.fitted.numbering import merged_numbers, remaining_numbers
from known import blocks

TEXTS, TOPICS = blocks()


@pytest.fixture
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def word_topics(model):
    """For each topic the blocks that its six top words are from."""
    return [{word[:6] for word in words} for words in model.top_words(6)]


def test_relevance_0_is_lift():
    theta, phi = np.array([0.6, 0.4]), np.array([[0.7, 0.25, 0.05], [0.7, 0.05, 0.25]], np.float32)
    assert top_words(theta, phi, 1).tolist() == [[0], [0]]
    assert top_words(theta, phi, 1, relevance=0).tolist() == [[1], [2]]


def test_names_are_words_or_given(fitted, tmp_path):
    assert fitted.topic_names_ == [", ".join(words) for words in fitted.top_words(3, 0.6)]
    fitted.name_topics({2: "trains"})
    assert fitted.topic_names_[2] == fitted.topic_info()["name"][2] == "trains"
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.topic_names_ == fitted.topic_names_
    again.partial_fit(TEXTS[:20])
    assert again.topic_names_[2] == "trains"
    again.name_topics(["a", "b", "c", "d"])
    assert again.topic_names_ == ["a", "b", "c", "d"]
    again.fit(TEXTS)
    assert "a" not in again.topic_names_


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({4: "x"}, "no topic 4"),
        ({0: ""}, "must be a text"),
        ({0: 3}, "must be a text"),
        ({0: "\udce9"}, "the name of topic 0 is not valid Unicode"),
        (["a"] * 5, "names has 5 names for 4 topics"),
    ],
)
def test_invalid_names_are_rejected(fitted, names, message):
    with pytest.raises(InputError, match=message):
        fitted.name_topics(names)
    assert fitted.given_names_ == {}


def test_numbers_after_merging_and_removing():
    assert merged_numbers([[1, 3], [4, 2]], 6).tolist() == [0, 1, 2, 1, 2, 3]
    assert remaining_numbers([0, 3], 5).tolist() == [-1, 0, 1, -1, 2]
    values = np.arange(8.0).reshape(2, 4)
    assert sum_columns(values, np.array([0, 1, 0, -1])).tolist() == [[2, 1], [10, 5]]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: m.merge_topics([1]), "two or more"),
        (lambda m: m.merge_topics([1, 2], [2, 3]), "two groups"),
        (lambda m: m.merge_topics([1, 4]), "0 to 3"),
        (lambda m: m.remove_topics(7), "0 to 3"),
        (lambda m: m.remove_topics(0, 1, 2, 3), "cannot remove all topics"),
    ],
)
def test_invalid_edits_are_rejected(fitted, edit, message):
    before = fitted.phi_.copy()
    with pytest.raises(InputError, match=message):
        edit(fitted)
    np.testing.assert_array_equal(fitted.phi_, before)


@pytest.mark.parametrize("algorithm", ["sdm", "gibbs", "online"])
def test_merged_topics_have_the_words_of_both(algorithm, tmp_path):
    model = BTM(4, algorithm, random_state=1).fit(TEXTS)
    theta, phi = model.theta_.copy(), model.phi_.copy()
    model.name_topics({0: "first", 3: "last"})
    assert model.merge_topics([1, 3]).tolist() == [0, 1, 2, 1]
    assert model.n_topics == 3
    np.testing.assert_allclose(model.theta_, [theta[0], theta[1] + theta[3], theta[2]], rtol=0.02)
    both = (theta[1] * phi[1] + theta[3] * phi[3]) / (theta[1] + theta[3])
    np.testing.assert_allclose(model.phi_[1], both, atol=2e-3)
    np.testing.assert_allclose(model.phi_.sum(axis=1), 1, rtol=1e-5)
    assert model.topic_names_[:2] == ["first", "last"]
    assert model.transform(TEXTS).shape == (400, 3)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.phi_, model.phi_)
    assert again.topic_names_ == model.topic_names_


def test_removed_topics_are_gone(fitted):
    theta, phi = fitted.theta_.copy(), fitted.phi_.copy()
    assert fitted.remove_topics(0, 2).tolist() == [-1, 0, -1, 1]
    rest = theta[[1, 3]] / theta[[1, 3]].sum()
    np.testing.assert_allclose(fitted.theta_, rest, atol=0.1)
    assert word_topics(fitted)[0] == {fitted.vocabulary_[phi[1].argmax()][:6]}
    assert fitted.transform(TEXTS).shape == (400, 2)


def test_only_sdm_continues_after_an_edit(fitted):
    fitted.merge_topics([0, 1])
    fitted.partial_fit(TEXTS[:50])
    assert fitted.phi_.shape[0] == 3
    assert np.isfinite(fitted.phi_).all()
    online = BTM(4, "scvb0", random_state=1).fit(TEXTS)
    online.remove_topics(1)
    with pytest.raises(InputError, match=r"call fit\(\) again"):
        online.partial_fit(TEXTS[:50])


def test_texts_of_topics_that_are_set_aside_have_no_topic(fitted, tmp_path):
    before = fitted.document_info(TEXTS, shares=True)
    topics = fitted.topic_info()
    assert fitted.set_aside_topics(1).set_aside_topics(3) is fitted
    info = fitted.document_info(TEXTS, shares=True)
    aside = before["topic"].is_in([1, 3])
    assert aside.any()
    assert info["topic"].is_null().to_list() == aside.to_list()
    assert set(info["reason"].filter(aside)) == {"topic 1 is set aside", "topic 3 is set aside"}
    same = ["topic", "topic_name", "probability"]
    assert info.filter(~aside).select(same).equals(before.filter(~aside).select(same))
    assert set(info["runner_up"].drop_nulls()) <= {0, 2}
    shares = pl.col(r"^topic_\d$")
    assert info.select(shares).equals(before.select(shares))
    assert fitted.topic_info().equals(topics[[0, 2]])
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.fitted_.set_aside == {1, 3}
    again.partial_fit(TEXTS[:20])
    assert again.fitted_.set_aside == {1, 3}
    assert again.restore_topics(1).fitted_.set_aside == {3}
    assert again.fit(TEXTS).fitted_.set_aside == set()


def test_topics_that_are_set_aside_are_left_out(fitted):
    corpus = Corpus.from_texts(TEXTS, labels=TOPICS)
    days = [f"2024-01-{1 + i % 9:02d}" for i in range(len(TEXTS))]
    whole, purity = fitted.timeline(corpus, days), fitted.quality(corpus)["purity"]
    n_texts = (fitted.document_info(corpus)["topic"] == 2).sum()
    fitted.set_aside_topics(2)
    found = fitted.timeline(corpus, days)
    assert set(found.shares["topic"]) == set(found.trends["topic"]) == {0, 1, 3}
    documents = [t.shares.filter(pl.col("topic") == 0)["documents"].sum() for t in (whole, found)]
    assert documents == [400, 400 - n_texts]
    assert set(fitted.representative(corpus)["topic"]) == {0, 1, 3}
    assert 2 not in fitted.word_shifts(corpus, days)["topic"]
    assert fitted.quality(corpus)["purity"] >= 0.9 * purity
    assert len(map_chart(fitted).to_dict()["layer"]) == 2


def test_numbers_of_topics_that_are_set_aside_follow_edits(fitted):
    fitted.set_aside_topics(1, 3)
    fitted.merge_topics([0, 1])  # the topic that is kept stays
    assert fitted.fitted_.set_aside == {2}
    fitted.remove_topics(0)
    assert fitted.fitted_.set_aside == {1}
    with pytest.raises(InputError, match="cannot remove all topics that are not set aside"):
        fitted.remove_topics(0)
    fitted.remove_topics(1)
    assert fitted.fitted_.set_aside == set()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: m.set_aside_topics(4), "0 to 3"),
        (lambda m: m.set_aside_topics(0, 1, 2, 3), "cannot set aside all topics"),
        (lambda m: m.restore_topics(0), "topic 0 is not set aside"),
        (lambda m: m.restore_topics("0"), "topic must be"),
    ],
)
def test_topics_that_cannot_be_set_aside_or_restored(fitted, edit, message):
    with pytest.raises(InputError, match=message):
        edit(fitted)
    assert fitted.fitted_.set_aside == set()
