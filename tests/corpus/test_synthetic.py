import subprocess
import sys
import time
from itertools import combinations

import numpy as np
import pytest

from bittern import Corpus, cli
from bittern.biterms.lazy import LazyBiterms
from bittern.corpus.synthetic import synthetic_corpus, synthetic_texts, synthetic_words
from bittern.errors import InputError


def test_the_default_corpus_has_the_statistics_of_tweets2011():
    corpus = synthetic_corpus(30_000)
    assert len(corpus) == 30_000
    lengths = np.diff(corpus.indptr)
    assert lengths.min() == 2
    assert lengths.mean() == pytest.approx(6.94, rel=0.02)
    per_document = len(LazyBiterms(corpus, 15)) / len(corpus)
    assert per_document == pytest.approx(95 / 3.5, rel=0.03)
    counts = np.sort(np.bincount(corpus.tokens))[::-1]
    ranks = np.array([10, 30, 100, 300, 1000])
    slope = np.polyfit(np.log(ranks), np.log(counts[ranks]), 1)[0]
    assert -1.4 < slope < -0.7


def test_a_seed_reproduces_the_corpus_and_its_texts():
    corpus, again, other = (synthetic_corpus(300, 5, 500, seed) for seed in (0, 0, 1))
    assert corpus.tokens.tolist() == again.tokens.tolist() != other.tokens.tolist()
    texts = list(synthetic_texts(300, 5, 500, seed=0))
    made = Corpus.from_texts(texts, vocabulary=corpus.vocabulary)
    assert made.tokens.tolist() == corpus.tokens.tolist()
    assert made.indptr.tolist() == corpus.indptr.tolist()


def test_documents_of_a_topic_share_words():
    corpus = synthetic_corpus(4000, 5, 500)
    counts = np.zeros((5, 500))
    topics = np.repeat(corpus.labels.to_numpy(), np.diff(corpus.indptr))
    np.add.at(counts, (topics, corpus.tokens), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    distances = [np.abs(a - b).sum() / 2 for a, b in combinations(shares, 2)]
    assert min(distances) > 0.3


def test_words_are_distinct_and_no_stop_words():
    names = synthetic_words(10_000)
    assert len(set(names)) == 10_000
    assert "same" not in names


def test_the_command_line_writes_the_same_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sys.argv", ["bittern", "generate", "t.txt", "--documents", "50", "--words", "99", "-q"]
    )
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 0
    assert (tmp_path / "t.txt").read_text().splitlines() == list(synthetic_texts(50, 100, 99))
    assert [file.name for file in tmp_path.iterdir()] == ["t.txt"]


def test_the_temporary_file_of_a_killed_run_is_removed_by_the_next(tmp_path):
    command = [sys.executable, "-m", "bittern", "generate", "t.txt", "--words", "99"]
    running = subprocess.Popen([*command, "-q"], cwd=tmp_path)
    try:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()):
            assert running.poll() is None, f"the command exited with {running.returncode}"
            assert time.monotonic() < deadline, "the command wrote nothing for 60 seconds"
            time.sleep(0.01)
    finally:
        running.kill()
        running.wait()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".t.txt.saving-")
    subprocess.run([*command, "--documents", "9", "-q"], cwd=tmp_path, check=True)
    assert [file.name for file in tmp_path.iterdir()] == ["t.txt"]


def test_invalid_arguments_are_refused():
    with pytest.raises(InputError, match="n_documents must be 1 or more, not 0"):
        synthetic_corpus(0)
    with pytest.raises(InputError, match="add up to the 2 tokens, not to 3"):
        Corpus.from_indices(["a", "b"], np.array([1, 2]), np.array([0, 1], np.int32))
    with pytest.raises(InputError, match="tokens must be indices into the vocabulary, from 0 to 1"):
        Corpus.from_indices(["a", "b"], np.array([2]), np.array([0, 2], np.int32))
