"""Groups of documents, such as periods or labels."""

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bittern.analysis.arrays import Floats


class Groups(NamedTuple):
    """The group of each document."""

    names: pl.Series
    codes: NDArray[np.int64]
    """An index into names for each document; -1 if it is in no group."""

    @property
    def documents(self) -> NDArray[np.int64]:
        """The number of documents in each group."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))


def add_group_sums(codes: NDArray[np.int64], shares: Floats, sums: NDArray[np.float64]) -> None:
    """Add the shares of documents (documents, K) to the sums of their groups (groups, K)."""
    grouped = np.flatnonzero(codes >= 0)
    ones = np.ones(len(grouped))
    sums += csr_array((ones, (codes[grouped], grouped)), (len(sums), len(codes))) @ shares
