import json

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus, selection
from bittern.analysis.documents import words_of
from bittern.charts import save_chart, selection_chart
from bittern.errors import InputError
from bittern.selection import (
    N_TOPICS,
    assess,
    choose,
    default_numbers,
    held_out_gains,
    recommend,
    split,
)
from known import blocks, match, sample_corpus, sample_topics


def synthetic(seed=0):
    rng = np.random.default_rng(seed)
    theta, phi = sample_topics(rng, 12, 300, 0.1)
    return sample_corpus(rng, theta, phi, n_documents=3000, length=7), phi


@pytest.fixture(scope="module")
def choice():
    corpus, _ = synthetic()
    return choose(corpus, [6, 10, 12, 14, 20], n_jobs=2)


def test_recommends_the_true_number(choice):
    assert 10 <= choice.recommended <= 14
    at_12 = choice.table.row(by_predicate=pl.col("topics") == 12, named=True)
    assert at_12["stability"] > 0.97
    assert at_12["stability"] == choice.table["stability"].max()


def test_table_has_a_row_per_number_and_runs_one_per_model(choice):
    assert choice.table["topics"].to_list() == [6, 10, 12, 14, 20]
    assert choice.runs.select("topics", "seed").n_unique() == 30  # with one topic
    top = choice.table.sort("held_out")["topics"][-1]
    first, best = (
        choice.runs.filter(pl.col("topics") == n).sort("seed")["held_out"] for n in (6, top)
    )
    assert choice.table["held_out"][0] == pytest.approx(first.mean())
    assert choice.table["held_out"].max() == pytest.approx(best.mean())
    error = (best - first).std() / np.sqrt(5)  # on the same splits
    assert choice.table["held_out_error"][0] == pytest.approx(error)
    assert str(choice.recommended) in choice.reason
    assert choice.low <= choice.recommended <= choice.high
    assert f"Confidence: {choice.confidence}." in choice.reason


def test_same_seed_gives_the_same_table():
    corpus, _ = synthetic(1)
    tables = [
        choose(corpus[:500], [3, 4], n_repeats=2, random_state=7, n_jobs=n).table for n in (1, 2)
    ]
    assert tables[0].equals(tables[1])


def gains_of(*means, spread=0.0):
    """Gains of 5, 10, 20 and 40 topics in two repeats."""
    numbers = [5, 10, 20, 40][: len(means)]
    return pl.DataFrame(
        {
            "topics": numbers,
            "0": [mean - spread * (i % 2) for i, mean in enumerate(means)],
            "1": [mean + spread * (i % 2) for i, mean in enumerate(means)],
        }
    )


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        (gains_of(0.5, 0.95, 1.0, 0.9), (10, 10, 40)),  # doubling 10 topics gains 5%
        (gains_of(0.6, 0.75, 1.0, 0.7), (20, 20, 20)),  # a small step before a large one
        (gains_of(0.4, 0.7, 0.85, 1.0), (20, 40, 40)),  # still rising
        (gains_of(0.6, 0.84, 0.92, 1.0), (10, 10, 40)),  # slowly
        (gains_of(0.9, 1.0, 0.8, 0.7), (5, 5, 20)),  # the gain must be more than a tenth
        (gains_of(0.7, 1.0, 0.7, 0.6, spread=0.4), (5, 5, 10)),  # and more than its error
        (gains_of(0.0, 0.0, 0.0, 0.0), (5, 5, 40)),  # no topics
        (gains_of(0.1, 1.0, 0.0, 0.0, spread=0.5), (5, 5, 40)),  # or within two errors
    ],
)
def test_recommendation_rule(gains, expected):
    assert recommend(gains) == expected


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        (gains_of(0.5, 1.0, 0.9, 0.5), "high"),
        (gains_of(0.5, 0.9, 1.0, 0.9), "medium"),  # 10 to 40
        (gains_of(0.5, 0.7, 0.9, 1.0), "medium"),  # 20 to 40, and perhaps more
        (gains_of(1.0, 0.9, 0.5, 0.1), "medium"),  # 5 to 10, and perhaps fewer
        (gains_of(0.1, 1.0, 0.0, 0.0, spread=0.5), "none"),
    ],
)
def test_confidence_is_high_if_few_numbers_are_as_good(gains, expected):
    low, _, high = recommend(gains)
    assert assess(gains, low, high) == expected


def test_a_wide_range_gives_little_confidence():
    gains = pl.DataFrame({"topics": [5, 10, 75, 100], "0": [0.9, 1.0, 0.8, 0.5]})
    gains = gains.with_columns(pl.col("0").alias("1"))
    low, recommended, high = recommend(gains)
    assert (low, recommended, high) == (5, 5, 75)
    assert assess(gains, low, high) == "low"


def test_each_document_is_held_out_once_in_five_repeats():
    corpus = Corpus.from_texts([f"common word{i}" for i in range(23)])
    parts = [split(corpus, repeat, 7) for repeat in range(5)]
    assert sorted(i for _, test in parts for i in test.ids) == list(range(23))
    for train, test in parts:
        assert sorted([*train.ids, *test.ids]) == list(range(23))
        assert test.vocabulary == corpus.vocabulary
        assert {test.vocabulary[token] for token in test.tokens} == {"common"}
    again = split(corpus, 5, 7)[1].ids.tolist()
    assert again != parts[0][1].ids.tolist()


