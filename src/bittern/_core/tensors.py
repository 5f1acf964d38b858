"""Arrays in a file of the safetensors format: a header in JSON, then their bytes.

The header is checked against the size of the file before any array is allocated. An array is read
by name, so that the caller can check its dtype and shape first.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.untrusted import MAX_JSON_ITEMS, file_size, parse_json
from bittern._core.validation import is_integer
from bittern.errors import InputError

MAX_HEADER = 1 << 25  # bytes
MAX_AXES, MAX_SIZE = 8, 1 << 62
ALIGNMENT = 8
DTYPES = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
CODES = {dtype: code for code, dtype in DTYPES.items()}


class Tensor(NamedTuple):
    """An array in a file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of its elements."""
        return math.prod(self.shape)


class TensorFile:
    """An open file of arrays: their dtypes and shapes are known, and agree with its size."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self.tensors = self._read_header()

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(tensor.end - tensor.start for tensor in self.tensors.values())

    def read(self, name: str) -> NDArray[Any]:
        """Read an array."""
        tensor = self.tensors[name]
        self._file.seek(tensor.start)
        values = np.fromfile(self._file, tensor.dtype, tensor.size)
        if len(values) != tensor.size:
            raise InputError(f"{self._name} is incomplete")
        native = values.astype(tensor.dtype.newbyteorder("="), copy=False)
        return native.reshape(tensor.shape)

    def _read_header(self) -> dict[str, Tensor]:
        size = file_size(self._file)
        length = int.from_bytes(self._file.read(ALIGNMENT), "little")
        begin = ALIGNMENT + length
        if begin > size:
            raise InputError(f"{self._name} is incomplete")
        if length > MAX_HEADER:
            raise InputError(f"{self._name} has a header of {length:,} bytes")
        header = parse_json(self._file.read(length), self._name)
        if not isinstance(header, dict):
            raise InputError(f"{self._name} has no list of arrays")
        header.pop("__metadata__", None)
        tensors = {name: _parse_tensor(name, entry, begin) for name, entry in header.items()}
        _check_extents(tensors.values(), begin, size, self._name)
        return tensors


def write_tensors(tensors: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write arrays to a file, and wait until they are on disk."""
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))  # aligned
    header, end = {}, 0
    for name in names:
        start, end = end, end + arrays[name].nbytes
        header[name] = {
            "dtype": CODES[arrays[name].dtype.newbyteorder("<")],
            "shape": tensors[name].shape,
            "data_offsets": [start, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    if len(text) > MAX_HEADER or text.count(b",") > MAX_JSON_ITEMS // 2:
        raise InputError(f"{len(names):,} arrays are too many for a file; use fewer time slices")
    with path.open("wb") as file:
        file.write(len(text).to_bytes(ALIGNMENT, "little"))
        file.write(text)
        for name in names:
            array = arrays[name].reshape(-1)
            file.write(array.astype(array.dtype.newbyteorder("<"), copy=False).view(np.uint8).data)
        file.flush()
        os.fsync(file.fileno())


def _parse_tensor(name: str, entry: Any, begin: int) -> Tensor:
    try:
        dtype, shape = DTYPES[entry["dtype"]], tuple(entry["shape"])
        start, end = entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise InputError(f"the description of array {name} is damaged") from None
    numbers = (*shape, start, end)
    if len(shape) > MAX_AXES or not all(is_integer(n) and 0 <= n < MAX_SIZE for n in numbers):
        raise InputError(f"the description of array {name} is damaged")
    tensor = Tensor(dtype, shape, begin + start, begin + end)
    if tensor.size * dtype.itemsize != end - start:
        raise InputError(f"array {name} has another size than its shape says")
    return tensor


def _check_extents(tensors: Iterable[Tensor], begin: int, end: int, name: str) -> None:
    """Reject arrays that overlap, leave gaps or do not fill the file."""
    extents = sorted((tensor.start, tensor.end) for tensor in tensors)
    ends = [(begin, begin), *extents, (end, end)]
    if any(before[1] != after[0] for before, after in pairwise(ends)):
        raise InputError(f"{name} is incomplete, or its arrays overlap")
