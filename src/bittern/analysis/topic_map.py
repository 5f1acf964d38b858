"""Topics on a map: how far they are from each other, and where to draw them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_WORDS = 20_000  # that count one by one


def distances(theta: NDArray[Any], phi: NDArray[Any]) -> NDArray[np.float64]:
    """How far topics are from each other, (K, K): the root of the Jensen-Shannon divergence.

    It is 0 for the same words with the same probabilities and, with natural logarithms, 0.83 for no
    word in common. The rarest words of a very large vocabulary count as one.
    """
    from scipy.spatial.distance import pdist, squareform

    words = phi
    if phi.shape[1] > MOST_WORDS:
        frequent = np.argpartition(-(theta.astype(phi.dtype) @ phi), MOST_WORDS)[:MOST_WORDS]
        rest = 1 - phi[:, frequent].sum(axis=1, keepdims=True, dtype=np.float64)
        words = np.concatenate([phi[:, frequent], np.maximum(rest, 0)], axis=1)
    apart = pdist(words.astype(np.float64), "jensenshannon")
    return np.asarray(squareform(np.nan_to_num(apart)))  # rounding may have a root of less than 0


def positions(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places on a plane, (K, 2), with distances as near as possible to these, in -1 to 1.

    Multidimensional scaling: the two main axes of the topics are the start, then the places move
    until the stress is least. The same distances give the same places.
    """
    from sklearn.manifold import smacof

    start = _main_axes(distance)
    if len(distance) < 3 or distance.max() < 1e-9:  # nothing to move
        places = start
    else:
        places, _ = smacof(distance, init=start, n_init=1, normalized_stress=False)
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    return np.asarray(places / max(np.abs(places).max(), 1e-12))


def _main_axes(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Classical scaling: the first two principal axes, each with its sign made certain."""
    centre = np.eye(len(distance)) - 1 / len(distance)
    values, vectors = np.linalg.eigh(-0.5 * centre @ distance**2 @ centre)
    axes = np.zeros((len(distance), 2))
    some = min(2, len(distance))
    axes[:, :some] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :some]
    return axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
