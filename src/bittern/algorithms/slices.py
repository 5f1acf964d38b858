"""What was found in each time slice."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bittern._core.arrays import sum_columns
from bittern.algorithms.contract import TopicCounts


class Slice(NamedTuple):
    """The expected counts of a time slice.

    `biterms` (K,) counts biterms, `words` (W, K) words; `carry` is the fraction of both that became
    part of the prior of the next slices.
    """

    name: str
    biterms: NDArray[np.float64]
    words: csr_array
    carry: float

    @classmethod
    def from_counts(cls, name: str, counts: TopicCounts, carry: float) -> "Slice":
        """Name the counts of a slice."""
        return cls(name, counts.biterms, csr_array(counts.words), carry)

    def renumbered(self, numbers: NDArray[np.int64]) -> "Slice":
        """Return the counts under new topic numbers; equal numbers are added up."""
        words = sum_columns(self.words.toarray(), numbers)
        biterms = sum_columns(self.biterms, numbers)
        return self._replace(biterms=biterms, words=csr_array(words))


def counts_after(slices: Sequence[Slice], index: int) -> TopicCounts:
    """Return the counts of a slice together with what the slices before it carried over."""
    last = slices[index]
    biterms, words = last.biterms.copy(), last.words.toarray()
    for earlier in slices[:index]:
        biterms += earlier.carry * earlier.biterms
        words[: earlier.words.shape[0]] += np.float32(earlier.carry) * earlier.words.toarray()
    return TopicCounts(biterms, words)
