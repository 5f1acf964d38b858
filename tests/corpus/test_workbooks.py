import io
import sys
from datetime import date, datetime

import polars as pl
import pytest
import xlsxwriter

from bittern import read
from bittern.corpus.formats import workbooks
from bittern.errors import InputError

ROWS = [
    ["id", "answer", "day", "time", "price"],
    [1, "late train", date(2024, 5, 31), datetime(2024, 5, 31, 12, 30), 2.5],
    [2, "", date(2024, 6, 1), datetime(2024, 6, 1), 1000000],
    [3, "dirty seats", None, None, None],
]


def write(path, sheets, hidden=()):
    with xlsxwriter.Workbook(path) as workbook:
        formats = {date: "dd.mm.yyyy", datetime: "dd.mm.yyyy hh:mm"}
        styles = {kind: workbook.add_format({"num_format": f}) for kind, f in formats.items()}
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    if isinstance(value, date):
                        sheet.write_datetime(i, j, value, styles[type(value)])
                    else:
                        sheet.write(i, j, value)
    return path


def test_cells_are_read_as_people_write_them(tmp_path):
    path = write(tmp_path / "t.xlsx", {"first": [], "hidden": ROWS, "answers": ROWS}, ["hidden"])
    corpus = read(path, text="answer", time="day", label="price", keep_table=True)
    assert corpus.vocabulary == ["dirty", "late", "seats", "train"]
    assert corpus.indptr.tolist() == [0, 2, 2, 4]
    assert corpus.times.to_list() == [datetime(2024, 5, 31), datetime(2024, 6, 1), None]
    assert corpus.labels.to_list() == ["2.5", "1000000", None]
    assert corpus.table["id"].to_list() == ["1", "2", "3"]
    assert corpus.table["day"].to_list() == ["2024-05-31", "2024-06-01", None]
    assert corpus.table["time"].to_list() == ["2024-05-31 12:30:00", "2024-06-01 00:00:00", None]


def test_sheets_are_read_by_name(tmp_path):
    sheets = {"2023": ROWS, "2024 ": [["text"], ["crowded"]], "old": [["text"], ["cold"]]}
    path = write(tmp_path / "t.xlsx", sheets, ["old"])
    assert read(path, text="answer").vocabulary == ["dirty", "late", "seats", "train"]
    assert read(path, sheet="2024").vocabulary == ["crowded"]
    assert read(path, sheet="OLD").vocabulary == ["cold"]
    with pytest.raises(
        InputError, match='there is no sheet "x"; available sheets: 2023, 2024 , old'
    ):
        read(path, sheet="x")


def test_empty_rows_and_columns_do_not_shift_rows(tmp_path):
    rows = [[], [], ["", "id", "text"], ["", 1, "late"], [], ["", 2, "dirty"], [], ["", ""]]
    path = write(tmp_path / "t.xlsx", {"answers": rows})
    corpus = read(path, keep_table=True)
    assert corpus.indptr.tolist() == [0, 1, 1, 2]
    assert corpus.table.columns == ["id", "text"]
    rows[5][1] = "soon"
    write(path, {"answers": rows})
    message = r'"soon" in row 2 \(row 6 of the sheet\) of column "id" is not a valid date'
    rows[3][1] = "2024-05-31"
    write(path, {"answers": rows})
    with pytest.raises(InputError, match=message):
        read(path, time="id")


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ({"a": [], "b": [["text"]]}, "no sheet has a row with column names and rows below it; she"),
        ({"a": [["Survey"], [], *ROWS]}, "first row has no column names; delete the rows above"),
        ({"a": ROWS[1:2] * 3}, "the first row has data and no column names; add a row with names"),
        ({"a": [["id", "text", "text"], [1, "a", "b"]]}, 'several columns "text"; rename all but'),
    ],
)
def test_tables_without_proper_names_are_refused(tmp_path, sheets, message):
    with pytest.raises(InputError, match=message):
        read(write(tmp_path / "t.xlsx", sheets))


def test_other_files_are_not_workbooks(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(b"id,text\n1,late\n")
    with pytest.raises(
        InputError, match=r"not a workbook that can be read \(.*\); save it as xlsx"
    ):
        read(tmp_path / "t.xlsx")
    write(tmp_path / "t.csv", {"a": ROWS})
    with pytest.raises(
        InputError, match=r"binary file, .* if it is a workbook, set the format to x"
    ):
        read(tmp_path / "t.csv")
    assert len(read(tmp_path / "t.csv", format="xlsx", text="answer")) == 3
    (tmp_path / "t.xls").write_bytes((tmp_path / "t.csv").read_bytes())  # with a wrong name
    assert len(read(tmp_path / "t.xls", text="answer")) == 3
    data = io.TextIOWrapper(io.BytesIO((tmp_path / "t.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", data)
    assert len(read("-", format="xlsx", text="answer")) == 3


def test_workbooks_need_a_package(tmp_path, monkeypatch):
    path = write(tmp_path / "t.xlsx", {"a": ROWS})
    monkeypatch.setattr(workbooks, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r'fastexcel; run: pip install "bittern\[excel\]"'):
        read(path)


def test_tables_that_were_written_can_be_read(tmp_path):
    from bittern.corpus.tables import write_table

    table = pl.DataFrame({"id": [1, 2], "answer": ["It was late", 'A "new" train, again']})
    write_table(table, tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx", keep_texts=True).texts.to_list() == table["answer"].to_list()
