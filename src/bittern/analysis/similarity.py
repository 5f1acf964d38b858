"""Similarity of topics, within a model and between models."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from bittern.analysis.arrays import Floats
from bittern.errors import InputError


def similarity(phi: Floats, other: Floats | None = None) -> NDArray[np.float64]:
    """Return the similarity of the topics of two models, or of one model with itself.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.
    other : ndarray of shape (n_other_topics, n_words), optional
        The same of another model over the same vocabulary.

    Returns
    -------
    ndarray of shape (n_topics, n_other_topics)
        The Bhattacharyya coefficient sum_w sqrt(phi_w phi'_w): 1 for identical distributions,
        0 for topics without a word in common.

    Raises
    ------
    InputError
        If the vocabularies differ in size.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.similarity import similarity
    >>> similarity(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    root = np.sqrt(phi)
    other_root = root if other is None else np.sqrt(other)
    if root.shape[1] != other_root.shape[1]:
        raise InputError(
            f"topics over {root.shape[1]:,} and {other_root.shape[1]:,} words cannot be compared; "
            "fit both models on the same vocabulary"
        )
    return np.asarray(root @ other_root.T, np.float64)


def redundancy(phi: Floats) -> NDArray[np.float64]:
    """Return the similarity of each topic to the most similar other topic.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.

    Returns
    -------
    ndarray of shape (n_topics,)
        0 if no other topic has a word in common, 1 if another topic is identical.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.similarity import redundancy
    >>> redundancy(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    array([1., 1., 0.])
    """
    similarities = similarity(phi)
    np.fill_diagonal(similarities, 0)
    return np.asarray(similarities.max(axis=1))


def match(phi: Floats, other: Floats) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Match the topics of two models one to one, with the largest total similarity.

    Parameters
    ----------
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.
    other : ndarray of shape (n_other_topics, n_words)
        The same of another model.

    Returns
    -------
    partner : ndarray of shape (n_topics,)
        The matching topic of the other model; -1 if the other model has fewer topics and none is
        left.
    similarities : ndarray of shape (n_topics,)
        The similarity to it; 0 if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.similarity import match
    >>> match(np.eye(2), np.eye(2)[::-1])
    (array([1, 0]), array([1., 1.]))
    """
    similarities = similarity(phi, other)
    rows, columns = linear_sum_assignment(similarities, maximize=True)
    partner, matched = np.full(len(phi), -1), np.zeros(len(phi))
    partner[rows], matched[rows] = columns, similarities[rows, columns]
    return partner, matched


def stability(phis: Sequence[Floats]) -> NDArray[np.float64]:
    """Return how well the other models reproduce each topic of the first one.

    Parameters
    ----------
    phis : sequence of ndarray of shape (n_topics, n_words)
        The topics of two or more models, usually from different random starts.

    Returns
    -------
    ndarray of shape (n_topics,)
        The mean similarity to the matching topics of the other models.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.similarity import stability
    >>> stability([np.eye(2), np.eye(2)[::-1]])
    array([1., 1.])
    """
    _check_models(phis)
    first, *others = phis
    return np.asarray(np.mean([match(first, other)[1] for other in others], axis=0))


def mean_stability(phis: Sequence[Floats]) -> float:
    """Return the mean similarity of matching topics over all pairs of models.

    Parameters
    ----------
    phis : sequence of ndarray of shape (n_topics, n_words)
        The topics of two or more models, usually from different random starts.

    Returns
    -------
    float
        Close to 1 if all models agree.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.similarity import mean_stability
    >>> mean_stability([np.eye(2), np.eye(2)[::-1]])
    1.0
    """
    _check_models(phis)
    return float(np.mean([match(*pair)[1].mean() for pair in combinations(phis, 2)]))


def _check_models(phis: Sequence[Floats]) -> None:
    """Reject a single model."""
    if len(phis) < 2:
        raise InputError("stability needs the topics of two or more models; fit one more")
