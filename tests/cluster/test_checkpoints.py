"""Checkpoints are files, and may be damaged like all others."""

import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bittern import Corpus
from bittern.algorithms import SDM, Prior, Record, copy_state
from bittern.biterms import Block, extract_biterms
from bittern.cluster.checkpoints import BASIS, Checkpoint, remove_checkpoint
from bittern.errors import InputError
from known import blocks

N_TOPICS = 3


@pytest.fixture(scope="module")
def changes():
    algorithm, prior, rng = SDM.paper(), Prior(1.0, 0.1), np.random.default_rng(0)
    biterms = extract_biterms(Corpus.from_texts(blocks()[0]))
    base = algorithm.init(biterms, N_TOPICS, prior, rng)
    part, _ = algorithm.step(copy_state(base), Block(biterms.first, biterms.second, 0), prior, rng)
    return algorithm.changes(base, part)


@pytest.fixture
def saved(changes, tmp_path):
    checkpoint = Checkpoint(tmp_path)
    checkpoint.begin({"n_parts": 2, "seed": 0})
    checkpoint.save(0, changes, Record(0, 10, -1.0))
    return tmp_path


def test_a_round_is_loaded_as_it_was_saved(changes, saved):
    (loaded,), (record,) = Checkpoint(saved, resume=True).load(24, N_TOPICS, 1)
    assert record == Record(0, 10, -1.0)
    assert loaded.n_topics == N_TOPICS
    for ours, theirs in zip(
        [changes.words, changes.times, *changes.news[0]],
        [loaded.words, loaded.times, *loaded.news[0]],
        strict=True,
    ):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def spoil(array, at, value):
    array[at] = value
    return array


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("words", lambda words: words + 10_000),
        ("words", lambda words: words[::-1]),
        ("words", lambda words: words.astype(np.int64)),
        ("times", lambda times: -times),
        ("times", lambda times: times[1:]),
        ("topics.0", lambda topics: topics + np.uint8(N_TOPICS)),
        ("topics.0", lambda topics: topics[1:]),
        ("topics.0", lambda topics: topics.astype(np.uint16)),
        ("levels.0", lambda levels: levels[1:]),
        ("lengths.0", lambda lengths: spoil(lengths, 0, 60_000)),
        ("lengths.0", lambda lengths: lengths.reshape(-1, 1)),
        ("sums.0", lambda sums: spoil(sums, 0, np.nan)),
        ("sums.0", lambda sums: -sums),
        ("numbers", lambda numbers: spoil(numbers, 0, N_TOPICS + 1)),
        ("numbers", lambda numbers: spoil(numbers, 2, np.inf)),
        ("numbers", lambda numbers: numbers[1:]),
    ],
)
def test_a_damaged_round_is_rejected(saved, name, change):
    file = saved / "round-0000.safetensors"
    tensors = load_file(file)
    tensors[name] = np.ascontiguousarray(change(tensors[name]))
    save_file(tensors, file)
    with pytest.raises(InputError, match=r"round-0000.safetensors is damaged: .*; start without"):
        Checkpoint(saved, resume=True).load(24, N_TOPICS, 1)


def test_a_round_of_another_model_is_rejected(saved):
    for shape in ((3, N_TOPICS, 1), (24, 4, 1), (24, N_TOPICS, 2)):
        with pytest.raises(InputError, match="damaged"):
            Checkpoint(saved, resume=True).load(*shape)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "3", '{"n_pa', "[" * 100_000),
        *('{"n_parts": 0, "seed": 1}', '{"n_parts": 1, "seed": "x"}'),
    ],
)
def test_a_damaged_basis_is_named_with_a_remedy(saved, text):
    (saved / BASIS).write_text(text)
    with pytest.raises(InputError, match=r"basis.json is damaged; remove .* and start again"):
        Checkpoint(saved, resume=True)


def test_a_fit_killed_while_it_began_can_be_repeated(tmp_path):
    (tmp_path / ".basis.json.saving-1").write_text('{"n_pa')
    Checkpoint(tmp_path).begin({"n_parts": 3, "seed": 1})
    assert Checkpoint(tmp_path, resume=True).n_parts == 3
    remove_checkpoint(tmp_path)
    assert not tmp_path.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_a_pipe_is_not_read(saved):
    (saved / "round-0000.safetensors").unlink()
    os.mkfifo(saved / "round-0000.safetensors")
    with pytest.raises(InputError, match="not a regular file"):
        Checkpoint(saved, resume=True).load(24, N_TOPICS, 1)
