"""Compiled kernels on disk: a damaged file is never used, and never stops a run."""

import pickle
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core import sigutils
from numba.core.caching import FunctionCache, IndexDataCacheFile

DIGEST_SIZE = sha256().digest_size


class KernelCache(FunctionCache):
    """Numba's cache of a function; what cannot be loaded is compiled, and saved again."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = CheckedCacheFile(
            locator.get_cache_path(), self._impl.filename_base, locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature; None if there is no sound one."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # loading runs code of Numba and LLVM, which raises anything
            return None
        # Two processes that compile at the same time may give a file the same name.
        if found is not None and found.signature.args != sigutils.normalize_signature(sig)[0]:
            return None
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel, where that is possible."""
        with suppress(OSError):
            super().save_overload(sig, data)


class CheckedCacheFile(IndexDataCacheFile):
    """Files that end in their checksum: LLVM would crash on damaged code."""

    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return data + sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        data = content[:-DIGEST_SIZE]
        if sha256(data).digest() != content[-DIGEST_SIZE:]:
            raise OSError(f"{name} is damaged")  # Numba then compiles the kernel
        return pickle.loads(data)

    def _load_index(self) -> dict[Any, str]:
        try:
            index: dict[Any, str] = super()._load_index()
        except Exception:  # pickle raises anything for a damaged file
            return {}
        return index
