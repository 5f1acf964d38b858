"""Sweeps over texts, each one left out of what it is told."""

import numpy as np
import pytest

import reference
from bittern import BTM, Corpus, load
from bittern.algorithms import SDM, Gibbs, Prior, Refinable, Trainer
from bittern.biterms import Biterms, LazyBiterms, extract_biterms
from known import blocks, match, sample_corpus, sample_topics

PRIOR = Prior(topic=0.5, word=0.2)


def random_corpus(seed, counts=False):
    """Texts of zero to nine words, some of which occur twice in a text."""
    rng = np.random.default_rng(seed)
    if counts:
        matrix = rng.poisson(0.4, size=(40, 12))
        return Corpus.from_counts(matrix)
    texts = [[f"w{w}" for w in rng.integers(12, size=rng.integers(10))] for _ in range(40)]
    return Corpus.from_tokens(texts, vocabulary=[f"w{w}" for w in range(12)])


def as_lists(texts):
    """The words and weights of each text."""
    weights = texts.counts if len(texts.counts) else np.ones(len(texts.tokens))
    pairs = list(zip(texts.tokens.tolist(), weights.tolist(), strict=True))
    return [pairs[a:b] for a, b in zip(texts.indptr, texts.indptr[1:], strict=False)]


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("background", [0.0, 0.3])
@pytest.mark.parametrize("seeds", [None, {"a": ["w1", "w2"], "b": ["w5"]}])
@pytest.mark.parametrize(("n_topics", "step"), [(1, 1.0), (5, 1.0), (37, 1.8)])
def test_kernel_equals_the_reference(counts, background, seeds, n_topics, step):
    corpus = random_corpus(0, counts)
    biterms = extract_biterms(corpus, window=None)
    if counts and seeds:
        seeds = {name: [word[1:] for word in words] for name, words in seeds.items()}
    seeds = seeds if n_topics > 1 else None
    algorithm = SDM(background=background, seed_words=seeds, seed_share=0.4)
    rng = np.random.default_rng(1)
    state = algorithm.init(biterms, n_topics, PRIOR, rng)
    state, _ = algorithm.step(state, next(biterms.blocks(1000)), PRIOR, rng)
    texts, order = biterms.texts, rng.permutation(len(corpus))
    evidence = algorithm.first_evidence(state, texts)
    lists = as_lists(texts)
    expected = np.split(evidence.astype(float), texts.indptr[1:-1])
    rows = state.rows.astype(float)
    log_likelihood = reference.text_sweep(
        lists,
        order,
        biterms.counts(),
        rows,
        expected,
        step,
        1.0,
        *PRIOR,
        background,
        None if seeds is None else state.seeds - 1,
        0.4,
    )
    found = algorithm.sweep(state, texts, order, evidence, step, PRIOR)
    assert found == pytest.approx(log_likelihood.sum(), rel=1e-4)
    np.testing.assert_allclose(evidence, np.concatenate(expected), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(state.rows, rows, rtol=1e-3, atol=1e-4)
    state = algorithm.with_evidence(state, texts, evidence)
    np.testing.assert_allclose(state.rows, rows, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(state.totals, state.mass @ state.rows, rtol=1e-4)


def test_first_evidence_agrees_with_the_state():
    biterms = extract_biterms(random_corpus(1))
    algorithm = SDM()
    state = algorithm.init(biterms, 4, PRIOR, np.random.default_rng(0))
    before = state.rows.copy()
    evidence = algorithm.first_evidence(state, biterms.texts)
    assert evidence.sum() == pytest.approx(2 * len(biterms), rel=1e-5)
    again = algorithm.with_evidence(state, biterms.texts, evidence)
    np.testing.assert_allclose(again.rows, before, rtol=1e-5)


def test_a_word_of_one_text_says_nothing_about_that_text():
    texts = [["red", "sky"], ["blue", "sky"]] * 20 + [["once", "red"]]
    biterms = extract_biterms(Corpus.from_tokens(texts))
    algorithm = SDM(background=0)
    evidence = []
    for start in (0, 1):
        state = algorithm.init(biterms, 2, PRIOR, np.random.default_rng(0))
        state.rows[biterms.vocabulary.index("once")] = np.eye(2)[start]
        own = algorithm.first_evidence(state, biterms.texts)
        algorithm.sweep(state, biterms.texts, np.array([len(texts) - 1]), own, 1.0, PRIOR)
        evidence.append(own[-2:])
    np.testing.assert_allclose(*evidence, rtol=1e-4)


def test_sweeps_keep_the_counts_of_words():
    biterms = LazyBiterms(random_corpus(2), 15)
    trainer = Trainer(SDM(background=0, sweeps=5), 3, PRIOR, np.random.default_rng(0))
    state = trainer.fit([("", biterms)]).state
    used = state.counts > 0
    np.testing.assert_allclose(state.rows[used].sum(axis=1), 1, rtol=1e-3)
    counts = SDM().topics(state, PRIOR)
    assert counts.biterms.sum() == pytest.approx(len(biterms), rel=1e-3)


def test_sweeps_raise_the_likelihood_of_left_out_texts():
    rng = np.random.default_rng(0)
    theta, phi = sample_topics(rng)
    corpus = sample_corpus(rng, theta, phi, n_documents=1500)
    model = BTM(5, n_init=1, random_state=0).fit(corpus)
    history = model.history_
    sweeps = history.filter(history["stage"] == "sweep")
    assert history["stage"].to_list() == ["pass"] * (len(history) - 16) + ["sweep"] * 16
    likelihood = sweeps["log_likelihood"].to_numpy()
    assert likelihood[-1] > likelihood[1]  # in the first, the evidence is but a guess
    assert (np.diff(likelihood[1:]) > -0.001).all()
    new = sample_corpus(rng, theta, phi, n_documents=1500).with_vocabulary(corpus.vocabulary)
    assert likelihood[-1] < model.score(corpus)  # a text knows itself
    assert likelihood[-1] == pytest.approx(model.score(new), abs=0.1)
    assert match(model.phi_, phi).max() < 0.15


def test_threads_share_the_starts_and_change_nothing():
    corpus = Corpus.from_texts(blocks(n_topics=6, n_documents=600)[0])
    one, two, tight = (
        BTM(6, random_state=0, n_jobs=n, memory=memory).fit(corpus)
        for n, memory in ((1, None), (3, None), (3, "1kB"))
    )
    assert one.phi_.tobytes() == two.phi_.tobytes()
    assert one.history_.equals(two.history_)
    assert tight.score(corpus) == pytest.approx(one.score(corpus), abs=0.05)


def test_threads_find_the_same_topics():
    rng = np.random.default_rng(3)
    theta, phi = sample_topics(rng, n_topics=8, n_words=200)
    corpus = sample_corpus(rng, theta, phi, n_documents=6000)
    one, two, again = (BTM(8, n_init=1, random_state=0, n_jobs=n).fit(corpus) for n in (1, 2, 2))
    assert one.phi_.tobytes() != two.phi_.tobytes()
    assert two.phi_.tobytes() == again.phi_.tobytes()
    assert one.score(corpus) == pytest.approx(two.score(corpus), abs=0.01)
    assert match(two.phi_, phi).max() < 0.15


def test_the_best_start_continues():
    texts, _ = blocks(n_topics=6, n_documents=600)
    corpus = Corpus.from_texts(texts)
    tried = [BTM(6, n_init=n, random_state=0).fit(corpus) for n in (1, 8)]
    ends = [model.history_["log_likelihood"][-1] for model in tried]
    assert ends[1] >= ends[0]
    assert len(tried[1].history_) == len(tried[0].history_)


def test_biterms_without_texts_are_not_swept():
    assert isinstance(SDM(), Refinable)
    assert not isinstance(Gibbs(), Refinable)
    biterms = Biterms.from_words("abcd" * 50, "bcda" * 50)
    model = BTM(2, algorithm=SDM(sweeps=5), random_state=0).fit(biterms)
    assert set(model.history_["stage"]) == {"pass"}
    assert biterms.texts is None
    part = extract_biterms(random_corpus(0))[:10]
    assert part.texts is None  # some biterms of a text are not the text


def test_background_follows_the_sweeps(tmp_path):
    texts, _ = blocks()
    found = {}
    for algorithm in (SDM(), SDM(sweeps=0), SDM(background=0.3, sweeps=0)):
        model = BTM(4, algorithm=algorithm, random_state=0).fit(texts)
        background = model.fitted_.mixed_phi - model.phi_
        found[algorithm] = np.abs(background).max() > 0
        before = model.score(texts)
        model.save(tmp_path / "model")
        assert load(tmp_path / "model").score(texts) == before
        model.partial_fit(texts)
        assert (np.abs(model.fitted_.mixed_phi - model.phi_).max() > 0) == found[algorithm]
    assert list(found.values()) == [True, False, True]
