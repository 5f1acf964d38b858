import polars as pl
import pytest

from bittern import read
from bittern.corpus.tables import write_table
from bittern.corpus.text_column import find_text_columns
from bittern.errors import InputError

TEXTS = ["The train was late again", "No seats for an hour", "Staff was very kind", "It is cold"]
OTHERS = {
    "id": ["1", "2", "3", "4"],
    "code": ["a7f3-99", "b8e1-17", "c001-42", "d77a-03"],
    "answer": ["yes", "no", "yes", "n/a"],  # the name says nothing
    "date": ["Mon 3 June 2024"] * 4,
    "when": ["2024-05-31 12:00", "31.05.2024", "5/31/2024 1:00 PM", "12:30"],
    "price": ["1,50 €", "1.299,00", "50%", "-3"],
    "url": [f"https://example.org/the/late/train/{i}" for i in range(4)],
    "mail": [f"some.one.{i}@example.org" for i in range(4)],
    "name": ["Ann Smith", "Ben Miller", "Cleo Jones", "Dan Brown"],
    "empty": [None, None, None, None],
}


@pytest.mark.parametrize("name", OTHERS)
def test_columns_without_texts_are_not_taken_for_texts(name):
    values = pl.Series(OTHERS[name], dtype=pl.String)
    assert find_text_columns(pl.DataFrame({name: values})) == []


def test_classes_with_long_names_are_not_taken_for_texts():
    classes = ["a very good service", "a rather bad service"] * 10
    assert find_text_columns(pl.DataFrame({"class": classes})) == []


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        [None, "", *TEXTS],
        ["火车又晚点了", "火车票太贵了", "座位很脏", "服务很好"],
        ["Поезд опять опоздал", "Нет мест", "Очень холодно в вагоне", "Спасибо вам большое"],
        ["รถไฟมาสายอีกแล้ว", "ที่นั่งสกปรก", "บริการดีมาก", "ตั๋วแพงเกินไป"],
    ],
)
def test_texts_are_recognized_in_any_script(texts):
    columns = {name: (values * 2)[: len(texts)] for name, values in OTHERS.items()}
    assert find_text_columns(pl.DataFrame({**columns, "q7": texts})) == ["q7"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "xlsx"])
def test_the_only_column_with_texts_is_read_and_named(tmp_path, capsys, suffix):
    path = tmp_path / f"t.{suffix}"
    write_table(pl.DataFrame({**OTHERS, "q7": TEXTS}), path)
    assert read(path, keep_texts=True).texts.to_list() == TEXTS
    assert capsys.readouterr().err == ""
    read(path, verbose=1)
    message = (
        f'{path}: the texts are in column "q7"; choose another with --text or, in Python, text='
    )
    assert message in capsys.readouterr().err.splitlines()


def test_columns_for_other_things_are_not_candidates(tmp_path):
    pl.DataFrame({"q1": TEXTS, "q2": TEXTS[::-1]}).write_csv(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", label="q1", keep_texts=True).texts.to_list() == TEXTS[::-1]
    with pytest.raises(InputError, match=r'choose one with --text .*: q1 \("The train .*, q2 \('):
        read(tmp_path / "t.csv")


def test_later_files_have_the_texts_in_the_same_column(tmp_path):
    pl.DataFrame({"q1": TEXTS, "q2": ["1", "2", "3", "4"]}).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"q2": TEXTS[:2], "q1": TEXTS[2:]}).write_csv(tmp_path / "b.csv")
    found = read(tmp_path / "a.csv", tmp_path / "b.csv", keep_texts=True).texts.to_list()
    assert found == [*TEXTS, *TEXTS[2:]]
    pl.DataFrame({"q3": TEXTS, "id": ["1", "2", "3", "4"]}).write_csv(tmp_path / "c.csv")
    with pytest.raises(
        InputError, match=r'column "q1" not found in .*c.csv; available columns: q3'
    ):
        read(tmp_path / "a.csv", tmp_path / "c.csv")


def test_a_column_called_text_or_the_only_one_needs_no_texts(tmp_path):
    pl.DataFrame({"text": ["a", "b"], "q": TEXTS[:2]}).write_csv(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", keep_texts=True).texts.to_list() == ["a", "b"]
    (tmp_path / "b.csv").write_text("q,\na,\nb,\n")  # the other one has no name and no values
    assert read(tmp_path / "b.csv", keep_texts=True).texts.to_list() == ["a", "b"]
