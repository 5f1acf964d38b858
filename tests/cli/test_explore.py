"""The commands that describe topics: topics, examples and quality."""

import io
import json
from datetime import datetime, timedelta

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


def test_tables_of_topics_are_printed(model, call):
    _, out, err = call("topics", model, "--words", 3, "--out", "-")
    table = pl.read_csv(io.StringIO(out))
    assert (table.height, err) == (4, "")
    assert table["words"].to_list() == [", ".join(words) for words in load("model").top_words(3)]
    _, out, _ = call("topics", model, "--out-format", "jsonl")
    assert pl.read_ndjson(io.BytesIO(out.encode())).columns == table.columns


def dated(days):
    """Write dated.csv, whose texts have these days in turn; return the columns to use."""
    table = pl.read_csv("answers.csv")
    column = [days[i % len(days)] for i in range(table.height)]
    table.with_columns(date=pl.Series(column)).write_csv("dated.csv")
    return "dated.csv", "--text", "answer", "--time", "date"


@pytest.mark.parametrize(
    ("days", "options", "message"),
    [
        (["2024-01-01", "2024-01-09"], (), "9 periods, by day, from 2024-01-01 to 2024-01-09."),
        (["2024-01-01", "2024-06-09"], (), "23 periods, by week, from 2024-01-01 to 2024-06-03."),
        (["2020-01-01", "2024-06-09"], (), "54 periods, by month, from 2020-01-01 to 2024-06-01."),
        (["2016-01-01", "2024-06-09"], (), "34 periods, by quarter, from 2016-Q1 to 2024-Q2."),
        (
            ["2024-01-01 09:59", "2024-01-02 11:00"],
            ("--period", "hour"),
            "27 periods, by hour, from 2024-01-01 09:00 to 2024-01-02 11:00.",
        ),
        (["1.1.2024", "9.1.24"], (), "9 periods, by day, from 2024-01-01 to 2024-01-09."),
        (
            ["01/01/2024", "01/09/2024"],
            ("--time-format", "%m/%d/%Y"),
            "9 periods, by day, from 2024-01-01 to 2024-01-09.",
        ),
        (["1990-01-01", "2024-06-09"], (), "35 periods, by year, from 1990-01-01 to 2024-01-01."),
        (
            ["2024-01-01", "2024-01-09"],
            ("--period", 3),
            "3 periods, from 2024-01-01 to 2024-01-06.",
        ),
        (["2024-01-01"], (), "1 period, from 2024-01-01 to 2024-01-01."),
    ],
)
def test_timeline_says_which_periods_it_uses(model, call, days, options, message):
    code, out, err = call("timeline", model, *dated(days), *options)
    assert code == 0
    assert err.splitlines()[-1] == message
    assert "No topic rises or falls." in out.splitlines()


def test_directories_are_read(model, call):
    folder = model.parent / "answers"
    folder.mkdir()
    for name in ("a.csv", "b.csv", ".c.csv"):
        (folder / name).write_bytes((model.parent / "answers.csv").read_bytes())
    code, _, err = call("score", model, "answers", "--text", "answer")
    assert code == 0
    assert "Read 800 texts from answers." in err.splitlines()
    code, _, err = call("score", model, model)
    assert (code, err) == (2, f"bittern: {model} is a saved model, not a directory of texts\n")


def test_bursts_are_given_by_their_periods(model, call):
    answers = pl.read_csv("answers.csv")
    times = [datetime(2024, 1, 1) + timedelta(hours=i % 40) for i in range(answers.height)]
    in_burst = answers["kind"] == 0
    times = pl.Series(times).set(in_burst, datetime(2024, 1, 1, 17))
    answers.with_columns(date=times).write_csv("dated.csv")
    columns = "dated.csv", "--text", "answer", "--time", "date"
    code, out, _ = call("timeline", model, *columns, "--period", "hour")
    assert code == 0
    assert "2024-01-01 17:00 to 2024-01-01 17:00" in out


def test_timeline_prints_only_the_table_on_request(model, call):
    columns = dated(["2024-01-01", None, "2024-01-09"])
    code, out, err = call("timeline", model, *columns, "--out", "-", "--plot", "t.html")
    assert code == 0
    assert pl.read_csv(io.StringIO(out)).columns[:4] == ["period", "topic", "documents", "share"]
    assert "133 of 400 texts have no date or time." in err
    assert "Wrote the chart to t.html." in err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("quality",), "Read 401 texts from some.csv."),
        (("score",), "1 of 401 texts has no known words."),
        (("examples", "-n", "1"), "1 of 401 texts has no known words."),
        (("report", "--out", "r.html"), "Wrote the report. Open r.html in a browser."),
    ],
)
def test_commands_say_what_they_read_and_wrote(model, call, command, message):
    answers = (model.parent / "answers.csv").read_text()
    (model.parent / "some.csv").write_text(f"{answers}400,unheard,0\n")
    name, *options = command
    code, _, err = call(name, model, "some.csv", "--text", "answer", *options)
    assert code == 0
    assert message in err.splitlines()
    assert call(name, model, "some.csv", "--text", "answer", *options, "-q")[2] == ""
