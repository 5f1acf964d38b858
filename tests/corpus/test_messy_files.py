"""Spreadsheets as people have them: each is read as it was written, or refused in one line."""

import csv
import gzip
import io
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pytest
import xlsxwriter

from bittern import read
from bittern.errors import InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

N_FILES = 200
SENTENCES = (
    "the train was late again naïve café Zürich übel señor garçon l’été “quoted” – price 3,50 € "
    "no; seats, and a | bar tab what? good! don't e.g. Ångström 100% n/a service Straße"
)
WORDS = SENTENCES.split()
WRAPPED = ('say "hi" twice', "first line\nsecond line", "comma, semicolon; and bar |", '""')
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-8 with mark": "utf-8-sig",
    "utf-16 with mark": "utf-16",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "cp1252": "cp1252",
}
REFUSED = {  # what may be refused, and how
    "title": "has no column names; delete the rows above the names",
    "no header": "has data and no column names; add a row with names",
    "unquoted": "put texts that contain separators in double quotes",
    "open quote": "has invalid quotes",
    "same name": "rename all but one",
}


@dataclass
class Messy:
    """A file, and the texts that it has."""

    name: str
    data: bytes
    texts: list[str | None]
    arguments: dict[str, object]
    fault: str | None


def make_text(rng):
    """Return some words, some of them with what has to be quoted."""
    text = f"The train {' '.join(rng.choice(WORDS, rng.integers(6, 20)))}"
    return f"{text} {rng.choice(WRAPPED)}" if rng.random() < 0.2 else text


def make_rows(rng, n_rows):
    """Return rows with an id, a text, a date, a number and a class; some values are missing."""
    day = date(2024, 1, 1) + timedelta(int(rng.integers(300)))
    rows = [
        [
            str(i + 1),
            make_text(rng) if i in (0, n_rows - 1) or rng.random() > 0.1 else "",
            (day + timedelta(i)).strftime("%d.%m.%Y"),
            f"{rng.integers(1000)},{rng.integers(10)}" if rng.random() > 0.2 else "",
            str(rng.choice(["North", "South", "São Paulo"])),
        ]
        for i in range(n_rows)
    ]
    return ["id", "answer", "date", "amount", "region"], rows


def make_file(seed):
    """Return a file in a random dialect."""
    rng = np.random.default_rng(seed)
    header, rows = make_rows(rng, int(rng.choice([1, 2, 5, 30, 800])))
    texts = [row[1] or None for row in rows]
    if rng.random() < 0.15:  # a single column
        header, rows = header[1:2], [[row[1]] for row in rows]
    arguments = {} if len(header) == 1 or rng.random() < 0.5 else {"text": "answer"}
    may_fail = len(header) > 1 and len(rows) > 2 and rng.random() < 0.2
    fault = str(rng.choice(list(REFUSED))) if may_fail else None
    header = change_header(rng, header, fault)
    if fault == "same name":
        arguments = {"text": "answer"}
    if rng.random() < 0.1 and fault in (None, "same name", "title"):
        above = [["Our survey"]] if fault == "title" else []
        return Messy("t.xlsx", make_workbook([*above, header, *rows]), texts, arguments, fault)
    name, data = make_table(rng, header, rows, fault)
    return Messy(name, data, texts, arguments, fault)


def change_header(rng, header, fault):
    """Return names with spaces, without a name, or twice."""
    changed = [f" {name} " if rng.random() < 0.1 else name for name in header]
    if len(header) > 1 and rng.random() < 0.2:
        changed[-1] = str(rng.choice(["", "id", "a name\nin two lines"]))
    if fault == "same name":
        changed[-1] = "answer"
    return changed


def make_workbook(rows):
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"strings_to_formulas": False}) as workbook:
        workbook.add_worksheet("empty")
        sheet = workbook.add_worksheet("answers")
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                sheet.write_string(i, j, value) if value else None
    return file.getvalue()


def make_table(rng, header, rows, fault):
    """Return the name and the data of a csv or tsv file."""
    separator = str(rng.choice([",", ";", "\t", "|"]))
    quoting = int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    ends = str(rng.choice(["\n", "\r\n", "\r"], p=[0.4, 0.5, 0.1]))
    if rng.random() < 0.1 and len(header) > 1:  # a separator at the end of each row
        rows = [[*row, ""] for row in rows]
        header = [*header, ""] if rng.random() < 0.5 else header
    if fault == "no header":
        rows = [[row[0], row[1] or "It was late again", *row[2:]] for row in rows]
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, delimiter=separator, quoting=quoting)
    writer.writerows([header, *rows] if fault != "no header" else rows)
    text = lines.getvalue().replace("\r\n", ends)
    if fault == "title":
        text = f"Our survey{ends}{ends}{text}"
    if fault == "unquoted":
        text += separator.join(["1", "Late", " again", "and again", *"abcdefg"]) + ends
    if fault == "open quote":
        text += f'1{separator}"Late'
    if fault is None and rng.random() < 0.1:
        text = ends + text
    if len(header) > 1 and fault is None and rng.random() < 0.1:
        text = f"sep={separator}{ends}{text}"
    encoding = str(rng.choice(list(ENCODINGS)))
    data = text.encode(ENCODINGS[encoding])
    name = "t.tsv" if separator == "\t" and rng.random() < 0.5 else "t.csv"
    if rng.random() < 0.2:
        return f"{name}.gz", gzip.compress(data)
    return (f"{name}.zst", zstd.compress(data)) if rng.random() < 0.1 else (name, data)


def read_texts(folder, messy, monkeypatch, is_piped):
    """Return the texts of a file, or of the same data from standard input."""
    arguments = dict(messy.arguments)
    path = folder / messy.name
    path.write_bytes(messy.data)
    if is_piped and messy.name in ("t.csv", "t.tsv", "t.xlsx"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(messy.data)))
        path, arguments["format"] = "-", messy.name[2:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = read(path, keep_texts=True, **arguments).texts.to_list()
    return [text or None for text in found]


def same_line_ends(texts):
    return [text and text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]


def outcome(messy, folder, monkeypatch, is_piped):
    """Return "read", or why a file was refused; check the texts or the message."""
    if messy.fault is None:
        found = read_texts(folder, messy, monkeypatch, is_piped)
        assert same_line_ends(found) == same_line_ends(messy.texts)
        return "read"
    with pytest.raises(InputError, match=REFUSED[messy.fault]) as error:
        read_texts(folder, messy, monkeypatch, is_piped)
    assert "\n" not in str(error.value)
    return messy.fault


@pytest.mark.parametrize("is_piped", [False, True])
def test_messy_spreadsheets_are_read_as_they_were_written(tmp_path, monkeypatch, is_piped):
    outcomes = Counter()
    for seed in range(N_FILES):
        try:
            outcomes[outcome(make_file(seed), tmp_path, monkeypatch, is_piped)] += 1
        except BaseException as error:
            error.add_note(f"file {seed}")
            raise
    assert outcomes["read"] >= 0.8 * N_FILES
    assert set(outcomes) == {"read", *REFUSED}
