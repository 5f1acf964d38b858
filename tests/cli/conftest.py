from shutil import copytree

import polars as pl
import pytest

from bittern import BTM
from known import blocks


@pytest.fixture(scope="session")
def texts():
    """400 texts of four topics, each with words of its own."""
    return blocks()[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with the file answers.csv."""
    monkeypatch.chdir(tmp_path)
    texts, topics = blocks()
    pl.DataFrame({"id": range(len(texts)), "answer": texts, "kind": topics}).write_csv(
        "answers.csv"
    )
    return tmp_path


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("saved") / "model"
    BTM(4, random_state=1).fit(texts).save(path)
    return path


@pytest.fixture
def model(folder, saved_model):
    """The path of a fitted model beside answers.csv."""
    return copytree(saved_model, folder / "model")
