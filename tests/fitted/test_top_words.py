"""The top words of topics."""

import numpy as np
import pytest

from bittern.errors import InputError
from bittern.fitted import top_words


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
