import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file, save_file

from bittern import BTM, Corpus, load
from bittern.algorithms import SDM, OnlineBTM, driver
from bittern.biterms import Biterms
from bittern.errors import InputError
from bittern.fitted import tokenizer_name
from known import blocks

TEXTS, _ = blocks()


@pytest.fixture(scope="module")
def model():
    return BTM(4, algorithm=SDM(kappa=0.6), window=10, random_state=0).fit(TEXTS)


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_loaded_model_gives_the_same_numbers(model, saved):
    loaded = load(saved)
    assert loaded.theta_.tobytes() == model.theta_.tobytes()
    assert loaded.phi_.tobytes() == model.phi_.tobytes()
    assert loaded.transform(TEXTS).tobytes() == model.transform(TEXTS).tobytes()
    assert loaded.score(TEXTS) == model.score(TEXTS)
    assert loaded.top_words() == model.top_words()
    assert loaded.history_.equals(model.history_)
    assert loaded.algorithm == SDM(kappa=0.6)
    assert loaded.get_params() == model.get_params() | {"algorithm": SDM(kappa=0.6)}
    assert sorted(file.name for file in saved.iterdir()) == [
        "config.json", "model.safetensors", "vocabulary.txt",
    ]  # fmt: skip


def test_loaded_model_continues_training(saved):
    a, b = load(saved), load(saved)
    a.partial_fit(TEXTS[:50])
    a.save(saved)
    b.partial_fit(TEXTS[:50])
    assert a.phi_.tobytes() == b.phi_.tobytes()
    b.partial_fit(TEXTS[50:90])
    assert load(saved).partial_fit(TEXTS[50:90]).phi_.tobytes() == b.phi_.tobytes()


@pytest.mark.parametrize(
    "X",
    [
        Corpus.from_texts(TEXTS, stop_words=["english", "x"], min_df=2, ngrams=2),
        Corpus.from_tokens([["a b", "ü"], ["c", "ü"]]),
        np.array([[1, 2.5], [3, 1]]),
        Biterms.from_words("ab", "bc"),
    ],
    ids=["texts", "tokens", "counts", "biterms"],
)
def test_models_of_every_input_can_be_saved(X, tmp_path):
    model = BTM(2, random_state=np.random.default_rng(0)).fit(X)
    model.save(tmp_path / "deep" / "model")
    loaded = load(tmp_path / "deep" / "model")
    assert loaded.vocabulary_ == model.vocabulary_
    assert loaded.fitted_.text_options == model.fitted_.text_options
    assert loaded.phi_.tobytes() == model.phi_.tobytes()
    assert loaded.random_state is None


def test_loaded_model_continues_in_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "MIN_ROUND", 50)
    model = BTM(4, random_state=0, n_jobs=2).fit(TEXTS)
    model.save(tmp_path / "model")
    loaded = [load(tmp_path / "model").set_params(n_jobs=2) for _ in range(2)]
    found = {m.partial_fit(TEXTS * 2).phi_.tobytes() for m in [model, *loaded]}
    assert len(found) == 1


def test_all_files_of_a_model_have_the_same_permissions(saved):
    assert len({file.stat().st_mode for file in saved.iterdir()}) == 1


def test_tokenizer_is_named_but_not_saved(tmp_path):
    model = BTM(2, random_state=0).fit(Corpus.from_texts(["A B", "B C"], tokenizer=str.split))
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").top_words() == model.top_words()
    with pytest.raises(InputError, match=r"tokenizer str\.split.*bittern\.load"):
        load(tmp_path / "model").transform(["A B"])
    load(tmp_path / "model").save(tmp_path / "copy")
    again = load(tmp_path / "copy", tokenizer=str.split)
    assert again.transform(["A B"]).tobytes() == model.transform(["A B"]).tobytes()
    with pytest.raises(InputError, match="which is not saved with it; name it again"):
        load(tmp_path / "copy").transform(["A B"])


def test_tokenizers_are_named_by_module_and_function():
    assert tokenizer_name(blocks) == "known:blocks"
    assert tokenizer_name(str.split) == "str.split"
    assert tokenizer_name(partial(str.split, sep=" ")) == "partial"


def test_a_model_without_a_tokenizer_is_loaded_without_one(saved):
    with pytest.raises(InputError, match="was trained without a tokenizer of your own; leave it"):
        load(saved, tokenizer=str.split)


def test_a_loaded_model_whose_tokenizer_is_missing_can_be_pickled(tmp_path):
    model = BTM(2, random_state=0).fit(Corpus.from_texts(["A B", "B C"], tokenizer=str.split))
    model.save(tmp_path / "model")
    again = pickle.loads(pickle.dumps(load(tmp_path / "model")))
    assert again.top_words() == model.top_words()


