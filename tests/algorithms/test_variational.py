"""CVB0, SCVB0 and AlphaSDM against their reference implementations."""

import numpy as np
import pytest

import reference
from bittern import BTM
from bittern._core.memory import format_size
from bittern.algorithms import CVB0, SCVB0, SDM, AlphaSDM, Prior, copy_state
from bittern.algorithms._word_rows import SETTLE_INTERVAL
from bittern.algorithms.alpha import power_mean
from bittern.algorithms.scvb0 import train
from bittern.biterms import Biterms, Block, arrange
from bittern.biterms.validation import MAX_TOTAL
from bittern.errors import InputError

PRIOR = Prior(0.5, 0.01)


def random_biterms(rng, n=300, n_words=12):
    """Some of them are of a word with itself."""
    first, second = rng.integers(n_words, size=(2, n)).astype(np.int32)
    return Biterms(first, second, [str(i) for i in range(n_words)])


def pairs(biterms):
    return list(zip(biterms.first.tolist(), biterms.second.tolist(), strict=True))


@pytest.mark.parametrize(
    ("n_topics", "n", "n_words"), [(1, 300, 12), (3, 20_000, 150), (19, 300, 12)]
)
def test_cvb0_equals_its_reference(n_topics, n, n_words):
    rng = np.random.default_rng(0)
    algorithm = CVB0()
    merged = arrange(random_biterms(rng, n, n_words), algorithm.order, rng)
    assert merged.total == n
    assert len({tuple(sorted(pair)) for pair in pairs(merged)}) == len(merged) < n
    state = algorithm.init(merged, n_topics, PRIOR, rng)
    shares = state.shares.astype(float)
    for _ in range(3):
        counts = reference.cvb0(pairs(merged), merged.weight, shares, *PRIOR, n_words)
        block = Block(merged.first, merged.second, 0, merged.weight)
        state, log_likelihood = algorithm.step(state, block, PRIOR, rng)
        np.testing.assert_allclose(state.shares, shares, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(state.biterms, counts[0], rtol=1e-4)
        np.testing.assert_allclose(state.words, counts[1], rtol=1e-3, atol=2e-3)
        expected = counts[2] - n * np.log(n - 1 + n_topics * PRIOR.topic)
        assert log_likelihood == pytest.approx(expected, rel=1e-5)
    assert n < 10_000 or len(merged) > 2 * SETTLE_INTERVAL


def test_cvb0_counts_heavy_weights_and_tiny_priors():
    names = [f"w{i}" for i in range(8)]
    rng = np.random.default_rng(0)
    first, second = rng.integers(8, size=(2, 60)).astype(np.int32)
    heavy = Biterms(first, second, names, np.full(60, 1e9, np.float32))
    model = BTM(5, algorithm=CVB0(), topic_prior=1e-9, word_prior=1e-9, random_state=0).fit(heavy)
    assert np.isfinite(model.phi_).all()
    assert (model.theta_ >= 0).all()
    assert np.isfinite(model.history_["log_likelihood"].to_numpy()).all()
    assert model.history_["biterms"][-1] == pytest.approx(30 * 60e9, rel=1e-6)


def test_cvb0_stays_finite_up_to_the_largest_total():
    first, second = np.arange(1000, dtype=np.int32) % 8, np.full(1000, 8, np.int32)
    weight = np.full(1000, 0.999e9, np.float32)
    heavy = Biterms(first, second, [f"w{i}" for i in range(9)], weight)
    assert 0.99 * MAX_TOTAL < heavy.total < MAX_TOTAL
    for n_topics in (2, 20):
        model = BTM(n_topics, algorithm=CVB0(), random_state=0).fit(heavy)
        assert np.isfinite(model.phi_).all()
        assert np.isfinite(model.history_["log_likelihood"].to_numpy()).all()


@pytest.mark.parametrize("kind", [SDM, AlphaSDM, SCVB0])
def test_tiny_priors_keep_shares_positive(kind):
    texts = [f"w{i % 7} w{i % 5} w{i % 3}" for i in range(300)]
    model = BTM(30, algorithm=kind(), topic_prior=1e-9, word_prior=1e-9, random_state=0).fit(texts)
    assert (model.theta_ >= 0).all()
    assert np.isfinite(model.history_["log_likelihood"].to_numpy()).all()


def test_cvb0_rejects_more_than_its_memory_limit():
    rng = np.random.default_rng(0)
    biterms = arrange(random_biterms(rng), CVB0.order, rng)
    needed = 4 * 100 * (len(biterms) + 2 * 12)
    CVB0(max_memory=needed).init(biterms, 100, PRIOR, rng)
    with pytest.raises(InputError, match=f"needs {format_size(needed)}.*sdm"):
        CVB0(max_memory=needed - 1).init(biterms, 100, PRIOR, rng)
    with pytest.raises(InputError, match="valid memory size"):
        CVB0(max_memory="lots")


@pytest.mark.parametrize(("n_topics", "n"), [(1, 300), (3, 10_000), (19, 300)])
def test_scvb0_equals_its_reference_without_the_scale(n_topics, n):
    rng = np.random.default_rng(0)
    algorithm, biterms = SCVB0(tau=5), random_biterms(rng, n)
    state = algorithm.init(biterms, n_topics, PRIOR, rng)
    counts, words = state.biterms.copy(), state.rows.astype(float)
    steps = (np.arange(n) + 5) ** -0.8
    expected = reference.scvb0(pairs(biterms), counts, words, n, steps, *PRIOR)
    found = 0.0
    for block in biterms.blocks(n - 100):
        state, log_likelihood = algorithm.step(state, block, PRIOR, rng)
        found += log_likelihood
    topics = algorithm.topics(state, PRIOR)
    np.testing.assert_allclose(topics.biterms, counts, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(topics.words, words, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(topics.words.sum(axis=0), 2 * topics.biterms, rtol=1e-4)
    assert found == pytest.approx(expected - n * np.log(n + n_topics * PRIOR.topic), rel=1e-5)


def test_scvb0_keeps_its_total_over_very_many_steps():
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng, n=200_000)
    algorithm = SCVB0()
    state = algorithm.init(biterms, 3, PRIOR, rng)._replace(steps=40_000_000)
    for _ in range(20):
        state, _ = algorithm.step(state, next(biterms.blocks(200_000)), PRIOR, rng)
    assert state.biterms.sum() == pytest.approx(200_000, rel=1e-4)


def test_scvb0_grows_to_the_size_of_all_data():
    rng = np.random.default_rng(0)
    algorithm, biterms = SCVB0(tau=5), random_biterms(rng)
    state = algorithm.init(biterms, 3, PRIOR, rng)
    state, _ = algorithm.step(state, next(biterms.blocks(300)), PRIOR, rng)
    before = algorithm.topics(state, PRIOR).words
    more = Biterms.from_words(
        ["0", "new", "new"], ["1", "2", "3"], None, [*biterms.vocabulary, "new"]
    )
    grown = algorithm.grow(state, more, PRIOR, rng)
    after = algorithm.topics(grown, PRIOR)
    assert (grown.total, grown.steps) == (303, 300)
    assert after.words.sum() == pytest.approx(2 * 303, rel=1e-5)
    assert after.words[-1].sum() == pytest.approx(2, rel=1e-5)
    np.testing.assert_allclose(after.words.sum(axis=0), 2 * after.biterms, rtol=1e-5)
    ratio = after.words[:-1] / before
    np.testing.assert_allclose(ratio, (2 * 303 - 2) / (2 * 300), rtol=1e-4)


def after_many_steps(min_scale):
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng, n=20_000)
    state = SCVB0().init(biterms, 3, PRIOR, rng)
    sizes = (np.arange(len(biterms)) + 2) ** -0.55
    _, scale = train(next(biterms.blocks(20_000)), sizes, state, min_scale, PRIOR)
    return state.rows * np.float32(scale)


def test_unguarded_scale_underflows_and_ours_does_not():
    guarded = after_many_steps(min_scale=1e-9)
    assert np.isfinite(guarded).all()
    assert guarded.sum() == pytest.approx(2 * 20_000, rel=1e-3)
    assert not np.isfinite(after_many_steps(min_scale=0.0)).all()


def test_sdm_preserves_word_counts_and_scvb0_does_not():
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng, n=3000)
    kept = {}
    for algorithm in (SCVB0(tau=2), SDM.paper()):
        state = algorithm.init(biterms, 3, PRIOR, rng)
        state, _ = algorithm.step(state, next(biterms.blocks(3000)), PRIOR, rng)
        words = algorithm.topics(state, PRIOR).words.sum(axis=1)
        kept[algorithm.name] = np.abs(words / biterms.counts() - 1).max()
    assert kept["sdm"] < 1e-5 < 0.01 < kept["scvb0"]


