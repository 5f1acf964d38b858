"""Errors, warnings and interruptions: one line on standard error, and nothing is written."""

import subprocess
import sys

import pytest

FIT = ("fit", "answers.csv", "--text", "answer", "-o", "new")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "nope.csv", "-o", "new"), "nope.csv does not exist"),
        (
            ("fit", "two.csv", "-o", "new"),
            'choose the text column with --text or, in Python, text=: id ("1"), body ("fine")',
        ),
        (
            ("fit", "answers.csv", "--text", "x", "-o", "new"),
            'column "x" not found in answers.csv; available columns: id, answer',
        ),
        ((*FIT, "-k", "0"), "--topics"),
        ((*FIT, "--kappa", "0.4"), "kappa must be greater than 0.5"),
        ((*FIT, "--epochs", "some"), "epochs must be"),
        ((*FIT, "--kappa", "fast"), "kappa must be"),
        ((*FIT, "--tau", "3"), 'algorithm "sdm" has no setting "tau"; available: kappa'),
        ((*FIT, "--sweeps", "-1"), "sweeps must be 0 or more"),
        ((*FIT, "--word-prior", "inf"), "word_prior must be a number"),
        ((*FIT, "--window", "1"), "window must be 2 or more"),
        ((*FIT, "--window", "1" + "0" * 30), "window must be at most 50,000 words, or None"),
        ((*FIT, "--jobs", "100000"), "n_jobs must be an integer up to 1024, or None, not 100000"),
        ((*FIT, "--memory", "9" * 400), "is not a valid memory size"),
        ((*FIT, "--seed", "-1"), "--seed"),
        ((*FIT, "--n-init", "0"), "n_init must be 1 or more"),
        ((*FIT, "--starts", "5"), "No such option: --starts"),
        ((*FIT[:-1], "bert"), "bert exists and is not a model"),
        ((*FIT, "--algorithm", "magic"), "choose from sdm"),
        ((*FIT, "--stop-words", "klingon"), "klingon"),
        ((*FIT, "--min-df", "1000"), "no words are left"),
        ((*FIT, "--min-df", "few"), "min_df"),
        (("fit", "empty.csv", "-o", "new"), "empty.csv: the file is empty"),
        (("fit", "single.txt", "-o", "new"), "no biterm"),
        (("fit", "cyrillic.txt", "-o", "new"), "line 2 is not UTF-8, and hardly Windows-1252"),
        (("fit", "binary.csv", "-o", "new"), "binary file"),
        ((*FIT[:-1], "folder"), "folder exists and is not a model"),
        (("choose", "answers.csv", "-k", "2,x"), "--topics must be integers separated by commas"),
        (("topics", "nope"), "nope not found"),
        (("topics", "folder"), "folder is not a model"),
        (("transform", "nope", "answers.csv"), "nope not found"),
        (
            ("transform", "nope", "answers.csv", "-o", "t.docx"),
            "use .csv, .tsv, .jsonl, .parquet or .xlsx",
        ),
        (("fit",), "Missing argument 'FILE'; see bittern fit --help"),
        (("frobnicate",), "No such command"),
    ],
)
def test_bad_input_gets_a_one_line_error_and_writes_nothing(folder, call, arguments, message):
    (folder / "empty.csv").touch()
    (folder / "single.txt").write_text("word\nword word\n")
    (folder / "cyrillic.txt").write_bytes("fine\nпоезд\n".encode("cp1251"))
    (folder / "two.csv").write_text("id,body\n1,fine\n")
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
    assert message in last
    assert "Traceback" not in err
    assert sorted(folder.rglob("*")) == before


def test_errors_of_the_operating_system_name_the_file(model, call):
    (model.parent / "table.csv").mkdir()
    code, out, err = call(
        "transform", model, "answers.csv", "--text", "answer", "-o", "table.csv", "-q"
    )
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("bittern: table.csv: ")


@pytest.mark.filterwarnings("always")
def test_texts_of_unknown_words_get_no_topic(model, call):
    (model.parent / "other.txt").write_text("completely different\n")
    code, out, err = call("transform", model, "other.txt")
    assert code == 0
    assert "1 of 1 text has no known words." in err
    assert "warning: no text has a topic; check --text and the model" in err
    assert len(out.splitlines()) == 2


def test_an_interrupted_command_exits_with_130(folder, call, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bittern.cli.commands.fit.read_corpus", interrupt)
    code, out, err = call(*FIT)
    assert (code, out) == (130, "")
    assert err == "bittern: interrupted; nothing was written\n"
    assert not (folder / "new").exists()


def test_a_closed_pipe_is_not_an_error(model):
    command = (
        f"{sys.executable} -m bittern transform model answers.csv --text answer -q | head -n 2"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=model.parent)
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""


def test_a_lack_of_memory_gets_a_one_line_error(tmp_path):
    """The first command allocates too much at once; the second one is refused before that."""
    (tmp_path / "texts.txt").write_text("red apple pie\nlate fast train\n" * 50)
    limited = (
        "import resource, sys; from bittern.cli import main; import bittern.training;"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30));"
    )
    too_much = "bittern.training.fit_topics = lambda *_: bytearray(1 << 40);"
    for program, topics, message in (
        (too_much, 4, "bittern: not enough memory: 4.29 GB is available; use fewer"),
        ("", 10**9, "bittern: 1,000,000,000 topics of 6 words need 24 GB of memory but"),
    ):
        arguments = ("fit", "texts.txt", "--quiet", "-o", "new", "--topics", str(topics))
        command = [sys.executable, "-c", f"{limited} {program} main()", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 2
        assert done.stderr.startswith(message)
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "new").exists()
