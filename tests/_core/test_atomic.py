import errno
import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bittern._core.atomic import (
    atomic_path,
    check_directory,
    is_temporary,
    remove_stale,
    temporary_directory,
)


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


LOCKS = pytest.mark.skipif(os.name == "nt", reason="Windows cannot lock directories")

KILLED = """
import os, sys
from pathlib import Path
from bittern._core.atomic import temporary_directory

with temporary_directory(Path(sys.argv[1])) as directory:
    (directory / "half").touch()
    os._exit(9)
"""


@LOCKS
def test_what_killed_writers_leave_is_removed(tmp_path):
    target = tmp_path / "t"
    subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    (tmp_path / ".t.saving-x").touch()
    (tmp_path / ".other.saving-x").touch()
    assert len(names(tmp_path)) == 3
    with temporary_directory(target) as mine:
        assert names(tmp_path) == [".other.saving-x", mine.parent.name]
    assert names(tmp_path) == [".other.saving-x"]


@LOCKS
def test_what_others_are_writing_is_left_alone(tmp_path):
    """Even where they have the same process id: threads, and containers with a common volume."""
    target = tmp_path / "t"
    with temporary_directory(target) as first:
        with temporary_directory(target) as second:
            assert first != second
            assert names(tmp_path) == sorted([first.parent.name, second.parent.name])
        remove_stale(target)
        assert names(tmp_path) == [first.parent.name]


@LOCKS
def test_files_in_a_temporary_directory_do_not_wait_for_its_writer(tmp_path, monkeypatch):
    def sleep(seconds):
        raise AssertionError("it waits for a lock")

    monkeypatch.setattr(time, "sleep", sleep)
    with temporary_directory(tmp_path / "t") as directory:
        with atomic_path(directory / "part.txt") as temporary:
            temporary.write_text("new")
        assert names(directory) == ["part.txt"]


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path):
    target = tmp_path / "t.txt"

    def write(number):
        for _ in range(20):
            with atomic_path(target) as temporary:
                temporary.write_text(f"{number}" * 1000)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert len(target.read_text()) == 1000
    assert len(set(target.read_text())) == 1
    assert names(tmp_path) == ["t.txt"]


def test_a_file_is_on_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    events = []
    replace = Path.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: events.append("sync"))
    monkeypatch.setattr(Path, "replace", lambda *paths: events.append("name") or replace(*paths))
    with atomic_path(tmp_path / "t.txt") as temporary:
        temporary.write_text("new")
    assert events == ["sync", "name", "sync"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_and_links_stay(tmp_path):
    with atomic_path(tmp_path / "new.txt") as temporary:
        temporary.write_text("new")
    usual = tmp_path / "usual"
    usual.touch()
    assert (tmp_path / "new.txt").stat().st_mode == usual.stat().st_mode
    usual.chmod(0o640)
    (tmp_path / "link").symlink_to(usual)
    with atomic_path(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert usual.read_text() == "new"
    assert usual.stat().st_mode & 0o777 == 0o640


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    def fail():
        with atomic_path(tmp_path / "t.txt"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left") as error:
        fail()
    assert error.value.filename == str(tmp_path / "t.txt")


def write(path, text="new"):
    with atomic_path(path) as temporary:
        temporary.write_text(text)


@pytest.mark.parametrize("name", ["9" * 40, "-1", "0", "²", "1\n", "x-y", "\udcff"])
def test_temporary_files_with_odd_names_do_no_harm(tmp_path, name):
    odd = tmp_path / f".t.saving-{name}"
    odd.touch()
    write(tmp_path / "t")
    assert (tmp_path / "t").read_text() == "new"
    assert is_temporary(odd)


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_the_target_of_a_temporary_link_is_kept(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / ".t.saving-x").symlink_to(tmp_path / "folder")
    write(tmp_path / "t")
    assert names(tmp_path) == ["folder", "t"]


def test_a_temporary_file_of_another_user_does_no_harm(tmp_path, monkeypatch):
    (tmp_path / ".t.saving-x").touch()

    def refuse(*_, missing_ok=False):
        if not missing_ok:
            raise PermissionError

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    write(tmp_path / "t")
    assert (tmp_path / "t").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_an_overwritten_file_keeps_its_permissions(tmp_path, mode):
    target = tmp_path / "t.txt"
    target.write_text("old")
    target.chmod(mode)
    with atomic_path(target) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == mode | stat.S_IWUSR
        temporary.write_text("new")
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("new", mode)


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
@pytest.mark.parametrize("exists", [True, False])
def test_symbolic_links_are_followed(tmp_path, exists):
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "t.txt", tmp_path / "link.txt"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert names(tmp_path / "data") == ["t.txt"]


@pytest.mark.skipif(os.name == "nt", reason="needs pipes with names")
def test_a_pipe_is_written_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe)
    assert os.read(reader, 100) == b"new"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_directory_must_be_writable(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=r"cannot write .*t\.csv; check the permissions of"):
        check_directory(tmp_path / "t.csv")
    check_directory(Path(os.devnull))  # a device is written to where it is
