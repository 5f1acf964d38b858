"""--tokenizer: a function of the user, by its name."""

import sys

import pytest

from bittern import load

CODE = """
def halves(text):
    return [word[5:] for word in text.split()]

def fails(text):
    raise KeyError("lexicon")

number = 3
"""
FIT = ("fit", "answers.csv", "--text", "answer", "-k", 4, "--seed", 0, "-q", "-o", "halves.model")
APPLY = ("transform", "halves.model", "answers.csv", "--text", "answer", "-q")
HALVES = ("--tokenizer", "my_words:halves")


@pytest.fixture
def module(folder, monkeypatch):
    """The module my_words in the current folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "my_words.py").write_text(CODE)
    yield folder
    sys.modules.pop("my_words", None)


def test_a_tokenizer_is_named_for_fit_and_again_for_the_model(module, call):
    assert call(*FIT, *HALVES)[0] == 0
    assert "0word1" in load("halves.model").vocabulary_
    code, out, _ = call(*APPLY, *HALVES)
    assert code == 0
    assert out.startswith("id,topic,")
    code, out, err = call(*APPLY)
    assert (code, out) == (2, "")
    assert err == (
        "bittern: the model was trained with the tokenizer my_words:halves, which is not saved "
        "with it; name it again: bittern.load(path, tokenizer=...), or --tokenizer "
        "MODULE:FUNCTION on the command line\n"
    )


def test_a_model_is_loaded_without_importing_its_tokenizer(module, call):
    assert call(*FIT, *HALVES)[0] == 0
    del sys.modules["my_words"]
    assert call("topics", "halves.model")[0] == 0
    assert call("edit", "halves.model", "--name", "1=x", "-o", "edited.model")[0] == 0
    assert "my_words" not in sys.modules
    assert '"tokenizer": "my_words:halves"' in (module / "edited.model/config.json").read_text()


@pytest.mark.parametrize(
    "command", ["transform", "score", "quality", "examples", "report", "timeline", "explain"]
)
def test_every_command_that_reads_texts_accepts_the_tokenizer(module, call, command):
    code, _, err = call(command, "no.model", "answers.csv", "--tokenizer", "my_words:halves")
    assert code == 2
    assert "no.model not found" in err or "'--out'" in err or "'--time'" in err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my_words", "--tokenizer must be MODULE:FUNCTION, such as words:lemmas, not 'my_words'"),
        ("no_words:f", "no module no_words in the current folder or the installed packages"),
        ("my_words:halve", "my_words.py) has no halve; did you mean halves?"),
        ("my_words:number", "my_words:number is not a function but of type int"),
        ("broken:f", "broken cannot be imported: SyntaxError: "),
        (
            "missing:f",
            "missing cannot be imported: ModuleNotFoundError: No module named",
        ),
        ("my_words:fails", 'the tokenizer failed on row 0, "topic'),
    ],
)
def test_a_tokenizer_that_does_not_work_is_an_error_in_one_line(module, call, name, message):
    (module / "broken.py").write_text("def f(:")
    (module / "missing.py").write_text("import no_words")
    code, out, err = call(*FIT, "--tokenizer", name)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (module / "halves.model").exists()


def test_a_model_without_a_tokenizer_rejects_one(module, model, call):
    code, _, err = call("transform", model, "answers.csv", "--text", "answer", *HALVES)
    assert code == 2
    assert "was trained without a tokenizer of your own; leave it out" in err
