import re

import numpy as np
from numba import njit

from bittern._core.numba import disable_interleaving, kernel, random_below, random_unit, scratch


def vector_additions(function):
    """Check a compiled sum, and count the vector additions in its code."""
    compiled = njit(fastmath=True)(function)
    values = np.arange(1000, dtype=np.float32)
    assert compiled(values) == values.sum()
    (code,) = compiled.inspect_llvm().values()
    return len(re.findall(r"fadd fast <", code))


def test_loops_are_vectorized_without_interleaving():
    def interleaved(values):
        result = np.float32(0)
        for i in range(len(values)):
            result += values[i]
        return result

    def plain(values):
        result = np.float32(0)
        for i in range(len(values)):
            result += values[i]
        disable_interleaving()
        return result

    assert 1 <= vector_additions(plain) < vector_additions(interleaved)


def test_scratch_is_away_from_other_arrays():
    @kernel
    def two():
        return scratch(10), scratch(10)

    first, second = two()
    assert first.shape == second.shape == (10,)
    assert abs(first.ctypes.data - second.ctypes.data) >= 4 * 128


def test_random_numbers_depend_on_seed_and_index_alone():
    draws = np.array([random_unit(np.uint64(7), i) for i in range(20_000)])
    assert draws[5] == random_unit(np.uint64(7), 5)
    assert draws[5] != random_unit(np.uint64(8), 5)
    assert ((draws >= 0) & (draws < 1)).all()
    assert abs(draws.mean() - 0.5) < 0.01
    integers = np.array([random_below(np.uint64(7), i, 6) for i in range(6000)])
    assert np.bincount(integers).min() > 850
