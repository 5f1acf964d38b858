"""A model that cannot be saved where it should be is not lost."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bittern import load
from known import blocks

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX systems")

LIMITED = """
import errno, os, sys
from pathlib import Path
from bittern import cli

full = sys.argv.pop(1)
write, fsync = os.write, os.fsync

def fsync_on_full_disk(descriptor):
    if os.readlink(f"/proc/self/fd/{descriptor}").startswith(full):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    fsync(descriptor)

os.fsync = fsync_on_full_disk
cli.main()
"""


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(blocks(n_documents=60)[0]))
    return path


@pytest.fixture
def disk(tmp_path):
    """A directory that is going to be full."""
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def fit(texts, out, full, **options):
    command = [sys.executable, "-c", LIMITED, str(full), "fit", str(texts), "--out", str(out)]
    environment = os.environ | {"TMPDIR": str(texts.parent)}
    return subprocess.run(
        [*command, "--topics", "2", "--seed", "0", "--quiet"],
        check=False,
        text=True,
        env=environment,
        timeout=300,
        **options,
    )


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux")


@needs_proc
def test_on_a_full_disk_the_model_is_saved_elsewhere(texts, disk):
    assert fit(texts, disk / "model", "/nowhere", capture_output=True).returncode == 0
    before = load(disk / "model").phi_.tobytes()
    done = fit(texts, disk / "model", disk, capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"cannot save the model to {disk}/model: No space left on device; " in line
    place = re.search("saved to (.*) instead", line)[1]
    assert load(place).n_topics == 2
    assert load(disk / "model").phi_.tobytes() == before
    assert [path.name for path in disk.iterdir()] == ["model"]


@needs_proc
def test_without_any_space_one_line_says_so(texts, disk):
    done = fit(texts, disk / "model", texts.parent, capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"saving it in {texts.parent} failed, too")
    assert list(disk.iterdir()) == []


@needs_proc
def test_on_a_terminal_another_path_can_be_given(texts, disk):
    ours, theirs = pty.openpty()
    other = texts.parent / "other"
    os.write(ours, f"{disk / 'again'}\n{other}\n".encode())
    done = fit(texts, disk / "model", disk, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    said = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 0, said
    assert said.count("No space left on device") == 2
    assert load(other).n_topics == 2
    assert list(disk.iterdir()) == []


def test_a_file_that_may_not_grow_is_an_error_in_one_line(texts, tmp_path):
    """A real limit of the operating system, in place of a full disk."""
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = fit(
        texts,
        tmp_path / "model",
        "/nowhere",
        preexec_fn=limit,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert re.search("File too large; saving it in .* failed, too", done.stderr.splitlines()[-1])
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "model").exists()


def test_ctrl_c_in_answer_to_the_question_is_an_interrupt(texts, disk):
    ours, theirs = pty.openpty()
    os.write(ours, b"\x04")  # the end of input, as Ctrl-D
    done = fit(texts, disk / "model", disk, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    said = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.returncode == 130, said
    assert "Traceback" not in said
    assert "bittern: interrupted; nothing was written" in said
