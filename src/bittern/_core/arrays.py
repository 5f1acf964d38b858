"""Small operations on arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def sum_columns(values: NDArray[Any], numbers: NDArray[np.int64]) -> NDArray[Any]:
    """Give the columns (the last axis) new numbers; add up equal ones, drop negative ones."""
    combined = np.zeros((*values.shape[:-1], int(numbers.max()) + 1), values.dtype)
    for old, new in enumerate(numbers):
        if new >= 0:
            combined[..., new] += values[..., old]
    return combined
