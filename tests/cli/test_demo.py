"""bittern demo: topics in texts that come with bittern or Python."""

import polars as pl
import pytest

from bittern.datasets import survey


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    """An empty current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_demo_prints_readable_topics(call, directory):
    code, out, err = call("demo")
    assert code == 0
    assert len(out.splitlines()) == 21
    assert "docstrings of Python's standard library" in err
    topics = [set(line.split()[2:]) for line in out.splitlines()[1:]]
    for together in ({"logging", "handler"}, {"socket", "connection"}, {"month", "day"}):
        assert any(together <= words for words in topics), together
    assert list(directory.iterdir()) == []


def test_survey_is_written_and_its_topics_are_printed(call):
    code, out, err = call("demo", "--survey")
    assert code == 0
    assert len(out.splitlines()) == 11
    for together in ({"late", "connection"}, {"wifi", "outlets"}, {"toilet", "dirty"}):
        assert any(together <= set(line.split()) for line in out.splitlines()), together
    table = survey()
    assert pl.read_csv("answers.csv", try_parse_dates=True).equals(table)
    lines = [line for line in err.splitlines() if not line.startswith("compiling")]
    wrote, reading, size, no_content, wordless, empty, training, last = lines
    assert wrote == 'Wrote answers.csv: answers of passengers to "What could we do better?"'
    assert reading.startswith(f"reading: {len(table)} texts")
    assert size.startswith(f"Read {len(table)} texts with ")
    period = f"{table['date'].min()} to {table['date'].max()}"
    assert size.endswith(f" distinct words (each in 2 texts or more), {period}, from answers.csv.")
    assert no_content.endswith(f" of {len(table)} texts have no content.")
    assert wordless.endswith(f" of {len(table)} texts have no words that are kept.")
    assert empty.endswith(f" of {len(table)} texts are empty.")
    assert training.startswith("training: ")
    assert "bittern fit answers.csv --text answer --topics 10 --seed 0" in last


def test_next_command_finds_the_same_topics(call):
    *_, messages = call("demo", "--survey", "-k", 8)
    command = messages.splitlines()[-1].partition(": bittern ")[2]
    code, out, _ = call(*command.split())
    assert code == 0
    shares = [line.split()[:2] for line in out.splitlines()]
    assert len(shares) == 9
    _, out, messages = call("demo", "--survey", "-k", 8)
    assert [line.split()[:2] for line in out.splitlines()] == shares
    assert "Wrote" not in messages


def test_report_on_the_survey_has_its_dates_and_ages(call, directory):
    pytest.importorskip("altair")
    code, _, err = call("demo", "--survey", "--report", "demo.html")
    assert code == 0
    assert "Open demo.html in a browser." in err
    page = (directory / "demo.html").read_text("utf-8")
    assert "<title>Passenger survey" in page
    for part in ("2025-07-14", "18-29", "air conditioning"):
        assert part in page, part


def test_another_file_of_this_name_is_kept(call, directory):
    (directory / "answers.csv").write_text("answer\nmine\n")
    code, out, err = call("demo", "--survey")
    assert (code, out) == (2, "")
    assert err.endswith(
        "answers.csv exists and is another file; rename it, or use another directory\n"
    )
    assert (directory / "answers.csv").read_text() == "answer\nmine\n"


def test_report_that_cannot_be_written_is_reported_before_the_survey_is_written(call, directory):
    pytest.importorskip("altair")
    code, *_ = call("demo", "--survey", "--report", "missing/demo.html")
    assert code == 2
    assert list(directory.iterdir()) == []
