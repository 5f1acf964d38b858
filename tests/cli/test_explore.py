"""The commands that describe topics: topics, examples and quality."""

import json

import polars as pl
import pytest

from bittern import load


def test_topics_prints_the_top_words(model, call):
    code, out, _ = call("topics", model, "--words", 3, "--relevance", 0.5)
    assert code == 0
    assert all(len(line.split()) == 2 + 3 for line in out.splitlines()[1:])
    assert json.loads(call("topics", model, "--json")[1])[0]["words"]


def test_examples_prints_texts_of_each_topic(model, call, texts):
    code, out, _ = call("examples", "model", "answers.csv", "--text", "answer", "-n", 2, "-q")
    assert code == 0
    assert len(out.splitlines()) == 4 * 3
    assert sum(line.startswith("topic ") for line in out.splitlines()) == 4
    assert any(line.split(maxsplit=1)[1] in texts for line in out.splitlines())
    _, out, _ = call("examples", "model", "answers.csv", "--text", "answer", "--json", "-q")
    assert len(json.loads(out)) == 12


def test_quality_compares_topics_with_labels_if_given(model, call):
    code, out, _ = call("quality", "model", "answers.csv", "--text", "answer", "--label", "kind")
    assert code == 0
    measures = dict(line.split() for line in out.splitlines())
    assert float(measures["purity"]) > 0.9
    assert {"npmi", "c_v", "umass", "diversity", "nmi", "ari", "v_measure"} <= set(measures)
    _, out, _ = call("quality", "model", "answers.csv", "--text", "answer", "--json", "-q")
    assert "purity" not in json.loads(out)


@pytest.mark.parametrize(
    ("name", "read_back"),
    [("t.csv", pl.read_csv), ("t.jsonl", pl.read_ndjson), ("t.parquet", pl.read_parquet)],
)
def test_topics_are_written_to_a_table(model, call, name, read_back):
    code, out, err = call("topics", "model", "--words", 3, "--out", name)
    assert (code, out, err) == (0, "", f"Wrote 4 rows to {name}.\n")
    table = read_back(name)
    assert table.columns == ["topic", "name", "share", "words", "in_use"]
    assert table["words"].to_list() == [", ".join(words) for words in load("model").top_words(3)]
