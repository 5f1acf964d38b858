from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bittern import Corpus, read
from bittern.corpus.metadata import parse_labels, parse_times
from bittern.errors import InputError

INVALID = "is not a valid date or time; use 2024-05-31 or 2024-05-31T12:00, or set "
ISO_TIMES = [
    ("2024-05-31", datetime(2024, 5, 31)),
    ("2024-05-31T12:30", datetime(2024, 5, 31, 12, 30)),
    ("2024-05-31 12:30", datetime(2024, 5, 31, 12, 30)),
    ("2024-05-31 12:30:15", datetime(2024, 5, 31, 12, 30, 15)),
    ("2024-05-31T12:30:15.25", datetime(2024, 5, 31, 12, 30, 15, 250000)),
    ("2024-05-31T12:30:15Z", datetime(2024, 5, 31, 12, 30, 15)),
    ("2024-05-31T12:30Z", datetime(2024, 5, 31, 12, 30)),
    ("2024-05-31T12:30:15+02:00", datetime(2024, 5, 31, 10, 30, 15)),
    ("2024-05-31 12:30:15+0200", datetime(2024, 5, 31, 10, 30, 15)),
    ("2024/05/31", datetime(2024, 5, 31)),
    ("31.05.2024", datetime(2024, 5, 31)),
    ("1717113600", datetime(2024, 5, 31)),
]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (["2024-05-31", None], [date(2024, 5, 31), None]),
        (
            ["2024-05-31T12:30", "2024-06-01T00:00"],
            [datetime(2024, 5, 31, 12, 30), datetime(2024, 6, 1)],
        ),
        (["2024-05-31T12:30", "2024-06-01"], [datetime(2024, 5, 31, 12, 30), datetime(2024, 6, 1)]),
        ([None, None], [None, None]),
        (pd.to_datetime(["2024-05-31", None]), [datetime(2024, 5, 31), None]),
    ],
)
def test_times_are_dates_or_strings(times, expected):
    assert Corpus.from_texts(["a", "b"], times=times).times.to_list() == expected
    assert Corpus.from_texts(["a", "b"]).with_times(times).times.to_list() == expected
    assert Corpus.from_texts(["a", "b"], times=iter(times)).times.to_list() == expected


@pytest.mark.parametrize(("value", "expected"), ISO_TIMES)
def test_files_and_lists_accept_the_same_strings(tmp_path, value, expected):
    (tmp_path / "t.csv").write_text(f"text,t\na b,{value}\n")
    from_file = read(tmp_path / "t.csv", time="t").times
    from_list = Corpus.from_texts(["a b"], times=[value]).times
    assert from_file.to_list() == [expected]
    assert from_list.cast(pl.Datetime("us")).to_list() == [expected]


@pytest.mark.parametrize(
    "value", ["2019", "1700000000000", "31-05-24", "2024-13-01", "31.02.2024", "0024-01-02", "x"]
)
def test_files_and_lists_refuse_the_same_strings(tmp_path, value):
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_csv(tmp_path / "t.csv")
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(
            InputError, match=f'{name}: "{value}" in row 0.* of column "t" {INVALID}'
        ):
            read(tmp_path / name, time="t")
    with pytest.raises(InputError, match=f'^"{value}" in row 0 of times {INVALID}'):
        parse_times([value], 1)


@pytest.mark.parametrize(
    ("times", "value", "row"),
    [
        ([1, 2], "1", 0),
        (np.array([17]), "17", 0),
        ([None, "2024-01-01", "late"], "late", 2),
        ([date(2024, 1, 1), 3], "3", 1),
        ([[1], [2]], r"\[1\]", 0),
        ([10**30, 1], str(10**30), 0),
        (["2024-01-01", True], "True", 1),
        (pl.Series([None, 1.5]), "1.5", 1),
    ],
)
def test_an_invalid_time_is_named_with_its_row(times, value, row):
    with pytest.raises(InputError, match=f'^"{value}" in row {row} of times {INVALID}'):
        Corpus.from_texts(["a"] * len(times), times=times)


def test_times_of_mixed_types_are_refused():
    with pytest.raises(InputError, match="times mix dates, datetimes and strings; use one type"):
        parse_times([date(2024, 1, 1), "2024-01-01"], 2)


def test_labels_of_mixed_types_become_strings():
    assert Corpus.from_texts(["a", "b"], labels=[1, "x"]).labels.to_list() == ["1", "x"]
    assert Corpus.from_texts(["a", "b"], labels=[1, None]).labels.to_list() == [1, None]
    assert parse_labels(iter([1, "x"]), 2).to_list() == ["1", "x"]
    mixed = np.array([1, 2.5, None], object)
    assert Corpus.from_texts(["a"] * 3, labels=mixed).labels.null_count() == 1


@pytest.mark.parametrize("values", [["a", "b"], ["a", 3], [["a"], None]])
@pytest.mark.parametrize("column", [pd.Series, lambda v, name: pl.Series(name, v, strict=False)])
def test_labels_keep_the_name_of_their_column(column, values):
    corpus = Corpus.from_texts(["a b", "b c"], labels=column(values, name="region"))
    assert corpus.labels.name == corpus[:1].labels.name == "region"
    assert corpus.with_labels(["a", "b"]).labels.name == ""
    assert corpus.with_labels(pd.Series(["a", "b"], name=3)).labels.name == ""


def test_labels_of_files_keep_the_name_of_their_column(tmp_path):
    (tmp_path / "a.csv").write_text("text,region\na b,North\nb c,South\n")
    (tmp_path / "b.csv").write_text("text,region\na b,\n")
    corpus = read(tmp_path / "a.csv", tmp_path / "b.csv", text="text", label="region")
    assert corpus.labels.name == "region"
    assert corpus.labels.to_list() == ["North", "South", None]
