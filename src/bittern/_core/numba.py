"""Building blocks of compiled code: the decorator, hints to the compiler, random numbers."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from bittern._core.kernel_cache import KernelCache

SCRATCH_MARGIN = 128  # float32 numbers, more than any vectorized loop processes at once
PREFETCH_DISTANCE = 4  # biterms ahead of their use
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function: no GIL, cached on disk, sums may be reordered, x / 0 does not raise.

    A kernel is inlined into the kernels that call it. Otherwise there would be two copies of it
    that round sums differently, and whether the cache was empty would decide which one is called.
    """
    compile_it = njit(nogil=True, fastmath=True, error_model="numpy", forceinline=True)
    compiled: Any = compile_it(function)
    with suppress(OSError):  # a program without source files
        compiled._cache = KernelCache(function)  # noqa: SLF001 - Numba has no public way
    return compiled


@kernel
def scratch(n: int) -> Any:
    """Return an uninitialized float32 array of length n, well away from all other arrays.

    A vectorized loop checks at run time that it does not write closely behind what it reads.
    Without a margin, the addresses that memory happens to have would decide how sums are rounded,
    and the same seed would occasionally give different bits.
    """
    return np.empty(n + SCRATCH_MARGIN, np.float32)[SCRATCH_MARGIN:]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be changed.

    Numba compiles a kernel twice if it gets some arrays that can be changed and some that cannot,
    such as those in the shared memory of other processes.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def _prefetch_code(_: Any, matrix: Any, row: Any, column: Any) -> Any:
    """Define the prefetch instruction: its signature, and a function that generates the code."""
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
    """Fetch a row of a float32 matrix into the cache before it is needed."""
    for column in range(0, matrix.shape[1], 16):
        _prefetch_item(matrix, row, column)


def _interleaving_code(_: Any) -> Any:
    """Define `disable_interleaving`: attach a hint to all loops generated so far."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        module, blocks = builder.module, builder.function.blocks
        key = ir.MetaDataString(module, "llvm.loop.interleave.count")
        hint = module.add_metadata([key, ir.Constant(ir.IntType(32), 1)])
        position = {block: i for i, block in enumerate(blocks)}
        for i, block in enumerate(blocks):
            branch = block.terminator
            targets = [] if branch is None else branch.operands
            if any(position.get(target, i + 1) <= i for target in targets):
                number = ir.Constant(ir.IntType(64), len(module.metadata))  # makes it unique
                loop = module.add_metadata([hint, number])
                loop.operands = (loop, hint)  # LLVM wants a loop's node to refer to itself
                branch.set_metadata("llvm.loop", loop)
        return context.get_dummy_value()

    return types.void(), generate


disable_interleaving: Any = intrinsic(_interleaving_code)
"""Vectorize the loops above without unrolling them.

LLVM unrolls vectorized loops four times, to 64 numbers on AVX-512. For the 20 to 200 topics of a
row that leaves most of the work to the slower remainder loop: without it SDM is 15% faster at 100
topics. Call it at the end of a kernel.
"""


@kernel
def random_bits(seed: Any, index: Any) -> Any:
    """Return 64 random bits that depend on seed and index alone (SplitMix64)."""
    z = np.uint64(seed) + (np.uint64(index) + np.uint64(1)) * GOLDEN_GAMMA
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def random_below(seed: Any, index: Any, n: int) -> Any:
    """Return a random integer from 0 to n - 1, for n < 2**32."""
    high = random_bits(seed, index) >> np.uint64(32)
    return np.int64((high * np.uint64(n)) >> np.uint64(32))


@kernel
def random_unit(seed: Any, index: Any) -> Any:
    """Return a random number in [0, 1)."""
    return np.float64(random_bits(seed, index) >> np.uint64(11)) * 2.0**-53
