"""Numbers and dates in plain words."""

from datetime import date

import pytest

from bittern.report.wording import counted, in_period, percent, time_span


def test_nouns_agree_with_their_number():
    assert [counted(n, "text") for n in (0, 1, 2)] == ["0 texts", "1 text", "2 texts"]
    assert counted(216_805, "text") == "216,805 texts"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        *[(0, "0%"), (1e-5, "<0.1%"), (0.0006, "0.1%"), (0.0421, "4.2%"), (0.0994, "9.9%")],
        *[(0.0996, "10%"), (0.5, "50%"), (1, "100%")],
    ],
)
def test_percentages_have_two_digits(share, expected):
    assert percent(share) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (date(2024, 5, 3), date(2024, 5, 3), "of May 3, 2024"),
        (date(2024, 1, 8), date(2024, 1, 21), "from January 8, 2024 to January 21, 2024"),
        (date(2023, 12, 8), date(2024, 1, 21), "from December 8, 2023 to January 21, 2024"),
        (date(2024, 1, 8), date(2024, 7, 7), "from January to July 2024"),
        (date(2016, 1, 8), date(2020, 11, 7), "from January 2016 to November 2020"),
    ],
)
def test_time_spans(first, last, expected):
    assert time_span(first, last) == expected


def test_periods():
    start = date(2024, 3, 4)
    found = [in_period(start, period) for period in ("day", "week", "month")]
    assert found == ["on March 4, 2024", "in the week of March 4, 2024", "in March 2024"]
    assert [in_period(start, period) for period in ("quarter", "year")] == ["in Q1 2024", "in 2024"]
