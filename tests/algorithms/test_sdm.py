import numpy as np
import pytest

import reference
from bittern import Corpus
from bittern.algorithms import SDM, Prior, Trainer, copy_state, estimate
from bittern.algorithms._word_rows import (
    NEVER,
    TABLE_SIZE,
    kept_fraction,
    log_kept,
    step_size,
    step_sizes,
)
from bittern.biterms import Biterms, Block, extract_biterms
from bittern.errors import InputError
from known import match, sample_corpus, sample_topics

PRIOR = Prior(topic=0.5, word=0.01)


def random_biterms(rng, n=400, n_words=12, equal=False):
    first, second = rng.integers(n_words, size=(2, n)).astype(np.int32)
    if not equal:
        second = np.where(first == second, (second + 1) % n_words, second).astype(np.int32)
    return Biterms(first, second, [str(i) for i in range(n_words)])


def paper_b(state):
    return state.mass[:, None].astype(float) * state.rows + PRIOR.word


def paper_c(state):
    return state.totals + len(state.rows) * PRIOR.word


def fit(algorithm, biterms, n_topics=3, seed=0):
    trainer = Trainer(algorithm, n_topics, PRIOR, np.random.default_rng(seed))
    return trainer.fit([("", biterms)]).state


@pytest.mark.parametrize("algorithm", [SDM.paper(), SDM.paper(kappa=0.7, cooldown=0.3, epochs=2)])
@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("n_topics", [1, 3, 37])
def test_kernel_equals_the_papers_algorithm(algorithm, equal, n_topics):
    n = 5000 if n_topics == 3 else 400  # more than are settled at a time, and fewer
    biterms = random_biterms(np.random.default_rng(0), n, equal=equal)
    state = algorithm.init(biterms, n_topics, PRIOR, np.random.default_rng(1))
    b = paper_b(state)
    block = Block(*(np.tile(x, algorithm.epochs) for x in (biterms.first, biterms.second)), 0)
    pairs = zip(block.first, block.second, strict=True)
    log_q = reference.sdm(
        pairs, b, biterms.counts(), algorithm.kappa, *PRIOR[:2], state.cooling.tolist()
    )
    state, log_likelihood = algorithm.step(state, block, PRIOR, np.random.default_rng())
    np.testing.assert_allclose(paper_b(state), b, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(paper_c(state), b.sum(axis=0), rtol=1e-4)
    assert log_likelihood == pytest.approx(log_q.sum(), rel=1e-5)


def test_kernel_leaves_as_much_out_as_a_text_contributes():
    corpus = Corpus.from_tokens([["a", "b", "c", "d"], ["a", "b"], ["c", "d", "a"]])
    biterms = extract_biterms(corpus)
    algorithm = SDM.paper(leave_out="text")
    state = algorithm.init(biterms, 3, PRIOR, np.random.default_rng(1))
    assert state.left_out == pytest.approx(2 * 10 / 9)  # biterms per token
    b = paper_b(state)
    log_q = reference.sdm(
        list(zip(biterms.first, biterms.second, strict=True)),
        b,
        biterms.counts(),
        algorithm.kappa,
        *PRIOR,
        np.full(4, np.inf),
        left_out=state.left_out,
    )
    state, log_likelihood = algorithm.step(state, next(biterms.blocks(20)), PRIOR, None)
    np.testing.assert_allclose(paper_b(state), b, rtol=1e-4)
    assert log_likelihood == pytest.approx(log_q.sum(), rel=1e-5)


def test_cooldown_turns_the_memory_into_a_mean():
    cooled = [step_size(t, 10, step_sizes(0.6), 0.6) for t in range(40)]
    expected = [reference.sdm_step_size(t, 10, 0.6) for t in range(40)]
    np.testing.assert_allclose(cooled, expected, rtol=1e-5)
    late = [
        step_size(t, NEVER, step_sizes(0.6), 0.6)
        for t in (TABLE_SIZE - 1, TABLE_SIZE, TABLE_SIZE + 1)
    ]
    np.testing.assert_allclose(late, [(TABLE_SIZE + i) ** -0.6 for i in range(3)], rtol=1e-5)


def test_words_keep_their_counts():
    biterms = random_biterms(np.random.default_rng(2), n=20_000)
    state = fit(SDM.paper(epochs=2), biterms, n_topics=7)
    b = paper_b(state)
    np.testing.assert_allclose((b - PRIOR.word).sum(axis=1), biterms.counts() - 1, rtol=1e-5)
    np.testing.assert_allclose(paper_c(state), b.sum(axis=0), rtol=1e-5)
    topics = SDM.paper().topics(state, PRIOR)
    assert topics.biterms.sum() == pytest.approx(len(biterms), rel=1e-5)
    np.testing.assert_allclose(topics.words.sum(axis=0), 2 * topics.biterms, rtol=1e-5)
    assert state.updates.tolist() == (2 * biterms.counts()).tolist()


def residual(state, biterms):
    pairs = np.column_stack([biterms.first, biterms.second])
    return reference.sdm_residual(paper_b(state), pairs, *PRIOR[:2])


def test_residual_of_the_fixed_point_falls_with_epochs():
    rng = np.random.default_rng(0)
    biterms = extract_biterms(sample_corpus(rng, *sample_topics(rng, n_words=40), n_documents=600))
    residuals = [
        residual(
            fit(SDM.paper(kappa=0.7, cooldown=0.3, epochs=epochs), biterms, n_topics=5), biterms
        )
        for epochs in (1, 4, 16, 64)
    ]
    assert residuals == sorted(residuals, reverse=True)
    assert residuals[-1] < residuals[0] / 3


def test_known_topics_are_recovered():
    rng = np.random.default_rng(0)
    theta, phi = sample_topics(rng)
    biterms = extract_biterms(sample_corpus(rng, theta, phi))
    algorithm = SDM()
    found_theta, found = estimate(algorithm.topics(fit(algorithm, biterms, 5), PRIOR), PRIOR)
    assert found_theta.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=1e-5)
    assert match(found.T, phi).max() < 0.15


