"""The option --cluster."""

import numpy as np
import polars as pl

from bittern import BTM, load, read


def test_fit_on_a_cluster_saves_the_same_model(folder, call):
    options = ("answers.csv", "--text", "answer", "-k", "4", "--seed", "1", "--out", "m", "--quiet")
    code, out, err = call("fit", *options, "--cluster", "local:1")
    assert (code, err) == (0, "")
    assert "topic0word" in out
    expected = BTM(4, random_state=1).fit(read("answers.csv", text="answer", stop_words="english"))
    np.testing.assert_array_equal(load("m").phi_, expected.phi_)
    assert not (folder / "m.checkpoint").exists()


def test_commands_on_a_cluster_give_the_same(folder, call):
    dates = [f"2024-{1 + i % 9:02d}-11" for i in range(400)]
    pl.read_csv("answers.csv").with_columns(date=pl.Series(dates)).write_csv("dated.csv")
    columns = ("dated.csv", "--text", "answer", "--quiet")
    assert call("fit", *columns, "-k", "4", "--seed", "1", "--out", "m")[0] == 0
    for command, *options in (
        ("score",),
        ("quality", "--label", "kind"),
        ("timeline", "--time", "date", "--period", "month"),
    ):
        code, alone, _ = call(command, "m", *columns, *options)
        assert code == 0
        assert call(command, "m", *columns, *options, "--cluster", "local:2") == (0, alone, "")
    assert call("transform", "m", *columns, "--out", "topics", "--cluster", "local:2")[0] == 0
    assert call("transform", "m", *columns, "--out", "topics.parquet")[0] == 0
    found = pl.read_parquet("topics/*.parquet")
    assert found.drop("source").equals(pl.read_parquet("topics.parquet"))


def test_errors_are_one_line(folder, call):
    wrong = {
        ("--cluster", "spark"): 'unknown cluster "spark"; use local:4',
        ("--cluster", "local:1", "--algorithm", "gibbs"): "cannot be trained in parts",
        ("--cluster", "local:1", "--resume"): "no checkpoint to resume from",
        ("--resume",): "--resume continues a fit on a cluster; give --cluster",
    }
    for options, message in wrong.items():
        code, _, err = call("fit", "answers.csv", "--text", "answer", "--out", "m", *options)
        assert code == 2
        assert message in err
        assert len(err.strip().splitlines()) == 1
    assert call("fit", "answers.csv", "--text", "answer", "--out", "n", "-q")[0] == 0
    code, _, err = call("transform", "n", "answers.csv", "--text", "answer", "--cluster", "local:1")
    assert code == 2
    assert "a cluster writes parquet files; give a new directory with --out" in err
    code, _, err = call(
        "fit", "answers.csv", "--text", "typo", "--out", "m", "--cluster", "local:1"
    )
    assert code == 2
    assert 'column "typo" not found' in err
    code, _, _ = call(
        "fit", "answers.csv", "--text", "answer", "--out", "m", "-q", "--cluster", "local:1"
    )
    assert code == 0  # the failed attempt left nothing in the way
