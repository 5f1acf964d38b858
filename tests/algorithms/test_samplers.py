"""The Gibbs samplers: draws from the right distribution, chains with the right posterior."""

from collections import Counter
from datetime import datetime

import numpy as np
import pytest
from scipy.stats import chisquare

import reference
from bittern import BTM, Corpus
from bittern.algorithms import Gibbs, IncrementalBTM, OnlineBTM, Prior, copy_state
from bittern.algorithms._gibbs_kernels import pick, sweep
from bittern.algorithms._sparse_gibbs import Lists, from_dense, sparse_sweep, to_dense
from bittern.biterms import Biterms, Block, arrange, time_slices
from bittern.errors import InputError

PRIOR = Prior(0.7, 0.3)
TINY = Biterms.from_words("abcad", "bcdda")
PAIRS = list(zip(TINY.first.tolist(), TINY.second.tolist(), strict=True))


def fits(observed, expected, n):
    """Whether counts fit probabilities, by a chi-square test; cells are listed alike."""
    return chisquare(observed, np.array(expected) * n).pvalue > 1e-3


def test_pick_follows_the_weights():
    rng = np.random.default_rng(0)
    assert pick(np.ones(1, np.float32), 1, np.float32(0.7)) == 0
    for n in (2, 7, 8, 9, 37):
        weights = rng.random(n).astype(np.float32)
        total = weights.sum()
        drawn = [pick(weights, n, np.float32(u * total)) for u in rng.random(20_000)]
        assert fits(np.bincount(drawn, minlength=n), weights / weights.sum(dtype=float), 20_000)


def random_counts(rng, n_topics, n_words=6):
    """Counts of biterms (all different words) that a state may have, and their topics."""
    first, second = np.array([rng.choice(n_words, 2, replace=False) for _ in range(30)]).T
    topics = rng.integers(n_topics, size=30)
    words = np.zeros((n_words, n_topics), np.float32)
    np.add.at(words, (first, topics), 1)
    np.add.at(words, (second, topics), 1)
    return topics, words, np.bincount(topics, minlength=n_topics).astype(float), first, second


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("n_topics", [2, 21])
def test_draws_follow_the_conditional_distribution(sparse, equal, n_topics):
    rng = np.random.default_rng(1)
    topics, words, n, first, second = random_counts(rng, n_topics)
    v, w, old = (2, 2, 1) if equal else (first[0], second[0], topics[0])
    if equal:
        words[v, old] += 2
        n[old] += 1
    others_n, others = n.copy(), words.astype(float)
    others_n[old] -= 1
    others[v, old] -= 1
    others[w, old] -= 1
    expected = reference.weights(v, w, others_n, others, *PRIOR)
    drawn = []
    biterm = Block(np.array([v], np.int32), np.array([w], np.int32), 0)
    for seed in range(8000):
        topic, counts, now = np.array([old], np.int32), words.copy(), n.copy()
        if sparse:
            lists = from_dense(counts, np.full(6, 99.0))
            log_total = sparse_sweep(biterm, topic, lists, now, np.uint64(seed), PRIOR)
            counts = to_dense(lists, n_topics)
        else:
            log_total = sweep(biterm, topic, counts, now, np.uint64(seed), PRIOR)
        drawn.append(topic[0])
        assert counts.sum() == words.sum()
        assert now.sum() == n.sum()
        assert counts[v, topic[0]] >= 1
    assert log_total == pytest.approx(np.log(expected.sum()), rel=1e-5)
    observed = np.bincount(drawn, minlength=n_topics)
    assert fits(observed, expected / expected.sum(), 8000)


def frequencies(states):
    return Counter(map(tuple, states))


@pytest.mark.parametrize("sampler", ["dense", "sparse"])
def test_gibbs_chain_has_the_posterior_distribution(sampler):
    algorithm, rng = Gibbs(sampler=sampler), np.random.default_rng(0)
    arranged = TINY.grouped() if sampler == "sparse" else TINY
    pairs = list(zip(arranged.first.tolist(), arranged.second.tolist(), strict=True))
    expected = reference.posterior(pairs, np.zeros(2), np.zeros((4, 2)), *PRIOR)
    state = algorithm.init(arranged, 2, PRIOR, rng)
    block = Block(arranged.first, arranged.second, 0)
    seen = []
    for _ in range(30_000):
        state, _ = algorithm.step(state, block, PRIOR, rng)
        seen.append(state.topics.tolist())
    thinned = frequencies(seen[::3])
    observed = [thinned[topics] for topics in expected]
    assert fits(observed, list(expected.values()), sum(observed))


