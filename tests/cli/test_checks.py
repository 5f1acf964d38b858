"""Wrong files, columns and options are reported before anything slow is imported."""

import subprocess
import sys
from typing import get_args

import pytest

from bittern.analysis.documents import INFERENCE_METHODS
from bittern.analysis.explanation import ExplanationBasis
from bittern.biterms import PERIODS
from bittern.cli import checks
from bittern.fitted import Duplicates

TEXT = ("answers.csv", "--text", "answer")


def test_choices_are_those_of_the_library():
    assert checks.INFERENCE_METHODS == INFERENCE_METHODS
    assert get_args(ExplanationBasis) == checks.EXPLANATIONS
    assert (*PERIODS, "auto") == checks.PERIODS
    assert get_args(Duplicates) == checks.DUPLICATES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("transform", "nope", *TEXT), "model nope not found"),
        (("transform", "model", "nope.csv"), "nope.csv does not exist"),
        (("transform", "model", "answers.docx"), "cannot tell the format of answers.docx"),
        (("transform", "model", "answers.xlsx"), "answers.xlsx: not a workbook that can be read"),
        (("transform", "model", "answer.csv"), "did you mean answers.csv"),
        (("transform", "model", *TEXT, "--separator", "::"), "separator must be a single char"),
        (("transform", "model", *TEXT, "--encoding", "x"), 'unknown encoding "x"; use a name'),
        (("transform", "model", *TEXT, "--sheet", "x"), "sheet has no effect on csv files"),
        (("transform", "model", "answers.csv", "--text", "x"), 'column "x" not found'),
        (("transform", "model", *TEXT, "--by", "x"), 'unknown value for --by: "x"; choose from'),
        (("transform", "model", *TEXT, "--out", "no/t.csv"), "cannot write no/t.csv: no directory"),
        (("transform", "model", *TEXT, "--out-format", "x"), 'unknown format "x" of tables'),
        (("timeline", "model", *TEXT, "--time", "x"), 'column "x" not found'),
        (
            ("timeline", "model", *TEXT, "--time", "id", "--period", "x"),
            "choose from hour, day",
        ),
        (("timeline", "model", *TEXT, "--time", "id", "--plot", "no/x.html"), "no directory"),
        (("timeline", "model", *TEXT, "--time", "id", "--time-format", "x"), "needs a year"),
        (("report", "model", *TEXT, "--time-format", "%Y", "--out", "r.html"), "without --time"),
        (("report", "model", *TEXT, "--label", "x", "--out", "r.html"), 'column "x" not found'),
        (("report", "model", *TEXT, "--out", "no/r.html"), "cannot write no/r.html"),
        (("quality", "model", "nope.csv"), "nope.csv does not exist"),
        (("score", "model", "nope.csv"), "nope.csv does not exist"),
        (("examples", "model", "nope.csv"), "nope.csv does not exist"),
        (("explain", "model", "late train", "--by", "mix"), "choose from informative, words"),
        (("topics", "nope"), "model nope not found"),
        (("topics", "model", "--relevance", "2"), "--relevance"),
        (("edit", "model", "--merge", "x", "--out", "new"), "--merge must be integers"),
        (("choose", "nope.csv"), "nope.csv does not exist"),
        (("choose", *TEXT, "--out", "no/t.csv"), "cannot write no/t.csv"),
    ],
)
def test_mistakes_are_reported_at_once(model, monkeypatch, capsys, arguments, message):
    for name in ("answers.docx", "answers.xlsx"):
        (model.parent / name).touch()
    program = (
        "import sys\n"
        "from bittern.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: code = end.code\n"
        "slow = {'numba', 'sklearn', 'scipy'} & set(sys.modules)\n"
        "assert not slow, slow\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith("bittern: ")
    assert message in line
    assert (done.returncode, done.stdout) == (2, "")
