"""Documents with the same words in the same order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, random_bits

FNV_OFFSET, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a hash


def first_copies(
    indptr: NDArray[np.int64], tokens: NDArray[np.int32], counts: NDArray[np.float32] | None
) -> NDArray[np.int64]:
    """Return the first document with the same words, and counts, as each document."""
    n_slots = 1 << (3 * len(indptr) // 2).bit_length()  # at most two thirds of them are used
    table = np.full(n_slots, -1, np.int64)
    return np.asarray(_first_copies(indptr, tokens, counts, table))


@kernel
def _first_copies(indptr: Any, tokens: Any, counts: Any, table: Any) -> Any:
    """Find each document in a hash table of documents, or add it there; -1 is a free slot.

    Documents with the same hash are compared word by word.
    """
    mask = np.uint64(len(table) - 1)
    first = np.empty(len(indptr) - 1, np.int64)
    hashes = np.empty(len(first), np.uint64)
    for d in range(len(first)):
        hashes[d] = _hash(tokens, indptr[d], indptr[d + 1])
        slot = hashes[d] & mask
        while table[slot] >= 0:
            other = table[slot]
            if hashes[other] == hashes[d] and _is_same(indptr, tokens, counts, d, other):
                break
            slot = (slot + np.uint64(1)) & mask
        if table[slot] < 0:
            table[slot] = d
        first[d] = table[slot]
    return first


@kernel
def _hash(tokens: Any, begin: int, end: int) -> Any:
    """Return a hash of words in order."""
    x = FNV_OFFSET
    for i in range(begin, end):
        x = (x ^ np.uint64(tokens[i])) * FNV_PRIME
    return random_bits(x, 0)


@kernel
def _is_same(indptr: Any, tokens: Any, counts: Any, d: int, other: int) -> bool:
    """Return whether two documents have the same words, and counts if they are given."""
    start, length = indptr[d], indptr[d + 1] - indptr[d]
    other_start = indptr[other]
    if indptr[other + 1] - other_start != length:
        return False
    for i in range(length):
        if tokens[start + i] != tokens[other_start + i]:
            return False
        if counts is not None and counts[start + i] != counts[other_start + i]:
            return False
    return True
