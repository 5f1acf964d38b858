"""The top words of topics."""

import numpy as np
import pytest

from bittern.errors import InputError
from bittern.fitted import top_words
from bittern.fitted.top_words import default_names, telling_words


def sorted_words(theta, phi, relevance):
    """All words of each topic by the formula of relevance."""
    logs, overall = np.log(phi), np.log(theta @ phi)
    return np.argsort(-(relevance * logs + (1 - relevance) * (logs - overall)), axis=1)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
@pytest.mark.parametrize("relevance", [0, 0.6, 1])
def test_top_words_are_the_first_of_all_sorted_words(n, relevance):
    rng = np.random.default_rng(n)
    theta, phi = rng.dirichlet(np.ones(5)), rng.dirichlet(np.full(300, 0.5), size=5)
    found = top_words(theta, phi.astype(np.float32), n, relevance)
    np.testing.assert_array_equal(found, sorted_words(theta, phi, relevance)[:, :n])


def test_of_equal_words_the_first_come_first():
    phi = np.full((2, 4), 0.25, np.float32)
    assert top_words(np.array([0.5, 0.5]), phi, 3).tolist() == [[0, 1, 2]] * 2
    assert top_words(np.array([0.5, 0.5]), phi, 9).tolist() == [[0, 1, 2, 3]] * 2


def test_wrong_numbers_are_refused():
    theta, phi = np.ones(1), np.ones((1, 1), np.float32)
    with pytest.raises(InputError, match="relevance must be between 0 and 1"):
        top_words(theta, phi, 1, 1.5)
    with pytest.raises(InputError, match="n must be"):
        top_words(theta, phi, 0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["2", "1", "train", "3", "late", "seat"], ["train", "late", "seat"]),
        (["w", "steam", "h", "game", "ps3"], ["steam", "game", "ps3"]),
        (["died", "question", "questions", "dies", "life"], ["died", "question", "dies"]),
        (["x-post", "xpost", "train", "trains", "trainspotting"], ["x-post", "train"]),
        (["train's", "trains", "train", "training"], ["train's"]),
        (["new", "new york", "york", "late train"], ["new", "york", "late train"]),
        (["new york", "york", "new", "city"], ["new york", "city"]),
        (["car", "care", "carpet", "cat"], ["car", "carpet", "cat"]),
        (["星", "火車", "星星"], ["星", "火車", "星星"]),
        (["topic1", "topic11", "topic12"], ["topic1", "topic11", "topic12"]),
        (["covid-19", "3d", "4k", "50"], ["covid-19", "3d", "4k"]),
    ],
)
def test_names_are_made_of_telling_and_distinct_words(words, expected):
    assert telling_words(words, 3)[: len(expected)] == expected
    assert telling_words(words, 3) == telling_words(words, len(words))[:3]
    assert sorted(telling_words(words, len(words))) == sorted(words)


def test_names_of_numbers_are_the_top_words():
    assert telling_words(["2", "10", "3", "21"], 3) == ["2", "10", "3"]
    assert telling_words(["7"], 3) == ["7"]


def test_a_topic_of_numbers_is_named_by_its_words():
    phi = np.array([[0.3, 0.3, 0.2, 0.1, 0.05, 0.05], [0, 0, 0, 0, 0.5, 0.5]], np.float32)
    vocabulary = ["2", "1", "version", "released", "late", "train"]
    first, second = default_names(np.array([0.5, 0.5]), phi, vocabulary)
    assert first.split(", ")[:2] == ["version", "released"]
    assert set(second.split(", ")[:2]) == {"late", "train"}
