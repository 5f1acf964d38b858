"""Topics over time."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus
from bittern.algorithms import OnlineBTM
from bittern.analysis.periods import label_period, name_periods, period_groups
from bittern.analysis.timeline import timeline
from bittern.errors import InputError
from known import blocks

START = dt.date(2024, 1, 1)


def dates(days):
    return pl.Series([START + dt.timedelta(int(day)) for day in days])


def random_shares(seed, burst=None, n=3000, n_days=30, n_topics=12):
    """Shares of documents with one topic each, and their days; `burst` is (topic, first, last).

    In a burst, a third of the documents of the topic are moved to these days.
    """
    rng = np.random.default_rng(seed)
    topics = rng.choice(n_topics, size=n, p=rng.dirichlet(np.full(n_topics, 20.0)))
    days = rng.integers(n_days, size=n)
    if burst is not None:
        topic, first, last = burst
        mine = np.flatnonzero(topics == topic)
        some = rng.choice(mine, len(mine) // 3, replace=False)
        days[some] = rng.integers(first, last + 1, size=len(some))
    shares = 0.9 * np.eye(n_topics)[topics] + 0.1 / n_topics
    return shares, dates(days)


def test_a_planted_burst_is_found_at_its_dates():
    found = 0
    for seed in range(20):
        bursts = timeline(*random_shares(seed, burst=(4, 15, 17)), "day").bursts
        mine = bursts.filter(pl.col("topic") == 4)
        assert (bursts["topic"] == 4).all()
        found += mine.select("start", "end").rows() == [
            (dt.date(2024, 1, 16), dt.date(2024, 1, 18))
        ]
    assert found >= 18


def test_false_alarms_are_rare():
    alarms = [timeline(*random_shares(seed), "day") for seed in range(50)]
    assert sum(found.bursts.height > 0 for found in alarms) <= 3
    assert sum((found.trends["trend"] != "").any() for found in alarms) <= 7


def test_size_and_peak_of_a_burst():
    (row,) = timeline(*random_shares(0, burst=(4, 15, 17)), "day").bursts.to_dicts()
    assert 3 < row["times"] < 8
    assert row["share"] == pytest.approx(row["times"] * row["usual"])
    assert dt.date(2024, 1, 16) <= row["peak"] <= dt.date(2024, 1, 18)


def test_rising_and_falling_topics():
    rng = np.random.default_rng(0)
    days = rng.integers(40, size=6000)
    rises = rng.random(6000) < 0.1 + 0.2 * days / 40
    falls = ~rises & (rng.random(6000) < 0.4 - 0.2 * days / 40)
    shares = np.column_stack([rises, falls, ~rises & ~falls]).astype(float)
    found = timeline(shares, dates(days), "day")
    assert found.trends["trend"].to_list()[:2] == ["rises", "falls"]
    first = found.trends.row(0, named=True)
    assert first["start"] == pytest.approx(0.1, abs=0.03)
    assert first["end"] == pytest.approx(0.3, abs=0.04)
    assert found.bursts.height == 0  # a trend is not a burst


def test_shares_are_means_with_intervals():
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    table = timeline(shares, dates([0, 0, 2]), "day").shares
    assert table["period"].unique(maintain_order=True).to_list() == dates([0, 1, 2]).to_list()
    first = table.row(0, named=True)
    assert (first["documents"], first["share"]) == (2, 0.75)
    assert 0 < first["low"] < 0.75 < first["high"] < 1
    gap = table.filter(pl.col("period") == dates([1])[0])
    assert gap["documents"].to_list() == [0, 0]
    assert gap["share"].null_count() == gap["low"].null_count() == 2
    wide = timeline(np.repeat(shares, 50, axis=0), dates(np.repeat([0, 0, 2], 50)), "day").shares
    assert wide["high"][0] - wide["low"][0] < first["high"] - first["low"]


def test_intervals_have_the_stated_coverage():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        hits = rng.random(200) < 0.07
        table = timeline(np.column_stack([hits, ~hits]), dates(rng.integers(2, size=200)), 2).shares
        row = table.row(0, named=True)
        inside += row["low"] < 0.07 < row["high"]
    assert 0.9 < inside / 300 < 0.99


@pytest.mark.parametrize(
    ("period", "n", "second"),
    [
        ("hour", 59 * 24 + 1, dt.datetime(2024, 1, 1, 1)),
        ("day", 60, dt.date(2024, 1, 2)),
        ("week", 9, dt.date(2024, 1, 8)),
        ("month", 2, dt.date(2024, 2, 1)),
        ("auto", 60, dt.date(2024, 1, 2)),
        (4, 4, dt.datetime(2024, 1, 15, 18)),
    ],
)
def test_periods(period, n, second):
    starts, codes = period_groups(dates(range(60)), period)
    assert len(starts) == n
    assert starts[1] == second
    assert codes.min() == 0
    assert codes.max() == n - 1
    assert (np.diff(codes) >= 0).all()


@pytest.mark.parametrize(
    ("period", "starts", "labels"),
    [
        ("hour", [dt.datetime(2024, 2, 1), dt.datetime(2024, 2, 1, 1)], ["2024-02-01 00:00"]),
        ("day", [dt.date(2024, 2, 1), dt.date(2024, 2, 2)], ["2024-02-01", "2024-02-02"]),
        ("week", [dt.date(2024, 1, 29), dt.date(2024, 2, 5)], ["2024-01-29", "2024-02-05"]),
        ("month", [dt.date(2024, 2, 1), dt.date(2024, 3, 1)], ["2024-02-01", "2024-03-01"]),
        ("quarter", [dt.date(2024, 1, 1), dt.date(2024, 4, 1)], ["2024-Q1", "2024-Q2"]),
        ("year", [dt.date(2024, 1, 1), dt.date(2025, 1, 1)], ["2024-01-01", "2025-01-01"]),
    ],
)
def test_every_period_can_be_named(period, starts, labels):
    times = pl.Series([dt.datetime(2024, 2, 1, 0, 59), None, dt.datetime(2025, 2, 1, 5)])
    if period == "hour":
        times = times.set(times.dt.year() == 2025, dt.datetime(2024, 2, 29, 23))
    names, codes = period_groups(times, period)
    assert names[:2].to_list() == starts
    assert codes.tolist() == [0, -1, len(names) - 1]
    assert name_periods(names) == period
    assert [label_period(start, period) for start in starts][: len(labels)] == labels


def test_periods_of_another_length_have_no_name():
    assert name_periods(period_groups(dates(range(60)), 4).names) == ""
    assert name_periods(period_groups(dates([0]), "day").names) == ""
    assert name_periods(pl.Series(["0", "1"])) == ""


def test_too_many_hours_are_refused():
    with pytest.raises(InputError, match="too many periods from 2024-01-01 00:00:00 to"):
        period_groups(dates([0, 300]), "hour")


def test_auto_uses_longer_periods_for_longer_times():
    assert len(period_groups(dates([0, 300])).names) == 43  # weeks
    assert len(period_groups(dates([0, 1000])).names) == 33  # months
    assert len(period_groups(dates([0, 3000])).names) == 33  # quarters
    assert len(period_groups(dates([0, 9000])).names) == 25  # years
    assert len(period_groups(dates([0, 1])).names) == 2  # days, not hours


@pytest.mark.parametrize(
    ("times", "period", "message"),
    [
        (
            dates([0, 1]),
            "decade",
            'unknown period "decade"; choose from hour, day, week, month',
        ),
        (dates([0, 0]), 3, "same time"),
        (dates([0, 1]), 1, "the number of periods must be 2 or more"),
        (dates([0, 1]), 3000, "at most 2000"),
        (pl.Series([None, None], dtype=pl.Date), "day", "no document has a time"),
        (pl.Series([1.0, 2.0]), "day", "must be dates or datetimes"),
        (dates([0, 10000]), "day", "too many periods"),
    ],
)
def test_unsuitable_times_and_periods_are_rejected(times, period, message):
    with pytest.raises(InputError, match=message):
        timeline(np.eye(2), times, period)


TEXTS, TOPICS = blocks()


@pytest.fixture(scope="module")
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def days_of_texts():
    """The first topic only occurs in the last days."""
    anywhere, late = np.random.default_rng(0).integers([[1], [18]], [[21], [21]], size=(2, 400))
    return [f"2024-01-{day:02}" for day in np.where(TOPICS == 0, late, anywhere)]


def test_timeline_of_a_model(fitted):
    found = fitted.timeline(TEXTS, days_of_texts(), "day")
    topic = int(fitted.transform(TEXTS[:1]).argmax())
    assert found.bursts["topic"].to_list() == [topic]
    assert found.bursts["start"].to_list() == [dt.date(2024, 1, 18)]
    corpus = Corpus.from_texts(TEXTS, times=[dt.date.fromisoformat(day) for day in days_of_texts()])
    assert fitted.timeline(corpus, period="day").shares.equals(found.shares)
    assert fitted.word_shifts(corpus, period=4, n=2).height > 0
    with pytest.raises(InputError, match="times"):
        fitted.timeline(TEXTS)
    with pytest.raises(InputError, match="2024-05-31"):
        fitted.timeline(TEXTS, ["soon"] * 400)


def test_timeline_of_slices():
    times = [dt.date.fromisoformat(day) for day in days_of_texts()]
    corpus = Corpus.from_texts(TEXTS, times=times)
    model = BTM(4, algorithm=OnlineBTM(slices="day"), random_state=0).fit(corpus)
    found = model.timeline()
    assert found.shares["period"].dtype == pl.Date
    assert found.shares["period"].n_unique() == 20
    np.testing.assert_allclose(
        found.shares.group_by("period").agg(pl.col("share").sum())["share"], 1
    )
    with pytest.raises(InputError, match="two or more time slices"):
        BTM(4, random_state=0).fit(TEXTS).timeline()


def test_timeline_from_the_command_line(tmp_path, call, fitted, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fitted.save("model")
    pl.DataFrame({"answer": TEXTS, "day": days_of_texts()}).write_csv("answers.csv")
    code, out, _ = call(
        *("timeline", "model", "answers.csv", "--text", "answer", "--time", "day"),
        *("--period", "day", "--plot", "t.svg", "--out", "t.csv"),
    )
    assert code == 0
    assert out.splitlines()[0] == "topic  start    end  trend  name"
    assert "2024-01-18 to 2024-01-20" in out.splitlines()[-1]
    assert pl.read_csv("t.csv").height == 4 * 20
    assert (tmp_path / "t.svg").exists()
    code, out, _ = call(
        *("timeline", "model", "answers.csv", "--text", "answer", "--time", "day", "--json", "-q")
    )
    assert '"2024-01-18"' in out
