import os
import subprocess
import sys
from functools import partial
from xml.etree import ElementTree
from zipfile import ZipFile

import polars as pl
import pytest

from bittern.corpus.formats import table_suffixes, xlsx
from bittern.corpus.tables import check_table, write_table, write_tables
from bittern.errors import InputError

TABLE = pl.DataFrame(
    {"when": ["2024-01-01", None], "text": ['Red, "green"\nand blue', "Bäume"], "n": [1, 2]}
)


def read_excel(path):
    """Read the first sheet: texts are in another file, and cells refer to them."""
    names = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with ZipFile(path) as parts:
        strings, sheet = (
            ElementTree.fromstring(parts.read(f"xl/{part}.xml"))
            for part in ("sharedStrings", "worksheets/sheet1")
        )
    texts = ["".join(item.itertext()) for item in strings.findall("m:si", names)]

    def value(cell):
        text = cell.findtext("m:v", "", names)
        if cell.get("t") == "s":
            return texts[int(text)]
        return float(text) if text else None

    header, *rows = [
        [value(cell) for cell in row.findall("m:c", names)]
        for row in sheet.iter(f"{{{names['m']}}}row")
    ]
    return pl.DataFrame(rows, schema=header, orient="row")


READERS = {
    "t.csv": pl.read_csv,
    "t.tsv": partial(pl.read_csv, separator="\t"),
    "t.jsonl": pl.read_ndjson,
    "t.parquet": pl.read_parquet,
    "t.xlsx": lambda path: read_excel(path).with_columns(pl.selectors.float().cast(pl.Int64)),
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
    message = r"cannot write a table to .*t\.{}; use \.csv, \.tsv, \.jsonl, \.parquet or \.xlsx"
    for suffix in ("docx", "txt"):
        with pytest.raises(InputError, match=message.format(suffix)):
            write_table(TABLE, tmp_path / f"t.{suffix}")
    with pytest.raises(InputError, match='unknown format "ods" of tables; choose from csv, tsv'):
        write_table(TABLE, tmp_path / "t.csv", "ods")
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


def test_the_format_may_differ_from_the_suffix(tmp_path):
    write_table(TABLE, tmp_path / "table", "tsv")
    assert pl.read_csv(tmp_path / "table", separator="\t").equals(TABLE)


@pytest.mark.parametrize("name", READERS)
def test_lists_are_written_only_where_they_can_be(tmp_path, name):
    table = TABLE.with_columns(words=pl.Series([["late"], ["train", "seats"]]))
    if name in ("t.jsonl", "t.parquet"):
        write_table(table, tmp_path / name)
        assert READERS[name](tmp_path / name).equals(table)
        return
    with pytest.raises(InputError, match=r'column "words" has lists or objects, which .* cannot'):
        write_table(table, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_cells_of_a_workbook_are_texts_as_they_are(tmp_path):
    texts = ["=1+1", "https://example.com", "x" * 40_000, "{=A1}"]
    write_table(pl.DataFrame({"text": texts}), tmp_path / "t.xlsx")
    assert read_excel(tmp_path / "t.xlsx")["text"].to_list() == [text[:32_767] for text in texts]


def test_numbers_and_dates_of_a_workbook_are_no_texts(tmp_path):
    columns = {
        "number": ["1", "-2.5", None],
        "day": ["2024-05-31", None, "2024-06-01"],
        "code": ["007", "12", "3"],
        "no day": ["2024-13-01", "2024-05-31", None],
        "text": ["1", "", "two"],
        "long": ["1234567890123456"] * 3,
    }
    write_table(pl.DataFrame(columns), tmp_path / "t.xlsx")
    found = read_excel(tmp_path / "t.xlsx")
    assert found["number"].to_list() == [1, -2.5, None]
    assert found["day"].dtype == pl.Float64  # days since 1900
    assert found["code"].to_list() == columns["code"]
    assert found["no day"].dtype == found["text"].dtype == found["long"].dtype == pl.String


def test_a_sheet_has_a_limited_number_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_ROWS", 1)
    with pytest.raises(InputError, match="an Excel sheet has at most 1 rows, not 2; write a csv"):
        write_table(TABLE, tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_workbooks_need_a_package(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "find_spec", lambda _: None)
    with pytest.raises(
        InputError, match=r'requires xlsxwriter; run: pip install "bittern\[excel\]"'
    ):
        check_table(tmp_path / "t.xlsx")
