from datetime import date, datetime, timedelta, timezone
from itertools import permutations

import polars as pl
import pytest

import bittern.corpus.rows
from bittern import Corpus, read
from bittern.corpus.times import TimeParser, check_time_format
from bittern.errors import InputError

LAST_DAY = datetime(2024, 12, 31)
AFTERNOON = datetime(2024, 12, 31, 14, 5)
NOTATIONS = [
    ("31.12.2024", LAST_DAY),
    ("31.12.24", LAST_DAY),
    (" 31.12.2024 ", LAST_DAY),
    ("31/12/2024", LAST_DAY),
    ("12/31/2024", LAST_DAY),
    ("31-12-2024", LAST_DAY),
    ("12/31/24", LAST_DAY),
    ("31/12/69", datetime(1969, 12, 31)),
    ("5/5/2024", datetime(2024, 5, 5)),
    ("2024/12/31", LAST_DAY),
    ("2024.12.31", LAST_DAY),
    ("2024年12月31日", LAST_DAY),
    ("31.12.2024 14:05", AFTERNOON),
    ("31.12.2024, 14:05:00", AFTERNOON),
    ("31/12/2024T14:05", AFTERNOON),
    ("12/31/2024 2:05 PM", AFTERNOON),
    ("12/31/2024, 2:05:00\u202fpm", AFTERNOON),
    ("12/31/2024 12:05 a.m.", datetime(2024, 12, 31, 0, 5)),
    ("2024-12-31 2:05 PM", AFTERNOON),
    ("2024-12-31 14:05:00 UTC", AFTERNOON),
    ("2024-12-31 14:05:00+00", AFTERNOON),
    ("2024-12-31 14:05:00 -0200", AFTERNOON + timedelta(hours=2)),
    ("31 Dec 2024", LAST_DAY),
    ("31. December 2024", LAST_DAY),
    ("31-Dec-24", LAST_DAY),
    ("Dec 31, 2024", LAST_DAY),
    ("Dec. 31 2024", LAST_DAY),
    ("December 31st, 2024 at 2:05 p.m.", AFTERNOON),
    ("Sept 5, 2024", datetime(2024, 9, 5)),
    ("Tue, 31 Dec 2024 14:05:00 +0000", AFTERNOON),
    ("Tue Dec 31 14:05:00 +0000 2024", AFTERNOON),
]


def parse(*values, time_format=None):
    """Parse each value as a batch of its own."""
    parser = TimeParser(time_format)
    batches = [
        parser.parse(
            pl.Series([value], dtype=pl.String), 'column "day"', "a.csv", f"row {row + 1}".format
        )
        for row, value in enumerate(values)
    ]
    return parser.resolve(batches).to_list()


@pytest.mark.parametrize(("value", "expected"), NOTATIONS)
def test_dates_are_read_as_people_write_them(tmp_path, value, expected):
    pl.DataFrame({"text": ["a b"], "t": [value]}).write_csv(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", time="t").times.to_list() == [expected]
    times = Corpus.from_texts(["a b"], times=[value]).times
    assert times.cast(pl.Datetime("us")).to_list() == [expected]
    assert times.dtype == (pl.Datetime("us") if ":" in value else pl.Date)


def test_notations_may_be_mixed():
    of_days = [value for value, day in NOTATIONS if day == LAST_DAY and value[0] != "1"]
    assert parse(*of_days, None, "") == [LAST_DAY] * len(of_days) + [None, None]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (["05/06/2024", "31/12/2024", None], [datetime(2024, 6, 5), LAST_DAY, None]),
        (["05/06/2024", "12/31/2024", None], [datetime(2024, 5, 6), LAST_DAY, None]),
        (["05.06.2024", "12/31/2024", "12"], None),
        (["05.06.2024", "2024-12-31", ""], [datetime(2024, 6, 5), LAST_DAY, None]),
        (["5/6/24 9:30", "31.12.2024", "1/1/01"], None),
    ],
)
def test_one_value_decides_the_order_in_all_batches(days, expected):
    found = {}
    for order in permutations(range(3)):
        try:
            parsed = parse(*(days[i] for i in order))
        except InputError:
            parsed = None
        found[order] = None if parsed is None else [parsed[order.index(i)] for i in range(3)]
    if expected is None:
        expected = found[0, 1, 2]
    assert all(times == expected for times in found.values())


def test_the_order_is_that_of_all_files(tmp_path, monkeypatch):
    monkeypatch.setattr(bittern.corpus.rows, "CHUNK", 10)
    days = ["05/06/2024"] * 50 + ["13/06/2024"] * 50
    pl.DataFrame({"text": ["a b"] * 100, "day": days}).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"text": ["a b"] * 9, "day": ["01/02/2024"] * 9}).write_csv(tmp_path / "b.csv")
    for names in ("ab", "ba"):
        times = read(*(tmp_path / f"{name}.csv" for name in names), time="day").times
        assert set(times) == {datetime(2024, 6, 5), datetime(2024, 6, 13), datetime(2024, 2, 1)}
    with pytest.raises(
        InputError, match=r'^\S+b.csv: "01/02/2024" in row 0 .line 2. of column "day" may'
    ):
        read(tmp_path / "b.csv", time="day")


