import os
import subprocess
import sys
from functools import partial

import polars as pl
import pytest

from bittern.corpus.formats import table_suffixes
from bittern.corpus.tables import write_table, write_tables
from bittern.errors import InputError

TABLE = pl.DataFrame(
    {"when": ["2024-01-01", None], "text": ['Red, "green"\nand blue', "Bäume"], "n": [1, 2]}
)
READERS = {
    "t.csv": pl.read_csv,
    "t.tsv": partial(pl.read_csv, separator="\t"),
    "t.jsonl": pl.read_ndjson,
    "t.parquet": pl.read_parquet,
}


def test_every_format_for_tables_is_tested():
    assert [f"t{suffix}" for suffix in table_suffixes()] == list(READERS)


@pytest.mark.parametrize("name", READERS)
def test_a_table_is_written_completely(tmp_path, name):
    table = pl.DataFrame({"row": [0, 1], "topic": [3, 4]})
    write_table(table, tmp_path / name)
    assert READERS[name](tmp_path / name).equals(table)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", READERS)
def test_a_failed_write_leaves_the_old_table(tmp_path, name):
    path = tmp_path / name
    path.write_text("old")

    def tables():
        yield TABLE
        raise InputError("the second batch is bad")

    for _ in range(100):  # Polars writes in other threads: a race may show up only now and then
        with pytest.raises(InputError, match="second batch"):
            write_tables(tables(), path, TABLE.schema)
        assert path.read_text() == "old"
        assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", READERS)
def test_tables_are_written_one_after_the_other(tmp_path, name):
    tables = [TABLE.with_columns(n=pl.lit(i)) for i in range(30)]
    write_tables(iter(tables), tmp_path / name, tables[0].schema)
    found = READERS[name](tmp_path / name)
    assert found["n"].to_list() == [i for i in range(30) for _ in range(len(TABLE))]


def test_other_formats_are_refused(tmp_path):
    message = r"cannot write a table to .*t\.{}; use \.csv, \.tsv, \.jsonl or \.parquet"
    for suffix in ("xlsx", "txt"):
        with pytest.raises(InputError, match=message.format(suffix)):
            write_table(TABLE, tmp_path / f"t.{suffix}")
    with pytest.raises(FileNotFoundError, match=r"no directory .*nowhere; create it first"):
        write_table(TABLE, tmp_path / "nowhere" / "t.csv")


FULL_DISK = """
import resource, sys
import polars as pl
from bittern.corpus.tables import write_table

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_table(pl.DataFrame({"text": [str(i) for i in range(100_000)]}), sys.argv[1])
except OSError as error:
    print(error.strerror, error.filename)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX systems")
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_full_disk_is_an_error_that_names_the_file(suffix, tmp_path):
    path = tmp_path / f"table{suffix}"
    path.write_text("old")
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == f"File too large {path}\n"
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
