"""Directories and patterns as input."""

import gzip

import polars as pl
import pytest

from bittern import BTM, read
from bittern.corpus.paths import expand_paths
from bittern.errors import InputError


def test_directories_are_read_by_name_with_their_subdirectories(tmp_path):
    (tmp_path / "b" / "deep").mkdir(parents=True)
    pl.DataFrame({"text": ["third text"]}).write_parquet(tmp_path / "b" / "deep" / "1.parquet")
    (tmp_path / "a.csv").write_text("text\nfirst text\n")
    (tmp_path / "b.TXT.gz").write_bytes(gzip.compress(b"second text\n"))
    (tmp_path / "notes.docx").write_bytes(b"no text")
    (tmp_path / "empty").mkdir()
    names = [path.removeprefix(f"{tmp_path}/") for path in expand_paths((tmp_path,))]
    assert names == ["a.csv", "b/deep/1.parquet", "b.TXT.gz"]
    corpus = read(tmp_path, keep_texts=True)
    assert corpus.texts.to_list() == ["first text", "third text", "second text"]
    assert len(read(tmp_path / "b", tmp_path / "a.csv")) == 2


def test_hidden_files_and_saved_models_are_left_out(tmp_path):
    for name in (".a.csv", "._b.csv", "~$c.csv", ".git/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text\nno text\n")
    model = BTM(2, random_state=0).fit(["late train", "dirty seats"] * 9)
    model.save(tmp_path / "answers.model")
    with pytest.raises(FileNotFoundError, match="has no files that bittern can read"):
        read(tmp_path)
    with pytest.raises(InputError, match=r"answers\.model is a saved model, not a directory of"):
        read(tmp_path / "answers.model")
    (tmp_path / "answers.txt").write_text("late train\n")
    assert expand_paths((tmp_path,)) == [str(tmp_path / "answers.txt")]


def test_a_directory_in_a_hidden_one_can_be_read(tmp_path):
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "a.txt").write_text("late train\n")
    assert len(read(tmp_path / ".cache")) == 1
