import gzip
import io
import os
import sys
import threading
from datetime import datetime

import polars as pl
import pytest

import bittern.corpus.rows
from bittern import read
from bittern.corpus.formats import FORMATS
from bittern.corpus.tables import write_table
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
    "xlsx": lambda path: write_table(TABLE, path),
    "txt": lambda path: path.write_text("Red green blue\nBäume Wälder\n\n", "utf-8"),
}
COMPRESS = {"": lambda data: data, ".gz": gzip.compress, ".zst": zstd.compress}


def write(folder, kind, compression=""):
    path = folder / f"texts.{kind}"
    WRITE[kind](path)
    packed = folder / f"texts.{kind}{compression}"
    packed.write_bytes(COMPRESS[compression](path.read_bytes()))
    return packed


def test_every_format_is_tested():
    assert list(FORMATS) == ["txt", "csv", "tsv", "jsonl", "parquet", "xlsx", "xls", "ods"]
    assert {*WRITE, "xls", "ods"} == set(FORMATS)  # which are read by the same package as xlsx


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("kind", WRITE)
def test_every_format_gives_the_same_corpus(tmp_path, kind, compression):
    corpus = read(write(tmp_path, kind, compression))
    assert corpus.vocabulary == ["blue", "bäume", "green", "red", "wälder"]
    assert corpus.indptr.tolist() == [0, 3, 5, 5]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_times_and_labels_are_read(tmp_path, kind):
    corpus = read(write(tmp_path, kind), text="text", time="when", label="kind")
    assert corpus.times.to_list() == [datetime(2024, 1, 1), datetime(2024, 2, 1, 10, 30), None]
    assert corpus.labels.to_list() == ["x", None, "y"]


@pytest.mark.parametrize("value", ["1700000000", 1700000000])
def test_integers_are_seconds_since_1970(tmp_path, value):
    path = tmp_path / "t.jsonl"
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_ndjson(path)
    assert read(path, time="t").times.to_list() == [datetime(2023, 11, 14, 22, 13, 20)]


def test_datetimes_of_a_parquet_file_are_kept(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"text": ["a b"], "t": [datetime(2020, 5, 6)]}).write_parquet(path)
    assert read(path, time="t").times.to_list() == [datetime(2020, 5, 6)]


def test_pipes_and_recursive_patterns_can_be_read(tmp_path):
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
    with pytest.raises(InputError, match=f"{path.name}: (cannot be decompressed|not a valid)"):
        read(path)


def test_files_and_patterns_are_read_in_order(tmp_path):
    for name, text in (("b", "third"), ("a", "second"), ("c", "fourth")):
        (tmp_path / f"part-{name}.txt").write_text(text)
    (tmp_path / "x.csv").write_text("text\nfirst\n")
    corpus = read(tmp_path / "x.csv", tmp_path / "part-*.txt", stop_words=None)
    assert [corpus.vocabulary[t] for t in corpus.tokens] == ["first", "second", "third", "fourth"]


def test_large_files_are_read_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(bittern.corpus.rows, "CHUNK", 10)
    path = tmp_path / "many.csv"
    pl.DataFrame({"n": range(1000), "text": [f"number{i} text" for i in range(1000)]}).write_csv(
        path
    )
    corpus = read(path, label="n", min_df=1)
    assert len(corpus) == 1000
    assert corpus.vocabulary[corpus.tokens[2 * 678]] == "number678"
    assert corpus.labels[678] == "678"


