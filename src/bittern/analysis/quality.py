"""Quality of topics: different from each other, found again from other starts, true to labels."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array

from bittern.corpus.metadata import is_missing
from bittern.errors import InputError


def diversity(topics: Sequence[Sequence[str]]) -> float:
    """The share of different words among the top words of all topics: 1 if none is shared."""
    words = [word for topic in topics for word in topic]
    return len(set(words)) / len(words)


def exclusivity(phi: NDArray[Any], n: int = 10) -> NDArray[np.float64]:
    """How much the n top words of each topic belong to it alone, (K,).

    It is the mean of phi_k,w / sum_j phi_j,w over them: 1 if no other topic has them, 1 / K if all
    have them alike.
    """
    top = np.argpartition(-phi, min(n, phi.shape[1] - 1), axis=1)[:, :n]
    mine = np.take_along_axis(phi, top, axis=1)
    return np.asarray((mine / phi.sum(axis=0, dtype=np.float64)[top]).mean(axis=1))


def similarity(phi: NDArray[Any], other: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """How alike the topics of two models are, (K, K'); of one with itself if there is no other.

    It is Bhattacharyya's coefficient sum_w sqrt(phi_w phi'_w): 1 for the same words with the same
    probabilities, 0 for no word in common.
    """
    root = np.sqrt(phi)
    other_root = root if other is None else np.sqrt(other)
    if root.shape[1] != other_root.shape[1]:
        raise InputError(
            f"topics of {root.shape[1]:,} and {other_root.shape[1]:,} words cannot be compared: "
            "fit both models on the same vocabulary"
        )
    return np.asarray(root @ other_root.T, np.float64)


def redundancy(phi: NDArray[Any]) -> NDArray[np.float64]:
    """How much each topic is like the one that is most like it, (K,)."""
    alike = similarity(phi)
    np.fill_diagonal(alike, 0)
    return np.asarray(alike.max(axis=1))


def match(phi: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each topic the topic of another model that is its own there, and how alike they are.

    No two topics have the same; the sum of similarities is the largest possible. A topic that is
    left over, where the other model has fewer, gets -1 and 0.
    """
    alike = similarity(phi, other)
    mine, theirs = linear_sum_assignment(alike, maximize=True)
    partner, how = np.full(len(phi), -1), np.zeros(len(phi))
    partner[mine], how[mine] = theirs, alike[mine, theirs]
    return partner, how


def stability(phis: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """How well each topic of the first model is found again by the others, (K,): the mean match."""
    if len(phis) < 2:
        raise InputError("stability needs the topics of two or more models")
    first, *others = phis
    return np.asarray(np.mean([match(first, other)[1] for other in others], axis=0))


def mean_stability(phis: Sequence[NDArray[Any]]) -> float:
    """How alike the matched topics of every two models are, on average: near 1 if all agree."""
    if len(phis) < 2:
        raise InputError("stability needs the topics of two or more models")
    return float(np.mean([match(*pair)[1].mean() for pair in combinations(phis, 2)]))


def cluster_scores(labels: ArrayLike, found: ArrayLike) -> dict[str, float]:
    """How well the topics of documents agree with their labels.

    Purity, normalised mutual information, adjusted Rand index and V-measure; the last three as
    scikit-learn has them. Documents without a label are left out.
    """
    from sklearn import metrics

    true, topics = np.asarray(labels), np.asarray(found)
    if len(true) != len(topics):
        raise InputError(f"{len(true)} labels cannot be compared with {len(topics)} documents")
    known = np.array([not is_missing(label) for label in true], bool)
    if not known.any():
        raise InputError("no document has a label")
    true, topics = true[known].astype(str), topics[known]
    return {
        "purity": purity(true, topics),
        "nmi": float(metrics.normalized_mutual_info_score(true, topics)),
        "ari": float(metrics.adjusted_rand_score(true, topics)),
        "v_measure": float(metrics.v_measure_score(true, topics)),
    }


def purity(labels: NDArray[Any], found: NDArray[Any]) -> float:
    """The share of documents that have the label that most documents of their topic have."""
    rows, columns = (np.unique(values, return_inverse=True)[1] for values in (found, labels))
    table = coo_array((np.ones(len(rows)), (rows, columns))).tocsr()
    return float(table.max(axis=1).sum() / len(rows))
