"""Atomic writes: a file appears under its name complete or not at all."""

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_directory(path: Path) -> None:
    """Raise FileNotFoundError if the directory of a file to be written does not exist."""
    directory = path.absolute().parent
    if not directory.is_dir():
        raise FileNotFoundError(f"cannot write {path}: no directory {directory}; create it first")


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path; on success it replaces `path`, on failure it is removed."""
    target = Path(path)
    check_directory(target)
    remove_stale(target)
    temporary = temporary_name(target)
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_name(target: Path) -> Path:
    """Return the name that a file or directory has while this process writes it."""
    return target.with_name(f".{target.name}.saving-{os.getpid()}")


def remove_stale(target: Path) -> None:
    """Remove temporary files of `target` left behind by processes that no longer run."""
    for stale in target.absolute().parent.glob(f".{glob.escape(target.name)}.saving-*"):
        process_id = stale.name.rpartition("-")[2]
        if process_id == str(os.getpid()) or not _is_running(process_id):
            if stale.is_dir():
                shutil.rmtree(stale, ignore_errors=True)
            else:
                stale.unlink(missing_ok=True)


def _is_running(process_id: str) -> bool:
    """Return whether a process exists; on Windows, where asking would kill it, assume so."""
    if os.name == "nt":
        return True
    try:
        os.kill(int(process_id), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True
