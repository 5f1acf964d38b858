"""The passenger survey: the file is as described, and its patterns are found."""

from datetime import date

import numpy as np
import polars as pl
import pytest

import bittern
from bittern.datasets import save_survey, survey
from bittern.errors import InputError
from bittern.selection import choose

NO_ANSWERS = {"-", "n/a", "no", "none", "nothing", "don't know", "not sure", "?", ".", "x"}
AGES = {"18-29", "30-44", "45-59", "60+"}
REGIONS = {"North", "South", "East", "West", "Central"}
SUBJECTS = (
    *({"late", "connection"}, {"ticket", "pass"}, {"seats", "crowded"}, {"toilet", "dirty"}),
    *({"staff", "friendly"}, {"display", "announcements"}, {"app", "login"}, {"wifi", "outlets"}),
    *({"conditioning", "heating"}, {"station", "elevator"}),
)


def mentions(*words):
    return pl.col("answer").fill_null("").str.contains(rf"(?i)\b({'|'.join(words)})\b")


def fraction_by(column, *words):
    rows = survey().group_by(column).agg(mentions(*words).mean().alias("fraction")).rows()
    return dict(rows)


def test_every_column_is_complete_and_as_described():
    table = survey()
    assert table.schema == {
        "answer": pl.String, "date": pl.Date, "age": pl.String, "region": pl.String
    }  # fmt: skip
    assert 580 <= table.height <= 650
    assert table["date"].is_sorted()
    assert (table["date"].min(), table["date"].max()) > (date(2025, 1, 1), date(2025, 12, 1))
    assert table["date"].max() <= date(2025, 12, 31)
    assert set(table["age"]) == AGES
    assert set(table["region"]) == REGIONS
    assert table.drop("answer").null_count().sum_horizontal().item() == 0


def test_answers_differ_except_for_a_few():
    answers = survey()["answer"].drop_nulls()
    assert answers.is_unique().mean() > 0.98
    repeated = answers.filter(answers.is_duplicated()).unique()
    assert set(repeated) - NO_ANSWERS == {"everything is fine"}
    lengths = answers.str.split(" ").list.len()
    assert lengths.max() <= 40
    assert 10 < lengths.mean() < 15
    assert (answers == answers.str.strip_chars()).all()
    assert answers.str.contains(r"^[ -~]*$").all()


def test_a_few_passengers_have_no_answer():
    answers = survey()["answer"]
    empty = answers.is_null() | answers.str.strip_chars(".").str.to_lowercase().is_in(NO_ANSWERS)
    assert answers.null_count() >= 3
    assert 0.02 < empty.mean() < 0.06


def test_groups_differ():
    internet = fraction_by("age", "wifi", "outlets?", "laptop")
    assert internet["18-29"] > 3 * internet["60+"]
    help_needed = fraction_by("age", "stairs", "steps?", "elevators?", "conductors?", "staff")
    assert help_needed["60+"] > 2 * help_needed["18-29"]
    late = fraction_by("region", "late", "delay(s|ed)?")
    assert late["East"] == max(late.values())
    assert late["East"] > 1.5 * np.median(list(late.values()))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = save_survey(tmp_path_factory.mktemp("survey") / "answers.csv")
    return bittern.read(path, text="answer", time="date")


@pytest.mark.parametrize("seed", [0, 2])
def test_ten_topics_are_the_subjects_of_the_answers(corpus, seed):
    topics = [set(words) for words in bittern.BTM(10, random_state=seed).fit(corpus).top_words(10)]
    found = [next(k for k in range(10) if pair <= topics[k]) for pair in SUBJECTS]
    assert sorted(found) == list(range(10))


def test_choose_recommends_ten_topics(corpus):
    assert choose(corpus, [5, 10, 20], n_repeats=2).recommended == 10


@pytest.mark.parametrize(("n_topics", "seed"), [(8, 0), (10, 0), (10, 1), (12, 0)])
def test_timeline_finds_the_bursts_and_the_trend(corpus, n_topics, seed):
    model = bittern.BTM(n_topics, random_state=seed).fit(corpus)
    words = model.top_words(10)
    timeline = model.timeline(corpus, period="week")
    bursts = dict(timeline.bursts.select("topic", "peak").rows())
    heat = next(k for k in range(n_topics) if "conditioning" in words[k])
    assert bursts[heat] == date(2025, 7, 14)
    prices = next(k for k in range(n_topics) if "increase" in words[k])
    assert bursts[prices] in (date(2025, 3, 31), date(2025, 4, 7))
    app = next(k for k in range(n_topics) if "app" in words[k])
    assert timeline.trends["trend"][app] == "rises"


def test_saving_leaves_the_same_file_alone_and_refuses_any_other(tmp_path):
    path = save_survey(tmp_path / "answers.csv")
    assert pl.read_csv(path, try_parse_dates=True).equals(survey())
    before = path.stat()
    assert save_survey(path) == path
    assert path.stat() == before
    other = survey().head(10).write_csv()
    path.write_text(other)
    with pytest.raises(InputError, match=r"answers.csv exists and is another file; rename it"):
        save_survey(path)
    assert path.read_text() == other
    with pytest.raises(InputError, match="is another file"):
        save_survey(tmp_path)
    with pytest.raises(FileNotFoundError, match="create it first"):
        save_survey(tmp_path / "missing" / "answers.csv")


def test_file_is_written_to_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_survey()
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]
