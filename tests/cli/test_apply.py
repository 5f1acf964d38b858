"""The commands that apply a model to texts: transform, score and explain."""

import json

import polars as pl
import pytest

import bittern.corpus.rows
from bittern import load


@pytest.mark.parametrize(
    ("name", "read_back"),
    [("t.csv", pl.read_csv), ("t.jsonl", pl.read_ndjson), ("t.parquet", pl.read_parquet)],
)
def test_transform_writes_one_row_per_text(model, call, texts, name, read_back):
    code, out, _ = call(
        "transform", model, "answers.csv", "--text", "answer", "--out", name, "--shares"
    )
    assert (code, out) == (0, "")
    table = read_back(name)
    info = [
        *("id", "topic", "topic_name", "probability", "runner_up", "runner_up_probability"),
        "reason",
    ]
    assert table.columns == [*info, "topic_0", "topic_1", "topic_2", "topic_3"]
    expected = load(model).transform(texts)
    assert table["topic"].to_list() == expected.argmax(axis=1).tolist()
    assert table["id"].to_list() == list(range(400))


def test_transform_gives_the_same_result_in_batches(model, call, monkeypatch):
    _, whole, _ = call("transform", model, "answers.csv", "--text", "answer", "--by", "words")
    monkeypatch.setattr(bittern.corpus.rows, "CHUNK", 70)
    _, out, _ = call("transform", model, "answers.csv", "--text", "answer", "--by", "words")
    assert out == whole
    call("transform", model, "answers.csv", "--text", "answer", "--by", "words", "-o", "t.csv")
    assert (model.parent / "t.csv").read_text() == whole


def test_transform_rejects_an_unknown_basis(model, call):
    code, _, err = call("transform", model, "answers.csv", "--text", "answer", "--by", "magic")
    assert code == 2
    assert "choose from informative, words, biterms, mix" in err


def test_transform_rejects_files_without_texts(model, call):
    (model.parent / "none.csv").write_text("answer\n")
    code, _, err = call("transform", model, "none.csv", "-o", "t.csv")
    assert code == 2
    assert "no texts found in none.csv; check the files and --text" in err


def test_transform_prints_csv_without_out(model, call):
    code, out, _ = call("transform", model, "answers.csv", "--text", "answer")
    assert code == 0
    header = out.splitlines()[0].split(",")
    assert header[:4] == ["id", "topic", "topic_name", "probability"]
    assert len(out.splitlines()) == 401


def test_transform_counts_texts_without_known_words(model, call):
    (model.parent / "some.csv").write_text('answer\ntopic0word1\n"-"\nunheard\n')
    code, out, err = call("transform", model, "some.csv")
    assert code == 0
    assert [line.split(",")[1] for line in out.splitlines()[2:]] == ["", ""]
    assert out.splitlines()[2].endswith(",no known words")
    assert "2 of 3 texts have no known words, so they have no topic." in err
    assert call("transform", model, "some.csv", "--quiet")[2] == ""


def test_score_prints_the_log_likelihood(model, call, texts):
    _, out, _ = call("score", model, "answers.csv", "--text", "answer")
    assert float(out) == pytest.approx(load(model).score(texts), abs=1e-4)
    _, out, _ = call("score", model, "answers.csv", "--text", "answer", "--json")
    assert json.loads(out)["log_likelihood"] == pytest.approx(load(model).score(texts))


def test_explain_prints_the_words_or_biterms_of_a_text(model, call):
    text = "topic0word1 topic0word2 topic1word1"
    code, out, _ = call("explain", "model", text)
    assert code == 0
    first, *rest = out.splitlines()
    assert first.startswith("topic ")
    assert sorted(line.split()[1] for line in rest) == sorted(text.split())
    assert rest[2].endswith("topic1word1  (p = 0.00)")
    _, out, _ = call("explain", "model", text, "--by", "biterms")
    assert "topic0word1 + topic0word2" in out or "topic0word2 + topic0word1" in out
    _, out, _ = call("explain", "model", "topic0word1", "--by", "biterms")
    assert "no biterms: the model knows fewer than two distinct words" in out
    _, out, _ = call("explain", "model", "topic0word1 topic0word2", "--by", "biterms", "--json")
    assert json.loads(out)["biterms"][0]["share"] == 1
    _, out, _ = call("explain", "model", "topic0word1", "--json")
    assert json.loads(out)["words"][0]["word"] == "topic0word1"
    for unknown in ("", "-", "unheard"):
        for options in ((), ("--by", "biterms"), ("--topic", 1)):
            code, out, err = call("explain", "model", unknown, *options)
            assert (code, err) == (0, "")
            assert out == "no topic: the model knows no word of this text\n"
    code, out, _ = call("explain", "model", "-", "--json")
    assert json.loads(out) == {
        "document": {
            **dict.fromkeys(("topic", "probability", "runner_up", "runner_up_probability")),
            **{"id": 0, "text": "-", "reason": "no known words"},
        },
        "words": [],
    }
    code, _, err = call("explain", "model", text, "--by", "mix")
    assert code == 2
    assert "choose from informative, words, biterms" in err
