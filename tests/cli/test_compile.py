"""After `bittern compile`, no command compiles anything."""

import sys

import polars as pl
import pytest
from numba.core.dispatcher import Dispatcher

from bittern.corpus import synthetic_texts

COMMANDS = (
    ("fit", "texts.csv", "-o", "model", "-k", 4, "--memory", "500MB"),
    ("fit", "texts.csv", "-o", "model", "-k", 4, "--sweeps", 0, "--ngrams", 2, "--time", "date"),
    ("fit", "texts.csv", "-o", "model", "-k", 4, "-a", "online", "--slices", 3, "--time", "date"),
    ("fit", "texts.csv", "-o", "model", "-k", 4),
    ("fit", "texts.csv", "-o", "phrases", "-k", 4, "--phrases", "--duplicates", "once"),
    ("fit", "texts.csv", "-o", "emoji", "-k", 4, "--emoji", "--hashtags", "split"),
    ("transform", "phrases", "texts.csv", "-o", "topics.csv"),
    ("topics", "model"),
    ("examples", "model", "texts.csv"),
    ("quality", "model", "texts.csv", "--label", "label"),
    ("timeline", "model", "texts.csv", "--time", "date"),
    ("transform", "model", "texts.csv", "--by", "biterms", "-o", "topics.csv"),
    ("score", "model", "texts.csv"),
    ("explain", "model", "bada dede"),
    ("report", "model", "texts.csv", "--time", "date", "--label", "label", "-o", "report.html"),
    ("edit", "model", "--merge", "0,1", "-o", "edited"),
    ("choose", "texts.csv", "-k", "2,3", "--repeats", 2),
)


def signatures():
    """The types that each kernel has code for, compiled or loaded."""
    return {
        (name, attribute, str(types))
        for name, module in list(sys.modules.items())
        if name.startswith("bittern.")
        for attribute, value in vars(module).items()
        if isinstance(value, Dispatcher)
        for types in value.signatures
    }


@pytest.mark.slow
def test_no_command_compiles_after_it(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = list(synthetic_texts(5_000, 4, 400, seed=1))
    texts[::2] = [f"{text} new york" for text in texts[::2]]
    texts[:3] = ["", "@someone https://example.org café", "-"]
    days = [f"2024-{1 + i % 12:02}-01" for i in range(len(texts))]
    table = pl.DataFrame({"text": texts, "date": days, "label": [i % 4 for i in range(len(texts))]})
    table.write_csv("texts.csv")
    code, _, err = call("compile")
    assert code == 0
    assert "ompiled" in err
    before = signatures()
    assert len(before) > 40
    for command in COMMANDS:
        assert call(*command)[0] == 0, command
        assert signatures() - before == set(), command
