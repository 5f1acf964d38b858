"""What every algorithm must do: run for all that are in the registry."""

from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import normalized_mutual_info_score

from bittern import BTM, Corpus, load
from bittern.algorithms import (
    ALGORITHMS,
    Gibbs,
    IncrementalBTM,
    OnlineAlgorithm,
    Prior,
    driver,
    estimate,
    run,
    settings,
)
from bittern.algorithms.contract import Algorithm, copy_state
from bittern.biterms.biterms import Biterms, extract_biterms
from bittern.errors import InputError
from known import blocks
from skeleton import Skeleton

TEXTS, TOPICS = blocks()
PRIOR = Prior(0.5, 0.01)


KINDS = [kind() for kind in (*ALGORITHMS.values(), Skeleton)]
OTHERS = [Gibbs(sampler="sparse"), Gibbs(sweeps=30, samples=5), IncrementalBTM(history=500)]


@pytest.fixture(params=[*KINDS, *OTHERS], ids=repr)
def algorithm(request, monkeypatch):
    monkeypatch.setitem(ALGORITHMS, request.param.name, type(request.param))
    return request.param


def learn(algorithm, biterms, n_topics, seed=0):
    """The state after a fit, and the records of its learning curve."""
    rng = np.random.default_rng(seed)
    arranged = algorithm.arrange(biterms, n_topics, rng)
    state = algorithm.init(arranged, n_topics, PRIOR, rng)
    records = []
    epochs = algorithm.passes(biterms.total)
    state = run(
        algorithm, state, arranged, PRIOR, rng, epochs, lambda record, _: records.append(record)
    )
    return state, records


def test_it_finds_topics_with_words_of_their_own(algorithm):
    models = [BTM(4, algorithm=algorithm, random_state=seed).fit(TEXTS) for seed in range(4)]
    best = max(models, key=lambda model: model.score(TEXTS))
    found = best.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.95
    for words in best.top_words(5):
        assert len({word[:6] for word in words}) == 1


@pytest.mark.parametrize("n_topics", [1, 3, 20])
def test_counts_add_up_to_the_biterms(algorithm, n_topics):
    biterms = extract_biterms(Corpus.from_texts(TEXTS))
    state, _ = learn(algorithm, biterms, n_topics)
    topics = algorithm.topics(state, PRIOR)
    assert topics.biterms.sum() == pytest.approx(len(biterms), rel=1e-4)
    np.testing.assert_allclose(topics.words.sum(axis=0), 2 * topics.biterms, rtol=1e-3)
    assert (topics.words >= 0).all()
    if algorithm.name != "scvb0":  # it alone does not keep the counts of the words
        np.testing.assert_allclose(topics.words.sum(axis=1), biterms.counts(), rtol=1e-4)
    theta, phi = estimate(topics, PRIOR)
    assert theta.sum() == pytest.approx(1)
    np.testing.assert_allclose(phi.sum(axis=0, dtype=float), 1, rtol=1e-5)


def test_the_learning_curve_is_a_likelihood_that_rises(algorithm):
    _, records = learn(algorithm, extract_biterms(Corpus.from_texts(TEXTS * 8)), 4)
    curve = np.array([record.log_likelihood for record in records])
    assert np.isfinite(curve).all()
    assert (curve < 0).all()
    assert curve[-3:].mean() > curve[:2].mean()
    assert [record.biterms for record in records] == sorted(record.biterms for record in records)


@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_seed_gives_the_same_bits(algorithm, seed):
    first, second = (BTM(3, algorithm=algorithm, random_state=seed).fit(TEXTS) for _ in range(2))
    assert first.phi_.tobytes() == second.phi_.tobytes()
    other = BTM(3, algorithm=algorithm, random_state=seed + 1).fit(TEXTS)
    assert first.phi_.tobytes() != other.phi_.tobytes()


def test_it_can_be_cloned_saved_and_loaded(algorithm, tmp_path):
    model = clone(BTM(3, algorithm=algorithm, random_state=0)).fit(TEXTS)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.algorithm == algorithm
    assert loaded.phi_.tobytes() == model.phi_.tobytes()
    assert loaded.transform(TEXTS).tobytes() == model.transform(TEXTS).tobytes()
    assert [s.name for s in loaded.slices_] == [s.name for s in model.slices_]
    for ours, theirs in zip(loaded.slices_, model.slices_, strict=True):
        assert (ours.words != theirs.words).nnz == 0
    if isinstance(algorithm, OnlineAlgorithm):
        more = [m.partial_fit(TEXTS[:50]).phi_.tobytes() for m in (model, loaded)]
        assert more[0] == more[1]