@pytest.mark.parametrize("alpha", [-1, 0, 0.5, 1, 2])
def test_alpha_sdm_equals_its_reference(alpha):
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng)
    algorithm = AlphaSDM(alpha=alpha, cooldown=0, epochs=1)
    state = algorithm.init(biterms, 4, PRIOR, rng)
    rows = state.rows.astype(float)
    spread = reference.alpha_sdm(pairs(biterms), rows, biterms.counts(), alpha, 0.51, *PRIOR)
    state, _ = algorithm.step(state, next(biterms.blocks(300)), PRIOR, rng)
    np.testing.assert_allclose(state.rows, rows, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(state.spread, spread, rtol=2e-3, atol=1e-4)


def test_spread_of_alpha_sdm_grows_and_merges_like_its_rows():
    rng = np.random.default_rng(0)
    biterms, algorithm = random_biterms(rng, n=600), AlphaSDM(alpha=0.5)
    base = algorithm.init(biterms, 4, PRIOR, rng)
    parts = [
        algorithm.step(copy_state(base), block, PRIOR, rng)[0] for block in biterms.blocks(200)
    ][:2]
    merged, *_ = algorithm.merge(copy_state(base), [copy_state(p) for p in parts], PRIOR)
    spreads = [part._replace(rows=part.spread) for part in parts]
    expected = reference.merged_rows(base._replace(rows=base.spread), spreads, algorithm.kappa)
    np.testing.assert_allclose(merged.spread, expected, rtol=1e-4, atol=1e-6)
    rows = reference.merged_rows(base, parts, algorithm.kappa)
    np.testing.assert_allclose(merged.rows, rows, rtol=1e-4, atol=1e-6)
    more = Biterms.from_words(["new"], ["0"], None, [*biterms.vocabulary, "new"])
    grown = algorithm.grow(merged, more, PRIOR, rng)
    np.testing.assert_array_equal(grown.spread[:-1], merged.spread)
    assert not grown.spread[-1].any()


def test_variance_is_clipped_where_the_expansion_fails():
    wide, wider = (power_mean(np.float32(1), np.float32(x), -1.0) for x in (1, 50))
    assert wide == wider == pytest.approx(0.5)


def test_alpha_one_is_sdm():
    biterms = random_biterms(np.random.default_rng(0), n=2000)
    found = []
    for algorithm in (SDM.paper(kappa=0.6, cooldown=0.3), AlphaSDM(alpha=1, kappa=0.6, epochs=1)):
        state = algorithm.init(biterms, 5, PRIOR, np.random.default_rng(1))
        state, log_likelihood = algorithm.step(state, next(biterms.blocks(2000)), PRIOR, None)
        found.append((algorithm.topics(state, PRIOR).words, log_likelihood))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=2e-3, atol=1e-3)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-5)


@pytest.mark.parametrize("alpha", [-1.0, -0.01, 0.0, 0.01, 0.5, 1.0, 2.0])
def test_power_mean_matches_a_narrow_distribution(alpha):
    draws = np.random.default_rng(0).normal(10, 0.5, size=1_000_000)
    if alpha == 0:
        expected = np.exp(np.log(draws).mean())
    else:
        expected = (draws**alpha).mean() ** (1 / alpha)
    found = power_mean(np.float32(10), np.float32(0.25), alpha)
    assert found == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: CVB0(sweeps=0), "sweeps"),
        (lambda: SCVB0(kappa=0.5), "Robbins-Monro"),
        (lambda: SCVB0(tau=1), "tau"),
        (lambda: AlphaSDM(alpha=np.nan), "alpha"),
        (lambda: AlphaSDM(kappa=2), "kappa"),
    ],
)
def test_settings_out_of_range_are_rejected(make, says):
    with pytest.raises(InputError, match=says):
        make()
