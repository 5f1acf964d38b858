"""Processes that were forked after Polars had started its threads."""

import subprocess
import sys

import pytest

from bittern._core.forks import has_polars_threads

PROGRAM = """
import os, signal, warnings
import bittern
from bittern.errors import InputError

TEXTS = ["red apple pie", "late fast train", "apple pie recipe"] * 10

def in_child(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)  # a child that hangs is killed
        try:
            work()
            os._exit(0)
        except InputError as error:
            print(error, flush=True)
            os._exit(7)
    _, status = os.waitpid(pid, 0)
    assert not os.WIFSIGNALED(status), work.__name__
    return os.waitstatus_to_exitcode(status)

def fit(): bittern.BTM(2, random_state=0).fit(TEXTS)

def fit_in_grandchild():
    if in_child(fit):
        raise InputError("refused")

assert in_child(fit) == 0  # nothing has used Polars yet
model = bittern.BTM(2, random_state=0).fit(TEXTS)
corpus = bittern.Corpus.from_texts(TEXTS)
open("texts.csv", "w").write("text\\nred apple")

def transform(): model.transform(TEXTS)
def read(): bittern.read("texts.csv")
def from_tokens(): bittern.Corpus.from_tokens([["red", "apple"]])
def times(): corpus.with_times(["2024-01-01"] * len(corpus))
def table(): model.document_info(corpus)
def explain(): model.explain(corpus[:1])
def labels(): model.quality(corpus, labels=["a"] * len(corpus))

for work in (fit, transform, read, from_tokens, times, table, explain, labels, fit_in_grandchild):
    assert in_child(work) == 7, work.__name__
assert in_child(lambda: model.transform(corpus)) == 0
assert in_child(lambda: bittern.BTM(2, random_state=0).fit(corpus)) == 0
fit()  # the parent goes on
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork by default")
def test_texts_in_a_forked_process_are_refused(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    message = "forked after its parent had used Polars, which would hang here; start processes with"
    assert done.stdout.count(message) == 9


def test_threads_of_polars_are_found_by_name(tmp_path):
    assert has_polars_threads(tmp_path)  # nothing is known
    for i, (name, found) in enumerate(
        {"python": False, "polars-ooc": False, "polars-1": True}.items()
    ):
        (tmp_path / str(i)).mkdir()
        (tmp_path / str(i) / "comm").write_text(f"{name}\n")
        assert has_polars_threads(tmp_path) == found
