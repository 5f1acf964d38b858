import json
import subprocess
import sys

import polars as pl
import pytest

import bittern.corpus.reading
from bittern import load
from bittern.algorithms import OnlineBTM
from known import blocks

TEXTS, _ = blocks()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"id": range(len(TEXTS)), "answer": TEXTS}).write_csv("answers.csv")
    return tmp_path


@pytest.fixture
def fitted(folder, call):
    code, *_ = call("fit", "answers.csv", "--text", "answer", "-k", 4, "-o", "model", "--seed", 1)
    assert code == 0
    return folder / "model"


def test_from_a_file_to_topics(folder, call):
    code, out, err = call(
        "fit", "answers.csv", "--text", "answer", "--topics", 4, "--out", "model",
        "--seed", 1, "--kappa", 0.7, "--epochs", 3, "--window", 10,
    )  # fmt: skip
    assert code == 0
    assert out.startswith("topic  share  words")
    assert len(out.splitlines()) == 5
    lines = [line for line in err.splitlines() if not line.startswith("compiling")]
    reading, summary, learning, saved = lines
    assert reading.startswith("reading: 400 texts")
    assert summary == "400 texts, 24 different words"
    assert learning.startswith("learning: ")
    assert "log-likelihood -" in learning
    assert saved == "saved to model"
    model = load("model")
    assert (model.n_topics, model.window, model.random_state) == (4, 10, 1)
    assert (model.algorithm.kappa, model.algorithm.epochs) == (0.7, 3)


def test_every_algorithm_can_be_chosen(folder, call):
    table = pl.read_csv("answers.csv").with_columns(
        day=pl.date(2024, 1, 1) + pl.duration(days=pl.col("id"))
    )
    table.write_csv("dated.csv")
    code, *_ = call(
        "fit", "dated.csv", "--text", "answer", "--time", "day", "-k", 4, "-o", "model",
        "--algorithm", "online", "--slices", "month", "--decay", 0.5, "--sweeps", 3,
    )  # fmt: skip
    assert code == 0
    model = load("model")
    assert model.algorithm == OnlineBTM(sweeps=3, decay=0.5, slices="month")
    assert model.slices_[0].name == "2024-01-01"
    assert len(model.slices_) == 14


def test_quiet_and_json_are_for_programs(folder, call):
    code, out, err = call(
        "fit", "answers.csv", "--text", "answer", "-k", 4, "-o", "model", "--quiet", "--json"
    )
    assert (code, err) == (0, "")
    topics = json.loads(out)
    assert [set(topic) for topic in topics] == [{"topic", "name", "share", "words"}] * 4
    shares = [topic["share"] for topic in topics]
    assert shares == sorted(shares, reverse=True)


def test_topics_are_printed_again(fitted, call):
    code, out, _ = call("topics", fitted, "--words", 3, "--relevance", 0.5)
    assert code == 0
    assert all(len(line.split()) == 2 + 3 for line in out.splitlines()[1:])
    assert json.loads(call("topics", fitted, "--json")[1])[0]["words"]


@pytest.mark.parametrize(
    ("name", "back"),
    [("t.csv", pl.read_csv), ("t.jsonl", pl.read_ndjson), ("t.parquet", pl.read_parquet)],
)
def test_transform_writes_a_row_for_each_text(fitted, call, name, back):
    code, out, _ = call(
        "transform", fitted, "answers.csv", "--text", "answer", "--out", name, "--shares"
    )
    assert (code, out) == (0, "")
    table = back(name)
    info = ["id", "topic", "probability", "runner_up", "runner_up_probability"]
    assert table.columns == [*info, "topic_0", "topic_1", "topic_2", "topic_3"]
    expected = load(fitted).transform(TEXTS)
    assert table["topic"].to_list() == expected.argmax(axis=1).tolist()
    assert table["id"].to_list() == list(range(400))


def test_transform_goes_through_batches(fitted, call, monkeypatch):
    _, whole, _ = call("transform", fitted, "answers.csv", "--text", "answer", "--by", "words")
    monkeypatch.setattr(bittern.corpus.reading, "CHUNK", 70)
    _, out, _ = call("transform", fitted, "answers.csv", "--text", "answer", "--by", "words")
    assert out == whole
    call("transform", fitted, "answers.csv", "--text", "answer", "--by", "words", "-o", "t.csv")
    assert (fitted.parent / "t.csv").read_text() == whole
    code, _, err = call("transform", fitted, "answers.csv", "--text", "answer", "--by", "magic")
    assert code == 2
    assert "choose from biterms, words, mix" in err


def test_no_texts_are_no_table(fitted, call):
    (fitted.parent / "none.csv").write_text("answer\n")
    code, _, err = call("transform", fitted, "none.csv", "-o", "t.csv")
    assert code == 2
    assert "there are no texts in none.csv" in err


def test_transform_prints_csv(fitted, call):
    code, out, _ = call("transform", fitted, "answers.csv", "--text", "answer")
    assert code == 0
    assert out.splitlines()[0] == "id,topic,probability,runner_up,runner_up_probability"
    assert len(out.splitlines()) == 401


