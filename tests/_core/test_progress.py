import re
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


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until `sleep` is called."""

    class Clock:
        now = 0.0

        def sleep(self, seconds):
            self.now += seconds

    found = Clock()
    monkeypatch.setattr("bittern._core.progress.time.monotonic", lambda: found.now)
    return found


def test_long_stages_print_their_progress(capsys, clock):
    with ProgressBar("learning", 400e6, "biterms", verbose=1) as bar:
        for step in range(4):
            clock.sleep(30)
            bar.advance(1e6, f"log-likelihood -{step}.000")
    *lines, last = stderr_lines(capsys)
    assert lines == [
        "learning: 1.0M biterms, log-likelihood -0.000",
        "learning: 2.0M biterms, log-likelihood -1.000",
        "learning: 3.0M biterms, 33.3k/s, 3 h 18 min left, log-likelihood -2.000",
        "learning: 4.0M biterms, 33.3k/s, 3 h 18 min left, log-likelihood -3.000",
    ]
    assert last == "learning: 4.0M biterms, 33.3k/s, log-likelihood -3.000, 2 min 0 s"


def test_compilation_does_not_count_for_the_remaining_time(capsys, clock):
    """Kernels are compiled before the first step, and again before a later one."""
    with ProgressBar("learning", 1000, "texts", verbose=1) as bar:
        for step in range(100):
            clock.sleep({0: 40, 3: 15}.get(step, 1))
            bar.advance(10)
    *lines, last = stderr_lines(capsys)
    assert lines[0] == "learning: 10 texts"  # nothing is known yet
    left = [re.search(r"(\d+) texts, 10/s, (\S+) s left$", line) for line in lines[1:]]
    assert len(left) > 5
    for found in left:
        assert float(found[2]) == pytest.approx((1000 - int(found[1])) / 10)
    assert last == "learning: 1.0k texts, 7/s, 2 min 33 s"


def test_the_speed_is_the_recent_one(capsys, clock):
    with ProgressBar("learning", 10_000, "texts", verbose=1) as bar:
        for step in range(200):
            clock.sleep(1)
            bar.advance(100 if step < 50 else 1)
    assert "1/s" in stderr_lines(capsys)[-2].split(", ")


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
