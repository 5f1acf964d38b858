import gzip
import io
import os
import sys
import threading
from datetime import datetime

import polars as pl
import pytest

import bittern.corpus.reading
from bittern import read
from bittern.corpus.tables import write_table, write_tables
from bittern.errors import InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TABLE = pl.DataFrame(
    {
        "when": ["2024-01-01", "2024-02-01T10:30:00", None],
        "text": ['Red, "green"\nand blue', "Bäume & Wälder", None],
        "kind": ["x", None, "y"],
    }
)
WRITE = {
    "csv": TABLE.write_csv,
    "tsv": lambda path: TABLE.write_csv(path, separator="\t"),
    "jsonl": TABLE.write_ndjson,
    "parquet": TABLE.write_parquet,
    "txt": lambda path: path.write_text("Red green blue\nBäume Wälder\n\n", "utf-8"),
}
COMPRESS = {"": lambda data: data, ".gz": gzip.compress, ".zst": zstd.compress}


def write(folder, kind, compression=""):
    path = folder / f"texts.{kind}"
    WRITE[kind](path)
    packed = folder / f"texts.{kind}{compression}"
    packed.write_bytes(COMPRESS[compression](path.read_bytes()))
    return packed


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("kind", WRITE)
def test_every_format_gives_the_same_corpus(tmp_path, kind, compression):
    corpus = read(write(tmp_path, kind, compression))
    assert corpus.vocabulary == ["blue", "bäume", "green", "red", "wälder"]
    assert corpus.indptr.tolist() == [0, 3, 5, 5]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_times_and_labels_come_along(tmp_path, kind):
    corpus = read(write(tmp_path, kind), text="text", time="when", label="kind")
    assert corpus.times.to_list() == [datetime(2024, 1, 1), datetime(2024, 2, 1, 10, 30), None]
    assert corpus.labels.to_list() == ["x", None, "y"]


@pytest.mark.parametrize("value", ["1700000000", 1700000000])
def test_whole_numbers_are_seconds_since_1970(tmp_path, value):
    path = tmp_path / "t.jsonl"
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_ndjson(path)
    assert read(path, time="t").times.to_list() == [datetime(2023, 11, 14, 22, 13, 20)]


def test_dates_of_a_parquet_file_stay_dates(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"text": ["a b"], "t": [datetime(2020, 5, 6)]}).write_parquet(path)
    assert read(path, time="t").times.to_list() == [datetime(2020, 5, 6)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-05-31", datetime(2024, 5, 31)),
        ("2024-05-31 12:30", datetime(2024, 5, 31, 12, 30)),
        ("2024-05-31 12:30:15", datetime(2024, 5, 31, 12, 30, 15)),
        ("2024-05-31T12:30:15.25", datetime(2024, 5, 31, 12, 30, 15, 250000)),
        ("2024-05-31T12:30:15Z", datetime(2024, 5, 31, 12, 30, 15)),
        ("2024-05-31T12:30:15+02:00", datetime(2024, 5, 31, 10, 30, 15)),
    ],
)
def test_times_in_iso_8601(tmp_path, value, expected):
    path = tmp_path / "t.csv"
    path.write_text(f"text,t\na b,{value}\n")
    assert read(path, time="t").times.to_list() == [expected]


@pytest.mark.parametrize("value", ["01/02/2024", "2019", "1700000000000"])
def test_times_that_could_mean_anything_are_refused(tmp_path, value):
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_csv(tmp_path / "t.csv")
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(InputError, match="which is no time"):
            read(tmp_path / name, time="t")


def test_pipes_and_deep_patterns_can_be_read(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.txt").write_text("deep down\n")
    assert len(read(tmp_path / "**" / "*.txt")) == 1
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("one two\nthree\n",))
    writer.start()
    assert len(read(pipe, format="txt")) == 2
    writer.join()


@pytest.mark.parametrize("kind", WRITE)
@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_truncated_files_are_refused(tmp_path, kind, compression):
    path = write(tmp_path, kind, compression)
    packed = COMPRESS[compression](path.with_suffix("").read_bytes() * 2000)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match=path.name):
        read(path)


def test_several_files_and_patterns_are_read_one_after_the_other(tmp_path):
    for name, text in (("b", "third"), ("a", "second"), ("c", "fourth")):
        (tmp_path / f"part-{name}.txt").write_text(text)
    (tmp_path / "x.csv").write_text("text\nfirst\n")
    corpus = read(tmp_path / "x.csv", tmp_path / "part-*.txt", stop_words=None)
    assert [corpus.vocabulary[t] for t in corpus.tokens] == ["first", "second", "third", "fourth"]


def test_large_files_come_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(bittern.corpus.reading, "CHUNK", 10)
    path = tmp_path / "many.csv"
    pl.DataFrame({"n": range(1000), "text": [f"number{i} text" for i in range(1000)]}).write_csv(
        path
    )
    corpus = read(path, label="n")
    assert len(corpus) == 1000
    assert corpus.vocabulary[corpus.tokens[2 * 678]] == "number678"
    assert corpus.labels[678] == "678"


