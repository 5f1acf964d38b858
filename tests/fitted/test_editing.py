"""Top words, names, merging and removing."""

import numpy as np
import pytest

from bittern import BTM, load
from bittern._core.arrays import sum_columns
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
        (["a"] * 5, "no topic 4"),
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