def test_standard_input_is_txt_by_default(monkeypatch):
    for data, arguments in (
        (b"one two\nthree\n", {}),
        (b"id,text\n1,one two\n2,three\n", {"format": "csv"}),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read("-", stop_words=None, **arguments).indptr.tolist() == [0, 2, 3]


BAD = {
    "cyrillic.csv": "id,text\n1,fine\n2,поезд опоздал\n".encode("cp1251"),
    "japanese.txt": "fine\n列車はいつも遅れる\n".encode("shift_jis"),
    "greek.jsonl": '{"text": "fine"}\n{"text": "άργησε"}\n'.encode("cp1253"),
    "plain.txt": b"fine\n",
    "title.csv": b"Our survey\n\nid;answer\n1;Late, dirty trains\n2;Fine\n",
    "wide title.csv": b"Our survey;;\nid;answer;day\n1;Late, dirty trains;2024-01-01\n",
    "headless.csv": b"1,Trains are always late,2024-01-01\n2,Fine,2024-01-02\n",
    "two texts.csv": b"id,question,answer\n1,What should be better here?,Trains are late every day "
    b"of the week\n2,What do you like here?,The seats are good\n",
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
    "object.jsonl": b'{"text": {"en": "fine"}}\n',
    "list.jsonl": b'{"text": ["fine"], "id": 1}\n',
    "mixed.jsonl": b'{"text": "[fine]"}\n\n{"text": "{\\"a\\": 1}"}\n{"text": {"en": "fine"}}\n',
    "label.jsonl": b'{"text": "fine", "label": {"a": 1}}\n',
    "deep.jsonl": b'{"text": "fine"}\n{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "array.jsonl": b'[{"text": "fine"}]\n',
    "document.jsonl": b'[\n {"text": "fine"}\n]\n',
    "wide.csv": b",".join(b"c%d" % i for i in range(100_000)) + b"\n",
    "long.csv": b"x" * 100_000 + b",y\n1,2\n",
    "twice.csv": b"text,text\nfine,words\n",
}


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "cyrillic.csv",
            {},
            r"line 3 is not UTF-8, and hardly Windows-1252; give the encoding \(cp",
        ),
        (
            "japanese.txt",
            {},
            "line 2 is not UTF-8, and hardly .* with --encoding or, in Python, enc",
        ),
        ("greek.jsonl", {}, "line 2 is not UTF-8"),
        (
            "cyrillic.csv",
            {"encoding": "utf-8"},
            "line 3 is not UTF-8; set another encoding, or none",
        ),
        ("cyrillic.csv", {"encoding": "shift_jis"}, "line 3 is not shift_jis; set another enc"),
        (
            "two.csv",
            {"separator": ";"},
            "columns are separated by commas; set that separator, or no",
        ),
        ("two.csv", {"separator": "tab", "text": "body"}, "columns are separated by commas"),
        ("title.csv", {}, "the first row has no column names; delete the rows above the names"),
        (
            "wide title.csv",
            {},
            "the first row has no column names; delete the rows above the names",
        ),
        ("headless.csv", {}, "the first row has data and no column names; add a row with names"),
        ("headless.csv", {"text": "answer"}, "the first row has data and no column names"),
        (
            "two texts.csv",
            {},
            r"several columns with texts; choose one with --text or, in Python, text=: question "
            r'\("What should be better here\?"\), answer \("Trains are late every day.*"\)$',
        ),
        ("broken.jsonl", {}, "line 2 is not valid JSON"),
        ("binary.csv", {}, "binary file"),
        ("binary.txt", {}, "binary file"),
        ("ragged.csv", {}, "line 3 has 3 fields, the header 2"),
        ("empty.csv", {}, "the file is empty"),
        ("no.parquet", {}, "not a valid parquet file"),
        ("no.csv.gz", {}, "cannot be decompressed"),
        ("no.txt.zst", {}, "cannot be decompressed"),
        ("what.docx", {}, r"cannot tell the format of .*; use one of \.txt, \.csv, "),
        (
            "two.csv",
            {},
            r'has several columns; choose the text column with --text .*: id \("1"\), body \("fi',
        ),
        (
            "two.csv",
            {"text": "text"},
            'column "text" not found in .*two.csv; available columns: id, body',
        ),
        (
            "two.csv",
            {"text": "body", "label": "x"},
            'column "x" not found in .*two.csv; available columns: id, body',
        ),
        ("plain.txt", {"time": "t"}, 'column "t" not found in .*; a txt file has only texts'),
        (
            "times.csv",
            {"time": "t"},
            r'"yesterday" in row 1 \(line 3\) of column "t" is not a valid date or time',
        ),
        (
            "notimes.csv",
            {"time": "t"},
            r'"soon" in row 0 \(line 2\) of column "t" is not a valid date or time',
        ),
        (
            "two.csv",
            {"format": "xml"},
            'unknown format "xml"; choose from txt, csv, tsv, jsonl, parquet, xlsx',
        ),
        ("quotes.csv", {}, "line 3 has invalid quotes"),
        ("open.csv", {}, "line 3 has invalid quotes"),
        ("large.csv", {}, "line 3 has 3 fields"),
        ("object.jsonl", {}, 'column "text" has lists or objects, not plain values; choose'),
        ("list.jsonl", {"text": "text"}, 'column "text" has lists or objects'),
        ("mixed.jsonl", {}, r'column "text" has lists or objects in row 2 \(line 4\)'),
        ("label.jsonl", {"label": "label"}, 'column "label" has lists or objects'),
        ("deep.jsonl", {}, "line 2 is nested too deeply"),
        ("array.jsonl", {}, "line 1 is not an object; write one object per line, such as"),
        ("document.jsonl", {}, "this is one JSON document; write one object per line"),
        ("wide.csv", {}, "has several columns; .*: c0, c1, .*, c11 and 99,988 more$"),
        ("long.csv", {}, r'has several columns; .*: x{50}... \("1"\), y \("2"\)$'),
        ("twice.csv", {}, 'has several columns "text"; rename all but one'),
    ],
)
def test_invalid_files_are_refused_in_one_line(tmp_path, name, arguments, message):
    path = tmp_path / name
    path.write_bytes(BAD[name])
    with pytest.raises(InputError, match=message) as error:
        read(path, **arguments)
    assert "\n" not in str(error.value)
    assert name in str(error.value) or "format" in message


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "plain.txt",
            {"encoding": "klingon"},
            'unknown encoding "klingon"; use a name such as utf-8',
        ),
        ("plain.txt", {"encoding": "base64"}, 'unknown encoding "base64"'),
        ("plain.txt", {"encoding": 8}, 'unknown encoding "8"'),
        ("no.parquet", {"encoding": "utf-8"}, "encoding has no effect on parquet files; leave it"),
        ("plain.txt", {"separator": ";"}, "separator has no effect on txt files; leave it out"),
        ("two.csv", {"sheet": "x"}, "sheet has no effect on csv files; leave it out"),
        ("two.csv", {"separator": "::"}, "separator must be a single character such as ; or the"),
        ("two.csv", {"separator": '"'}, "separator must be a single character"),
    ],
)
def test_options_that_files_cannot_have_are_refused(tmp_path, name, arguments, message):
    (tmp_path / name).write_bytes(BAD[name])
    with pytest.raises(InputError, match=message):
        read(tmp_path / name, **arguments)