def test_texts_without_words_change_nothing():
    corpus, _ = synthetic(1)
    texts = [" ".join(words) for words in words_of(corpus[:300])]
    alone = choose(texts, [2, 4], n_repeats=2)
    mixed = choose([*texts, *["", "-", None] * 50], [2, 4], n_repeats=2)
    assert mixed.table.equals(alone.table)


def test_too_few_texts_are_refused():
    with pytest.raises(InputError, match="at least 10 texts with two or more words; these are 6"):
        choose([*["late train"] * 6, *["", "late"] * 100])
    distinct = [f"a{i} b{i}" for i in range(20)]
    with pytest.raises(InputError, match="do not occur in the others; use more texts"):
        choose(distinct, n_jobs=1)


def test_copies_can_be_left_out():
    some = Corpus.from_texts(blocks()[0]).drop_duplicates()
    copies = some[np.concatenate([np.arange(len(some)), np.zeros(50, int)])]
    alone = choose(some, [2, 4], n_repeats=2)
    once = choose(copies, [2, 4], n_repeats=2, duplicates="once")
    assert once.table.equals(alone.table)
    assert not choose(copies, [2, 4], n_repeats=2).table.equals(alone.table)


def test_gains_are_relative_to_one_topic():
    runs = pl.DataFrame(
        {
            "topics": [1, 1, 5, 5, 10, 10],
            "seed": [0, 1, 0, 1, 0, 1],
            "held_out": [-9.0, -8.0, -8.5, -7.5, -8.0, -7.0],
        }
    )
    gains = held_out_gains(runs)
    assert gains.to_dict(as_series=False) == {"topics": [5, 10], "0": [0.5, 1.0], "1": [0.5, 1.0]}
    worse = runs.with_columns(held_out=pl.when(pl.col("topics") == 1).then(0.0).otherwise(-1.0))
    assert held_out_gains(worse)["0"].to_list() == [0, 0]


@pytest.mark.parametrize(
    ("n", "expected"), [(9, [2, 3]), (300, [2, 3, 5, 7, 10]), (10_000, list(N_TOPICS))]
)
def test_default_numbers_leave_documents_for_each_topic(n, expected):
    corpus = Corpus.from_texts(["two words", "one"] * n)
    assert default_numbers(corpus) == expected


def test_texts_without_topics_are_reported():
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(40)]
    texts = [" ".join(rng.choice(words, 6)) for _ in range(400)]
    choice = choose(texts, [2, 4])
    assert choice.reason.startswith(
        "This is no more than a guess: topics predict held-out texts no"
    )
    assert (choice.confidence, choice.low, choice.high) == ("none", 2, 4)


def test_invalid_numbers_are_rejected():
    corpus, _ = synthetic()
    for topics, message in (
        ([5], "two or more numbers"),
        ([1, 5], "number of topics"),
        ([], "two or more numbers"),
    ):
        with pytest.raises(InputError, match=message):
            choose(corpus, topics)
    with pytest.raises(InputError, match="n_repeats"):
        choose(corpus, [2, 3], n_repeats=1)


def test_several_starts_find_more_topics():
    found = []
    for n_init in (1, 5):
        bad = 0
        for seed in range(4):
            corpus, phi = synthetic(seed)
            model = BTM(12, n_init=n_init, random_state=seed).fit(corpus)
            bad += (match(model.phi_, phi) > 0.5).sum()
            assert model.history_["biterms"].is_sorted()
        found.append(bad)
    assert found[1] == 0
    assert found[0] > 0


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_chart_formats(choice, tmp_path, kind):
    path = tmp_path / f"choice.{kind}"
    save_chart(selection_chart(choice), path)
    start = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>"}[kind]
    assert path.read_bytes().lstrip().startswith(start)
    with pytest.raises(InputError, match=r"\.svg, \.png, \.html"):
        save_chart(None, tmp_path / "choice.pdf")


def test_choose_command(tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, _ = blocks(n_documents=200)
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    code, out, err = call(
        *("choose", "texts.txt", "-k", "2,4,8", "--repeats", 2, "--plot", "c.svg", "-o", "c.csv"),
        *("--sample", 150),
    )
    assert code == 0
    columns = ["topics", "held-out", "gain", "NPMI", "stability", "redundancy"]
    assert out.splitlines()[0].split() == columns
    assert out.splitlines()[-1].startswith("4 topics. ")
    assert "comparing: " in err
    assert pl.read_csv("c.csv")["topics"].to_list() == [2, 4, 8]
    assert (tmp_path / "c.svg").exists()
    code, out, err = call("choose", "texts.txt", "-k", "2,4", "--json", "--quiet")
    found = json.loads(out)
    assert found["recommended"] == 4
    assert found["confidence"] in ("high", "medium")
    assert err == ""
    for wrong, message in (
        (("-k", "4"), "two or more numbers"),
        (("--plot", "c.pdf"), "cannot save a chart as c.pdf"),
    ):
        code, _, err = call("choose", "texts.txt", *wrong, "--quiet")
        assert code == 2
        assert message in err


def test_models_at_a_time_fit_into_memory(monkeypatch):
    corpus = Corpus.from_texts(["a few words that are here"] * 10)
    assert selection.count_models(corpus, 10, 8) == 8
    monkeypatch.setattr(selection, "available_memory", lambda: 1e3)
    assert selection.count_models(corpus, 10, 8) == 1