def test_online_slice_has_the_posterior_given_earlier_slices():
    algorithm, rng = OnlineBTM(decay=0.5), np.random.default_rng(0)
    first = Biterms.from_words("aab", "bcc", vocabulary="abcd")
    state = algorithm.init(first, 2, PRIOR, rng)
    state, _ = algorithm.step(state, Block(first.first, first.second, 0), PRIOR, rng)
    before = algorithm.slice_counts(state)
    state = algorithm.grow(state, TINY, PRIOR, rng)
    np.testing.assert_allclose(state.prior_words, 0.5 * before.words)
    np.testing.assert_allclose(state.prior_biterms, 0.5 * before.biterms)
    expected = reference.posterior(PAIRS, state.prior_biterms, state.prior_words, *PRIOR)
    seen = []
    for _ in range(30_000):
        state, _ = algorithm.step(state, Block(TINY.first, TINY.second, 0), PRIOR, rng)
        seen.append(state.topics.tolist())
    thinned = frequencies(seen[::3])
    observed = [thinned[topics] for topics in expected]
    assert fits(observed, list(expected.values()), sum(observed))


def test_incremental_reaches_the_posterior_with_enough_rejuvenation():
    algorithm, rng = IncrementalBTM(rejuvenation=60), np.random.default_rng(0)
    expected = reference.posterior(PAIRS, np.zeros(2), np.zeros((4, 2)), *PRIOR)
    seen = []
    for _ in range(4000):
        state = algorithm.init(TINY, 2, PRIOR, rng)
        state, _ = algorithm.step(state, Block(TINY.first, TINY.second, 0), PRIOR, rng)
        seen.append(state.topics.tolist())
    found = frequencies(seen)
    assert fits([found[topics] for topics in expected], list(expected.values()), 4000)


def test_incremental_counts_match_its_history():
    rng = np.random.default_rng(2)
    biterms = Biterms(*rng.integers(9, size=(2, 500)).astype(np.int32), [str(i) for i in range(9)])
    algorithm = IncrementalBTM(rejuvenation=3)
    state = algorithm.init(biterms, 4, PRIOR, rng)
    for block in biterms.blocks(77):
        state, _ = algorithm.step(state, block, PRIOR, rng)
    words = np.zeros((9, 4))
    np.add.at(words, (state.first, state.topics), 1)
    np.add.at(words, (state.second, state.topics), 1)
    np.testing.assert_array_equal(state.words, words)
    np.testing.assert_array_equal(state.first, biterms.first)
    assert state.seen == 500


def test_a_limited_history_is_a_uniform_sample():
    biterms = Biterms.from_words([str(i) for i in range(40)], [str(-i - 1) for i in range(40)])
    algorithm, rng = IncrementalBTM(rejuvenation=1, history=10), np.random.default_rng(0)
    kept = Counter()
    for _ in range(1500):
        state = algorithm.init(biterms, 2, PRIOR, rng)
        for block in biterms.blocks(13):
            state, _ = algorithm.step(state, block, PRIOR, rng)
        assert len(state.first) == 10
        assert state.biterms.sum() == 40
        kept.update(state.first.tolist())
    assert len(kept) == 40
    # ten of forty without replacement: less spread than chi-square expects, so only the upper side
    assert chisquare(list(kept.values())).pvalue > 1e-3


