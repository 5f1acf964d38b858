"""The map of topics."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from bittern.analysis import topic_map
from bittern.analysis.topic_map import map_positions, topic_distances


def random_topics(n_topics, n_words=50, seed=0):
    rng = np.random.default_rng(seed)
    return np.full(n_topics, 1 / n_topics), rng.dirichlet(np.full(n_words, 0.1), n_topics)


def test_distances_are_roots_of_jensen_shannon_divergences():
    theta, phi = random_topics(5)
    distances = topic_distances(theta, phi)
    assert distances[1, 3] == pytest.approx(jensenshannon(phi[1], phi[3]))
    np.testing.assert_allclose(distances, distances.T)
    assert np.diag(distances).tolist() == [0] * 5
    disjoint = topic_distances(np.full(2, 0.5), np.eye(2))
    assert disjoint[0, 1] == pytest.approx(np.sqrt(np.log(2)))


def test_rare_words_of_a_large_vocabulary_count_as_one(monkeypatch):
    theta, phi = random_topics(5)
    order = np.argsort(-(theta @ phi))
    rest = phi[:, order[20:]].sum(axis=1)[:, None]
    expected = topic_distances(theta, np.concatenate([phi[:, order[:20]], rest], axis=1))
    monkeypatch.setattr(topic_map, "MAX_WORDS", 20)
    np.testing.assert_allclose(topic_distances(theta, phi), expected)


def test_positions_on_a_plane_are_recovered():
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(12, 2))
    distances = np.linalg.norm(positions[:, None] - positions, axis=2)
    found = map_positions(distances)
    assert np.abs(found).max() == pytest.approx(1)
    again = np.linalg.norm(found[:, None] - found, axis=2)
    np.testing.assert_allclose(again / again.max(), distances / distances.max(), atol=1e-3)
    np.testing.assert_array_equal(found, map_positions(distances))


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_few_topics(n_topics):
    positions = map_positions(topic_distances(*random_topics(n_topics)))
    assert positions.shape == (n_topics, 2)
    assert np.isfinite(positions).all()


def test_identical_topics():
    positions = map_positions(topic_distances(np.full(4, 0.25), np.full((4, 5), 0.2)))
    assert np.abs(positions).max() == 0
