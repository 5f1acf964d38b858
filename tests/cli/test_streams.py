"""Standard input, output and error that are closed, full, or in another encoding."""

import os
import subprocess
import sys
from pathlib import Path

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
    message = b"" if "2>&-" in closed else b"Saved the model to new.\n"
    assert (done.returncode, done.stderr) == (0, message)
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


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_is_cut_off_is_an_error(model, unbuffered):
    """Only a part of the table fits into the file."""
    command = f"ulimit -f 8; {BITTERN} transform model answers.csv --text answer -q > table.csv"
    done = run(model.parent, command, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    assert done.stderr == b"bittern: standard output: File too large\n"


def test_a_slow_reader_of_a_pipe_that_does_not_block_gets_all(model):
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    files = ["answers.csv"] * 20
    command = [*BITTERN.split(), "transform", "model", *files, "--text", "answer", "-q", "--keep"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, cwd=model.parent, stdout=write_end, env=environment)
    os.close(write_end)
    size = 0
    with open(read_end, "rb") as pipe:
        while data := pipe.read(4096):
            size += len(data)
    assert process.wait(timeout=300) == 0
    assert size > 20 * 400 * 50


def test_tables_are_utf8_whatever_the_locale_is(model):
    folder = model.parent
    (folder / "words.csv").write_text("text\ntopic0word1 größer 中\n", "utf-8")
    for format in ("csv", "jsonl"):
        command = f"{BITTERN} transform model words.csv --keep -q --out-format {format}"
        done = run(folder, command, PYTHONIOENCODING="ascii")
        assert "größer 中" in done.stdout.decode("utf-8")


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
    assert (done.returncode, done.stderr) == (0, b"Saved the model to new.\n" * 2)
    assert b"gr??er: " in done.stdout
    assert b'"gr\\u00f6\\u00dfer"' in done.stdout


def test_a_device_is_an_output_file(model):
    done = run(model.parent, f"{BITTERN} topics model -q -o /dev/stdout --out-format tsv | cat")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[0] == b"topic\tname\tshare\twords\tin_use"


def test_any_locale_can_be_used(model):
    run(model.parent, RENAME)
    old = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for command in ("topics new", "topics new --out -", "transform new answers.csv --text answer"):
        done = run(model.parent, f"{BITTERN} {command} -q", **old)
        assert (done.returncode, done.stderr) == (0, b"")
        is_table = "--out" in command or "transform" in command
        assert ("größer".encode() if is_table else b"gr??er") in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="arguments are bytes on Linux only")
def test_arguments_that_are_not_utf8(model):
    """Names of files are used as they are; in texts, they are one line and no traceback."""
    folder = os.fsencode(model.parent)
    os.rename(folder + b"/answers.csv", folder + b"/caf\xe9.csv")
    os.rename(folder + b"/model", folder + b"/m\xe9")
    outputs = [b"t\xe9.csv", b"r\xe9.html", b"new\xe9"]
    texts, model, table, page, new = [b"caf\xe9.csv", b"m\xe9", *outputs]
    commands = [
        [b"transform", model, texts, b"--text", b"answer", b"-q", b"-o", table],
        [b"report", model, texts, b"--text", b"answer", b"-q", b"-o", page],
        [b"edit", model, b"--name", b"0=x", b"--out", new],
    ]
    program = [sys.executable, "-m", "bittern"]
    running = [
        subprocess.Popen([*program, *command], cwd=folder, stdout=subprocess.DEVNULL)
        for command in commands
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    for output in outputs:
        assert os.path.exists(folder + b"/" + output)
    html = Path(os.fsdecode(folder + b"/" + page)).read_text("utf-8")
    assert "Topics of caf?.csv" in html
    wrong = [b"edit", model, b"--name", b"0=\xe9", b"--out", new]
    done = subprocess.run([*program, *wrong], cwd=folder, capture_output=True)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"the name of topic 0 is not valid Unicode" in done.stderr