def test_standard_input_is_text_unless_said_otherwise(monkeypatch):
    for data, how in (
        (b"one two\nthree\n", {}),
        (b"id,text\n1,one two\n2,three\n", {"format": "csv"}),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read("-", stop_words=None, **how).indptr.tolist() == [0, 2, 3]


BAD = {
    "latin1.csv": b"id,text\n1,fine\n2,caf\xe9\n",
    "latin1.txt": b"fine\ncaf\xe9\n",
    "latin1.jsonl": b'{"text": "fine"}\n{"text": "caf\xe9"}\n',
    "broken.jsonl": b'{"text": "fine"}\n{"text": "fi\n',
    "binary.csv": b"PK\x03\x04\0\0\0\0",
    "binary.txt": b"\x7fELF\0\0\0",
    "ragged.csv": b"id,text\n1,fine\n2,not, fine\n",
    "empty.csv": b"",
    "no.parquet": b"this is no parquet file",
    "no.csv.gz": b"this is not gzip",
    "no.txt.zst": b"this is not zstd",
    "what.docx": b"",
    "two.csv": b"id,body\n1,fine\n",
    "times.csv": b"text,t\na,2024-01-01\nb,yesterday\n",
    "notimes.csv": b"text,t\na,soon\nb,yesterday\n",
    "quotes.csv": b'id,text\n1,fine\n2,"not" fine\n',
    "open.csv": b'id,text\n1,fine\n2,"not fine\n3,x\n',
    "large.csv": b"id,text\n1," + b"x" * 200_000 + b"\n2,not, fine\n",
    "excel.csv": b"id;answer\n1;fine\n",
    "utf16.txt": "fine".encode("utf-16"),
}


@pytest.mark.parametrize(
    ("name", "how", "says"),
    [
        ("latin1.csv", {}, "line 3 is not UTF-8"),
        ("latin1.txt", {}, "line 2 is not UTF-8"),
        ("latin1.jsonl", {}, "line 2 is not UTF-8"),
        ("broken.jsonl", {}, "line 2 is not JSON"),
        ("binary.csv", {}, "binary file"),
        ("binary.txt", {}, "binary file"),
        ("ragged.csv", {}, "row 3 has 3 fields but the header has 2"),
        ("empty.csv", {}, "empty"),
        ("no.parquet", {}, "cannot be read as parquet"),
        ("no.csv.gz", {}, "cannot be decompressed"),
        ("no.txt.zst", {}, "cannot be decompressed"),
        ("what.docx", {}, "does not say what it is"),
        ("two.csv", {}, "say which column has the texts: id, body"),
        ("two.csv", {"text": "text"}, 'no column "text": it has id, body'),
        ("two.csv", {"text": "body", "label": "x"}, 'no column "x"'),
        ("latin1.txt", {"time": "t"}, "has only texts"),
        ("times.csv", {"time": "t"}, 'row 2: the column "t" has "yesterday"'),
        ("notimes.csv", {"time": "t"}, 'row 1: the column "t" has "soon"'),
        ("two.csv", {"format": "xml"}, "unknown format"),
        ("quotes.csv", {}, "row 3 has broken quotes"),
        ("open.csv", {}, "row 3 has broken quotes"),
        ("large.csv", {}, "row 3 has 3 fields"),
        ("excel.csv", {}, "separated by ;"),
        ("utf16.txt", {}, "this is UTF-16"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(tmp_path, name, how, says):
    path = tmp_path / name
    path.write_bytes(BAD[name])
    with pytest.raises(InputError, match=says) as error:
        read(path, **how)
    assert "\n" not in str(error.value)
    assert name in str(error.value) or "format" in says


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nope\*\.csv does not exist"):
        read(tmp_path / "nope*.csv")
    with pytest.raises(FileNotFoundError, match="is a directory"):
        read(tmp_path)
    with pytest.raises(InputError, match="no file"):
        read()


@pytest.mark.parametrize(
    ("name", "back"),
    [("t.csv", pl.read_csv), ("t.jsonl", pl.read_ndjson), ("t.parquet", pl.read_parquet)],
)
def test_tables_are_written_whole(tmp_path, name, back):
    table = pl.DataFrame({"row": [0, 1], "topic": [3, 4]})
    write_table(table, tmp_path / name)
    assert back(tmp_path / name).equals(table)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_failed_write_leaves_the_old_table(tmp_path, name):
    path = tmp_path / name
    path.write_text("old")

    def tables():
        yield TABLE
        raise InputError("the second batch is bad")

    for _ in range(100):  # writing happens in other threads: once says little
        with pytest.raises(InputError, match="second batch"):
            write_tables(tables(), path, TABLE.schema)
        assert path.read_text() == "old"
        assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_tables_follow_each_other(tmp_path, name):
    tables = [TABLE.with_columns(n=pl.lit(i)) for i in range(30)]
    write_tables(iter(tables), tmp_path / name, tables[0].schema)
    kinds = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
    found = kinds[name.rpartition(".")[2]](tmp_path / name)
    assert found["n"].to_list() == [i for i in range(30) for _ in range(len(TABLE))]


def test_tables_of_other_kinds_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.csv, \.jsonl or \.parquet"):
        write_table(TABLE, tmp_path / "t.xlsx")
    with pytest.raises(FileNotFoundError, match="no directory"):
        write_table(TABLE, tmp_path / "nowhere" / "t.csv")
