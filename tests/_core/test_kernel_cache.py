"""Compiled kernels on disk: damage costs time, never a run."""

import importlib.util
import subprocess
import sys

import pytest

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


def test_without_a_directory_kernels_are_compiled(file, monkeypatch):
    (file.parent / "__pycache__").write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    assert load_kernel(file)(3) == 6


def test_processes_may_compile_at_the_same_time(file):
    code = "import sys, doubling; sys.exit(doubling.double(3) != 6 or doubling.double(1.5) != 3)"
    command = [sys.executable, "-c", code]
    workers = [subprocess.Popen(command, cwd=file.parent) for _ in range(3)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0, 0]
    kernel = load_kernel(file)
    assert (repr(kernel(3)), repr(kernel(1.5))) == ("6", "3.0")
