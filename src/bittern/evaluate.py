"""How good a model is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._compile import kernel, prefetch_row
from bittern.algorithms._kernels import AHEAD
from bittern.biterms import Biterms
from bittern.parallel import in_threads


def log_likelihood(
    theta: NDArray[np.float64], phi: NDArray[np.float32], biterms: Biterms, n_threads: int = 1
) -> float:
    """The mean log-probability of a biterm: log sum_k theta_k phi_k,v phi_k,w.

    `phi` is (K, W), a topic a row. Higher is better; on biterms that were not learned it is the
    paper's measure of quality.
    """
    words = np.ascontiguousarray(phi.T, np.float32)
    weight = np.empty(0, np.float32) if biterms.weight is None else biterms.weight
    total = sum(
        in_threads(
            lambda part: _log_likelihood(
                biterms.first[part], biterms.second[part], weight[part], theta, words
            ),
            len(biterms),
            n_threads,
        )
    )
    return float(total / biterms.total)


@kernel
def _log_likelihood(first: Any, second: Any, weight: Any, theta: Any, words: Any) -> float:
    """Sum over biterms of weight log sum_k theta_k words_v,k words_w,k."""
    shares = theta.astype(np.float32)
    total = 0.0
    n = len(first)
    for i in range(n):
        if i + AHEAD < n:
            prefetch_row(words, first[i + AHEAD])
            prefetch_row(words, second[i + AHEAD])
        row_v, row_w = words[first[i]], words[second[i]]
        p = np.float32(0)
        for k in range(len(shares)):
            p += shares[k] * row_v[k] * row_w[k]
        total += np.log(np.float64(p)) * (weight[i] if len(weight) else np.float32(1))
    return total
