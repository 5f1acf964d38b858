"""Compiled kernels on disk: where they are, and when they are sound.

Kernels are loaded from any of several directories, and saved in the first one that can be written:

- `__pycache__` beside the source, so that an installed package may bring its compiled kernels;
- the user's cache directory;
- a directory in the system's temporary directory that belongs to this user alone.

If the environment variable NUMBA_CACHE_DIR is set, its directory is the only one.
"""

import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core import sigutils
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic as Intrinsic
from numba.misc.appdirs import user_cache_dir

from bittern.errors import InputError

DIGEST_SIZE = sha256().digest_size


class KernelCache(FunctionCache):
    """Numba's cache of a function; what cannot be loaded is compiled, and saved."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._impl_class = _Implementation
        super().__init__(function)
        source, stamp = Path(function.__code__.co_filename), dependency_digest(function)
        self._files = [
            CheckedCacheFile(directory, self._impl.filename_base, stamp)
            for directory in map(str, cache_directories(source))
        ]
        self._cache_file = self._files[0]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature; None if there is no sound one."""
        for file in self._files:
            self._cache_file = file
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # loading runs code of Numba and LLVM, which raises anything
                continue
            # Two processes that compile at the same time may give a file the same name.
            if found is not None and found.signature.args == sigutils.normalize_signature(sig)[0]:
                return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel, where that is possible."""
        self._cache_file = next((f for f in self._files if f.is_writable), self._files[0])
        with suppress(OSError):
            super().save_overload(sig, data)


class CheckedCacheFile(IndexDataCacheFile):
    """Files that end in their checksum: LLVM would crash on damaged code."""

    @property
    def is_writable(self) -> bool:
        """Whether new files can be saved."""
        return can_write(self._cache_path)

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


class _Locator(_CacheLocator):
    """Tells Numba what it asks before a cache is used; `KernelCache` knows the directories."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Locator":
        return cls(py_func)

    def ensure_cache_path(self) -> None:
        """Do nothing: directories are created when the first kernel is saved."""

    def get_cache_path(self) -> str:
        return ""

    def get_source_stamp(self) -> bytes:
        return b""

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    """Numba's way to save compiled functions, with this locator."""

    _locator_classes: list[Any] = [_Locator]  # noqa: RUF012 - as Numba declares it


def cache_directories(source: Path) -> list[Path]:
    """Return the directories for the kernels of a source file, the preferred one first."""
    name = f"{source.parent.name}_{sha256(bytes(source.parent)).hexdigest()[:40]}"
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(chosen) / name]
    found = [source.parent / "__pycache__"]
    home = Path(user_cache_dir("bittern", appauthor=False))
    if home.is_absolute():  # "~" without a home
        found.append(home / name)
    if not any(can_write(str(folder)) for folder in found):
        found += [own / name for own in own_temporary_directory()]
    return found


def save_directory() -> Path:
    """Return where compiled kernels are saved, or raise InputError if they cannot be.

    Each folder of the package has a directory of its own; this is the one that they are in.
    """
    source = Path(__file__)
    found = cache_directories(source)
    writable = next((folder for folder in found if can_write(str(folder))), None)
    if writable is None:
        places = ", ".join(map(str, found))
        raise InputError(
            f"compiled code cannot be saved in {places}; set NUMBA_CACHE_DIR to a directory that "
            "can be written"
        )
    return source.parents[1] if writable.parent == source.parent else writable.parent


@cache
def can_write(directory: str) -> bool:
    """Return whether files can be created in a directory, which is created if it is missing."""
    try:
        os.makedirs(directory, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        return False
    return True


@cache
def own_temporary_directory() -> tuple[Path, ...]:
    """Return a directory that nobody else can write: what is loaded from a cache is executed."""
    if not hasattr(os, "getuid"):
        return ()
    try:
        folder = Path(tempfile.gettempdir()) / f"bittern-kernels-{os.getuid()}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except OSError:
        return ()
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return (folder,) if is_own and not status.st_mode & 0o022 else ()


def dependency_digest(function: Callable[..., Any]) -> bytes:
    """Return a digest of what the code of a kernel depends on.

    It covers its file, the files of the kernels and intrinsics that it uses, and the numbers that
    it imports. Times of files do not matter: container images do not keep them.
    """
    return sha256(b"".join(sorted(set(_dependencies(function, set()))))).digest()


def _dependencies(function: Callable[..., Any], seen: set[object]) -> Iterator[bytes]:
    """Yield digests of the files that a function depends on, and its global numbers."""
    if function in seen:
        return
    seen.add(function)
    yield file_digest(function.__code__.co_filename)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, int | float | str):
            yield sha256(f"{name}={value!r}".encode()).digest()
        elif isinstance(value, Dispatcher):
            yield from _dependencies(value.py_func, seen)
        elif isinstance(value, Intrinsic):
            yield file_digest(sys.modules[value.__module__].__file__ or "")


@cache
def file_digest(path: str) -> bytes:
    return sha256(Path(path).read_bytes()).digest()
