"""Changes that travel between machines, compared with merging whole states."""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

import reference
from bittern.algorithms import SDM, AlphaSDM, Prior, combine_changes, copy_state
from bittern.algorithms.changes import MAX_TOPICS, TAIL, Changes, Scale, apply_changes, find_changes
from bittern.biterms import extract_biterms
from bittern.corpus.synthetic import synthetic_corpus
from bittern.errors import InputError

PRIOR = Prior(0.5, 0.01)
BITERMS = extract_biterms(synthetic_corpus(300, 5, 80, seed=1)).shuffled(np.random.default_rng(0))


def trained_parts(algorithm, n_parts=3, n_topics=8):
    """A state after half of the biterms, and parts that continued from it on the rest."""
    base = algorithm.init(BITERMS, n_topics, PRIOR, np.random.default_rng(1))
    half, *blocks = BITERMS.blocks(-(-len(BITERMS) // (n_parts + 1)))
    base, _ = algorithm.step(base, half, PRIOR, None)
    parts = [algorithm.step(copy_state(base), block, PRIOR, None)[0] for block in blocks]
    return base, parts


def exact(monkeypatch):
    """Keep all entries in small steps."""
    monkeypatch.setattr("bittern.algorithms.changes.TAIL", 1e-6)


@pytest.mark.parametrize("algorithm", [SDM.paper(), SDM(sweeps=0), AlphaSDM(0.5)])
def test_changes_give_what_merging_whole_states_gives(algorithm, monkeypatch):
    exact(monkeypatch)
    base, parts = trained_parts(algorithm)
    first, *others = (algorithm.changes(base, part) for part in parts)
    for other in others:
        first = combine_changes(first, other)
    found = algorithm.with_changes(copy_state(base), first)
    expected, *_ = algorithm.merge(copy_state(base), [copy_state(part) for part in parts], PRIOR)
    np.testing.assert_array_equal(found.updates, expected.updates)
    np.testing.assert_allclose(found.rows, expected.rows, rtol=0.1, atol=1e-4)
    np.testing.assert_allclose(found.rows.sum(axis=1), base.rows.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(found.totals, expected.totals, rtol=0.02)
    reference_rows = reference.merged_rows(base, parts, algorithm.kappa)
    np.testing.assert_allclose(found.rows, reference_rows, rtol=0.1, atol=1e-4)


def test_compact_changes_are_close_and_keep_sums():
    algorithm = SDM(sweeps=0)
    base, (part, *_) = trained_parts(algorithm, 1)
    found = algorithm.with_changes(copy_state(base), algorithm.changes(base, part))
    np.testing.assert_allclose(found.rows.sum(axis=1), part.rows.sum(axis=1), rtol=1e-5)
    assert np.abs(found.rows - part.rows).max() < 0.05
    assert np.abs(found.rows - part.rows).mean() < 0.005


def test_the_order_in_which_changes_are_combined_hardly_matters():
    algorithm = SDM(sweeps=0)
    base, parts = trained_parts(algorithm)
    a, b, c = (algorithm.changes(base, part) for part in parts)
    left, right = (
        combine_changes(combine_changes(a, b), c),
        combine_changes(a, combine_changes(b, c)),
    )
    np.testing.assert_array_equal(left.words, right.words)
    np.testing.assert_array_equal(left.times, right.times)
    one, two = (algorithm.with_changes(copy_state(base), changes) for changes in (left, right))
    np.testing.assert_allclose(one.rows, two.rows, atol=TAIL / 8)  # small entries may be replaced


def test_only_words_that_were_updated_travel():
    algorithm = SDM(sweeps=0)
    base, _ = trained_parts(algorithm)
    block = next(BITERMS.blocks(5))
    part, _ = algorithm.step(copy_state(base), block, PRIOR, None)
    changes = algorithm.changes(base, part)
    assert set(changes.words) == {*block.first, *block.second}
    assert changes.times.sum() == 10
    assert changes.nbytes < 60 * len(changes.words)
    unchanged = np.setdiff1d(np.arange(len(base.rows)), changes.words)
    found = algorithm.with_changes(copy_state(base), changes)
    np.testing.assert_array_equal(found.rows[unchanged], base.rows[unchanged])


def test_no_changes_change_nothing():
    algorithm = SDM(sweeps=0)
    base, (part, *_) = trained_parts(algorithm)
    nothing, something = algorithm.changes(base, base), algorithm.changes(base, part)
    assert len(nothing.words) == 0
    assert combine_changes(nothing, nothing).nbytes == 0
    assert combine_changes(nothing, something) is something
    assert combine_changes(something, nothing) is something
    found = algorithm.with_changes(copy_state(base), nothing)
    np.testing.assert_array_equal(found.rows, base.rows)


def dense(changes: Changes):
    """The news with all their entries."""
    n_topics, (news, *_) = changes.n_topics, changes.news
    values = Scale.of(n_topics).values
    assert values[0] == pytest.approx(TAIL / n_topics)
    assert values[-1] == pytest.approx(1)
    rows, at = [], 0
    for length, total in zip(news.lengths, news.sums, strict=True):
        topics, levels = news.topics[at : at + length], news.levels[at : at + length]
        large = values[levels]
        rest = max(1 - large.sum(), 0)
        row = np.full(n_topics, rest / max(n_topics - length, 1))
        row[topics] = large
        rows.append(total * row / max(row.sum(), 1e-30))
        at += length
    return np.array(rows)


class Rows(NamedTuple):
    rows: np.ndarray
    updates: np.ndarray
    cooling: np.ndarray


@pytest.mark.parametrize("n_topics", [2, 100, 300])
def test_large_entries_and_sums_are_kept(n_topics):
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.full(n_topics, 0.1), size=50).astype(np.float32)
    rows *= rng.uniform(0.5, 1, size=(50, 1)).astype(np.float32)
    rows[7] = 0
    never = np.full(50, 10**6, np.int32)
    base = Rows(np.ones_like(rows), np.zeros(50, np.int32), never)
    changes = find_changes(base, Rows(rows, base.updates + 1, never), 0.51, ["rows"])
    found = dense(changes)  # the first update replaces everything
    np.testing.assert_allclose(found.sum(axis=1), rows.sum(axis=1), rtol=1e-5)
    large = rows > rows.sum(axis=1, keepdims=True) / n_topics
    np.testing.assert_allclose(found[large], rows[large], rtol=0.03)
    assert changes.news[0].topics.dtype == (np.uint8 if n_topics <= 256 else np.uint16)
    state = Rows(np.ones_like(rows), base.updates.copy(), never)
    apply_changes(state, changes, 0.51, ["rows"])
    np.testing.assert_allclose(state.rows, found, atol=1e-6)
    half = find_changes(base, Rows(rows[::-1].copy(), base.updates + 3, never), 0.51, ["rows"])
    mean = dense(combine_changes(changes, half))
    expected = (dense(changes) + 3 * dense(half)) / 4
    np.testing.assert_allclose(mean.sum(axis=1), expected.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(mean, expected, rtol=0.03, atol=TAIL / n_topics)


def test_too_many_topics_are_refused():
    rows = np.zeros((1, MAX_TOPICS + 1), np.float32)
    base = Rows(rows, np.zeros(1, np.int32), np.ones(1, np.int32))
    with pytest.raises(InputError, match="at most 65,536 topics"):
        find_changes(base, base, 0.51, ["rows"])


COMBINE = """
import hashlib
import numpy as np
from bittern.algorithms.changes import Changes, SparseRows, combine_changes

rng = np.random.default_rng(0)
def changes():
    lengths = rng.integers(64, 100, 2000).astype(np.uint16)
    topics = np.concatenate([np.sort(rng.permutation(100)[:n]) for n in lengths])
    levels = rng.integers(0, 60, len(topics)).astype(np.uint8)
    rows = SparseRows(lengths, topics.astype(np.uint8), levels, np.ones(2000, np.float32))
    times = rng.integers(1, 5, 2000).astype(np.int32)
    return Changes(np.arange(2000, dtype=np.int32), times, (rows,), 100)
[rows] = combine_changes(changes(), changes()).news
print(hashlib.sha256(b"".join(array.tobytes() for array in rows)).hexdigest())
"""


def test_kernels_give_the_same_bits_compiled_and_from_the_cache(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", COMBINE]

    def digest():
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    compiled, cached = digest(), digest()
    assert any(tmp_path.rglob("*.nbc"))
    assert compiled == cached
