import math
import subprocess
import sys

import pytest

from bittern._core.memory import (
    available_memory,
    check_memory,
    format_size,
    parse_size,
    resident_memory,
)
from bittern.errors import InputError

MB = 10**6


def fake_root(folder, groups, limits):
    """A directory with /proc/self/cgroup and files of limits below /sys/fs/cgroup."""
    (folder / "proc" / "self").mkdir(parents=True)
    (folder / "proc" / "self" / "cgroup").write_text("".join(f"{line}\n" for line in groups))
    for name, limit in limits.items():
        path = folder / "sys" / "fs" / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{limit}\n")
    return folder


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        (["0::/"], {"memory.max": 64 * MB}, 64 * MB),
        (["0::/a/b"], {"a/b/memory.max": 32 * MB, "a/memory.max": 64 * MB}, 32 * MB),
        (["0::/a/b"], {"a/b/memory.max": "max", "a/memory.max": 64 * MB}, 64 * MB),
        (["0::/../host"], {"memory.max": 64 * MB}, 64 * MB),
        (["4:memory:/"], {"memory/memory.limit_in_bytes": 16 * MB}, 16 * MB),
        (["5:cpu,memory:/x"], {"memory/x/memory.limit_in_bytes": 8 * MB}, 8 * MB),
        (["4:memory:/on/host"], {"memory/memory.limit_in_bytes": 16 * MB}, 16 * MB),
        (["1:cpu:/", "0::/a"], {"unified/a/memory.max": 64 * MB}, 64 * MB),
    ],
)
def test_cgroup_limits_bound_the_available_memory(tmp_path, groups, limits, expected):
    assert available_memory(fake_root(tmp_path, groups, limits)) == expected


@pytest.mark.parametrize(
    ("groups", "limits"),
    [
        ([], {}),
        (["0::/"], {"memory.max": "max"}),
        (["4:memory:/"], {"memory/memory.limit_in_bytes": 9223372036854771712}),
        (["5:cpu:/x"], {"memory/x/memory.limit_in_bytes": 8 * MB}),
        (["0::/a"], {"other/memory.max": 8 * MB}),
    ],
)
def test_without_a_cgroup_limit_the_physical_memory_is_available(tmp_path, groups, limits):
    physical = available_memory(tmp_path / "nothing")
    assert 64 * MB < physical < math.inf
    assert available_memory(fake_root(tmp_path, groups, limits)) == physical


def test_a_limit_of_the_process_bounds_the_available_memory():
    code = """
import resource
from bittern._core.memory import available_memory, check_memory, resident_memory
resource.setrlimit(resource.RLIMIT_AS, (900_000_000, 900_000_000))
assert available_memory() <= 900_000_000
assert 10_000_000 < resident_memory() < 900_000_000
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_memory_in_use_is_not_available(tmp_path):
    assert resident_memory(tmp_path) == 0  # unknown
    with pytest.raises(InputError, match=r"but only 0 bytes is available"):
        check_memory(1, "5 topics", "fewer topics", used=1e18)


def test_check_memory_names_the_need_and_a_remedy():
    check_memory(1, "5 topics", "fewer topics")
    message = r"^5 topics need 1e\+03 TB of memory but only .+ is available; use fewer topics$"
    with pytest.raises(InputError, match=message):
        check_memory(1e15, "5 topics", "fewer topics")


@pytest.mark.parametrize(
    ("size", "expected"),
    [("512MB", 512 * MB), ("1KiB", 1024), (" 1.5 g ", 1500 * MB), (100, 100), ("2b", 2)],
)
def test_parse_size_returns_bytes(size, expected):
    assert parse_size(size) == expected


@pytest.mark.parametrize("size", ["", "little", "-1MB", "1.2.3GB", "5XB", "9" * 400 + "GB"])
def test_invalid_sizes_are_refused(size):
    with pytest.raises(InputError, match="is not a valid memory size; use 512MB or 4GB"):
        parse_size(size)


@pytest.mark.parametrize(
    ("n_bytes", "expected"), [(512 * MB, "512 MB"), (999, "999 bytes"), (1.25e9, "1.25 GB")]
)
def test_format_size(n_bytes, expected):
    assert format_size(n_bytes) == expected
