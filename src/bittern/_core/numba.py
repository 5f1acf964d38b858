"""What compiled code shares: the decorator, the prefetch instruction, random bits."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

MARGIN = 128  # numbers of float32: no loop takes more of them at once
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile for speed: no GIL, cached on disk, sums may be reordered, x / 0 does not raise."""
    compiled: Any = njit(nogil=True, fastmath=True, error_model="numpy")(function)
    with suppress(RuntimeError):  # there may be no place on disk to keep the compiled code
        compiled.enable_caching()
    return compiled


@kernel
def scratch(n: int) -> Any:
    """Room for n numbers of float32, well away from all other arrays.

    A compiled loop takes many numbers at once only where it does not write close behind what it
    reads. Without a margin the place that memory happens to be at would decide how sums are
    rounded, and the same seed would, now and then, give other bits.
    """
    return np.empty(n + MARGIN, np.float32)[MARGIN:]


def _prefetch_code(_: Any, matrix: Any, row: Any, column: Any) -> Any:
    """Numba's way to spell an instruction: the signature, and a function that writes the code."""
    signature = types.void(matrix, row, column)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type = signature.args[0]
        array = context.make_array(array_type)(context, builder, arguments[0])
        index = [
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(arguments[1:], signature.args[1:], strict=True)
        ]
        write: Any = cgutils
        address = write.get_item_pointer(context, builder, array_type, array, index)
        byte_pointer, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        prefetch_type = ir.FunctionType(ir.VoidType(), [byte_pointer, i32, i32, i32])
        instruction = write.get_or_insert_function(
            builder.module, prefetch_type, "llvm.prefetch.p0"
        )
        for_write, keep_in_cache, data = (
            ir.Constant(i32, 1),
            ir.Constant(i32, 3),
            ir.Constant(i32, 1),
        )
        builder.call(
            instruction,
            [builder.bitcast(address, byte_pointer), for_write, keep_in_cache, data],
        )
        return context.get_dummy_value()

    return signature, generate


_prefetch_item: Any = intrinsic(_prefetch_code)


@kernel
def prefetch_row(matrix: Any, row: int) -> None:
    """Ask for a row of a float32 matrix before it is needed, a cache line at a time."""
    for column in range(0, matrix.shape[1], 16):
        _prefetch_item(matrix, row, column)


@kernel
def random_bits(seed: Any, index: Any) -> Any:
    """64 random bits that depend on seed and index alone (the SplitMix64 generator)."""
    z = np.uint64(seed) + (np.uint64(index) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def random_below(seed: Any, index: Any, n: int) -> Any:
    """A random whole number from 0 to n - 1, for n < 2**32: the high bits, scaled."""
    high = random_bits(seed, index) >> np.uint64(32)
    return np.int64((high * np.uint64(n)) >> np.uint64(32))


@kernel
def random_unit(seed: Any, index: Any) -> Any:
    """A random number in [0, 1)."""
    return np.float64(random_bits(seed, index) >> np.uint64(11)) * 2.0**-53
