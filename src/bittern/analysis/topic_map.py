"""A map of topics: the distances between them, and positions on a plane."""

import numpy as np
from numpy.typing import NDArray

from bittern.analysis.arrays import Floats

MAX_WORDS = 20_000  # the rarest words beyond this number count as one word


def topic_distances(theta: Floats, phi: Floats) -> NDArray[np.float64]:
    """Return the distances between topics, the roots of Jensen-Shannon divergences.

    In a very large vocabulary, the rarest words count as one word.

    Parameters
    ----------
    theta : ndarray of shape (n_topics,)
        The share of each topic.
    phi : ndarray of shape (n_topics, n_words)
        The probability of each word in each topic.

    Returns
    -------
    ndarray of shape (n_topics, n_topics)
        0 for identical topics, 0.83 for topics without a word in common.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.topic_map import topic_distances
    >>> topic_distances(np.array([0.5, 0.5]), np.eye(2)).round(2)
    array([[0.  , 0.83],
           [0.83, 0.  ]])
    """
    from scipy.spatial.distance import pdist, squareform

    words = phi
    if phi.shape[1] > MAX_WORDS:
        frequent = np.argpartition(-(theta.astype(phi.dtype) @ phi), MAX_WORDS)[:MAX_WORDS]
        rest = 1 - phi[:, frequent].sum(axis=1, keepdims=True, dtype=np.float64)
        words = np.concatenate([phi[:, frequent], np.maximum(rest, 0)], axis=1)
    distances = pdist(words.astype(np.float64), "jensenshannon")
    return np.asarray(squareform(np.nan_to_num(distances)))  # rounding may give a negative root


def map_positions(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions on a plane that preserve distances as well as possible.

    Multidimensional scaling starts from the two principal axes and minimizes the stress. The same
    distances always give the same positions.

    Parameters
    ----------
    distances : ndarray of shape (n_topics, n_topics)
        The distances between topics.

    Returns
    -------
    ndarray of shape (n_topics, 2)
        Coordinates from -1 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from bittern.analysis.topic_map import map_positions
    >>> map_positions(np.array([[0.0, 1.0], [1.0, 0.0]])).shape
    (2, 2)
    """
    from sklearn.manifold import smacof

    positions = _principal_axes(distances)
    if len(distances) >= 3 and distances.max() >= 1e-9:  # else there is nothing to improve
        positions, _ = smacof(distances, init=positions, n_init=1, normalized_stress=False)
    positions = positions - (positions.max(axis=0) + positions.min(axis=0)) / 2
    return np.asarray(positions / max(np.abs(positions).max(), 1e-12))


def _principal_axes(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first two axes of classical scaling, with signs that do not depend on chance."""
    center = np.eye(len(distances)) - 1 / len(distances)
    values, vectors = np.linalg.eigh(-0.5 * center @ distances**2 @ center)
    axes = np.zeros((len(distances), 2))
    n_axes = min(2, len(distances))
    axes[:, :n_axes] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :n_axes]
    return axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
