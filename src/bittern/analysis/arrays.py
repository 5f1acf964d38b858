"""Types of arrays of any precision."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.integer[Any]]
Numbers: TypeAlias = NDArray[np.floating[Any] | np.integer[Any]]