def test_dense_and_sparse_samplers_agree():
    rng = np.random.default_rng(0)
    texts = [f"w{a} w{b} w{c}" for a, b, c in rng.integers(0, 30, size=(300, 3)) // [1, 2, 3]]
    scores = {
        sampler: np.mean(
            [
                BTM(5, algorithm=Gibbs(30, sampler=sampler), random_state=seed)
                .fit(texts)
                .score(texts)
                for seed in range(8)
            ]
        )
        for sampler in ("dense", "sparse")
    }
    assert scores["dense"] == pytest.approx(scores["sparse"], abs=0.05)


def test_averaged_samples_are_smoother_than_one():
    texts = [f"w{i % 17} w{i % 5} w{i % 7}" for i in range(200)]
    held_out = [f"w{i % 16} w{i % 5} w{i % 7}" for i in range(200)]
    for sampler in ("dense", "sparse"):
        one, ten = (
            np.mean(
                [
                    BTM(6, algorithm=Gibbs(40, samples, sampler), random_state=seed)
                    .fit(texts)
                    .score(held_out)
                    for seed in range(6)
                ]
            )
            for samples in (1, 20)
        )
        assert ten > one


def test_auto_uses_the_sparse_sampler_for_many_topics():
    biterms = TINY.shuffled(np.random.default_rng(0))
    rng = np.random.default_rng(0)
    kinds = [
        type(Gibbs().init(biterms, n_topics, PRIOR, rng).words).__name__ for n_topics in (20, 400)
    ]
    assert kinds == ["ndarray", "Lists"]


@pytest.mark.parametrize("algorithm", [Gibbs(8, 3, "dense"), Gibbs(8, 3, "sparse"), OnlineBTM()])
def test_merged_counts_match_the_merged_topics(algorithm):
    rng = np.random.default_rng(0)
    biterms = Biterms(*rng.integers(9, size=(2, 400)).astype(np.int32), [str(i) for i in range(9)])
    arranged = arrange(biterms, algorithm.order, rng)
    state = algorithm.init(arranged, 4, PRIOR, rng)
    for sweep_number in range(8):
        base = copy_state(state)
        states = [state, copy_state(state)]
        parts = [
            algorithm.step(part, block, PRIOR, rng)[0]
            for part, block in zip(states, arranged.blocks(200), strict=True)
        ]
        topics = [part.topics.copy() for part in parts]
        state, *_ = algorithm.merge(base, parts, PRIOR)
        assert (state.topics[:200] == topics[0][:200]).all()
        assert (state.topics[200:] == topics[1][200:]).all()
        words = np.zeros((9, 4))
        np.add.at(words, (arranged.first, state.topics), 1)
        np.add.at(words, (arranged.second, state.topics), 1)
        lists = isinstance(state.words, Lists)
        np.testing.assert_array_equal(to_dense(state.words, 4) if lists else state.words, words)
        np.testing.assert_array_equal(state.biterms, np.bincount(state.topics, minlength=4))
        if isinstance(algorithm, Gibbs):
            assert state.sweeps == sweep_number + 1
    if isinstance(algorithm, Gibbs):
        assert state.sum_biterms.sum() == state.sum_words.sum() / 2 == 3 * 400
        assert algorithm.topics(state, PRIOR).biterms.sum() == pytest.approx(400)


@pytest.mark.parametrize("algorithm", [OnlineBTM(), IncrementalBTM(rejuvenation=0)])
def test_sampler_likelihood_is_that_of_a_biterm_given_the_others(algorithm):
    rng = np.random.default_rng(0)
    state = algorithm.init(TINY, 3, PRIOR, rng)
    counts = [algorithm.topics(state, PRIOR)]
    before = getattr(state, "topics", np.empty(0)).copy()
    _, found = algorithm.step(state, Block(TINY.first[:1], TINY.second[:1], 0), PRIOR, rng)
    n, words = counts[0].biterms, counts[0].words.astype(float)
    (v, w), others = PAIRS[0], n.sum()
    if isinstance(algorithm, OnlineBTM):
        n[before[0]] -= 1
        words[[v, w], before[0]] -= 1
        others -= 1
    q = reference.weights(v, w, n, words, *PRIOR).sum()
    assert found == pytest.approx(np.log(q / (others + 3 * PRIOR.topic)), rel=1e-5)


def test_history_limit_can_be_raised_and_lowered():
    rng = np.random.default_rng(0)
    biterms = Biterms(*rng.integers(9, size=(2, 300)).astype(np.int32), [str(i) for i in range(9)])
    state, seen = None, 0
    for history, remembered in ((50, 50), (200, 200), (20, 20), (None, 320)):
        algorithm = IncrementalBTM(rejuvenation=2, history=history)
        if state is None:
            state = algorithm.init(biterms, 4, PRIOR, rng)
        else:
            state = algorithm.grow(state, biterms, PRIOR, rng)
        state, _ = algorithm.step(state, next(biterms.blocks(300)), PRIOR, rng)
        seen += 300
        assert (state.remembered, state.seen, state.biterms.sum()) == (remembered, seen, seen)
        assert len(state.first) == len(state.second) == len(state.topics) == remembered
        assert state.words.sum() == 2 * seen
        assert state.words.min() >= 0


def test_samplers_reject_counts_beyond_float32():
    names = ["a", "b"]
    heavy = Biterms(np.zeros(1, np.int32), np.ones(1, np.int32), names)
    state = OnlineBTM().init(heavy, 2, PRIOR, np.random.default_rng(0))
    full = np.full((2, 2), 2.0**23, np.float32)
    for algorithm, grown in (
        (OnlineBTM(), state._replace(words=full + state.prior_words)),
        (IncrementalBTM(), IncrementalBTM().init(heavy, 2, PRIOR, None)._replace(words=full)),
    ):
        with pytest.raises(InputError, match=r"count to 16,777,216.*sdm"):
            algorithm.grow(grown, heavy, PRIOR, np.random.default_rng(0))


def dated(n=60):
    days = np.datetime64("2024-01-01", "us") + np.arange(n) * np.timedelta64(1, "D")
    order = np.random.default_rng(0).permutation(n)
    texts = [f"w{i % 7} w{i % 5} w{i % 3}" for i in range(n)]
    return Corpus.from_texts([texts[i] for i in order], times=days[order])


@pytest.mark.parametrize(
    ("slices", "names"),
    [
        ("hour", ["2024-01-04T00:00", "2024-01-05T00:00"]),
        ("day", ["2024-01-04", "2024-01-05"]),
        ("month", ["2024-01-01", "2024-02-01"]),
        ("quarter", ["2024-01-01"]),
        ("year", ["2024-01-01"]),
        ("week", [f"2024-{d}" for d in ("01-01", "01-08", "01-15", "01-22", "01-29")]),
        (4, ["0", "1", "2", "3"]),
    ],
)
def test_online_btm_trains_in_time_slices(slices, names):
    corpus = dated()
    model = BTM(3, algorithm=OnlineBTM(slices=slices), random_state=0).fit(corpus)
    found = [piece.name for piece in model.slices_]
    assert found[: len(names)] == names
    whole = sum(piece.biterms.sum() for piece in model.slices_)
    assert whole == model.fitted_.state.biterms.sum()
    first, *_ = time_slices(corpus, slices)
    assert len(names) == 1 or first[1].times.max() < corpus.times.max()
    assert first[1].times.min() == corpus.times.min()


def test_slice_topics_are_those_of_the_model_at_that_time():
    corpus, algorithm = dated(), OnlineBTM(slices=3, decay=0.5)
    model = BTM(3, algorithm=algorithm, random_state=0).fit(corpus)
    theta, phi = model.slice_topics(-1)
    np.testing.assert_allclose(theta, model.theta_, rtol=1e-6)
    np.testing.assert_allclose(phi, model.phi_, rtol=1e-4)
    model.partial_fit(["brandnew w1 w2"])
    np.testing.assert_allclose(model.slice_topics(2)[0], theta, rtol=1e-6)
    np.testing.assert_allclose(model.slice_topics(3)[1], model.phi_, rtol=1e-4)
    with pytest.raises(InputError, match="no time slices"):
        BTM(2, random_state=0).fit(corpus).slice_topics(0)


def test_time_slices_need_times():
    with pytest.raises(InputError, match="needs documents with times"):
        BTM(2, algorithm=OnlineBTM(slices="day")).fit(["red blue", "blue sky"])
    corpus = Corpus.from_texts(["red blue", "blue sky"], times=[None, datetime(2024, 1, 1)])
    with pytest.raises(InputError, match="0 has none"):
        BTM(2, algorithm=OnlineBTM(slices="day")).fit(corpus)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Gibbs(sweeps=0), "sweeps"),
        (lambda: Gibbs(sweeps=5, samples=6), "samples"),
        (lambda: Gibbs(sampler="magic"), "sampler"),
        (lambda: OnlineBTM(sweeps=0), "sweeps"),
        (lambda: OnlineBTM(decay=1.5), "decay"),
        (lambda: OnlineBTM(slices="decade"), "day, week, month"),
        (lambda: IncrementalBTM(rejuvenation=-1), "rejuvenation"),
        (lambda: IncrementalBTM(history=0), "history"),
    ],
)
def test_settings_out_of_range_are_rejected(make, says):
    with pytest.raises(InputError, match=says):
        make()
