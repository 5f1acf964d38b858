"""Atomic writes: a file or directory appears under its name complete or not at all.

It is written in a temporary directory beside its place and renamed when it is complete. Each writer
has a temporary directory of its own, locked while it is in use: process ids are no proof of who
owns it, because threads share them, and so may containers.
"""

import glob
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock

if sys.platform != "win32":
    import fcntl

MAX_WAIT = 60.0  # seconds for a lock; whoever holds it for longer is not coming back
FIRST_WAIT, LONGEST_WAIT = 0.001, 0.05  # seconds between attempts

SAVING = ".saving-"  # in the names of files and directories that are being written

_renaming = Lock()  # for threads where directories cannot be locked


def check_directory(path: Path) -> None:
    """Raise OSError if the directory of a file to be written does not exist or is read-only."""
    directory = path.absolute().parent
    if not directory.is_dir():
        raise FileNotFoundError(f"cannot write {path}: no directory {directory}; create it first")
    if not is_device(path) and not os.access(directory, os.W_OK):
        raise PermissionError(f"cannot write {path}; check the permissions of {directory}")


def is_device(path: Path) -> bool:
    """Return whether a path leads to a device or a pipe, such as /dev/stdout."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path; on success it replaces `path`, on failure it is removed.

    A file that is replaced keeps its permissions, and a symbolic link still leads to it. A device
    or a pipe is written directly.
    """
    if is_device(Path(path)):
        yield Path(path)
        return
    check_directory(Path(path))
    target = Path(os.path.realpath(path))
    with temporary_place(target) as temporary:
        try:
            mode = stat.S_IMODE(target.stat().st_mode) if target.is_file() else None
            if mode is not None:  # before anything secret is written
                temporary.touch()
                temporary.chmod(mode | stat.S_IWUSR)
            yield temporary
            if mode is not None:
                temporary.chmod(mode)
            sync(temporary)
            temporary.replace(target)
            sync(target.parent)
        except OSError as error:
            if error.errno is not None and error.filename in (None, str(temporary)):
                error.filename, error.filename2 = str(path), None  # the name that the user gave
            raise


@contextmanager
def temporary_directory(target: Path) -> Iterator[Path]:
    """Yield a new directory; it is removed at the end, unless it was renamed to `target`."""
    with temporary_place(target) as directory:
        directory.mkdir()
        yield directory


@contextmanager
def temporary_place(target: Path) -> Iterator[Path]:
    """Yield a free path on the disk of `target`; what is there at the end is removed."""
    with locked(target.parent):
        remove_stale(target)
        directory = target.with_name(f".{target.name}{SAVING}{token_hex(8)}")
        directory.mkdir()
        owned = _lock(directory)
    try:
        yield directory / target.name
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        if owned is not None:
            os.close(owned)


def replace_directory(temporary: Path, target: Path, check: Callable[[], object]) -> None:
    """Give a complete directory its name, in place of the directory that has it.

    `check` may refuse, by raising an error, when no other writer can interfere any more. If the
    process is killed between the two renames, the old directory remains under `replaced_name`.
    """
    old = replaced_name(target)
    with locked(target.parent):
        check()
        if target.exists():
            _copy_permissions(target, temporary)
            shutil.rmtree(old, ignore_errors=True)
            target.rename(old)
        try:
            temporary.rename(target)
        except OSError:
            with suppress(OSError):
                old.rename(target)
            raise
        sync(target.parent)
        shutil.rmtree(old, ignore_errors=True)


def _copy_permissions(source: Path, target: Path) -> None:
    """Give a directory and its files the permissions and groups of those in another one."""
    for old in (source, *source.iterdir()):
        new = target if old == source else target / old.name
        if not new.exists() or old.is_symlink():
            continue
        status = old.stat()
        with suppress(OSError):  # a group that this user is not in
            if hasattr(os, "chown") and status.st_gid != new.stat().st_gid:
                os.chown(new, -1, status.st_gid)
        new.chmod(stat.S_IMODE(status.st_mode))


def replaced_name(target: Path) -> Path:
    """Return the name of a directory while another one takes its place."""
    return target.with_name(f".{target.name}.replaced")


def is_temporary(path: Path) -> bool:
    """Return whether a file has the name of one that was not completed."""
    return path.name.startswith(".") and SAVING in path.name


def remove_stale(target: Path) -> None:
    """Remove temporary files and directories of `target` whose writers no longer run."""
    for stale in target.parent.glob(f".{glob.escape(target.name)}{SAVING}*"):
        if stale.is_symlink():
            with suppress(OSError):  # it belongs to another user
                stale.unlink()
            continue
        descriptor = _lock(stale)
        if descriptor is None:  # in use, or this file system has no locks
            continue
        if stale.is_dir():
            shutil.rmtree(stale, ignore_errors=True)
        else:
            with suppress(OSError):
                stale.unlink()
        os.close(descriptor)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on disk."""
    if sys.platform == "win32":  # cannot open directories, and writes names through
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep all others who lock this directory waiting.

    Where that is impossible, as on some network drives, only threads of this process wait.
    """
    if sys.platform == "win32":
        with _renaming:
            yield
        return
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:  # a directory that can be written to but not read
        yield
        return
    try:
        _wait_for_lock(descriptor)
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough: forks inherit it
        os.close(descriptor)


def _wait_for_lock(descriptor: int) -> None:
    """Lock a directory; give up where locks are unknown, or after a while."""
    assert sys.platform != "win32"
    end, pause = time.monotonic() + MAX_WAIT, FIRST_WAIT
    while time.monotonic() < end:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_WAIT)
        except OSError:
            return
        else:
            return


def _lock(path: Path) -> int | None:
    """Lock a file or directory until the returned descriptor is closed; None if it cannot be."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
