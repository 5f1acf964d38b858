"""The commands that train models: fit and choose."""

import io
import json

import polars as pl
import pytest

from bittern import load
from bittern.algorithms import OnlineBTM
from bittern.corpus.tables import write_table

FIT = ("fit", "answers.csv", "--text", "answer", "-k", 4, "-o", "model")


def test_fit_prints_topics_and_saves_the_model(folder, call):
    code, out, err = call(
        "fit", "answers.csv", "--text", "answer", "--topics", 4, "--out", "model",
        "--seed", 1, "--kappa", 0.7, "--epochs", 3, "--window", 10, "--n-init", 2,
    )  # fmt: skip
    assert code == 0
    assert out.startswith("topic  share  words")
    assert len(out.splitlines()) == 5
    lines = [line for line in err.splitlines() if not line.startswith("compiling")]
    reading, summary, training, saved = lines
    assert reading.startswith("reading: 400 texts")
    assert (
        summary
        == "Read 400 texts with 24 distinct words (each in 2 texts or more) from answers.csv."
    )
    assert training.startswith("training: ")
    assert "log-likelihood -" in training
    assert saved == "Saved the model to model."
    model = load("model")
    assert (model.n_topics, model.window, model.random_state, model.n_init) == (4, 10, 1, 2)
    assert (model.algorithm.kappa, model.algorithm.epochs) == (0.7, 3)


def test_fit_accepts_an_algorithm_and_its_settings(folder, call):
    table = pl.read_csv("answers.csv").with_columns(
        day=pl.date(2024, 1, 1) + pl.duration(days=pl.col("id"))
    )
    table.write_csv("dated.csv")
    code, _, err = call(
        "fit", "dated.csv", "--text", "answer", "--time", "day", "-k", 4, "-o", "model",
        "--algorithm", "online", "--slices", "month", "--decay", 0.5, "--sweeps", 3,
    )  # fmt: skip
    assert code == 0
    assert "(each in 2 texts or more), 2024-01-01 to 2025-02-03" in err
    model = load("model")
    assert model.algorithm == OnlineBTM(sweeps=3, decay=0.5, slices="month")
    assert model.slices_[0].name == "2024-01-01"
    assert len(model.slices_) == 14


def test_quiet_json_output_is_nothing_but_json(folder, call):
    code, out, err = call(*FIT, "--quiet", "--json")
    assert (code, err) == (0, "")
    topics = json.loads(out)
    assert [set(topic) for topic in topics] == [{"topic", "name", "share", "words", "in_use"}] * 4
    shares = [topic["share"] for topic in topics]
    assert shares == sorted(shares, reverse=True)


def test_choose_trains_the_given_number_of_models(folder, call):
    code, out, err = call(
        "choose", "answers.csv", "--text", "answer", "-k", "2,4", "--repeats", 2, "--json"
    )
    assert code == 0
    assert json.loads(out)["recommended"] == 4
    assert "comparing: 14 topics" in err  # (1 + 2 + 4) topics, twice


def test_fit_says_which_texts_it_leaves_out(folder, call):
    rows = 'red apple pie\nlate train\n"the"\n" "\n'
    (folder / "some.csv").write_text("text\n" + rows * 20)
    code, _, err = call("fit", "some.csv", "-k", 2, "-o", "model", "--seed", 0)
    assert code == 0
    assert "Read 80 texts with 5 distinct words from some.csv." in err
    assert "20 of 80 texts are empty." in err
    assert "20 of 80 texts have no words that are kept." in err
    assert call("fit", "some.csv", "-k", 2, "-o", "model", "--quiet")[2] == ""


@pytest.mark.filterwarnings("default")
def test_copies_are_named_and_can_count_once(folder, call):
    texts = pl.read_csv("answers.csv")["answer"].to_list()
    pl.DataFrame({"answer": [*texts, *["cheap new phones online"] * 40]}).write_csv("answers.csv")
    code, _, err = call(*FIT, "-q")
    assert code == 0
    assert err.startswith("bittern: warning: copies of a few texts make up 9% of the texts and may")
    assert '"cheap new phones online" (40 times)' in err
    code, _, err = call(*FIT, "--duplicates", "once")
    assert code == 0
    n_copies = 440 - len(set(texts)) - 1
    assert f"{n_copies} of 440 texts repeat the words of another one, and do not count" in err
    assert load("model").duplicates == "once"
    assert call("choose", "answers.csv", "--text", "answer", "-k", "2,4", "--repeats", 2,
                "--duplicates", "once", "-q")[0] == 0  # fmt: skip
    code, _, err = call("choose", "answers.csv", "--text", "answer", "--duplicates", "twice")
    assert err == ('bittern: unknown value for --duplicates: "twice"; choose from keep, once\n')


def test_choose_prints_only_the_table_on_request(folder, call):
    options = ("answers.csv", "--text", "answer", "-k", "2,4", "--repeats", 2)
    code, out, err = call("choose", *options, "--out", "-")
    assert code == 0
    assert pl.read_csv(io.StringIO(out))["topics"].to_list() == [2, 4]
    assert "Read 400 texts with 24 distinct words (each in 2 texts or more)" in err


def test_stop_words_without_a_language_are_pointed_out(folder, call):
    options = ("fit", "answers.csv", "--text", "answer", "-k", 2, "-o", "model", "--stop-words")
    hint = "Only these stop words are dropped; add a language"
    assert hint in call(*options, "a,topic0word1")[2]
    for given in ("english,topic0word1", "english", "none"):
        assert hint not in call(*options, given)[2]


def test_the_column_with_the_texts_is_named(folder, call):
    code, _, err = call("fit", "answers.csv", "-k", "4", "-o", "new")
    assert code == 0
    assert err.splitlines()[0] == (
        'answers.csv: the texts are in column "answer"; choose another with --text or, in Python, '
        "text="
    )
    assert call("transform", "new", "answers.csv", "--quiet", "-o", "t.csv")[::2] == (0, "")


@pytest.mark.filterwarnings("always")
def test_spreadsheets_of_any_country_are_read(folder, call):
    table = pl.read_csv("answers.csv").with_columns(note=pl.lit("später"))
    data = table.write_csv(separator=";").encode("cp1252")
    (folder / "excel.csv").write_bytes(data)
    write_table(table, "book.xlsx")
    fit = ("fit", "-q", "-k", "4", "--seed", "0", "--text", "answer", "-o")
    assert call(*fit, "plain", "answers.csv")[::2] == (0, "")
    code, out, err = call(*fit, "new", "excel.csv")
    assert code == 0
    (line,) = err.splitlines()
    assert line.startswith(
        "bittern: warning: excel.csv is not UTF-8 (line 2); read as Windows-1252."
    )
    for arguments in (
        ("excel.csv", "--encoding", "latin1", "--separator", ";"),
        ("book.xlsx", "--sheet", "sheet1"),
    ):
        assert call(*fit, "new", *arguments) == (0, out, "")
