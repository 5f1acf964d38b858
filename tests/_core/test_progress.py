import subprocess
import sys

import pytest

import bittern._core.progress
from bittern._core.progress import ProgressBar


def lines(capsys):
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_a_stage_is_a_line(capsys):
    with ProgressBar("reading", None, "texts", verbose=1) as bar:
        for _ in range(3):
            bar.advance(2000)
    (line,) = lines(capsys)
    assert line.startswith("reading: 6.0k texts, ")
    assert line.endswith(" s")


def test_long_stages_say_how_far_they_are(capsys, monkeypatch):
    now = iter(range(0, 1000, 30))
    monkeypatch.setattr(bittern._core.progress.time, "monotonic", lambda: next(now))
    with ProgressBar("learning", 4e6, "biterms", verbose=1) as bar:
        bar.advance(1e6, "log-likelihood -9.000")
        bar.advance(1e6, "log-likelihood -8.000")
    first, second, last = lines(capsys)
    assert first.startswith("learning: 1.0M biterms, ")
    assert first.endswith(" left, log-likelihood -9.000")
    assert " min " in first
    assert "2.0M biterms" in second
    assert "left" not in last


@pytest.mark.parametrize("total", [None, 10])
def test_quiet_work_says_nothing(capsys, total):
    with ProgressBar("reading", total, "texts", verbose=0) as bar:
        bar.advance(10)
    assert lines(capsys) == []


def test_what_fails_has_no_last_line(capsys):
    with pytest.raises(KeyboardInterrupt), ProgressBar("reading", 10, "texts", verbose=1):
        raise KeyboardInterrupt
    assert lines(capsys) == []


@pytest.mark.parametrize("total", [None, 1000])
def test_a_terminal_gets_a_bar(monkeypatch, total):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ProgressBar("reading", total, "texts", verbose=1) as bar:
        bar.advance(500, "half")
    (task,) = bar._show.tasks
    assert task.completed == 500
    assert task.fields["text"].startswith("500 texts, ")
    assert task.fields["text"].endswith("/s, half")


def test_compiling_is_announced_once(tmp_path):
    program = """
from bittern._core.progress import ProgressBar
from bittern._core.progress import ProgressBar, announce_compilation
from numba import njit
announce_compilation()
njit(lambda x: x + 1)(1)
njit(lambda x: x + 2)(1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.count("compiling") == 1
