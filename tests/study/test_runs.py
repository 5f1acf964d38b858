"""Whole studies, interrupted and resumed."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from bittern.corpus.synthetic import synthetic_texts

pytestmark = pytest.mark.slow

TIMES = ["seconds", "seconds_sd"]


def command(out):
    return [
        *(sys.executable, "-m", "bittern", "study", "texts.txt", "--quick"),
        *("--out", out, "--jobs", "2", "--seed", "3", "--min-df", "2"),
    ]


def files(folder):
    return {path.name: path.stat().st_mtime_ns for path in Path(folder, "runs").glob("*.json")}


def resume(folder, until=None, sent=None):
    """Run the study `stopped`; send a signal when `until` runs are finished."""
    process = subprocess.Popen(command("stopped"), cwd=folder, stderr=subprocess.PIPE, text=True)
    if until is not None:
        while len(files(folder / "stopped")) < until and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(sent)
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors, files(folder / "stopped")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A directory with two finished studies: `whole`, and `stopped`, interrupted twice."""
    folder = tmp_path_factory.mktemp("study")
    texts = list(synthetic_texts(700, 8, 200, seed=0))
    (folder / "texts.txt").write_text("\n".join([*texts, "alone", ""]))
    done = subprocess.run(command("whole"), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "whole/study.html\n"
    total = len(files(folder / "whole"))

    code, _, first = resume(folder, total // 5, signal.SIGKILL)
    assert code == -signal.SIGKILL
    code, errors, second = resume(folder, 2 * total // 5, signal.SIGINT)
    assert code == 130
    assert "run the same command to resume" in errors
    assert not (folder / "stopped" / "study.html").exists()
    code, errors, last = resume(folder)
    assert code == 0, errors
    assert 0 < len(first) < len(second) < len(last) == total
    assert first.items() < second.items() < last.items()  # no run was executed twice
    return folder


@pytest.mark.parametrize(
    "name", ["lengths", "scores", "curves", "summary", "differences", "text_differences"]
)
def test_resumed_study_has_the_same_results(folder, name):
    whole, stopped = (
        pl.read_parquet(folder / study / "tables" / f"{name}.parquet").drop(TIMES, strict=False)
        for study in ("whole", "stopped")
    )
    assert whole.equals(stopped)
    assert len(whole) > 0
    csv = pl.read_csv(folder / "whole" / "tables" / f"{name}.csv")
    assert csv.height == whole.height


def test_scores_are_complete(folder):
    scores = pl.read_parquet(folder / "whole" / "tables" / "scores.parquet")
    assert scores["held_out"].null_count() == 0
    assert scores.group_by("experiment").len().height == 8
    compared = scores.filter(pl.col("experiment") == "pass")
    assert compared.group_by("label", "topics").len()["len"].unique().to_list() == [3]
    curves = pl.read_parquet(folder / "whole" / "tables" / "curves.parquet")
    assert curves.group_by("label", "repeat").agg(pl.col("share").max())["share"].min() == 1


def test_page_is_a_single_file(folder):
    page = (folder / "whole" / "study.html").read_text()
    assert not re.search(r"(src|href)=(?!\"(data:|#))", page)
    assert "texts.txt" in page
    for text in ("Figure 2", "Figure 3", "Figure 4", "Table 1", "the rows are swapped", "K = 40"):
        assert text in page
    assert "nan" not in re.sub(r"base64,[^\"]+", "", page)


def test_figures_are_svg_and_png(folder):
    figures = folder / "whole" / "figures"
    names = {path.stem for path in figures.iterdir()}
    assert len(names) == 13
    for name in names:
        assert (figures / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (figures / f"{name}.svg").read_text()
    page = (folder / "whole" / "study.html").read_text()
    assert page.count("data:image/svg+xml") == 13


def test_documents_with_one_word_are_dropped(folder):
    lengths = pl.read_parquet(folder / "whole" / "tables" / "lengths.parquet")
    assert lengths["words"].min() == 2


def test_more_repeats_reuse_finished_runs(folder):
    before = files(folder / "stopped")
    more = [*command("stopped"), "--repeats", "4", "--quiet"]
    done = subprocess.run(more, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert before.items() < files(folder / "stopped").items()
    differences = pl.read_csv(folder / "stopped" / "tables" / "differences.csv")
    assert differences["repeats"].unique().to_list() == [4]


def test_changing_the_focus_adds_its_learning_curves(folder):
    done = subprocess.run(
        [*command("stopped"), "--focus", "10", "--quiet"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    curves = pl.read_csv(folder / "stopped" / "tables" / "curves.csv")
    assert {10} == set(curves["topics"])
    assert "10 topics" in (folder / "stopped" / "study.html").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--seed", "4"], "contains a study of other texts or settings (seed is 3, not 4)"),
        (["--topics", "10,many"], "integers separated by commas"),
        (["--topics", "10,20", "--focus", "30"], "focus must be one of the topics"),
        (["--out", "texts.txt"], "is a file"),
        (["--min-df", "600"], "biterms but a study needs at least 1,000"),
    ],
)
def test_errors_are_one_line(folder, change, message):
    done = subprocess.run(
        [*command("whole"), "--quiet", *change], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
