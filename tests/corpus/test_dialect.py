import pytest

from bittern import read
from bittern.corpus.formats.dialect import NONE, find_dialect
from bittern.errors import InputError


@pytest.mark.parametrize(
    ("data", "separator"),
    [
        ("id,text\n1,late; dirty\n", ","),
        ("id;text\n1;late, dirty\n2;a, b, c\n", ";"),
        ("id\ttext\n1\tlate, dirty; slow\n", "\t"),
        ("id|text\n1|late\n", "|"),
        ("id;price, net;text\n1;2,5;late\n2;3,5;fine\n", ";"),
        ('id;"text; with a separator"\n1;late\n', ";"),
        ('id,"what; do you think"\n1,late\n', ","),
        ("id;text\n", ";"),
        ("id;text;\n1;late;\n", ";"),
        ("sep=|\nid,a|text\n1|late\n", "|"),
        ("id, text\n1, late\n2, fine\n", ","),
        ("a,b,c\n1,2\n3,4,5\n", ","),
    ],
)
def test_the_separator_divides_header_and_rows_alike(data, separator):
    assert find_dialect(data.splitlines(keepends=True), ",").separator == separator


@pytest.mark.parametrize(
    "data",
    [
        "text\nlate, dirty\nfine\na, b; c\n",
        "text\nlate, dirty\nslow, full\n",
        "What do you like, and what not?\nlate, dirty, slow\nfine\nseats, food\nnothing\n",
        "what | why\nfine\nfine | good\n",
        "text\nit costs 3,50\nor 2,50 again\n",
    ],
)
def test_texts_of_a_single_column_may_have_separators(tmp_path, data):
    lines = data.splitlines(keepends=True)
    assert find_dialect(lines, ",").separator == NONE
    (tmp_path / "t.csv").write_text(data)
    assert read(tmp_path / "t.csv", keep_texts=True).texts.to_list() == data.splitlines()[1:]


@pytest.mark.parametrize("separator", [";", "tab", "\\t", "\t", "comma", "bar", "~"])
def test_a_separator_may_be_set(tmp_path, separator):
    character = {"tab": "\t", "\\t": "\t", "comma": ",", "bar": "|"}.get(separator, separator)
    (tmp_path / "t.csv").write_text(f"id{character}text\n1{character}late train\n")
    assert read(tmp_path / "t.csv", separator=separator).vocabulary == ["late", "train"]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("id,answer ,", ["id", "answer", "column_3"]),
        ('id,"the\nanswer", ', ["id", "the answer", "column_3"]),
        ("id,answer,id", ["id", "answer", "id_duplicated_0"]),
    ],
)
def test_names_of_columns_are_cleaned(tmp_path, header, names):
    (tmp_path / "t.csv").write_text(f"{header}\n1,late train,x\n")
    table = read(tmp_path / "t.csv", text=names[1], keep_table=True).table
    assert table.columns == names
    assert table.row(0) == ("1", "late train", "x")


def test_a_separator_at_the_end_of_rows_is_no_error(tmp_path):
    (tmp_path / "t.csv").write_text("id;text\n1;late;\n2;dirty;\n")
    assert read(tmp_path / "t.csv").vocabulary == ["dirty", "late"]
    assert find_dialect(["id;text\n", "1;late;\n"], ",").header == b"id;text;column_3\n"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("text,day\nlate,2024-01-01\ndirty,soon\n", 3),
        ("\n\ntext,day\nlate,2024-01-01\ndirty,soon\n", 5),
        ("sep=;\ntext;day\nlate;2024-01-01\n\ndirty;soon\n", 5),
        ('text,"the\nday"\n"la\nte",2024-01-01\ndirty,soon\n', 5),
        ("text,day\rlate,2024-01-01\rdirty,soon\r", 3),
    ],
)
def test_messages_name_the_line_of_the_file(tmp_path, data, line):
    (tmp_path / "t.csv").write_text(data, newline="")
    column = "the day" if "the\nday" in data else "day"
    row = 2 if "\n\ndirty" in data else 1
    with pytest.raises(InputError, match=rf'"soon" in row {row} \(line {line}\) of column'):
        read(tmp_path / "t.csv", time=column)
    (tmp_path / "t.csv").write_text(data.replace("soon", "2024-01-01,;x"), newline="")
    with pytest.raises(InputError, match=f"line {line} has 3 fields, the header 2"):
        read(tmp_path / "t.csv")


def test_headers_that_occur_again_are_headers(tmp_path):
    (tmp_path / "t.csv").write_text("id,answer\n1,It was late again\nid,answer\n1,It was cold\n")
    assert len(read(tmp_path / "t.csv", text="answer")) == 3
    (tmp_path / "t.csv").write_text("comment\nlate\ncomment\n")
    assert len(read(tmp_path / "t.csv")) == 2
