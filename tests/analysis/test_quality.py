import numpy as np
import pytest
from sklearn import metrics

from bittern.analysis import quality
from bittern.errors import InputError

PHI = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0.5, 0, 0]])


def test_diversity():
    assert quality.diversity([["a", "b"], ["c", "d"]]) == 1
    assert quality.diversity([["a", "b"], ["a", "b"]]) == 0.5


def test_exclusivity():
    np.testing.assert_allclose(quality.exclusivity(PHI, 2), [0.5, 1, 0.5])
    assert quality.exclusivity(PHI, 99).shape == (3,)


def test_similarity_is_1_for_the_same_and_0_for_others():
    np.testing.assert_allclose(quality.similarity(PHI), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(quality.redundancy(PHI), [1, 0, 1])
    with pytest.raises(InputError, match="same vocabulary"):
        quality.similarity(PHI, PHI[:, :3])


def test_topics_in_another_order_are_the_same():
    phi = np.random.default_rng(0).dirichlet(np.full(30, 0.1), size=6)
    order = np.array([3, 1, 5, 0, 2, 4])
    partner, how = quality.match(phi, phi[order])
    np.testing.assert_array_equal(order[partner], range(6))
    np.testing.assert_allclose(how, 1)
    np.testing.assert_allclose(quality.stability([phi, phi[order], phi[::-1]]), 1)
    assert quality.mean_stability([phi, phi[order]]) == pytest.approx(1)
    other = np.random.default_rng(1).dirichlet(np.full(30, 0.1), size=6)
    assert quality.mean_stability([phi, other]) < 0.8


def test_fewer_topics_leave_some_alone():
    partner, how = quality.match(PHI, PHI[1:])
    assert sorted(partner) == [-1, 0, 1]
    assert how[partner == -1] == 0


def test_stability_needs_two():
    for function in (quality.stability, quality.mean_stability):
        with pytest.raises(InputError, match="two or more"):
            function([PHI])


def test_cluster_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b", "c"], size=200)
    found = np.where(rng.random(200) < 0.7, labels == "a", rng.integers(4, size=200))
    scores = quality.cluster_scores(labels, found)
    assert scores["nmi"] == metrics.normalized_mutual_info_score(labels, found)
    assert scores["ari"] == metrics.adjusted_rand_score(labels, found)
    assert scores["v_measure"] == metrics.v_measure_score(labels, found)
    table = metrics.cluster.contingency_matrix(labels, found)
    assert scores["purity"] == table.max(axis=0).sum() / 200
    assert quality.cluster_scores(labels, labels)["purity"] == 1
    with pytest.raises(InputError, match="labels"):
        quality.cluster_scores(labels, found[:5])
    some = [None, *labels[1:]]
    assert quality.cluster_scores(some, found) == quality.cluster_scores(labels[1:], found[1:])
    with pytest.raises(InputError, match="no document has a label"):
        quality.cluster_scores([None, float("nan")], [0, 1])
