"""CVB0, SCVB0 and AlphaSDM against their readable twins."""

import numpy as np
import pytest

import reference
from bittern.algorithms import CVB0, SCVB0, SDM, AlphaSDM, Prior
from bittern.algorithms.alpha import power_mean
from bittern.algorithms.scvb0 import learn
from bittern.biterms import Biterms, Block
from bittern.errors import InputError
from bittern.sizes import format_size, parse_size

PRIOR = Prior(0.5, 0.01)


def random_biterms(rng, n=300, n_words=12):
    first = rng.integers(n_words, size=n)
    second = (first + 1 + rng.integers(n_words - 1, size=n)) % n_words
    names = [str(i) for i in range(n_words)]
    return Biterms(first.astype(np.int32), second.astype(np.int32), names)


def pairs(biterms):
    return list(zip(biterms.first.tolist(), biterms.second.tolist(), strict=True))


@pytest.mark.parametrize("n_topics", [1, 3, 19])
def test_cvb0_equals_its_twin(n_topics):
    rng = np.random.default_rng(0)
    algorithm = CVB0()
    merged = algorithm.arrange(random_biterms(rng), n_topics, rng)
    assert merged.total == 300
    assert len(set(map(frozenset, pairs(merged)))) == len(merged) < 300
    state = algorithm.init(merged, n_topics, PRIOR, rng)
    shares = state.shares.astype(float)
    for _ in range(3):
        n, words = reference.cvb0(pairs(merged), merged.weight, shares, *PRIOR, 12)
        block = Block(merged.first, merged.second, 0, merged.weight)
        state, _ = algorithm.step(state, block, PRIOR, rng)
    np.testing.assert_allclose(state.shares, shares, rtol=1e-2, atol=1e-4)
    np.testing.assert_allclose(state.biterms, n, rtol=1e-3)
    np.testing.assert_allclose(state.words, words, rtol=1e-2, atol=1e-2)


def test_cvb0_refuses_what_does_not_fit():
    rng = np.random.default_rng(0)
    biterms = CVB0().arrange(random_biterms(rng), 100, rng)
    needed = 4 * 100 * (len(biterms) + 2 * 12)
    CVB0(max_memory=needed).init(biterms, 100, PRIOR, rng)
    with pytest.raises(InputError, match=f"would need {format_size(needed)}.*sdm"):
        CVB0(max_memory=needed - 1).init(biterms, 100, PRIOR, rng)
    with pytest.raises(InputError, match="size of memory"):
        CVB0(max_memory="lots")


@pytest.mark.parametrize("n_topics", [1, 3, 19])
def test_scvb0_equals_its_twin_without_the_scale(n_topics):
    rng = np.random.default_rng(0)
    algorithm, biterms = SCVB0(tau=5), random_biterms(rng)
    state = algorithm.init(biterms, n_topics, PRIOR, rng)
    n, words = state.biterms.astype(float), state.rows.astype(float)
    steps = (np.arange(len(biterms)) + 5) ** -0.8
    reference.scvb0(pairs(biterms), n, words, len(biterms), steps, *PRIOR)
    for block in biterms.blocks(77):
        state, _ = algorithm.step(state, block, PRIOR, rng)
    topics = algorithm.topics(state, PRIOR)
    np.testing.assert_allclose(topics.biterms, n, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(topics.words, words, rtol=1e-3, atol=1e-3)


def after_many_steps(smallest_scale):
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng, n=20_000)
    state = SCVB0().init(biterms, 3, PRIOR, rng)
    steps = (np.arange(len(biterms)) + 2) ** -0.55
    _, scale = learn(
        biterms.first, biterms.second, steps, state.rows, 1.0, state.biterms, 20_000.0,
        smallest_scale, *PRIOR,
    )  # fmt: skip
    return state.rows * np.float32(scale)


def test_an_unguarded_scale_underflows_and_ours_does_not():
    guarded = after_many_steps(smallest_scale=1e-9)
    assert np.isfinite(guarded).all()
    assert guarded.sum() == pytest.approx(2 * 20_000, rel=1e-3)
    assert not np.isfinite(after_many_steps(smallest_scale=0.0)).all()


def test_scvb0_does_not_keep_the_counts_of_words_and_sdm_does():
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng, n=3000)
    kept = {}
    for algorithm in (SCVB0(tau=2), SDM(epochs=1)):
        state = algorithm.init(biterms, 3, PRIOR, rng)
        state, _ = algorithm.step(state, next(biterms.blocks(3000)), PRIOR, rng)
        words = algorithm.topics(state, PRIOR).words.sum(axis=1)
        kept[algorithm.name] = np.abs(words / biterms.counts() - 1).max()
    assert kept["sdm"] < 1e-5 < 0.01 < kept["scvb0"]


@pytest.mark.parametrize("alpha", [-1, 0, 0.5, 1, 2])
def test_alpha_sdm_equals_its_twin(alpha):
    rng = np.random.default_rng(0)
    biterms = random_biterms(rng)
    algorithm = AlphaSDM(alpha=alpha, cooldown=0, epochs=1)
    state = algorithm.init(biterms, 4, PRIOR, rng)
    rows = state.rows.astype(float)
    reference.alpha_sdm(pairs(biterms), rows, biterms.counts(), alpha, 0.51, *PRIOR)
    state, _ = algorithm.step(state, next(biterms.blocks(300)), PRIOR, rng)
    np.testing.assert_allclose(state.rows, rows, rtol=5e-3, atol=1e-4)


def test_alpha_one_is_sdm():
    biterms = random_biterms(np.random.default_rng(0), n=2000)
    found = []
    for algorithm in (SDM(kappa=0.6, epochs=1), AlphaSDM(alpha=1, kappa=0.6, epochs=1)):
        state = algorithm.init(biterms, 5, PRIOR, np.random.default_rng(1))
        state, log_likelihood = algorithm.step(state, next(biterms.blocks(2000)), PRIOR, None)
        found.append((algorithm.topics(state, PRIOR).words, log_likelihood))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=2e-3, atol=1e-3)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-5)


@pytest.mark.parametrize("alpha", [-1.0, -0.01, 0.0, 0.01, 0.5, 1.0, 2.0])
def test_the_power_mean_is_that_of_a_narrow_distribution(alpha):
    draws = np.random.default_rng(0).normal(10, 0.5, size=1_000_000)
    if alpha == 0:
        expected = np.exp(np.log(draws).mean())
    else:
        expected = (draws**alpha).mean() ** (1 / alpha)
    found = power_mean(np.float32(10), np.float32(0.25), alpha)
    assert found == pytest.approx(expected, abs=2e-3)


def test_sizes_are_read_and_written_as_people_do():
    assert [parse_size(s) for s in ("512MB", "4 GB", "1.5k", "2GiB", 77)] == [
        512_000_000, 4_000_000_000, 1500, 2_000_000_000, 77,
    ]  # fmt: skip
    assert [format_size(n) for n in (512e6, 4e9, 1500, 77)] == [
        "512 MB",
        "4 GB",
        "1.5 kB",
        "77 bytes",
    ]


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
def test_settings_out_of_range_are_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()
