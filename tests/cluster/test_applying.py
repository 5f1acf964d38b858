"""Applying a model on each engine."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import remote
from bittern import BTM
from bittern.cluster import open_engine, quality, score, timeline, transform
from bittern.cluster.scheduler import Scheduler
from bittern.errors import InputError
from known import blocks

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS, TOPICS = blocks()


@pytest.fixture(scope="module")
def model():
    return BTM(4, random_state=1).fit(TEXTS)


@pytest.fixture(scope="module")
def local():
    opened = open_engine("local:2")
    yield opened
    opened.close()


@pytest.fixture
def files(tmp_path):
    for i in range(3):
        pl.DataFrame({"answer": TEXTS[i::3]}).write_csv(tmp_path / f"{i}.csv")
    pl.DataFrame({"answer": TEXTS}).write_parquet(tmp_path / "all.parquet")
    return tmp_path


def test_tables_have_what_one_machine_gives(engine, model, files):
    out = files / "topics"
    paths = transform(model, files, out, engine=engine, text="answer", shares=True)
    assert paths == sorted(out.iterdir())
    table = pl.read_parquet(paths)
    assert table.height == 2 * len(TEXTS)
    expected = model.document_info(TEXTS, shares=True).drop("text", strict=False)
    whole = table.filter(pl.col("source").str.ends_with("all.parquet")).sort("id").drop("source")
    assert whole.equals(expected)
    one = table.filter(pl.col("source").str.ends_with("1.csv"))
    assert one["topic"].to_list() == expected["topic"][1::3].to_list()


def test_empty_partitions_give_empty_tables(model, tmp_path):
    (tmp_path / "none.csv").write_text("answer\n")
    (tmp_path / "some.csv").write_text(f"answer\n{TEXTS[0]}\n")
    out = tmp_path / "topics"
    paths = transform(model, tmp_path, out, engine="local:1", text="answer")
    assert [pl.read_parquet(path).height for path in paths] == [0, 1]
    (tmp_path / "broken.csv").write_text("question\nwhy\n")
    with pytest.raises(InputError, match=r"broken\.csv"):
        transform(model, tmp_path, tmp_path / "again", engine="local:1", text="answer")
    assert not (tmp_path / "again").exists()


def test_scores_equal_those_of_one_machine(engine, model, files):
    found = score(model, files / "*.csv", engine=engine, text="answer")
    assert found == pytest.approx(model.score(TEXTS), abs=1e-9)


@pytest.fixture
def frame():
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2025, 2, 3), "1d", eager=True)
    dates = days.gather([(7 * i) % len(days) for i in range(len(TEXTS))])
    dates = dates.scatter([3, 4], None)
    labels = [None if i == 5 else f"label {k}" for i, k in enumerate(TOPICS)]
    return pl.DataFrame({"answer": TEXTS, "day": dates, "kind": labels})


def test_quality_is_that_of_one_machine(engine, model, frame, tmp_path):
    for i, rows in enumerate(frame.iter_slices(150)):
        rows.write_csv(tmp_path / f"{i}.csv")
    found = quality(model, tmp_path, label="kind", n=5, engine=engine, text="answer")
    expected = model.quality(frame["answer"], frame["kind"], n=5)
    assert found == pytest.approx(expected, abs=1e-6)
    without = quality(model, frame, n=5, engine=engine, text="answer")
    assert without == pytest.approx({name: expected[name] for name in without}, abs=1e-6)
    assert "purity" not in without


@pytest.mark.parametrize("period", ["auto", "month", "quarter", 5])
def test_timelines_are_those_of_one_machine(engine, model, frame, tmp_path, period):
    frame.write_parquet(tmp_path / "all.parquet")
    found = timeline(model, tmp_path, time="day", period=period, engine=engine, text="answer")
    expected = model.timeline(frame["answer"], frame["day"].cast(pl.Datetime("us")), period)
    for table, other in zip(found, expected, strict=True):
        assert_frame_equal(table, other)


@pytest.mark.parametrize("time_format", [None, "%d/%m/%Y"])
def test_one_file_decides_the_order_of_days_and_months(local, model, frame, tmp_path, time_format):
    days = frame["day"].dt.strftime("%d/%m/%Y")
    table = frame.with_columns(day=days, is_open=frame["day"].dt.day().fill_null(1) <= 12)
    for is_open, rows in table.partition_by("is_open", as_dict=True).items():
        rows.drop("is_open").write_csv(tmp_path / f"{is_open[0]}.csv".lower())
    options = {"time": "day", "time_format": time_format, "text": "answer", "engine": local}
    found = timeline(model, tmp_path, period="quarter", **options)
    expected = timeline(model, frame, period="quarter", time="day", text="answer", engine=local)
    of_frame = timeline(model, table, period="quarter", **options)
    for table, other, third in zip(found, expected, of_frame, strict=True):
        assert_frame_equal(table, other)
        assert_frame_equal(table, third)
    (tmp_path / "false.csv").unlink()
    if time_format is None:
        with pytest.raises(InputError, match="may start with the day or the month"):
            timeline(model, tmp_path, **options)
        (tmp_path / "other.csv").write_text("answer,day\nx,12/31/2024\n")
        (tmp_path / "false.csv").write_text("answer,day\nx,31/12/2024\n")
        with pytest.raises(InputError, match=r'starts with the (day|month), but "'):
            timeline(model, tmp_path, **options)


def test_texts_without_known_words_do_not_count(model, frame):
    days = pl.date_range(pl.date(1900, 1, 1), pl.date(1900, 3, 1), "1d", eager=True)
    empty = pl.DataFrame({"answer": "-", "day": days, "kind": "none"})
    mixed, columns = pl.concat([frame, empty]), {"text": "answer", "engine": "local:1"}
    found = timeline(model, mixed, time="day", **columns)
    for table, other in zip(found, timeline(model, frame, time="day", **columns), strict=True):
        assert_frame_equal(table, other)
    scores = quality(model, mixed, label="kind", **columns)
    assert scores == pytest.approx(quality(model, frame, label="kind", **columns))


def test_frames_without_a_column_are_refused(model, frame):
    with pytest.raises(InputError, match='column "date" not found; available columns: answer'):
        timeline(model, frame, time="date", text="answer", engine="local:1")
    with pytest.raises(InputError, match="choose the text column with text=: answer"):
        score(model, frame, engine="local:1")
    none = frame.with_columns(day=pl.lit(None, pl.Date))
    with pytest.raises(InputError, match="no document has a time"):
        timeline(model, none, time="day", text="answer", engine="local:1")


def test_a_lost_worker_costs_only_its_own_results(tmp_path, local):
    for attempt in range(10):  # a pipe with the descriptor of an old one mixed up results
        done = []
        calls = [(str(tmp_path / str(attempt)), part, 3) for part in range(6)]
        scheduler = Scheduler(local, len(calls))
        found = scheduler.map("die", remote.die_once, calls, lambda: done.append(1))  # noqa: B023
        assert found == list(range(6))
        assert len(done) == 6


def test_wrong_arguments_are_refused(model, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not empty; choose an empty or new directory"):
        transform(model, TEXTS, tmp_path, engine="local:1")
    with pytest.raises(InputError, match="unknown value for by"):
        transform(model, TEXTS, tmp_path / "new", engine="local:1", by="magic")
    with pytest.raises(InputError, match="no two known words"):
        score(model, ["nothing known"], engine="local:1")
