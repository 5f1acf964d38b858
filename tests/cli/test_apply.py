"""The commands that apply a model to texts: transform, score and explain."""

import io
import json
import sys
from pathlib import Path

import polars as pl
import pytest

import bittern.corpus.portions
import bittern.corpus.rows
from bittern import load
from bittern.corpus.tables import write_table


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
    assert out.splitlines()[2].endswith(",no content")
    assert out.splitlines()[3].endswith(",no known words")
    assert "1 of 3 texts has no known words." in err
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
            **dict.fromkeys(("topic", "topic_name", "probability")),
            **dict.fromkeys(("runner_up", "runner_up_probability")),
            **{"id": 0, "text": "-", "reason": "no content"},
        },
        "words": [],
    }
    code, _, err = call("explain", "model", text, "--by", "mix")
    assert code == 2
    assert "choose from informative, words, biterms" in err


def test_transform_keeps_the_columns_of_the_files(model, call):
    code, out, _ = call("transform", model, "answers.csv", "--text", "answer", "--keep", "-q")
    assert code == 0
    table, given = pl.read_csv(io.StringIO(out)), pl.read_csv("answers.csv")
    assert table.columns[:5] == ["id", "answer", "kind", "topic", "topic_name"]
    assert table.select(given.columns).equals(given)
    fitted = load(model)
    assert table["topic_name"].to_list() == [fitted.topic_names_[k] for k in table["topic"]]
    corpus = fitted.read("answers.csv", text="answer", keep_table=True)
    assert fitted.document_info(corpus[5:]).columns == table.columns
    assert fitted.document_info(corpus[5:])["id"].to_list() == [str(i) for i in range(5, 400)]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet", "t.txt"])
def test_transform_keeps_columns_in_all_formats_and_batches(model, call, monkeypatch, name):
    monkeypatch.setattr(bittern.corpus.rows, "CHUNK", 70)
    given = pl.DataFrame(
        {"text": pl.read_csv("answers.csv")["answer"], "reason": [f"0{i}" for i in range(400)]}
    )
    if name == "t.txt":
        given = given.select("text")
        (model.parent / name).write_text("\n".join(given["text"]))
    else:
        write_table(given, name)
    code, _, err = call("transform", model, name, "--keep", "-o", "kept.jsonl")
    assert code == 0
    kept = pl.read_ndjson("kept.jsonl")
    assert kept.select(given.columns).equals(given)
    new = "reason_" if "reason" in given.columns else "reason"
    assert kept.columns[-1] == new
    assert ("same name; the new ones are reason_." in err) == (new == "reason_")


def test_transform_keeps_values_of_any_type(model, call):
    lines = [{"text": "topic0word1", "tags": ["a"], "n": 1}, {"text": "topic1word1", "n": None}]
    (model.parent / "t.jsonl").write_text("\n".join(map(json.dumps, lines)))
    code, out, _ = call("transform", model, "t.jsonl", "--keep", "--out-format", "jsonl", "-q")
    assert code == 0
    rows = list(map(json.loads, out.splitlines()))
    assert [(row["tags"], row["n"]) for row in rows] == [(["a"], 1), (None, None)]
    code, _, err = call("transform", model, "t.jsonl", "--keep")
    assert code == 2
    assert 'column "tags" has lists or objects, which csv cannot hold; write jsonl' in err


def test_files_whose_columns_are_kept_must_have_the_same(model, call):
    (model.parent / "a.csv").write_text("text,n\ntopic0word1,1\n")
    (model.parent / "b.csv").write_text("text,m\ntopic0word1,1\n")
    code, _, err = call("transform", model, "a.csv", "b.csv", "--keep", "-o", "t.csv")
    assert code == 2
    assert 'b.csv does not have the same columns as a.csv (column "m" differs)' in err
    assert call("transform", model, "a.csv", "b.csv", "-o", "t.csv")[0] == 0


def test_tables_are_printed_in_several_formats(model, call):
    command = ("transform", model, "answers.csv", "--text", "answer", "-q")
    _, printed, _ = call(*command)
    assert call(*command, "--out", "-") == (0, printed, "")
    _, out, _ = call(*command, "--out", "-", "--out-format", "tsv")
    tabs = pl.read_csv(io.StringIO(out), separator="\t")
    assert tabs.equals(pl.read_csv(io.StringIO(printed)))
    _, out, _ = call(*command, "--out-format", "jsonl")
    assert [json.loads(line)["topic"] for line in out.splitlines()] == tabs["topic"].to_list()
    assert not (model.parent / "-").exists()
    code, _, err = call(*command, "--out-format", "parquet")
    assert code == 2
    assert "parquet cannot be written to standard output; use --out FILE, or choose from" in err
    assert call(*command, "--out", "table", "--out-format", "parquet")[0] == 0
    assert pl.read_parquet("table").height == 400


def test_transform_says_what_it_read_left_out_and_wrote(model, call):
    (model.parent / "some.csv").write_text('answer\ntopic0word1\n"-"\n\n" "\nunheard\n')
    code, _, err = call("transform", model, "some.csv", "-o", "t.csv")
    assert code == 0
    assert err.splitlines()[-5:] == [
        "Read 5 texts from some.csv.",
        "2 of 5 texts are empty.",
        "1 of 5 texts has no content.",
        "1 of 5 texts has no known words.",
        "Wrote 5 rows to t.csv.",
    ]


def test_transform_reads_standard_input(model, call, monkeypatch):
    data = (model.parent / "answers.csv").read_bytes()
    _, expected, _ = call("transform", model, "answers.csv", "--text", "answer", "-q")
    monkeypatch.setattr(bittern.corpus.portions, "PORTION_SIZE", 500)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    _, out, err = call("transform", model, "-", "--format", "csv", "--text", "answer")
    assert out == expected
    assert "Read 400 texts from standard input." in err


def test_a_table_does_not_replace_an_input(model, call):
    before = Path("answers.csv").read_bytes()
    for options in ((), ("--keep",)):
        command = ("transform", model, "answers.csv", "--text", "answer", "-o", "./answers.csv")
        code, _, err = call(*command, *options)
        assert code == 2
        assert "answers.csv is also an input; choose another name for the table" in err
    assert Path("answers.csv").read_bytes() == before
