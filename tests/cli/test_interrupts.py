"""Ctrl-C at any moment: one message that tells what was written, and exit code 130."""

import os
import signal
import subprocess
import sys

import pytest

import bittern.fitted
from bittern import load

FIT = ("fit", "answers.csv", "--text", "answer", "-k", "4", "-o", "new")
BITTERN = (sys.executable, "-m", "bittern")

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for processes")


def press_ctrl_c(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)


def start(folder, *arguments):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*BITTERN, *arguments], cwd=folder, **pipes)


def interrupt(process):
    for _ in range(20):  # a signal right before a system call does not end that call
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            continue
        return process.returncode, out, err
    process.kill()
    raise AssertionError("not interrupted")


@needs_signals
def test_while_reading(folder):
    os.mkfifo(folder / "pipe.txt")
    process = start(folder, "fit", "pipe.txt", "-o", "new", "-q")
    with open(folder / "pipe.txt", "wb"):  # waits for the process to open it, too
        result = interrupt(process)
    assert result == (130, "", "bittern: interrupted; nothing was written\n")
    assert not (folder / "new").exists()


@needs_signals
def test_sigterm_ends_a_command_as_ctrl_c_does(model):
    os.mkfifo(model.parent / "pipe.txt")
    process = start(model.parent, "transform", "model", "pipe.txt", "-o", "table.csv", "-q")
    with open(model.parent / "pipe.txt", "wb"):
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (143, "")
    assert err == "bittern: terminated; nothing was written\n"
    left = {path.name for path in model.parent.iterdir()}
    assert left == {"answers.csv", "model", "pipe.txt"}


@needs_signals
def test_while_training(folder):
    process = start(folder, *FIT, "--epochs", "1000000")
    while "distinct words" not in process.stderr.readline():
        assert process.poll() is None
    code, out, err = interrupt(process)
    assert (code, out) == (130, "")
    (line,) = (line for line in err.splitlines() if not line.startswith("training: "))
    assert line == "bittern: interrupted; nothing was written"
    assert not (folder / "new").exists()


@needs_signals
@pytest.mark.parametrize("is_saved", [False, True])
def test_while_saving(folder, call, monkeypatch, is_saved):
    write = bittern.fitted.write_fitted

    def interrupted_write(*arguments):
        if is_saved:
            write(*arguments)
        press_ctrl_c()

    monkeypatch.setattr("bittern.fitted.write_fitted", interrupted_write)
    code, out, err = call(*FIT, "-q")
    result = "the model was saved to new" if is_saved else "nothing was written"
    assert (code, out, err) == (130, "", f"bittern: interrupted; {result}\n")
    assert (folder / "new").exists() == is_saved


@needs_signals
def test_while_printing(model, call, monkeypatch):
    """The model was there before: only a look at the file tells whether it is the new one."""
    monkeypatch.setattr("bittern.cli.commands.edit.print_topics", press_ctrl_c)
    code, _, err = call("edit", model, "--name", "0=first", "-o", model)
    assert (code, err) == (130, f"bittern: interrupted; the model was saved to {model}\n")
    assert load(model).topic_names_[0] == "first"


@needs_signals
def test_while_a_table_is_written(model, call, monkeypatch):
    (model.parent / "t.csv").write_text("old")
    monkeypatch.setattr("bittern.analysis.documents.document_table", press_ctrl_c)
    code, _, err = call("transform", model, "answers.csv", "--text", "answer", "-o", "t.csv", "-q")
    assert (code, err) == (130, "bittern: interrupted; nothing was written\n")
    assert (model.parent / "t.csv").read_text() == "old"


@needs_signals
def test_of_a_command_that_only_prints(model, call, monkeypatch):
    monkeypatch.setattr("bittern.cli.commands.topics.print_topics", press_ctrl_c)
    assert call("topics", model) == (130, "", "bittern: interrupted\n")


@needs_signals
def test_while_training_on_a_cluster(folder, call, monkeypatch):
    def fit(*_, checkpoint, **__):
        checkpoint.mkdir()
        press_ctrl_c()

    monkeypatch.setattr("bittern.cluster.fit", fit)
    code, _, err = call(*FIT, "--cluster", "local:1")
    assert (code, err) == (
        130,
        "bittern: interrupted; finished rounds are in new.checkpoint; add --resume to continue\n",
    )


def test_while_bittern_is_imported():
    program = """
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == "bittern.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from bittern.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "bittern: interrupted\n")


@needs_signals
def test_after_the_end_changes_nothing():
    program = """
import os, signal, sys
from bittern.__main__ import main
sys.argv = ["bittern", "--version"]
try:
    main()
finally:
    os.kill(os.getpid(), signal.SIGINT)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_input_is_not_an_interruption(folder, call, monkeypatch):
    def read(*_, **__):
        raise EOFError

    monkeypatch.setattr("bittern.cli.commands.fit.read_corpus", read)
    code, _, err = call(*FIT)
    assert (code, err) == (
        2,
        "bittern: the input ends too early; check that the files are complete\n",
    )