def test_save_replaces_a_model_and_nothing_else(model, saved, tmp_path):
    BTM(2, random_state=0).fit(TEXTS).save(saved)
    assert load(saved).n_topics == 2
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "chapter1.txt").write_text("precious")
    with pytest.raises(InputError, match="is not a model"):
        model.save(other)
    assert (other / "chapter1.txt").read_text() == "precious"


KILLED = """
import os, sys
from pathlib import Path
from dataclasses import replace
from bittern.fitted import read_fitted, write_fitted

fitted = read_fitted(sys.argv[1])
fitted = replace(fitted, settings=fitted.settings._replace(window=99))
calls = []
rename, sync = Path.rename, os.fsync

def dying(function):
    def call(*arguments):
        calls.append(function)
        if len(calls) == int(sys.argv[2]):
            os._exit(9)
        return function(*arguments)
    return call

Path.rename, os.fsync = dying(rename), dying(sync)
write_fitted(fitted, sys.argv[1])
os._exit(0)
"""


@pytest.mark.slow
def test_kill_at_any_moment_leaves_the_old_or_the_new_model(saved, tmp_path):
    seen = []
    for moment in range(1, 9):
        command = [sys.executable, "-c", KILLED, str(saved), str(moment)]
        killed = subprocess.run(command, check=False).returncode == 9
        seen.append(load(saved).window)
        load(saved).save(saved)
        assert [file.name for file in tmp_path.iterdir()] == ["model"]
        if not killed:
            break
    assert (
        seen == [10] * 6 + [99] * 2
    )  # files and their directory, two renames, the parent, the end


def remove(name):
    return lambda path: (path / name).unlink()


def edit_config(**changes):
    def edit(path):
        config = json.loads((path / "config.json").read_text())
        (path / "config.json").write_text(json.dumps(config | changes))

    return edit


def shorten_vocabulary(path):
    words = (path / "vocabulary.txt").read_text().split("\n")
    (path / "vocabulary.txt").write_text("\n".join(words[1:]))


def truncate(path):
    data = (path / "model.safetensors").read_bytes()
    (path / "model.safetensors").write_bytes(data[: len(data) // 2])


def drop_state(path):
    tensors = load_file(path / "model.safetensors")
    del tensors["state.rows"]
    save_file(tensors, path / "model.safetensors")


def edit_state(name, change):
    def edit(path):
        tensors = load_file(path / "model.safetensors")
        tensors[f"state.{name}"] = np.asarray(change(tensors[f"state.{name}"]))
        save_file(tensors, path / "model.safetensors")

    return edit


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (edit_state("updates", lambda updates: updates - 9999), "out of range.*updates"),
        (edit_state("updates", lambda updates: updates[1:]), "wrong shape or dtype.*updates"),
        (
            edit_state("counts", lambda counts: counts.astype(np.float32)),
            "wrong shape or dtype.*counts",
        ),
        (edit_state("rows", lambda rows: rows[0]), "damaged"),
        (shutil.rmtree, "not found"),
        (remove("config.json"), "not a model"),
        (remove("model.safetensors"), "damaged"),
        (remove("vocabulary.txt"), "damaged"),
        (truncate, "damaged"),
        (drop_state, r"damaged.*incomplete.*rows"),
        (shorten_vocabulary, "wrong shape"),
        (edit_config(format=99), "format 99 but this version of bittern reads format 1"),
        (edit_config(algorithm={"name": "magic", "settings": {}}), "magic"),
        (edit_config(parameters={"n_toppings": 3}), "n_toppings"),
        (lambda path: (path / "config.json").write_text("{"), "cannot read"),
        (lambda path: (path / "config.json").write_text("[]"), "format None"),
    ],
)
def test_damaged_model_is_rejected_in_one_line(saved, damage, says):
    damage(saved)
    with pytest.raises(InputError, match=says) as error:
        load(saved)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["first", "second", "topics", "remembered"])
def test_damaged_history_is_rejected(name, tmp_path):
    model = BTM(3, algorithm="incremental", random_state=0).fit(TEXTS)
    model.save(tmp_path / "model")
    edit_state(name, lambda numbers: numbers + 10_000)(tmp_path / "model")
    with pytest.raises(InputError, match="damaged"):
        load(tmp_path / "model").partial_fit(TEXTS[:20])


def test_directory_with_other_files_is_left_alone(model, saved):
    (saved / "notes.txt").write_text("precious")
    with pytest.raises(InputError, match=r"not part of a model \(notes.txt\)"):
        model.save(saved)
    (saved / "notes.txt").unlink()
    (saved / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match="is not a model"):
        model.save(saved)


