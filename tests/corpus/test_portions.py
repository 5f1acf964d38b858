import io
import os
import subprocess
import sys
import threading

import polars as pl
import pytest

import bittern.corpus.portions
from bittern.corpus import read, read_batches
from bittern.corpus.portions import first_record, read_available, read_portions
from bittern.errors import InputError

QUOTED = b'id,text\n1,"late\ntrain"\n2,"a ""dirty"" seat\n\n"\n3,x\n'


@pytest.fixture
def small(monkeypatch):
    """Portions of at most 10 bytes, or one record."""
    monkeypatch.setattr(bittern.corpus.portions, "PORTION_SIZE", 10)


def standard_input(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.usefixtures("small")
def test_portions_end_with_whole_records():
    portions = list(read_portions(read_available(io.BytesIO(QUOTED)), has_quotes=True))
    assert b"".join(portions) == QUOTED
    assert len(portions) == 3
    assert all(portion.count(b'"') % 2 == 0 and portion.endswith(b"\n") for portion in portions)
    assert list(read_portions(read_available(io.BytesIO(b"one\ntwo\nthree, and no end")))) == [
        b"one\ntwo\n",
        b"three, and no end",
    ]


def test_quotes_that_never_end_do_not_fill_the_memory(monkeypatch, small):
    monkeypatch.setattr(bittern.corpus.portions, "MAX_RECORD", 30)
    data = b'text\n"' + b"x\n" * 100
    assert max(map(len, read_portions(read_available(io.BytesIO(data)), has_quotes=True))) <= 40


@pytest.mark.parametrize(
    ("data", "header"),
    [
        (QUOTED, b"id,text\n"),
        (b'\r\n\n"i\nd",text\n1,2\n', b'\r\n\n"i\nd",text\n'),
        (b"id,text", b"id,text"),
        (b"", b""),
    ],
)
def test_the_header_is_the_first_record(data, header):
    assert first_record(data, has_quotes=True) == header


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("csv", b"\xef\xbb\xbf" + QUOTED),
        ("csv", b"\n" + QUOTED.replace(b"\n", b"\r\n")),
        ("tsv", QUOTED.replace(b",", b"\t")),
        (
            "jsonl",
            b'{"text": "late train"}\n\n{"text": "a \\"dirty\\" seat", "n": 1}\n{"text": "x"}\n',
        ),
        ("txt", b"late train\na dirty seat\nx"),
    ],
)
def test_portions_give_the_same_corpus(monkeypatch, format, data):
    standard_input(monkeypatch, data)
    corpus = read("-", format=format, letters=True)
    words = [corpus.vocabulary[token] for token in corpus.tokens]
    assert words == ["late", "train", "dirty", "seat", "x"]
    assert corpus.indptr.tolist() == [0, 2, 4, 5]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("format", "data", "message"),
    [
        ("csv", b"id,text\n" + b"1,fine words\n" * 9 + b"2,not, fine\n", "line 11 has 3 fields"),
        ("txt", b"fine words\n" * 9 + b"\xcf\xee\n", "standard input: line 10 is not UTF-8"),
        ("csv", b"text\n" + b"fine words\n" * 9 + b"\xcf\xee\n", "line 11 is not UTF-8"),
        ("jsonl", b'{"text": "fine"}\n\n' * 9 + b'{"text": "fi\n', "line 19 is not valid JSON"),
        (
            "jsonl",
            b'{"text": "fine"}\n' * 9 + b'{"text": {"en": ""}}\n',
            r"objects in row 9 \(line 10\)",
        ),
        (
            "csv",
            b"text,t\n" + b"fine,2024-01-01\n" * 9 + b"a,soon\n",
            r"soon.* in row 9 \(line 11\) of",
        ),
        ("csv", b"", "the file is empty"),
    ],
)
def test_problems_are_counted_from_the_start_of_the_stream(monkeypatch, format, data, message):
    standard_input(monkeypatch, data)
    with pytest.raises(InputError, match=message):
        read("-", format=format, time="t" if b",t\n" in data else None)


def test_parquet_is_read_from_standard_input(monkeypatch):
    file = io.BytesIO()
    pl.DataFrame({"text": ["late train", "dirty seats"]}).write_parquet(file)
    standard_input(monkeypatch, file.getvalue())
    assert len(read("-", format="parquet")) == 2


@pytest.mark.skipif(os.name == "nt", reason="uses pipes with names")
def test_results_come_while_the_writer_waits(tmp_path):
    """The writer sends the second line only after the first one was processed."""
    pipe, processed = tmp_path / "pipe", threading.Event()
    os.mkfifo(pipe)

    def write():
        with pipe.open("w", buffering=1) as file:
            file.write("late train\n")
            assert processed.wait(60)
            file.write("dirty seats\n")

    writer = threading.Thread(target=write)
    writer.start()
    batches = read_batches(pipe, format="txt", vocabulary=["late", "train", "seats"])
    assert next(batches).indptr.tolist() == [0, 2]
    processed.set()
    (last,) = batches
    assert (last.ids.tolist(), last.indptr.tolist()) == ([1], [0, 1])
    writer.join()


MEMORY = """
import resource, sys
from bittern.corpus import read_batches
n = sum(len(batch) for batch in read_batches("-", format=sys.argv[1], vocabulary=["late"]))
print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory in kilobytes")
def test_memory_does_not_grow_with_standard_input():
    def measure(n):
        command = [sys.executable, "-c", MEMORY, "csv"]
        row = b'7,"late ' + b"x" * 1000 + b'"\n'
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(b"id,text\n")
            for _ in range(n):
                process.stdin.write(row * 1000)
            process.stdin.close()
            return map(int, process.stdout.read().split())

    n_few, few = measure(50)
    n_many, many = measure(500)
    assert (n_few, n_many) == (50_000, 500_000)
    assert many - few < 150_000  # of 450 MB more