def test_score_prints_one_number(fitted, call):
    _, out, _ = call("score", fitted, "answers.csv", "--text", "answer")
    assert float(out) == pytest.approx(load(fitted).score(TEXTS), abs=1e-4)
    _, out, _ = call("score", fitted, "answers.csv", "--text", "answer", "--json")
    assert json.loads(out)["log_likelihood"] == pytest.approx(load(fitted).score(TEXTS))


@pytest.mark.filterwarnings("always")
def test_unknown_words_are_a_warning(fitted, call):
    (fitted.parent / "other.txt").write_text("completely different\n")
    code, out, err = call("transform", fitted, "other.txt")
    assert code == 0
    assert "bittern: warning: no word of these texts is known" in err
    assert len(out.splitlines()) == 2


FIT = ("fit", "answers.csv", "--text", "answer", "-o", "new")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("fit", "nope.csv", "-o", "new"), "nope.csv does not exist"),
        (("fit", "answers.csv", "-o", "new"), "say which column has the texts: id, answer"),
        (("fit", "answers.csv", "--text", "x", "-o", "new"), 'no column "x"'),
        ((*FIT, "-k", "0"), "--topics"),
        ((*FIT, "--kappa", "0.4"), "kappa must be greater than 0.5"),
        ((*FIT, "--epochs", "some"), "epochs must be"),
        ((*FIT, "--kappa", "fast"), "kappa must be"),
        ((*FIT, "--sweeps", "3"), 'the algorithm "sdm" has no setting "sweeps"'),
        ((*FIT, "--word-prior", "inf"), "word_prior must be a number"),
        ((*FIT, "--window", "1"), "window must be 2 or more"),
        ((*FIT, "--seed", "-1"), "--seed"),
        ((*FIT[:-1], "bert"), "bert exists and is not a model"),
        ((*FIT, "--algorithm", "magic"), "choose from sdm"),
        ((*FIT, "--stop-words", "klingon"), "klingon"),
        ((*FIT, "--min-df", "1000"), "no words are left"),
        ((*FIT, "--min-df", "few"), "min_df"),
        (("fit", "empty.csv", "-o", "new"), "empty.csv: the file is empty"),
        (("fit", "single.txt", "-o", "new"), "no biterm"),
        (("fit", "latin1.txt", "-o", "new"), "line 2 is not UTF-8"),
        (("fit", "binary.csv", "-o", "new"), "binary file"),
        ((*FIT[:-1], "folder"), "folder exists and is not a model"),
        (("topics", "nope"), "nope: there is no such model"),
        (("topics", "folder"), "folder: this is not a model"),
        (("transform", "nope", "answers.csv"), "no such model"),
        (("transform", "nope", "answers.csv", "-o", "t.xlsx"), ".csv, .jsonl or .parquet"),
        (("fit",), "Missing argument"),
        (("frobnicate",), "No such command"),
    ],
)
def test_bad_input_gets_one_line_and_writes_nothing(folder, call, arguments, says):
    (folder / "empty.csv").touch()
    (folder / "single.txt").write_text("word\nword word\n")
    (folder / "latin1.txt").write_bytes(b"fine\ncaf\xe9\n")
    (folder / "binary.csv").write_bytes(b"PK\0\0")
    (folder / "folder").mkdir()
    (folder / "bert").mkdir()
    (folder / "bert" / "config.json").write_text('{"model_type": "bert"}')
    before = sorted(folder.rglob("*"))
    code, out, err = call(*arguments)
    assert code == 2
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith("bittern: ")
    assert says in last
    assert "Traceback" not in err
    assert sorted(folder.rglob("*")) == before


def test_bittern_alone_prints_its_help(call):
    code, out, err = call()
    assert "Find the topics of short texts" in out
    assert (code, err) == (2, "")


def test_help_explains_the_settings_of_the_algorithms(call):
    code, out, _ = call("fit", "--help")
    assert code == 0
    for flag in ("--kappa", "--cooldown", "--epochs", "--stop-words"):
        assert flag in out


def test_help_does_not_wait_for_the_compiler():
    script = (
        "import sys; sys.argv = ['bittern', '--help']\n"
        "from bittern.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "slow = {'numba', 'polars', 'sklearn', 'numpy'} & set(sys.modules)\n"
        "assert not slow, slow"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Find the topics of short texts" in done.stdout


def test_a_reader_that_has_had_enough_is_no_error(fitted):
    command = (
        f"{sys.executable} -m bittern transform model answers.csv --text answer -q | head -n 2"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=fitted.parent)
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""


def test_the_demo_prints_readable_topics(call):
    code, out, err = call("demo")
    assert code == 0
    assert len(out.splitlines()) == 21
    assert "docstrings of Python's standard library" in err
    topics = [set(line.split()[2:]) for line in out.splitlines()[1:]]
    for together in ({"logging", "handler"}, {"socket", "connection"}, {"month", "day"}):
        assert any(together <= words for words in topics), together
