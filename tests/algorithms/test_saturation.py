"""Long streams: counters stop growing instead of overflowing."""

import numpy as np
import pytest

from bittern import BTM, Corpus
from bittern.algorithms import SDM, AlphaSDM, Prior, combine_changes, copy_state, driver
from bittern.algorithms._word_rows import MAX_UPDATES, NEVER
from bittern.biterms import Block, extract_biterms
from known import blocks

TEXTS, _ = blocks()
BITERMS = extract_biterms(Corpus.from_texts(TEXTS))
BLOCK = Block(BITERMS.first, BITERMS.second, 0)
PRIOR = Prior(1.0, 0.1)
BOTH = pytest.mark.parametrize("algorithm", [SDM.paper(), AlphaSDM(cooldown=0)], ids=repr)


def late_state(algorithm, updates):
    """A state after so many updates of every word."""
    state = algorithm.init(BITERMS, 4, PRIOR, np.random.default_rng(0))
    return state._replace(updates=np.full_like(state.updates, updates))


def assert_valid(state):
    assert state.updates.dtype == np.int32
    assert (state.updates > 1 << 30).all()
    assert np.isfinite(state.rows).all()
    assert (state.rows >= 0).all()
    np.testing.assert_allclose(state.rows.sum(axis=1), 1, rtol=1e-3)


@BOTH
def test_updates_of_a_word_saturate_in_a_pass(algorithm):
    state, log_likelihood = algorithm.step(
        late_state(algorithm, NEVER - 3), BLOCK, PRIOR, np.random.default_rng(0)
    )
    assert_valid(state)
    assert (state.updates == NEVER).all()
    assert np.isfinite(log_likelihood)


@BOTH
def test_updates_saturate_where_parts_are_merged_and_still_count(algorithm):
    base = late_state(algorithm, MAX_UPDATES)
    for _ in range(2):
        parts = [
            algorithm.step(copy_state(base), BLOCK, PRIOR, np.random.default_rng(seed))[0]
            for seed in range(2)
        ]
        before = base.rows.copy()
        base, *parts = algorithm.merge(base, parts, PRIOR)
        assert_valid(base)
        assert (base.updates == MAX_UPDATES).all()
        assert (base.rows != before).any()
        for part in parts:
            np.testing.assert_array_equal(part.rows, base.rows)


@BOTH
def test_updates_saturate_where_changes_travel(algorithm):
    base = late_state(algorithm, MAX_UPDATES)
    part, _ = algorithm.step(copy_state(base), BLOCK, PRIOR, np.random.default_rng(0))
    changes = algorithm.changes(base, part)
    many = changes._replace(times=np.full_like(changes.times, NEVER - 1))
    both = combine_changes(many, many)
    assert (both.times == NEVER).all()
    state = algorithm.with_changes(base, both)
    assert_valid(state)
    assert (state.updates == MAX_UPDATES).all()


def test_a_stream_continues_beyond_the_largest_count(monkeypatch):
    monkeypatch.setattr(driver, "MIN_ROUND", 50)
    for n_jobs in (1, 2):
        model = BTM(4, SDM.paper(), random_state=0, n_jobs=n_jobs).fit(TEXTS)
        model.fitted_.state.updates[:] = NEVER
        for _ in range(2):
            model.partial_fit(TEXTS * 2)
            assert_valid(model.fitted_.state)
