"""Words that a topic uses more in some periods."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from bittern import Corpus
from bittern.analysis.word_shifts import overused_words, word_shifts
from bittern.errors import InputError


def dates(days):
    return pl.Series([dt.date(2024, 1, 1) + dt.timedelta(int(day)) for day in days])


def test_a_word_of_one_day_is_found():
    texts = ["game team win"] * 40 + ["game team worldcup"] * 10 + ["vote law court"] * 50
    days = [*range(10)] * 4 + [7] * 10 + [*range(10)] * 5
    corpus = Corpus.from_texts(texts, times=dates(days))
    shares = np.repeat([[1.0, 0.0], [0.0, 1.0]], 50, axis=0).astype(np.float32)
    table = word_shifts(corpus, shares, "day", n=1)
    row = table.filter((pl.col("period") == dates([7])[0]) & (pl.col("topic") == 0))
    assert row["word"].to_list() == ["worldcup"]
    assert row["z"][0] == table["z"].max()
    with pytest.raises(InputError, match="word shifts need documents with times"):
        word_shifts(Corpus.from_texts(texts), shares)


@pytest.mark.parametrize("counted", [False, True])
def test_word_shifts_match_the_formula(counted, monkeypatch):
    """Computed in the obvious way, from a dense table of topics, periods and words."""
    rng = np.random.default_rng(0)
    matrix = rng.poisson(0.4, size=(200, 30))
    days = rng.integers(6, size=200)
    shares = rng.dirichlet(np.full(20, 0.1), size=200).astype(np.float32)
    times = dates(days).set(pl.Series(np.arange(200) % 17 == 3), None)
    if counted:
        corpus = Corpus.from_counts(matrix, times=times)
    else:
        words = np.arange(30).astype(str)
        corpus = Corpus.from_tokens([np.repeat(words, row) for row in matrix], times=times)
        corpus = corpus.with_vocabulary(list(words))
    monkeypatch.setattr("bittern.analysis.word_shifts.MIN_SHIFT", 0.5)
    found = word_shifts(corpus, shares, "day", n=3, n_threads=2)
    known = times.is_not_null().to_numpy()
    kept = np.where(shares >= 0.01, shares, 0) * known[:, np.newaxis]
    counts = np.stack([kept[days == day].T @ matrix[days == day] for day in range(6)], axis=1)
    expected = []
    for topic in range(20):
        some = np.flatnonzero(counts[topic].sum(axis=0) >= 5)
        mine = counts[topic][:, some]
        usual = np.outer(mine.sum(axis=1), mine.sum(axis=0)) / max(mine.sum(), 1e-9)
        z = (mine - usual) / np.sqrt(usual + 1)
        for day in range(6):
            best = np.argsort(-z[day], kind="stable")[:3]
            expected += [
                (dates([day])[0], topic, str(some[w]), z[day, w]) for w in best if z[day, w] > 0.5
            ]
    assert [row[:3] for row in found.rows()] == [row[:3] for row in expected]
    np.testing.assert_allclose(found["z"], [row[3] for row in expected], rtol=1e-4)


def test_overused_words_exceed_what_is_expected_of_the_selected_documents():
    rng = np.random.default_rng(0)
    selected = np.arange(1000) < 200
    documents = [[f"w{i}" for i in rng.integers(30, size=4)] for _ in range(1000)]
    for d in range(200):
        documents[d] += ["quake"] if d % 2 else ["7", "quakes"]
    corpus = Corpus.from_tokens(documents)
    assert overused_words(corpus, selected, 2)[0] in ("quake", "quakes")
    assert set(overused_words(corpus, selected, 3)) == {"quake", "quakes", "7"}
    assert overused_words(corpus, selected, 1) != ["7"]  # a number tells little
    assert overused_words(corpus, rng.random(1000) < 0.2, 3) == []
    assert overused_words(corpus[:0], selected[:0], 3) == []
    counted = Corpus.from_counts([[9, 0], [9, 9]] * 20, ["late", "train"])
    assert overused_words(counted, np.arange(40) % 2 == 1, 2) == ["train"]
