import warnings

import pytest

from bittern import read
from bittern.corpus import read_batches
from bittern.corpus.encodings import utf8_chunks
from bittern.errors import EncodingGuessWarning, InputError

TEXT = "Die Züge sind zu spät – „schön“, 3 €\n"
GUESS = (
    r"t\.txt is not UTF-8 \(line 2\); read as Windows-1252. .* with --encoding or, in Python, enc"
)


def convert(data, encoding=None, size=1):
    chunks = (data[i : i + size] for i in range(0, len(data), size))
    return b"".join(utf8_chunks(chunks, encoding, "t.txt")).decode()


@pytest.mark.parametrize(
    ("encoding", "size"),
    [
        ("utf-8", 1),
        ("utf-8-sig", 7),
        ("utf-16", 7),
        ("utf-32", 7),
        ("utf-16-le", 200),  # without a mark, a line break is needed to recognize it
        ("utf-16-be", 200),
        ("utf-32-le", 200),
    ],
)
def test_unicode_is_recognized(encoding, size):
    assert convert((TEXT * 3).encode(encoding), size=size) == TEXT * 3


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_western_texts_are_read_as_windows_1252_with_a_warning(size):
    with pytest.warns(EncodingGuessWarning, match=GUESS) as found:
        assert convert(("fine\n" + TEXT * 2).encode("cp1252"), size=size) == "fine\n" + TEXT * 2
    assert len(found) == 1


def test_valid_utf8_remains_beside_other_bytes():
    with pytest.warns(EncodingGuessWarning, match=GUESS):
        assert convert(TEXT.encode() + TEXT.encode("cp1252")) == TEXT * 2


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Поезд опять опоздал"),
        ("cp1253", "Το τρένο άργησε"),
        ("cp1255", "הרכבת איחרה"),
        ("cp1250", "Pociąg znów się spóźnił, dużo ludzi, mało miejsc, ciągły hałas"),
        ("shift_jis", "列車はいつも遅れる"),
        ("gb18030", "火车又晚点了"),
        ("cp949", "기차가 또 늦었다"),
    ],
)
def test_other_encodings_have_to_be_named(tmp_path, encoding, text):
    path = tmp_path / "t.txt"
    path.write_bytes(f"{text}\n".encode(encoding))
    with pytest.raises(
        InputError, match=r"t\.txt: line 1 is not UTF-8, and hardly Windows-1252; gi"
    ):
        read(path)
    assert read(path, encoding=encoding, keep_texts=True).texts.to_list() == [text]
    (batch,) = read_batches(path, encoding=encoding, keep_table=True, vocabulary=["a"])
    assert batch.table["text"].to_list() == [text]


def test_latin_1_is_windows_1252():
    assert convert(TEXT.encode("cp1252"), "cp1252") == TEXT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert convert(b"a \x81 b", "cp1252") == "a \x81 b"  # undefined there


def test_carriage_returns_and_null_characters_are_replaced():
    assert convert(b'a,b\r1,"x\ny"\r2,z\0\r', size=100) == 'a,b\n1,"x\ny"\n2,z\n'
    assert convert(b"a\r\nb\r\n", size=100) == "a\r\nb\r\n"


def test_a_file_may_turn_out_not_to_be_utf8_late(tmp_path):
    """Batches that Polars has read are not read again in the other encoding."""
    path = tmp_path / "t.csv"
    texts = [f"plain text {i}" for i in range(250_000)] + ["spät", "zu spät"]
    path.write_bytes(("n,text\n" + "".join(f"1,{text}\n" for text in texts)).encode("cp1252"))
    with pytest.warns(EncodingGuessWarning, match="line 250002"):
        assert read(path, keep_texts=True).texts.to_list() == texts


@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl"])
def test_text_files_of_any_format_are_converted(tmp_path, suffix):
    data = {
        "txt": "Bäume\nWälder\n",
        "csv": "text\nBäume\nWälder\n",
        "jsonl": '{"text": "Bäume"}\n{"text": "Wälder"}\n',
    }[suffix]
    for encoding in ("utf-16", "utf-16-le", "cp1252", "utf-32"):
        (tmp_path / f"t.{suffix}").write_bytes(data.encode(encoding))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert read(tmp_path / f"t.{suffix}").vocabulary == ["bäume", "wälder"]
