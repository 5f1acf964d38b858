"""Changes that travel between machines, compared with merging whole states."""

import numpy as np
import pytest

import reference
from bittern.algorithms import SDM, AlphaSDM, Prior, combine_changes, copy_state
from bittern.algorithms.changes import MAX_TOPICS, TAIL, DenseRows, SparseRows
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


@pytest.mark.parametrize("n_topics", [2, 100, 300])
def test_sparse_rows_keep_large_entries_and_sums(n_topics):
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.full(n_topics, 0.1), size=50).astype(np.float32)
    rows *= rng.uniform(0.5, 1, size=(50, 1)).astype(np.float32)
    rows[7] = 0
    sparse = SparseRows.from_dense(rows)
    found = DenseRows(sparse, n_topics)[0:50]
    np.testing.assert_allclose(found.sum(axis=1), rows.sum(axis=1), rtol=1e-5)
    large = rows > rows.sum(axis=1, keepdims=True) / n_topics
    np.testing.assert_allclose(found[large], rows[large], rtol=0.03)
    assert (found >= 0).all()
    np.testing.assert_array_equal(DenseRows(sparse, n_topics)[10:20], found[10:20])
    assert sparse.topics.dtype == (np.uint8 if n_topics <= 256 else np.uint16)


def test_too_many_topics_are_refused():
    with pytest.raises(InputError, match="at most 65,536 topics"):
        SparseRows.from_dense(np.zeros((1, MAX_TOPICS + 1), np.float32))
