import json

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus
from bittern import selection as choosing
from bittern.charts.charts import choice_chart, save_chart
from bittern.errors import InputError
from bittern.selection import choose, recommend
from known import blocks, draw_corpus, draw_topics, match


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    theta, phi = draw_topics(rng, 12, 300, 0.1)
    return draw_corpus(rng, theta, phi, n_documents=3000, length=7), phi


@pytest.fixture(scope="module")
def choice():
    corpus, _ = drawn()
    return choose(corpus, [6, 10, 12, 14, 20], n_jobs=2)


def test_the_true_number_is_found(choice):
    assert 10 <= choice.recommended <= 14
    at_12 = choice.table.row(by_predicate=pl.col("topics") == 12, named=True)
    assert at_12["stability"] > 0.97
    assert at_12["stability"] == choice.table["stability"].max()


def test_there_is_a_row_for_each_number_and_each_start(choice):
    assert choice.table["topics"].to_list() == [6, 10, 12, 14, 20]
    assert choice.runs.select("topics", "seed").n_unique() == 15
    first, best = (
        choice.runs.filter(pl.col("topics") == n).sort("seed")["held_out"] for n in (6, 12)
    )
    assert choice.table["held_out"][0] == pytest.approx(first.mean())
    assert choice.table["held_out"].max() == pytest.approx(best.mean())
    error = (best - first).std() / np.sqrt(3)  # on the same splits
    assert choice.table["held_out_error"][0] == pytest.approx(error)
    assert str(choice.recommended) in choice.reason


def test_the_same_seed_gives_the_same_table():
    corpus, _ = drawn(1)
    tables = [
        choose(corpus[:500], [3, 4], n_seeds=2, random_state=7, n_jobs=n).table for n in (1, 2)
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
def test_the_rule(held_out, npmi, stability, expected):
    recommended, reason = recommend(table(held_out, [0.05] * 3, npmi, stability))
    assert recommended == expected
    assert ("still rises" in reason) == (held_out[2] == max(held_out))


def test_what_cannot_be_chosen_from_is_refused():
    corpus, _ = drawn()
    for topics, message in (
        ([5], "two or more"),
        ([1, 5], "number of topics"),
        ([], "two or more"),
    ):
        with pytest.raises(InputError, match=message):
            choose(corpus, topics)
    with pytest.raises(InputError, match="n_seeds"):
        choose(corpus, [2, 3], n_seeds=1)


def test_several_starts_find_more_topics():
    found = []
    for n_init in (1, 5):
        bad = 0
        for seed in range(4):
            corpus, phi = drawn(seed)
            model = BTM(12, n_init=n_init, random_state=seed).fit(corpus)
            bad += (match(model.phi_, phi) > 0.5).sum()
            epochs = model.history_["epoch"].unique().to_list()
            assert epochs == list(range(10))
            assert model.history_["biterms"].is_sorted()
        found.append(bad)
    assert found[1] == 0
    assert found[0] > 0


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_the_chart_is_a_picture(choice, tmp_path, kind):
    path = tmp_path / f"choice.{kind}"
    save_chart(choice_chart(choice.table, choice.recommended), path)
    start = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>"}[kind]
    assert path.read_bytes().lstrip().startswith(start)
    with pytest.raises(InputError, match=r"\.svg, \.png, \.html"):
        save_chart(None, tmp_path / "choice.pdf")


def test_from_the_command_line(tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, _ = blocks(n_documents=200)
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    code, out, err = call(
        *("choose", "texts.txt", "-k", "2,4,8", "--starts", 2, "--plot", "c.svg", "-o", "c.csv"),
        *("--sample", 150),
    )
    assert code == 0
    assert out.splitlines()[0].split() == ["topics", "held-out", "NPMI", "stability", "redundancy"]
    assert out.splitlines()[-1].startswith("4 topics. ")
    assert "choosing: " in err
    assert pl.read_csv("c.csv")["topics"].to_list() == [2, 4, 8]
    assert (tmp_path / "c.svg").exists()
    code, out, err = call("choose", "texts.txt", "-k", "2,4", "--json", "--quiet")
    assert json.loads(out)["recommended"] == 4
    assert err == ""
    for wrong, message in (
        (("-k", "4"), "nothing to choose from"),
        (("--plot", "c.pdf"), "figures are written as"),
    ):
        code, _, err = call("choose", "texts.txt", *wrong, "--quiet")
        assert code == 2
        assert message in err


def test_no_more_models_at_a_time_than_have_room(monkeypatch):
    corpus = Corpus.from_texts(["a few words that are here"] * 10)
    assert choosing._threads(corpus, 10, 8) == 8
    monkeypatch.setattr(choosing, "available_memory", lambda: 1e3)
    assert choosing._threads(corpus, 10, 8) == 1
