"""The commands for understanding a model: edit, explain, examples, quality."""

import json

import polars as pl
import pytest

from bittern import BTM, load
from known import blocks

TEXTS, TOPICS = blocks()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    BTM(4, random_state=1).fit(TEXTS).save("model")
    pl.DataFrame({"answer": TEXTS, "kind": TOPICS}).write_csv("answers.csv")


def test_edit(call):
    old = load("model")
    code, out, _ = call(
        *(
            "edit",
            "model",
            "--merge",
            "1,3",
            "--remove",
            2,
            "--name",
            "0=first",
            "--name",
            "3=both",
        ),
        *("--out", "better"),
    )
    assert code == 0
    assert len(out.splitlines()) == 3
    assert "first: topic" in out
    new = load("better")
    assert new.n_topics == 2
    assert new.topic_names_ == ["first", "both"]
    assert load("model").n_topics == old.n_topics
    for wrong, message in (
        (("--merge", "1,x"), "write numbers"),
        (("--remove", "9"), "no topic 9"),
        (("--name", "first"), "such as 0=trains"),
        (("--name", "7=x"), "no topic 7"),
    ):
        code, _, err = call("edit", "model", *wrong, "--out", "other")
        assert code == 2
        assert message in err


def test_explain(call):
    code, out, _ = call("explain", "model", "topic0word1 topic0word2 topic1word1")
    assert code == 0
    first, *rest = out.splitlines()
    assert first.startswith("topic ")
    assert len(rest) == 3
    assert "topic0word1 + topic0word2" in rest[0] or "topic0word2 + topic0word1" in rest[0]
    _, out, _ = call("explain", "model", "topic0word1 topic0word2", "--json")
    assert json.loads(out)["biterms"][0]["share"] == 1


def test_examples(call):
    code, out, _ = call("examples", "model", "answers.csv", "--text", "answer", "-n", 2, "-q")
    assert code == 0
    assert len(out.splitlines()) == 4 * 3
    assert sum(line.startswith("topic ") for line in out.splitlines()) == 4
    assert any(line.split(maxsplit=1)[1] in TEXTS for line in out.splitlines())
    _, out, _ = call("examples", "model", "answers.csv", "--text", "answer", "--json", "-q")
    assert len(json.loads(out)) == 12


def test_quality(call):
    code, out, _ = call("quality", "model", "answers.csv", "--text", "answer", "--label", "kind")
    assert code == 0
    found = dict(line.split() for line in out.splitlines())
    assert float(found["purity"]) > 0.9
    assert {"npmi", "c_v", "umass", "diversity", "nmi", "ari", "v_measure"} <= set(found)
    _, out, _ = call("quality", "model", "answers.csv", "--text", "answer", "--json", "-q")
    assert "purity" not in json.loads(out)