def test_missing_files_are_named_with_a_remedy(tmp_path):
    (tmp_path / "answers.csv").touch()
    with pytest.raises(FileNotFoundError, match=r"no file matches .*nope\*\.csv$"):
        read(tmp_path / "nope*.csv")
    with pytest.raises(
        FileNotFoundError, match=r"answer.csv does not exist; did you mean .*rs.csv\?"
    ):
        read(tmp_path / "answer.csv")
    with pytest.raises(
        FileNotFoundError, match=r"answers.xlsx does not exist; did you mean .*.csv"
    ):
        read(tmp_path / "answers.xlsx")
    with pytest.raises(FileNotFoundError, match=r"because there is no directory .*nowhere$"):
        read(tmp_path / "nowhere" / "answers.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"can read \(\.txt, .*/\*"):
        read(tmp_path / "empty")
    with pytest.raises(InputError, match="no files given"):
        read()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("kind", WRITE)
def test_names_of_files_need_not_be_utf8(tmp_path, kind, compression):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9." + f"{kind}{compression}".encode())
    os.rename(write(tmp_path, kind, compression), path)
    assert read(path).vocabulary == ["blue", "bäume", "green", "red", "wälder"]
    assert len(read(str(tmp_path / f"caf*{kind}*"))) == 3


@pytest.mark.parametrize("values", [[{"en": "fine"}], [["fine"]], [b"\xff"]])
def test_columns_of_parquet_files_must_be_plain(tmp_path, values):
    pl.DataFrame({"text": values}).write_parquet(tmp_path / "t.parquet")
    message = 'column "text" has lists or objects|a column has bytes that are not UTF-8'
    with pytest.raises(InputError, match=message):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
def test_a_byte_order_mark_is_skipped(tmp_path, kind, compression):
    data = write(tmp_path, kind).read_bytes()
    path = tmp_path / f"marked.{kind}{compression}"
    path.write_bytes(COMPRESS[compression](b"\xef\xbb\xbf" + data))
    assert read(path).vocabulary == ["blue", "bäume", "green", "red", "wälder"]


@pytest.mark.parametrize(
    "data",
    [
        "what do you think | tell us\nfine words\nfine | good\n",  # not a table
        "text\nfine; words\nfine\twords | x\n",
        'text\n"{""en"": ""fine words""}"\n',
    ],
)
def test_a_single_column_may_contain_separators(tmp_path, data):
    (tmp_path / "one.csv").write_text(data)
    assert {"fine", "words"} <= set(read(tmp_path / "one.csv").vocabulary)


def test_strings_in_json_may_look_like_json(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "[\\"fine words\\"]"}\n{"text": "[broken"}\n')
    assert read(tmp_path / "t.jsonl").vocabulary == ["broken", "fine", "words"]