def test_link_to_a_model_stays_a_link(model, saved, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(saved)
    for _ in range(2):
        model.save(link)
    assert link.is_symlink()
    assert load(link).phi_.tobytes() == model.phi_.tobytes()


def test_numpy_numbers_and_all_generators_can_be_saved(tmp_path):
    for kind in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        rng = np.random.Generator(getattr(np.random, kind)(3))
        model = BTM(
            np.int64(2),
            algorithm=SDM(kappa=np.float32(0.75)),
            window=np.int32(9),
            word_prior=np.float32(0.5),
            random_state=rng,
        )
        model.fit(TEXTS).save(tmp_path / "model")
        more = [m.partial_fit(TEXTS[:9]).phi_.tobytes() for m in (load(tmp_path / "model"), model)]
        assert more[0] == more[1]


def test_refit_with_another_algorithm_can_be_saved(tmp_path):
    model = BTM(3, random_state=0).fit(TEXTS).set_params(algorithm="gibbs").fit(TEXTS)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").phi_.tobytes() == model.phi_.tobytes()
    for name in ("sdm", "scvb0"):
        with pytest.raises(InputError, match=f'cannot continue with algorithm "{name}"'):
            model.set_params(algorithm=name).partial_fit(TEXTS)


def test_parameters_of_the_fit_are_saved_not_later_ones(tmp_path):
    model = BTM(3, random_state=0).fit(TEXTS)
    model.set_params(algorithm="online", window=5, word_prior=5.0, topic_prior=9.0)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert (loaded.algorithm, loaded.window, loaded.word_prior) == (SDM(), 15, "auto")
    assert loaded.phi_.tobytes() == model.phi_.tobytes()


def test_slices_of_the_same_name_stay_apart(tmp_path):
    model = BTM(2, algorithm=OnlineBTM(slices=3), random_state=0).fit(["red blue", "red", "a sky"])
    model.partial_fit(TEXTS)
    model.save(tmp_path / "model")
    ours, theirs = ([s.biterms.sum() for s in m.slices_] for m in (model, load(tmp_path / "model")))
    assert ours == theirs


def test_column_order_is_saved(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).integers(3, size=(9, 3)), columns=["a", "b", "c"])
    BTM(2, random_state=0).fit(frame).save(tmp_path / "model")
    with pytest.raises(ValueError, match="feature names"):
        load(tmp_path / "model").transform(frame[["c", "b", "a"]])


def test_unusual_words_survive_saving(tmp_path):
    words = ["a\rb", "c\r", "d\u2028e", " f "]
    BTM(2, random_state=0).fit(Corpus.from_tokens([words])).save(tmp_path / "model")
    assert sorted(load(tmp_path / "model").vocabulary_) == sorted(words)


def test_word_with_a_line_break_cannot_be_saved(tmp_path):
    model = BTM(2, random_state=0).fit(Corpus.from_tokens([["a\nb", "c"]]))
    with pytest.raises(InputError, match="line break"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


FIXTURES = Path(__file__).parent / "models-0.1.0"
EXPECTED = json.loads((FIXTURES / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_models_of_version_0_1_0_load(name):
    model, expected = load(FIXTURES / name), EXPECTED[name]
    texts = expected["texts"]
    np.testing.assert_allclose(model.theta_, expected["theta"], rtol=1e-6)
    found = map(sorted, model.top_words(3))  # equally probable words had any order then
    assert list(found) == list(map(sorted, expected["words"]))
    assert [sorted(name.split(", ")) for name in model.topic_names_] == [
        sorted(name.split(", ")) for name in expected["names"]
    ]
    shares = model.document_info(texts[:3], "biterms", shares=True).select(r"^topic_\d+$")
    atol = 1e-5 if "background" not in name else 0.003  # it was mixed in then
    np.testing.assert_allclose(shares, expected["transform"], atol=atol)
    assert [piece.name for piece in model.slices_] == expected["slices"]
    if expected["more"] is not None:
        model.partial_fit(texts)
        np.testing.assert_allclose(model.theta_, expected["more"], atol=0.02)


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_a_model_that_is_replaced_keeps_its_permissions(model, tmp_path):
    path = tmp_path / "model"
    model.save(path)
    path.chmod(0o750)
    for file in path.iterdir():
        file.chmod(0o640)
    model.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.iterdir()} == {0o640}


@pytest.mark.parametrize("path", ["-", "/"])
def test_a_path_that_is_no_name_is_rejected(model, path):
    with pytest.raises(InputError, match="a model is a directory and cannot be saved to"):
        model.save(path)