def test_it_goes_on_learning_or_says_that_it_cannot(algorithm):
    model = BTM(4, algorithm=algorithm, random_state=1)
    if not isinstance(algorithm, OnlineAlgorithm):
        with pytest.raises(InputError, match=r"needs all data at once.*sdm"):
            model.partial_fit(TEXTS)
        return
    for start in range(0, 400, 100):
        model.partial_fit(TEXTS[start : start + 100])
    found = model.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.7
    model.partial_fit(["brandnew topic0word0 topic0word1"] * 20)
    assert model.vocabulary_[-1] == "brandnew"
    state = model._learned.state
    topics = algorithm.topics(state, PRIOR)
    seen = model.history_["biterms"][-1] / algorithm.repeats()
    assert topics.biterms.sum() == pytest.approx(seen, rel=1e-4)


def test_fit_can_be_followed_by_more(algorithm):
    if isinstance(algorithm, OnlineAlgorithm):
        model = BTM(4, algorithm=algorithm, random_state=0).fit(TEXTS)
        assert np.isfinite(model.partial_fit(["sky topic1word1 cloud"]).phi_).all()


def test_one_biterm_is_enough(algorithm):
    model = BTM(2, algorithm=algorithm, random_state=0).fit(["red blue"])
    assert model.phi_.shape == (2, 2)
    assert np.isfinite(model.transform(["red blue", "red"])).all()


def test_a_word_that_never_comes_is_no_trouble(algorithm):
    counts = np.random.default_rng(0).integers(0, 3, size=(40, 6))
    counts[:, 2] = 0
    model = BTM(3, algorithm=algorithm, random_state=0).fit(counts)
    assert np.isfinite(model.phi_).all()
    assert model.phi_[:, 2].max() < model.phi_.max(axis=1).min()


def test_one_topic_and_more_topics_than_biterms(algorithm):
    assert BTM(1, algorithm=algorithm, random_state=0).fit(TEXTS).theta_.tolist() == [1.0]
    many = BTM(50, algorithm=algorithm, random_state=0).fit(["red blue green", "blue sky"])
    assert np.isfinite(many.phi_).all()
    np.testing.assert_allclose(many.phi_.sum(axis=1), 1, rtol=1e-5)


def test_pairs_of_a_word_with_itself_and_weights_are_no_trouble(algorithm):
    biterms = Biterms.from_words("abcabc", "abcbca", weight=[3, 2, 1.5, 5, 4, 2.5])
    model = BTM(3, algorithm=algorithm, random_state=0).fit(biterms)
    assert np.isfinite(model.phi_).all()
    assert np.isfinite(model.score(biterms))


def test_parts_that_learned_apart_can_be_merged(algorithm):
    biterms = extract_biterms(Corpus.from_texts(TEXTS))
    rng = np.random.default_rng(0)
    arranged = algorithm.arrange(biterms, 3, rng)
    base = algorithm.init(arranged, 3, PRIOR, rng)
    if type(algorithm).merge is Algorithm.merge:
        with pytest.raises(NotImplementedError):
            algorithm.merge(base, [base], PRIOR)
        return
    halves = list(algorithm.order(arranged, rng).blocks(-(-len(arranged) // 2)))
    parts = [algorithm.step(copy_state(base), half, PRIOR, rng)[0] for half in halves]
    expected = algorithm.topics(parts[0], PRIOR)
    alone = algorithm.topics(
        algorithm.merge(copy_state(base), [copy_state(parts[0])], PRIOR), PRIOR
    )
    np.testing.assert_allclose(alone.words, expected.words, rtol=1e-3, atol=1e-3)
    merged = algorithm.merge(base, parts, PRIOR)
    topics = algorithm.topics(merged, PRIOR)
    assert topics.biterms.sum() == pytest.approx(len(biterms), rel=1e-4)
    np.testing.assert_allclose(topics.words.sum(axis=0), 2 * topics.biterms, rtol=1e-3)


def test_threads_learn_as_well_as_one(algorithm, monkeypatch):
    monkeypatch.setattr(driver, "SMALLEST_ROUND", 200)
    models = {
        jobs: [
            BTM(4, algorithm=algorithm, random_state=seed, n_jobs=jobs).fit(TEXTS * 5)
            for seed in range(4)
        ]
        for jobs in (1, 3)
    }
    scores = {jobs: max(m.score(TEXTS) for m in fitted) for jobs, fitted in models.items()}
    assert scores[3] > scores[1] - 0.05
    again = BTM(4, algorithm=algorithm, random_state=0, n_jobs=3).fit(TEXTS * 5)
    assert again.phi_.tobytes() == models[3][0].phi_.tobytes()


def test_every_setting_is_explained(algorithm):
    meanings = settings()
    for setting in (field.name for field in fields(algorithm)):
        assert f"{algorithm.name}: " in meanings[setting]
        assert f"Default: {getattr(type(algorithm)(), setting)}." in meanings[setting]
