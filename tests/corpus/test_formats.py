import subprocess
import sys

import polars as pl
import pytest

from bittern import read
from bittern.corpus.formats import FORMATS, Format, format_by_suffix, join_names
from bittern.corpus.tables import write_table


def test_suffixes_are_distinct():
    suffixes = [suffix for format in FORMATS.values() for suffix in format.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix.startswith(".") and suffix.islower() for suffix in suffixes)
    assert format_by_suffix(".NDJSON") is FORMATS["jsonl"]
    assert format_by_suffix(".docx") is None


def test_names_are_joined_to_a_list():
    assert join_names([".csv", ".tsv", ".pq"]) == ".csv, .tsv or .pq"
    assert join_names([".csv"]) == ".csv"


def test_a_new_format_needs_only_an_entry_in_the_registry(tmp_path, monkeypatch):
    """Values separated by bars, to read and to write."""
    bars = Format(
        "bars",
        (".bars",),
        lambda source: pl.scan_csv(source, separator="|", infer_schema=False),
        lambda rows, file: rows.sink_csv(file, separator="|"),
    )
    monkeypatch.setitem(FORMATS, "bars", bars)
    write_table(pl.DataFrame({"id": [1], "text": ["late train"]}), tmp_path / "t.bars")
    assert (tmp_path / "t.bars").read_text() == "id|text\n1|late train\n"
    assert read(tmp_path / "t.bars").vocabulary == ["late", "train"]
    with pytest.raises(ValueError, match=r"choose from .*, bars"):
        read(tmp_path / "t.bars", format="x")


def test_listing_the_formats_does_not_import_polars():
    script = (
        "import sys, bittern.corpus.formats\n"
        "slow = {'numba', 'polars', 'sklearn', 'numpy'} & set(sys.modules)\n"
        "assert not slow, slow"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
