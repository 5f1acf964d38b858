"""Standard input, output and error that are closed, full, or in another encoding."""

import os
import subprocess
import sys

import pytest

from bittern import load

BITTERN = f"{sys.executable} -m bittern"
RENAME = f"{BITTERN} edit model --name 0=größer --out new"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="uses redirections of a Unix shell")


def run(folder, command, **environment):
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_model_is_saved_without_standard_streams(model, closed):
    done = run(model.parent, f"{RENAME} {closed}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert load(model.parent / "new").topic_names_[0] == "größer"


full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@full_device
def test_messages_that_cannot_be_written_are_dropped(folder):
    done = run(folder, f"{BITTERN} fit answers.csv --text answer -k 4 -o new 2>/dev/full")
    assert done.returncode == 0
    assert (folder / "new").is_dir()


@full_device
def test_results_that_cannot_be_written_are_an_error(model):
    done = run(model.parent, f"{RENAME} >/dev/full")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "bittern: standard output: No space left on device; the model was saved to new\n"
    )
    assert (model.parent / "new").is_dir()


def test_a_closed_pipe_does_not_lose_the_model(model):
    done = run(model.parent, f"({RENAME}; echo $? >code) | true")
    assert done.stderr == b""
    assert (model.parent / "new").is_dir()


def test_closed_standard_input_is_named(folder):
    done = run(folder, f"{BITTERN} fit - -o new <&-")
    assert done.returncode == 2
    assert done.stderr == (
        b"bittern: there is no standard input; give the path of a file instead of -\n"
    )


def test_names_that_cannot_be_printed_are_replaced(model):
    done = run(model.parent, f"{RENAME} && {RENAME} --json", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"gr??er: " in done.stdout
    assert b'"gr\\u00f6\\u00dfer"' in done.stdout
