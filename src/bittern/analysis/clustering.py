"""Agreement of topics with labels, as of clusters with classes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bittern.analysis.arrays import Integers
from bittern.corpus.metadata import is_missing
from bittern.errors import InputError


class LabeledTopics(NamedTuple):
    """The labels and the main topics of the documents that have a label."""

    labels: NDArray[np.str_]
    topics: Integers


def cluster_scores(labels: ArrayLike, topics: ArrayLike) -> dict[str, float]:
    """Compare the main topics of documents with their labels.

    Documents without a label are not used.

    Parameters
    ----------
    labels : array-like of shape (n_documents,)
        The label of each document; None or NaN if it has none.
    topics : array-like of shape (n_documents,)
        The main topic of each document.

    Returns
    -------
    dict
        Purity, normalized mutual information (nmi), adjusted Rand index (ari) and V-measure; the
        last three are those of scikit-learn.

    Raises
    ------
    InputError
        If the lengths differ, or no document has a label.

    Examples
    --------
    >>> from bittern.analysis.clustering import cluster_scores
    >>> cluster_scores(["pets", "pets", "cars", None], [1, 1, 0, 0])["purity"]
    1.0
    """
    labeled = labeled_topics(labels, topics)
    return {
        "purity": purity(*labeled),
        "nmi": normalized_mutual_information(*labeled),
        "ari": adjusted_rand_index(*labeled),
        "v_measure": v_measure(*labeled),
    }


def labeled_topics(labels: ArrayLike, topics: ArrayLike) -> LabeledTopics:
    """Return the labels and topics of the documents that have a label."""
    given, found = np.asarray(labels), np.asarray(topics)
    if len(given) != len(found):
        raise InputError(f"{len(given)} labels but {len(found)} documents; give one label for each")
    known = np.array([not is_missing(label) for label in given], bool)
    if not known.any():
        raise InputError("no document has a label; give at least one")
    return LabeledTopics(given[known].astype(str), found[known])


def purity(labels: ArrayLike, topics: ArrayLike) -> float:
    """Return the fraction of documents with the most frequent label of their topic.

    Parameters
    ----------
    labels : array-like of shape (n_documents,)
        The label of each document.
    topics : array-like of shape (n_documents,)
        The main topic of each document.

    Returns
    -------
    float
        1 if all documents of each topic have the same label.

    Examples
    --------
    >>> from bittern.analysis.clustering import purity
    >>> purity(["pets", "pets", "cars", "cars"], [0, 0, 0, 1])
    0.75
    """
    from sklearn.metrics.cluster import contingency_matrix

    table = contingency_matrix(labels, topics, sparse=True)
    return float(table.max(axis=0).sum() / table.sum())


def normalized_mutual_information(labels: ArrayLike, topics: ArrayLike) -> float:
    """Return the normalized mutual information of topics and labels."""
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(labels, topics))


def adjusted_rand_index(labels: ArrayLike, topics: ArrayLike) -> float:
    """Return the adjusted Rand index of topics and labels."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(labels, topics))


def v_measure(labels: ArrayLike, topics: ArrayLike) -> float:
    """Return the V-measure, the harmonic mean of homogeneity and completeness."""
    from sklearn.metrics import v_measure_score

    return float(v_measure_score(labels, topics))
