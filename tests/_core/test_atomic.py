import os
import subprocess
import sys

import pytest

from bittern._core.atomic import atomic_path, remove_stale, temporary_name


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_complete(tmp_path):
    target = tmp_path / "t.txt"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["t.txt"]


def test_a_failed_write_keeps_the_old_file(tmp_path):
    target = tmp_path / "t.txt"
    target.write_text("old")

    def write():
        with atomic_path(target) as temporary:
            temporary.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["t.txt"]


def test_a_missing_directory_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"no directory .*nowhere; create it first"),
        atomic_path(tmp_path / "nowhere" / "t.txt"),
    ):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot tell whether a process runs")
def test_temporary_files_of_dead_processes_are_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / f".t.saving-{ended.pid}").mkdir()
    (tmp_path / ".t.saving-x").touch()
    (tmp_path / f".t.saving-{os.getppid()}").touch()
    temporary_name(tmp_path / "t").touch()
    (tmp_path / ".other.saving-x").touch()
    remove_stale(tmp_path / "t")
    assert names(tmp_path) == [".other.saving-x", f".t.saving-{os.getppid()}"]