@pytest.mark.parametrize(
    ("value", "formats"),
    [
        ("05/06/2024", '"%d/%m/%Y" or "%m/%d/%Y"'),
        ("5-6-2024 09:30", '"%d-%m-%Y %H:%M" or "%m-%d-%Y %H:%M"'),
        ("5/6/24 9:30:15 PM", '"%d/%m/%y %I:%M:%S %p" or "%m/%d/%y %I:%M:%S %p"'),
    ],
)
def test_an_open_order_is_an_error_that_names_the_formats(value, formats):
    message = (
        f'^a.csv: "{value}" in row 2 of column "day" may start with the day or the month, and no '
        rf"other value tells; set --time-format \(time_format= in Python\) to {formats}$"
    )
    with pytest.raises(InputError, match=message):
        parse("2024-01-01", value)
    for time_format, month in zip(formats.split(" or "), (6, 5), strict=True):
        assert parse(value, time_format=time_format.strip('"'))[0].month == month


def test_contradictions_name_both_values():
    message = (
        '^a.csv: "12/31/2024" in row 3 of column "day" starts with the month, but "31/12/2024" in '
        'row 2 of column "day" with the day; write all dates in the same order$'
    )
    with pytest.raises(InputError, match=message):
        parse("05/06/2024", "31/12/2024", "12/31/2024")
    first, second = TimeParser(), TimeParser()
    first.parse(pl.Series(["31/12/2024"]), "times", "a.csv")
    second.parse(pl.Series(["12/31/2024"]), "times", "b.csv")
    with pytest.raises(InputError, match=r'^b.csv: "12/.* but "31/.* in row 0 of times of a.csv'):
        first.merge(second)


def test_invalid_times_are_named_with_their_row():
    for value in ("31/02/2024", "32.1.2024", "soon", "31.12.2024 25:00", "13/13/2024"):
        message = f'^a.csv: "{value}" in row 3 of column "day" is not a valid date or time; use'
        with pytest.raises(InputError, match=message):
            parse("31.12.2024", None, value)


def test_a_format_decides_what_times_look_like(tmp_path):
    (tmp_path / "t.csv").write_text("text,day\na b,05/06/2024\nb c,\n")
    for time_format, month in (("%d/%m/%Y", 6), ("%m/%d/%Y", 5)):
        times = read(tmp_path / "t.csv", time="day", time_format=time_format).times
        assert times.dt.month().to_list() == [month, None]
        corpus = Corpus.from_texts(["a", "b"], times=["05/06/2024", None], time_format=time_format)
        assert corpus.times.dtype == pl.Date
        assert corpus.times.dt.month().to_list() == [month, None]
        assert corpus.with_times(["05/06/2024"] * 2, time_format).times[0].month == month
    assert parse("20241231", time_format="%Y%m%d") == [LAST_DAY]
    assert parse("2024-12", time_format="%Y-%m") == [datetime(2024, 12, 1)]
    fraction = parse("31.12.2024 14:05:01.25", time_format="%d.%m.%Y %H:%M:%S.%f")
    assert fraction == [AFTERNOON + timedelta(seconds=1.25)]
    assert parse("24-12-31T14:05-02:00", time_format="%y-%m-%dT%H:%M%z") == [
        AFTERNOON + timedelta(hours=2)
    ]


def test_a_value_that_does_not_fit_the_format_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("text,day\na b,31.12.2024\nb c,2024-12-31\n")
    message = (
        '"2024-12-31" in row 1 .line 3. of column "day" does not fit the time format "%d.%m.%Y"$'
    )
    with pytest.raises(InputError, match=message):
        read(tmp_path / "t.csv", time="day", time_format="%d.%m.%Y")
    with pytest.raises(InputError, match='"x" in row 0 of times does not fit the time format'):
        Corpus.from_tokens([["a"]], times=["x"], time_format="%Y")


@pytest.mark.parametrize(
    ("time_format", "message"),
    [
        ("%Q", "use directives of strptime"),
        ("%Y %", "use directives of strptime"),
        ("%Y %f", "use directives of strptime"),
        ("dd.mm.yyyy", "it needs a year"),
        ("%H:%M", "it needs a year"),
        ("%Y-%m-%d %H", "specify both hour and minute"),
        ("", "it needs a year"),
        (3, "time_format must be a text, not 3"),
    ],
)
def test_invalid_formats_are_refused_in_one_line(tmp_path, time_format, message):
    (tmp_path / "t.csv").write_text("text,day\na b,31.12.2024\n")
    for call in (
        lambda: read(tmp_path / "t.csv", time="day", time_format=time_format),
        lambda: Corpus.from_texts(["a"], times=["x"], time_format=time_format),
        lambda: check_time_format(time_format),
    ):
        with pytest.raises(InputError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


def test_a_format_needs_a_column(tmp_path):
    (tmp_path / "t.txt").write_text("a b\n")
    with pytest.raises(InputError, match="has no effect without a column of times"):
        read(tmp_path / "t.txt", time_format="%Y")


def test_datetimes_of_files_remain_as_they_are():
    times = pl.Series([datetime(2024, 5, 31, 12, tzinfo=timezone(timedelta(hours=2)))])
    for time_format in (None, "%d.%m.%Y"):
        parsed = TimeParser(time_format).parse(times, "times")
        assert parsed.to_list() == [datetime(2024, 5, 31, 10)]
    days = TimeParser().parse(pl.Series("t", [date(2024, 5, 31)]), "times")
    assert days.to_list() == [datetime(2024, 5, 31)]
    assert days.name == "t"


def test_seconds_since_1970_are_times():
    seconds = datetime(2023, 11, 14, 22, 13, 20)
    assert parse("1700000000", None, "2024-12-31") == [seconds, None, LAST_DAY]
    parsed = TimeParser().parse(pl.Series([1700000000, None]), "times")
    assert parsed.to_list() == [seconds, None]
    with pytest.raises(InputError, match='"12345678" in row 0 of times is not a valid'):
        TimeParser().parse(pl.Series([12345678]), "times")
