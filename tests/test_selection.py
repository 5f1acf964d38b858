import json

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus, selection
from bittern.charts import save_chart, selection_chart
from bittern.errors import InputError
from bittern.selection import choose, recommend
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
    assert choice.runs.select("topics", "seed").n_unique() == 15
    top = choice.table.sort("held_out")["topics"][-1]
    first, best = (
        choice.runs.filter(pl.col("topics") == n).sort("seed")["held_out"] for n in (6, top)
    )
    assert choice.table["held_out"][0] == pytest.approx(first.mean())
    assert choice.table["held_out"].max() == pytest.approx(best.mean())
    error = (best - first).std() / np.sqrt(3)  # on the same splits
    assert choice.table["held_out_error"][0] == pytest.approx(error)
    assert str(choice.recommended) in choice.reason


def test_same_seed_gives_the_same_table():
    corpus, _ = synthetic(1)
    tables = [
        choose(corpus[:500], [3, 4], n_repeats=2, random_state=7, n_jobs=n).table for n in (1, 2)
    ]
    assert tables[0].equals(tables[1])


def table(held_out, error, npmi, stability):
    return pl.DataFrame(
        {
            "topics": [10, 20, 40],
            "held_out": held_out,
            "held_out_error": error,
            "npmi": npmi,
            "stability": stability,
        }
    )


@pytest.mark.parametrize(
    ("held_out", "npmi", "stability", "expected"),
    [
        ([-9.0, -8.0, -8.5], [0.1, 0.1, 0.1], [0.9, 0.9, 0.9], 20),  # the best alone
        ([-8.01, -8.0, -8.5], [0.1, 0.1, 0.1], [0.9, 0.8, 0.8], 10),  # within an error, and stable
        ([-8.01, -8.0, -8.5], [0.0, 0.2, 0.1], [0.9, 0.9, 0.9], 20),  # within, but less coherent
        ([-8.01, -8.0, -8.5], [0.1, 0.1, 0.1], [0.9, 0.9, 0.9], 10),  # of equals the smaller
        ([-9.0, -8.4, -8.0], [0.3, 0.2, 0.1], [0.9, 0.8, 0.7], 20),  # still rising: half the gain
    ],
)
def test_recommendation_rule(held_out, npmi, stability, expected):
    recommended, reason = recommend(table(held_out, [0.05] * 3, npmi, stability))
    assert recommended == expected
    assert ("still rising" in reason) == (held_out[2] == max(held_out))


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
    assert out.splitlines()[0].split() == ["topics", "held-out", "NPMI", "stability", "redundancy"]
    assert out.splitlines()[-1].startswith("4 topics. ")
    assert "comparing: " in err
    assert pl.read_csv("c.csv")["topics"].to_list() == [2, 4, 8]
    assert (tmp_path / "c.svg").exists()
    code, out, err = call("choose", "texts.txt", "-k", "2,4", "--json", "--quiet")
    assert json.loads(out)["recommended"] == 4
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
