import subprocess
import sys

import pytest

from bittern._core.progress import ProgressBar


def stderr_lines(capsys):
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_a_stage_prints_one_line(capsys):
    with ProgressBar("reading", None, "texts", verbose=1) as bar:
        for _ in range(3):
            bar.advance(2000)
    (line,) = stderr_lines(capsys)
    assert line.startswith("reading: 6.0k texts, ")
    assert line.endswith(" s")


def test_long_stages_print_their_progress(capsys, monkeypatch):
    now = iter(range(0, 1000, 30))
    monkeypatch.setattr("bittern._core.progress.time.monotonic", lambda: next(now))
    with ProgressBar("learning", 4e6, "biterms", verbose=1) as bar:
        bar.advance(1e6, "log-likelihood -9.000")
        bar.advance(1e6, "log-likelihood -8.000")
    first, second, last = stderr_lines(capsys)
    assert first.startswith("learning: 1.0M biterms, ")
    assert first.endswith(" left, log-likelihood -9.000")
    assert " min " in first
    assert "2.0M biterms" in second
    assert "left" not in last


@pytest.mark.parametrize("total", [None, 10])
def test_nothing_is_printed_if_not_verbose(capsys, total):
    with ProgressBar("reading", total, "texts", verbose=0) as bar:
        bar.advance(10)
    assert stderr_lines(capsys) == []


def test_a_failed_stage_prints_no_summary(capsys):
    with pytest.raises(KeyboardInterrupt), ProgressBar("reading", 10, "texts", verbose=1):
        raise KeyboardInterrupt
    assert stderr_lines(capsys) == []


@pytest.mark.parametrize("total", [None, 1000])
def test_a_terminal_shows_a_bar(capsys, monkeypatch, total):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setenv("NO_COLOR", "1")
    with ProgressBar("reading", total, "texts", verbose=1) as bar:
        bar.advance(500, "half")
    last = [line for line in stderr_lines(capsys) if "reading " in line][-1]
    assert "500 texts, " in last
    assert "/s, half" in last
    assert ("━" in last) == (total is not None)


def test_a_program_without_standard_error_shows_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    with ProgressBar("reading", 10, "texts", verbose=1) as bar:
        bar.advance(10)
    assert capsys.readouterr().out == ""


def test_compilation_is_announced_once():
    program = """
from bittern._core.progress import announce_compilation
from numba import njit
announce_compilation()
njit(lambda x: x + 1)(1)
njit(lambda x: x + 2)(1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.count("compiling") == 1
