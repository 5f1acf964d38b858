"""Similarity of topics."""

import numpy as np
import pytest

from bittern.analysis.similarity import match, mean_stability, redundancy, similarity, stability
from bittern.errors import InputError

PHI = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0.5, 0, 0]])


def test_similarity_is_1_for_equal_topics_and_0_for_disjoint_ones():
    np.testing.assert_allclose(similarity(PHI), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(redundancy(PHI), [1, 0, 1])
    with pytest.raises(InputError, match="4 and 3 words cannot be compared"):
        similarity(PHI, PHI[:, :3])


def test_permuted_topics_are_matched():
    phi = np.random.default_rng(0).dirichlet(np.full(30, 0.1), size=6)
    order = np.array([3, 1, 5, 0, 2, 4])
    partner, similarities = match(phi, phi[order])
    np.testing.assert_array_equal(order[partner], range(6))
    np.testing.assert_allclose(similarities, 1)
    np.testing.assert_allclose(stability([phi, phi[order], phi[::-1]]), 1)
    assert mean_stability([phi, phi[order]]) == pytest.approx(1)
    other = np.random.default_rng(1).dirichlet(np.full(30, 0.1), size=6)
    assert mean_stability([phi, other]) < 0.8


def test_topics_without_a_partner():
    partner, similarities = match(PHI, PHI[1:])
    assert sorted(partner) == [-1, 0, 1]
    assert similarities[partner == -1] == 0


def test_stability_needs_two_models():
    for function in (stability, mean_stability):
        with pytest.raises(InputError, match="two or more models"):
            function([PHI])