def test_same_seed_same_bits():
    biterms = random_biterms(np.random.default_rng(3))
    a, b, c = (fit(SDM(), biterms, seed=seed) for seed in (0, 0, 1))
    assert a.rows.tobytes() == b.rows.tobytes() != c.rows.tobytes()


def test_growing_adds_counts_and_new_words():
    rng = np.random.default_rng(0)
    state = SDM.paper().init(Biterms.from_words("abab", "baba", vocabulary="abc"), 2, PRIOR, rng)
    assert state.mass.tolist() == [3, 3, 0]
    grown = SDM().grow(state, Biterms.from_words("add", "dbb", vocabulary="abcd"), PRIOR, rng)
    assert grown.counts.tolist() == [5, 6, 0, 3]
    assert grown.mass.tolist() == [5, 6, 0, 3]
    np.testing.assert_array_equal(grown.rows[:3], state.rows)
    np.testing.assert_allclose(grown.rows.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(grown.totals, grown.mass @ grown.rows, rtol=1e-6)


def test_counts_grow_beyond_float32():
    rng = np.random.default_rng(0)
    state = SDM().init(Biterms.from_words("a", "b"), 2, PRIOR, rng)
    state = state._replace(counts=np.full(2, 2.0**24))
    more = Biterms.from_words("a", "b")
    for _ in range(10):
        state = SDM().grow(state, more, PRIOR, rng)
    assert state.counts.tolist() == [2**24 + 10] * 2


@pytest.mark.parametrize("kappa", [0.51, 0.8, 1.0])
def test_kept_fraction_is_the_product_over_updates(kappa):
    late = TABLE_SIZE - 3
    cases = [(0, 5, 9), (1, 4, 99), (3, 0, 9), (3, 20, 9), (12, 7, 9), (5, 9, 0), (7, 2000, NEVER)]
    for start, n, cooling in [*cases, (late, 9, NEVER), (late, 40, late + 20)]:
        steps = [reference.sdm_step_size(t, cooling, kappa) for t in range(start, start + n)]
        expected = np.prod(1 - np.array(steps))
        assert kept_fraction(start, n, cooling, log_kept(kappa), kappa) == pytest.approx(
            expected, rel=2e-4
        )


def test_merging_equals_updates_one_after_the_other():
    biterms = random_biterms(np.random.default_rng(4), n=900)
    algorithm, rng = SDM(background=0), np.random.default_rng(0)
    base = algorithm.init(biterms, 3, PRIOR, rng)
    base, _ = algorithm.step(base, Block(biterms.first[:9], biterms.second[:9], 0), PRIOR, rng)
    blocks = [biterms[9:30], biterms[30:500], biterms[500:]]
    parts = [
        algorithm.step(copy_state(base), Block(b.first, b.second, 0), PRIOR, rng)[0] for b in blocks
    ]
    merged, *_ = algorithm.merge(copy_state(base), [copy_state(part) for part in parts], PRIOR)
    expected = reference.merged_rows(base, parts, algorithm.kappa)
    np.testing.assert_allclose(merged.rows, expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(merged.rows.sum(axis=1), 1, rtol=1e-5)
    assert merged.updates.tolist() == (biterms.counts()).tolist()
    np.testing.assert_allclose(paper_c(merged), paper_b(merged).sum(axis=0), rtol=1e-6)


def test_merged_states_are_equal_and_share_no_memory():
    biterms = random_biterms(np.random.default_rng(4), n=300)
    algorithm, rng = SDM(), np.random.default_rng(0)
    base = algorithm.init(biterms, 3, PRIOR, rng)
    parts = [algorithm.step(copy_state(base), b, PRIOR, rng)[0] for b in biterms.blocks(150)]
    states = algorithm.merge(base, parts, PRIOR)
    assert len(states) == 3
    for state in states[1:]:
        for ours, theirs in zip(state, states[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert not np.shares_memory(state.rows, states[0].rows)
        assert not np.shares_memory(state.updates, states[0].updates)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"kappa": 0.5}, "kappa"),
        ({"kappa": 1.01}, "Robbins-Monro"),
        ({"cooldown": 1.0}, "cooldown"),
        ({"cooldown": -0.1}, "cooldown"),
        ({"epochs": 0}, "epochs"),
        ({"epochs": "many"}, "epochs"),
        ({"epochs": 1.5}, "epochs"),
        ({"epochs": True}, "epochs"),
        ({"sweeps": -1}, "sweeps"),
        ({"sweeps": "some"}, "sweeps"),
        ({"leave_out": "word"}, "leave_out"),
        ({"kappa": "fast"}, "kappa"),
        ({"cooldown": "long"}, "cooldown"),
        ({"background": 1.0}, "background"),
        ({"background": "some"}, "background"),
    ],
)
def test_settings_out_of_range_are_rejected(settings, says):
    with pytest.raises(InputError, match=says):
        SDM(**settings)
