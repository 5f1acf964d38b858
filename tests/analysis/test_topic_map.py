import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from bittern.analysis import topic_map as layout
from bittern.analysis.topic_map import distances, positions


def drawn(n_topics, n_words=50, seed=0):
    rng = np.random.default_rng(seed)
    return np.full(n_topics, 1 / n_topics), rng.dirichlet(np.full(n_words, 0.1), n_topics)


def test_distances_are_roots_of_divergences():
    theta, phi = drawn(5)
    apart = distances(theta, phi)
    assert apart[1, 3] == pytest.approx(jensenshannon(phi[1], phi[3]))
    np.testing.assert_allclose(apart, apart.T)
    assert np.diag(apart).tolist() == [0] * 5
    nothing_in_common = distances(np.full(2, 0.5), np.eye(2))
    assert nothing_in_common[0, 1] == pytest.approx(np.sqrt(np.log(2)))


def test_the_rarest_words_count_as_one(monkeypatch):
    theta, phi = drawn(5)
    order = np.argsort(-(theta @ phi))
    lumped = np.concatenate([phi[:, order[:20]], phi[:, order[20:]].sum(axis=1)[:, None]], axis=1)
    expected = distances(theta, lumped)
    monkeypatch.setattr(layout, "MOST_WORDS", 20)
    np.testing.assert_allclose(distances(theta, phi), expected)


def test_a_flat_map_is_found_again():
    rng = np.random.default_rng(0)
    places = rng.normal(size=(12, 2))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    found = positions(apart)
    assert np.abs(found).max() == pytest.approx(1)
    again = np.linalg.norm(found[:, None] - found, axis=2)
    np.testing.assert_allclose(again / again.max(), apart / apart.max(), atol=1e-3)
    np.testing.assert_array_equal(found, positions(apart))


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_few_topics(n_topics):
    places = positions(distances(*drawn(n_topics)))
    assert places.shape == (n_topics, 2)
    assert np.isfinite(places).all()


def test_topics_that_are_all_the_same():
    places = positions(distances(np.full(4, 0.25), np.full((4, 5), 0.2)))
    assert np.abs(places).max() == 0
