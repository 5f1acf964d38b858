"""Several readers and writers of one saved model."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bittern import BTM, Corpus, load
from bittern._core import atomic
from bittern.fitted import storage, write_fitted

N_LOADS = int(os.environ.get("BITTERN_LOADS", "300"))
SAVES = 15  # by each thread and process


def make_model(number):
    """A model whose words, names, window and arrays tell its number; its size does not."""
    documents = [[f"m{number}w{i}" for i in range(5)]] * (number + 1)
    model = BTM(3, "scvb0", random_state=number, window=number + 5)
    return model.fit(Corpus.from_tokens(documents)).name_topics({0: f"m{number}"})


def number_of(model):
    """The number of a model; fails if it is a mixture of two."""
    number = model.window - 5
    assert sorted(model.vocabulary_) == [f"m{number}w{i}" for i in range(5)]
    assert model.given_names_ == {0: f"m{number}"}
    assert model.fitted_.state.total == 10 * (number + 1)
    return number


WRITER = """
import sys
from bittern import load
from bittern.fitted import write_fitted

models = [load(path).fitted_ for path in sys.argv[2:]]
print("ready", flush=True)
n = 0
while True:
    write_fitted(models[n % len(models)], sys.argv[1])
    n += 1
"""

SAVER = """
import sys
from bittern import load
from bittern.fitted import write_fitted

fitted = load(sys.argv[2]).fitted_
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[3])):
    write_fitted(fitted, sys.argv[1])
"""


@pytest.fixture
def models(tmp_path):
    """Eight saved models."""
    paths = [tmp_path / "models" / str(number) for number in range(8)]
    for number, path in enumerate(paths):
        make_model(number).save(path)
    return paths


def start(program, *arguments):
    """Start a program and wait until it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_reader_beside_a_writer_never_gets_a_mixture(models, tmp_path):
    target = tmp_path / "target" / "model"
    load(models[0]).save(target)
    writer = start(WRITER, target, models[0], models[1])
    try:
        seen = {number_of(load(target)) for _ in range(N_LOADS)}
    finally:
        writer.kill()
        writer.communicate()
    assert seen <= {0, 1}


def test_threads_and_processes_that_save_to_one_place_leave_a_whole_model(models, tmp_path):
    target = tmp_path / "target" / "model"
    target.parent.mkdir()
    loaded = [load(path).fitted_ for path in models]
    savers = [start(SAVER, target, path, SAVES) for path in models[:4]]
    for saver in savers:
        saver.stdin.write("go\n")
        saver.stdin.flush()

    def save(fitted):
        for _ in range(SAVES):
            write_fitted(fitted, target)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, loaded))
    for saver in savers:
        saver.communicate()
        assert saver.returncode == 0
    number_of(load(target))
    write_fitted(loaded[5], target)
    assert number_of(load(target)) == 5
    assert [path.name for path in target.parent.iterdir()] == ["model"]


def test_a_model_is_found_while_it_is_replaced(models, tmp_path, monkeypatch):
    """Between the two renames, and if the second one comes just after the reader's first look."""
    target = tmp_path / "target"
    load(models[1]).save(target)
    target.rename(atomic.replaced_name(target))
    assert number_of(load(target)) == 1
    opened = storage.opened_files
    looked = []

    def late(directory, names):
        looked.append(directory)
        if len(looked) == 2:
            atomic.replaced_name(target).rename(target)
        return opened(directory, names)

    monkeypatch.setattr(storage, "opened_files", late)
    assert number_of(load(target)) == 1
    assert len(looked) == 3


def test_a_model_that_is_replaced_while_it_is_opened_is_read_again(models, tmp_path, monkeypatch):
    target = tmp_path / "target"
    load(models[1]).save(target)
    open_regular = storage.open_regular
    replaced = []

    def slow(name, folder):
        if name == "model.safetensors" and not replaced:
            replaced.append(True)
            load(models[2]).save(target)
        return open_regular(name, folder)

    monkeypatch.setattr(storage, "open_regular", slow)
    assert number_of(load(target)) == 2


def test_files_that_belong_to_a_model_which_is_removed_can_still_be_read(models, tmp_path):
    target = tmp_path / "target"
    load(models[1]).save(target)
    names = ("config.json", "model.safetensors", "vocabulary.txt")
    with storage.opened_files(target, names) as files:
        load(models[2]).save(target)
        assert b"m1w" in files["vocabulary.txt"].read()
        assert b'"m1"' in files["config.json"].read()


@pytest.mark.parametrize("moment", ["first", "second"])
def test_a_failed_rename_leaves_the_old_model(models, tmp_path, monkeypatch, moment):
    target = tmp_path / "target" / "model"
    load(models[1]).save(target)
    new, rename, calls = load(models[2]), Path.rename, []

    def fail(path, other):
        calls.append(path)
        if len(calls) == ["first", "second"].index(moment) + 1:
            raise OSError(28, "No space left on device")
        return rename(path, other)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="No space left"):
        new.save(target)
    monkeypatch.undo()
    assert number_of(load(target)) == 1
    assert [path.name for path in target.parent.iterdir()] == ["model"]
    np.testing.assert_array_equal(load(target).phi_, load(models[1]).phi_)


def test_a_model_that_is_being_removed_is_not_damage(models, tmp_path, monkeypatch):
    """Its writer has renamed it, put another one in its place, and removes its files."""
    target, old = tmp_path / "m", tmp_path / ".m.replaced"
    old.mkdir()
    (models[0] / storage.CONFIG).rename(old / storage.CONFIG)
    calls = []

    def name(path):
        calls.append(path)
        if len(calls) == 2:
            models[1].rename(target)
        return old

    monkeypatch.setattr(storage, "replaced_name", name)
    assert number_of(load(target)) == 1
