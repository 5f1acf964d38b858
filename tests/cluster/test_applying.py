"""Applying a model on each engine."""

import polars as pl
import pytest

from bittern import BTM
from bittern.cluster import score, transform
from bittern.errors import InputError
from known import blocks

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS, _ = blocks()


@pytest.fixture(scope="module")
def model():
    return BTM(4, random_state=1).fit(TEXTS)


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
    assert whole.drop("text", strict=False).equals(expected)
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


def test_wrong_arguments_are_refused(model, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not empty; choose an empty or new directory"):
        transform(model, TEXTS, tmp_path, engine="local:1")
    with pytest.raises(InputError, match="unknown value for by"):
        transform(model, TEXTS, tmp_path / "new", engine="local:1", by="magic")
    with pytest.raises(InputError, match="no two known words"):
        score(model, ["nothing known"], engine="local:1")
