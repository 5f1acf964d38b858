"""A tree of topics: topics with similar words are merged first."""

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer


def topic_tree(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tree of topics, by hierarchical clustering with Ward's method.

    Ward's method needs Euclidean distances. Roots of Jensen-Shannon divergences are.

    Parameters
    ----------
    distances : ndarray of shape (n_topics, n_topics)
        The distances between topics, from `topic_distances`.

    Returns
    -------
    ndarray of shape (n_topics - 1, 4)
        The merges from the closest topics to the root, as in `scipy.cluster.hierarchy.linkage`.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.tree import topic_tree
    >>> positions = np.array([0.0, 1.0, 9.0])
    >>> topic_tree(np.abs(positions[:, None] - positions))[:, :2].astype(int).tolist()
    [[0, 1], [2, 3]]
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    if len(distances) < 2:
        return np.empty((0, 4))
    return np.asarray(linkage(squareform(distances, checks=False), "ward"))


def cut_tree(tree: NDArray[np.float64], n_branches: int) -> NDArray[np.int64]:
    """Return the branch of each topic when the tree is cut into this many.

    Parameters
    ----------
    tree : ndarray of shape (n_topics - 1, 4)
        The tree, from `topic_tree`.
    n_branches : int
        Number of branches; at most one for each topic.

    Returns
    -------
    ndarray of shape (n_topics,)
        Branches numbered from 0, in the order of their first topics.

    Raises
    ------
    InputError
        If the number of branches is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.tree import cut_tree, topic_tree
    >>> positions = np.array([9.0, 0.0, 1.0])
    >>> cut_tree(topic_tree(np.abs(positions[:, None] - positions)), 2)
    array([0, 1, 1])
    """
    check_integer("n_branches", n_branches, 1)
    n_topics = len(tree) + 1
    members = {topic: [topic] for topic in range(n_topics)}
    for i, (first, second) in enumerate(tree[: max(n_topics - n_branches, 0), :2].astype(int)):
        members[n_topics + i] = members.pop(first) + members.pop(second)
    branches = np.empty(n_topics, np.int64)
    for branch, topics in enumerate(sorted(members.values(), key=min)):
        branches[topics] = branch
    return branches
