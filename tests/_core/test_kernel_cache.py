"""Compiled kernels on disk: damage costs time, never a run."""

import importlib.util
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bittern._core import kernel_cache
from bittern.errors import InputError

MODULE = """
from bittern._core.numba import kernel

@kernel
def double(x):
    return x + x
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "doubling.py"
    path.write_text(MODULE)
    return path


def load_kernel(path):
    """The kernel of a module, as a new process would import it."""
    spec = importlib.util.spec_from_file_location("doubling", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.double


def is_cached(kernel):
    """Whether the kernel was not compiled."""
    return sum(kernel.stats.cache_hits.values()) > 0


def flip(content):
    return content[:-40] + bytes([content[-40] ^ 1]) + content[-39:]


DAMAGE = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "garbage": lambda content: b"\x80\x05garbage" * 1000,
    "one bit": flip,
}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_replaced(file, damage, suffix):
    assert load_kernel(file)(3) == 6
    (cached,) = file.parent.rglob(f"*{suffix}")
    cached.write_bytes(damage(cached.read_bytes()))
    again = load_kernel(file)
    assert again(3) == 6
    if suffix == ".nbc":
        assert not is_cached(again)
    third = load_kernel(file)
    assert third(3) == 6
    assert is_cached(third)


def test_the_code_of_another_signature_is_not_called(file):
    """Two processes that compile at the same time may write to the same file."""
    kernel = load_kernel(file)
    assert (repr(kernel(3)), repr(kernel(1.5))) == ("6", "3.0")
    first, second = sorted(file.parent.rglob("*.nbc"))
    first.write_bytes(second.read_bytes())
    kernel = load_kernel(file)
    assert (repr(kernel(3)), repr(kernel(1.5))) == ("6", "3.0")


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_files_that_cannot_be_read_or_written(file, suffix):
    assert load_kernel(file)(3) == 6
    (cached,) = file.parent.rglob(f"*{suffix}")
    cached.unlink()
    cached.mkdir()
    for _ in range(2):
        assert load_kernel(file)(3) == 6


@pytest.fixture
def unwritable(file, monkeypatch):
    """A package and a home where nothing can be written; what cannot be created is as read-only."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (file.parent / "__pycache__").write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    monkeypatch.setattr(tempfile, "tempdir", str(file.parent / "temporary"))
    kernel_cache.own_temporary_directory.cache_clear()
    yield file
    kernel_cache.own_temporary_directory.cache_clear()


def test_without_a_directory_kernels_are_compiled(unwritable):
    for _ in range(2):
        kernel = load_kernel(unwritable)
        assert kernel(3) == 6
        assert not is_cached(kernel)


def test_without_a_home_kernels_are_kept_in_a_directory_of_the_user(unwritable):
    os.mkdir(tempfile.gettempdir())
    assert load_kernel(unwritable)(3) == 6
    (folder,) = Path(tempfile.gettempdir()).iterdir()
    assert folder.name == f"bittern-kernels-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    again = load_kernel(unwritable)
    assert again(3) == 6
    assert is_cached(again)


def test_kernels_are_loaded_where_there_is_no_temporary_directory(file, monkeypatch):
    def find_none():
        raise FileNotFoundError("No usable temporary directory found")

    assert load_kernel(file)(3) == 6
    monkeypatch.setattr(kernel_cache, "can_write", lambda directory: False)
    monkeypatch.setattr(tempfile, "gettempdir", find_none)
    kernel_cache.own_temporary_directory.cache_clear()
    kernel = load_kernel(file)
    assert kernel(3) == 6
    assert is_cached(kernel)
    with pytest.raises(InputError, match=r"compiled code cannot be saved in .*; set NUMBA_CACHE"):
        kernel_cache.save_directory()
    kernel_cache.own_temporary_directory.cache_clear()


@pytest.mark.parametrize("kind", ["writable by all", "link"])
def test_code_that_others_could_have_written_is_not_loaded(unwritable, kind):
    folder = Path(tempfile.gettempdir()) / f"bittern-kernels-{os.getuid()}"
    target = folder.parent / "elsewhere" if kind == "link" else folder
    target.mkdir(parents=True)
    if kind == "link":
        folder.symlink_to(target)
    else:
        folder.chmod(0o777)
    assert load_kernel(unwritable)(3) == 6
    assert list(target.iterdir()) == []


def test_a_chosen_directory_comes_first(file, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    assert load_kernel(file)(3) == 6
    assert list((tmp_path / "chosen").rglob("*.nbc"))
    assert not list(file.parent.glob("__pycache__/*.nb*"))  # Python may write bytecode there


def test_kernels_of_an_installed_package_are_used_where_nothing_can_be_written(
    file, tmp_path, monkeypatch
):
    assert load_kernel(file)(3) == 6
    can_write = kernel_cache.can_write
    only_later = lambda directory: "later" in directory and can_write(directory)  # noqa: E731
    monkeypatch.setattr(kernel_cache, "can_write", only_later)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "later"))
    kernel = load_kernel(file)
    assert kernel(3) == 6
    assert is_cached(kernel)
    assert kernel(1.5) == 3.0  # not compiled before
    assert list((tmp_path / "later").rglob("*.nbc"))


def test_times_of_files_do_not_matter_but_their_contents_do(file):
    assert load_kernel(file)(3) == 6
    os.utime(file, (1, 1))
    same = load_kernel(file)
    assert same(3) == 6
    assert is_cached(same)
    file.write_text(MODULE.replace("x + x", "x * 3"))
    kernel_cache.file_digest.cache_clear()
    assert load_kernel(file)(3) == 9


def test_a_change_of_a_kernel_changes_those_that_call_it(tmp_path):
    inner, outer = tmp_path / "inner.py", tmp_path / "outer.py"
    outer.write_text(
        """
from bittern._core.numba import kernel
from inner import FACTOR, twice

@kernel
def scaled(x):
    return FACTOR * twice(x)
"""
    )
    program = "import outer; print(outer.scaled(3), sum(outer.scaled.stats.cache_hits.values()))"

    def run(factor, operation):
        inner.write_text(
            "from bittern._core.numba import kernel\n"
            f"FACTOR = {factor}\n"
            f"@kernel\ndef twice(x):\n    return {operation}\n"
        )
        command = [sys.executable, "-B", "-c", program]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.split()

    assert run(1, "x + x") == ["6", "0"]
    assert run(1, "x + x") == ["6", "1"]
    assert run(1, "x + x + x") == ["9", "0"]
    assert run(2, "x + x + x") == ["18", "0"]


def test_processes_may_compile_at_the_same_time(file):
    code = "import sys, doubling; sys.exit(doubling.double(3) != 6 or doubling.double(1.5) != 3)"
    command = [sys.executable, "-c", code]
    workers = [subprocess.Popen(command, cwd=file.parent) for _ in range(3)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0, 0]
    kernel = load_kernel(file)
    assert (repr(kernel(3)), repr(kernel(1.5))) == ("6", "3.0")
