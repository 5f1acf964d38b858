"""The tree of topics and its branches."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree as reference_cut

from bittern.analysis.topic_map import topic_distances
from bittern.analysis.tree import cut_tree, topic_tree
from bittern.errors import InputError


def families(n_families=4, size=5, seed=0):
    """Topics in families, each with words of its own; the family of each topic, shuffled."""
    rng = np.random.default_rng(seed)
    family = rng.permutation(np.repeat(np.arange(n_families), size))
    phi = np.full((len(family), 20 * n_families), 1e-4)
    for k, own in enumerate(family):
        phi[k, 20 * own : 20 * (own + 1)] += rng.dirichlet(np.full(20, 0.5))
    phi /= phi.sum(axis=1, keepdims=True)
    return topic_distances(np.full(len(phi), 1 / len(phi)), phi), family


@pytest.mark.parametrize("seed", range(5))
def test_branches_are_families_of_topics(seed):
    distances, family = families(seed=seed)
    branches = cut_tree(topic_tree(distances), 4)
    assert branches[0] == 0
    assert len({*zip(branches.tolist(), family.tolist(), strict=True)}) == 4
    first = [int(np.flatnonzero(branches == branch)[0]) for branch in range(4)]
    assert first == sorted(first)


@pytest.mark.parametrize("n_branches", [1, 2, 3, 7, 20])
def test_a_tree_is_cut_as_by_scipy(n_branches):
    tree = topic_tree(families()[0])
    ours, theirs = cut_tree(tree, n_branches), reference_cut(tree, n_branches)[:, 0]
    assert len(set(ours.tolist())) == n_branches
    assert len({*zip(ours.tolist(), theirs.tolist(), strict=True)}) == n_branches


def test_finer_branches_are_within_coarser_ones():
    tree = topic_tree(families()[0])
    for n in range(1, 20):
        pairs = {*zip(cut_tree(tree, n).tolist(), cut_tree(tree, n + 1).tolist(), strict=True)}
        assert len(pairs) == n + 1


def test_few_and_identical_topics():
    assert cut_tree(topic_tree(np.zeros((1, 1))), 3).tolist() == [0]
    assert cut_tree(topic_tree(np.zeros((2, 2))), 5).tolist() == [0, 1]
    assert cut_tree(topic_tree(np.zeros((3, 3))), 1).tolist() == [0, 0, 0]
    with pytest.raises(InputError, match="n_branches must be"):
        cut_tree(topic_tree(np.zeros((2, 2))), 0)
