"""What every algorithm must do; runs for all in the registry, by capability."""

import re
from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import normalized_mutual_info_score

from bittern import BTM, Corpus, load
from bittern.algorithms import (
    ALGORITHMS,
    Editable,
    Gibbs,
    Growable,
    IncrementalBTM,
    Mergeable,
    Prior,
    Sliced,
    Trainer,
    copy_state,
    describe_settings,
    driver,
    estimate,
)
from bittern.biterms import Biterms, arrange, extract_biterms, next_pass, time_slices
from bittern.errors import InputError
from known import blocks
from skeleton import Skeleton

TEXTS, TOPICS = blocks()
PRIOR = Prior(0.5, 0.01)

ALL = [
    *(kind() for kind in ALGORITHMS.values()),
    Skeleton(),
    Gibbs(sampler="sparse"),
    Gibbs(sweeps=30, samples=5),
    IncrementalBTM(history=500),
]
GROWABLE = [algorithm for algorithm in ALL if isinstance(algorithm, Growable)]
MERGEABLE = [algorithm for algorithm in ALL if isinstance(algorithm, Mergeable)]
EDITABLE = [algorithm for algorithm in ALL if isinstance(algorithm, Editable)]
PARALLEL = [algorithm for algorithm in ALL if algorithm.parallel]


def every(algorithms):
    return pytest.mark.parametrize("algorithm", algorithms, ids=repr)


@pytest.fixture(autouse=True)
def skeleton_is_registered(monkeypatch):
    monkeypatch.setitem(ALGORITHMS, Skeleton.name, Skeleton)


def train(algorithm, biterms, n_topics, seed=0):
    """The outcome of a fit."""
    trainer = Trainer(algorithm, n_topics, PRIOR, np.random.default_rng(seed))
    return trainer.fit(time_slices(biterms, algorithm.slices))


def start(algorithm, biterms, n_topics, rng):
    """Arranged biterms, and the state before the first of them."""
    arranged = arrange(biterms, algorithm.order, rng)
    return arranged, algorithm.init(arranged, n_topics, PRIOR, rng)


def test_capabilities_are_as_documented():
    """A change here is a change of what algorithms can do."""

    def names(algorithms):
        return {algorithm.name for algorithm in algorithms}

    assert names(GROWABLE) == {"sdm", "scvb0", "online", "incremental", "alpha-sdm"}
    assert names(MERGEABLE) == names(ALL) - {"incremental", "skeleton"}
    assert names(EDITABLE) == {"sdm"}
    assert names(PARALLEL) == {"sdm", "alpha-sdm"}
    assert names(a for a in ALL if isinstance(a, Sliced)) == {"online"}
    assert {algorithm.name: algorithm.order for algorithm in ALL} == {
        "sdm": "reshuffled",
        "scvb0": "reshuffled",
        "cvb0": "merged",
        "gibbs": "grouped",
        "online": "shuffled",
        "incremental": "sequential",
        "alpha-sdm": "reshuffled",
        "skeleton": "shuffled",
    }


@every(ALL)
def test_finds_topics_with_distinct_words(algorithm):
    models = [BTM(4, algorithm=algorithm, random_state=seed).fit(TEXTS) for seed in range(4)]
    best = max(models, key=lambda model: model.score(TEXTS))
    found = best.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.95
    for words in best.top_words(5):
        assert len({word[:6] for word in words}) == 1


def check_sum(counts, n_biterms):
    """Counts add up to the biterms, except for words that come from the background."""
    from_background = 0 if counts.background is None else counts.background.probability
    assert counts.biterms.sum() <= n_biterms * 1.0001
    assert counts.biterms.sum() >= n_biterms * (1 - 1.1 * from_background) * 0.9999
    np.testing.assert_allclose(counts.words.sum(axis=0), 2 * counts.biterms, rtol=1e-3)


@every(ALL)
@pytest.mark.parametrize("n_topics", [1, 3, 20])
def test_counts_add_up_to_the_biterms(algorithm, n_topics):
    biterms = extract_biterms(Corpus.from_texts(TEXTS))
    trained = train(algorithm, biterms, n_topics)
    counts = algorithm.topics(trained.state, PRIOR)
    check_sum(counts, len(biterms))
    assert (counts.words >= 0).all()
    if algorithm.name != "scvb0" and counts.background is None:  # it alone does not preserve them
        np.testing.assert_allclose(counts.words.sum(axis=1), biterms.counts(), rtol=1e-4)
    theta, phi = estimate(counts, PRIOR)
    assert theta.sum() == pytest.approx(1)
    np.testing.assert_allclose(phi.sum(axis=0, dtype=float), 1, rtol=1e-5)


@every(ALL)
def test_learning_curve_is_a_rising_likelihood(algorithm):
    history = train(algorithm, extract_biterms(Corpus.from_texts(TEXTS * 8)), 4).history
    curve = np.array([record.log_likelihood for record in history])
    assert np.isfinite(curve).all()
    assert (curve < 0).all()
    assert curve[-3:].mean() > curve[:2].mean()
    assert [record.biterms for record in history] == sorted(record.biterms for record in history)


@every(ALL)
@pytest.mark.parametrize("seed", [0, 5])
def test_same_seed_gives_the_same_bits(algorithm, seed):
    first, second = (BTM(3, algorithm=algorithm, random_state=seed).fit(TEXTS) for _ in range(2))
    assert first.phi_.tobytes() == second.phi_.tobytes()
    others = [
        BTM(3, algorithm=algorithm, random_state=seed + i).fit(TEXTS).phi_.tobytes()
        for i in (1, 2, 3)
    ]
    assert set(others) != {first.phi_.tobytes()}  # samplers may come to the same topics


@every(ALL)
def test_can_be_cloned_saved_and_loaded(algorithm, tmp_path):
    model = clone(BTM(3, algorithm=algorithm, random_state=0)).fit(TEXTS)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.algorithm == algorithm
    assert loaded.phi_.tobytes() == model.phi_.tobytes()
    assert loaded.transform(TEXTS).tobytes() == model.transform(TEXTS).tobytes()
    assert [s.name for s in loaded.slices_] == [s.name for s in model.slices_]
    for ours, theirs in zip(loaded.slices_, model.slices_, strict=True):
        assert (ours.words != theirs.words).nnz == 0
        assert ours.carry == theirs.carry


@every(GROWABLE)
def test_continues_alike_before_and_after_saving(algorithm, tmp_path):
    model = BTM(3, algorithm=algorithm, random_state=0).fit(TEXTS)
    model.save(tmp_path / "model")
    more = [m.partial_fit(TEXTS[:50]).phi_.tobytes() for m in (model, load(tmp_path / "model"))]
    assert more[0] == more[1]


@every([algorithm for algorithm in ALL if algorithm not in GROWABLE])
def test_batch_algorithms_refuse_partial_fit(algorithm):
    model = BTM(4, algorithm=algorithm, random_state=1)
    with pytest.raises(InputError, match=r"needs all data at once.*sdm"):
        model.partial_fit(TEXTS)
    assert not hasattr(model, "fitted_")


@every(GROWABLE)
def test_partial_fit_learns_from_batches_with_new_words(algorithm):
    model = BTM(4, algorithm=algorithm, random_state=1)
    for begin in range(0, 400, 100):
        model.partial_fit(TEXTS[begin : begin + 100])
    found = model.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.7
    model.partial_fit(["brandnew topic0word0 topic0word1"] * 20)
    assert model.vocabulary_[-1] == "brandnew"
    counts = algorithm.topics(model.fitted_.state, PRIOR)
    check_sum(counts, model.fitted_.size.n_biterms)


def arrays(state):
    return [value.copy() for value in state if isinstance(value, np.ndarray)]


@every(GROWABLE)
def test_partial_fit_leaves_the_last_result_alone(algorithm, monkeypatch):
    model = BTM(4, algorithm=algorithm, random_state=0).fit(TEXTS)
    fitted, before = model.fitted_, arrays(model.fitted_.state)
    rng = fitted.rng.bit_generator.state
    step, calls = type(algorithm).step, []

    def interrupt_after_a_step(self, *arguments):
        if calls:
            raise KeyboardInterrupt
        calls.append(arguments)
        return step(self, *arguments)

    monkeypatch.setattr(driver, "MIN_BLOCK", 200)
    monkeypatch.setattr(type(algorithm), "step", interrupt_after_a_step)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(["topic0word0 brandnew topic0word1", *TEXTS])
    assert model.fitted_ is fitted
    monkeypatch.setattr(type(algorithm), "step", step)
    model.partial_fit(["topic0word0 brandnew topic0word1", *TEXTS])
    for ours, theirs in zip(before, arrays(fitted.state), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fitted.rng.bit_generator.state == rng


@every(GROWABLE)
def test_partial_fit_after_fit_keeps_the_topics(algorithm):
    model = BTM(4, algorithm=algorithm, random_state=0).fit(TEXTS)
    words, phi = list(model.vocabulary_), model.phi_.copy()
    model.partial_fit(["brandnew topic1word1 topic1word2"] * 3)
    assert model.vocabulary_ == [*words, "brandnew"]
    assert model.phi_.shape == (4, len(words) + 1)
    np.testing.assert_allclose(model.phi_.sum(axis=1), 1, rtol=1e-5)
    moved = np.abs(model.phi_[:, :-1] - phi).sum(axis=1) / 2
    assert 0 < moved.max() < 0.2


@every(ALL)
def test_one_biterm_is_enough(algorithm):
    model = BTM(2, algorithm=algorithm, random_state=0).fit(["red blue"])
    assert model.phi_.shape == (2, 2)
    assert np.isfinite(model.transform(["red blue", "red"])).all()


@every(ALL)
def test_words_without_biterms_are_improbable(algorithm):
    counts = np.random.default_rng(0).integers(0, 3, size=(40, 6))
    counts[:, 2] = 0
    model = BTM(3, algorithm=algorithm, random_state=0).fit(counts)
    assert np.isfinite(model.phi_).all()
    assert model.phi_[:, 2].max() < model.phi_.max(axis=1).min()


@every(ALL)
def test_one_topic_and_more_topics_than_biterms(algorithm):
    assert BTM(1, algorithm=algorithm, random_state=0).fit(TEXTS).theta_.tolist() == [1.0]
    many = BTM(50, algorithm=algorithm, random_state=0).fit(["red blue green", "blue sky"])
    assert np.isfinite(many.phi_).all()
    np.testing.assert_allclose(many.phi_.sum(axis=1), 1, rtol=1e-5)


@every(ALL)
def test_weights_and_pairs_of_a_word_with_itself(algorithm):
    biterms = Biterms.from_words("abcabc", "abcbca", weight=[3, 2, 1.5, 5, 4, 2.5])
    model = BTM(3, algorithm=algorithm, random_state=0).fit(biterms)
    assert np.isfinite(model.phi_).all()
    assert np.isfinite(model.score(biterms))


@every(ALL)
@pytest.mark.parametrize("n_init", [1, 2])
@pytest.mark.parametrize("weight", [0.001, 0.1])
def test_tiny_weights_are_refused_or_trained_on(algorithm, weight, n_init):
    """At random, no biterm at all may be left of a few tiny weights."""
    names = [f"a{i % 7}" for i in range(60)], [f"b{i % 5}" for i in range(60)]
    biterms = Biterms.from_words(*names, weight=np.full(60, weight))
    counts = Corpus.from_counts(np.full((60, 2), weight**0.5))
    for data in (biterms, counts):
        for seed in range(4):
            model = BTM(2, algorithm=algorithm, n_init=n_init, random_state=seed)
            if weight < 0.01:
                with pytest.raises(InputError, match="the weights are too small"):
                    model.fit(data)
            else:
                assert np.isfinite(model.fit(data).phi_).all()


@every(ALL)
def test_counts_whose_products_are_too_large_are_refused(algorithm):
    counts = np.random.default_rng(0).poisson(0.5, (60, 20)).astype(float)
    counts[3, 4] = counts[3, 5] = 1e7  # their product overflowed in CVB0
    with pytest.raises(InputError, match="scale the weights down"):
        BTM(3, algorithm=algorithm, random_state=0).fit(counts)


@every(MERGEABLE)
def test_merging_states_that_were_trained_apart(algorithm):
    biterms = extract_biterms(Corpus.from_texts(TEXTS))
    rng = np.random.default_rng(0)
    arranged, base = start(algorithm, biterms, 3, rng)
    halves = list(
        next_pass(arranged, algorithm.order, rng).blocks(-(-len(arranged.materialize()) // 2))
    )
    parts = [algorithm.step(copy_state(base), half, PRIOR, rng)[0] for half in halves]
    expected = algorithm.topics(parts[0], PRIOR)
    alone, _ = algorithm.merge(copy_state(base), [copy_state(parts[0])], PRIOR)
    words = algorithm.topics(alone, PRIOR).words
    np.testing.assert_allclose(words, expected.words, rtol=1e-3, atol=1e-3)
    merged = algorithm.merge(base, parts, PRIOR)
    assert len(merged) == 3
    for state in merged:
        check_sum(algorithm.topics(state, PRIOR), len(biterms))


@pytest.mark.filterwarnings("ignore::bittern.errors.CopiesWarning")
@every(PARALLEL)
def test_threads_train_as_well_as_one(algorithm, monkeypatch):
    monkeypatch.setattr(driver, "MIN_ROUND", 200)
    models = {
        jobs: [
            BTM(4, algorithm=algorithm, n_init=1, random_state=seed, n_jobs=jobs).fit(TEXTS * 5)
            for seed in range(4)
        ]
        for jobs in (1, 3)
    }
    one, three = (fitted[0] for fitted in models.values())
    assert one.phi_.tobytes() != three.phi_.tobytes()  # it did train in rounds
    scores = {jobs: max(m.score(TEXTS) for m in fitted) for jobs, fitted in models.items()}
    assert scores[3] > scores[1] - 0.05
    again = BTM(4, algorithm=algorithm, n_init=1, random_state=0, n_jobs=3).fit(TEXTS * 5)
    assert again.phi_.tobytes() == three.phi_.tobytes()


@every([algorithm for algorithm in ALL if algorithm not in PARALLEL])
def test_other_algorithms_train_in_one_thread(algorithm, monkeypatch):
    monkeypatch.setattr(driver, "MIN_ROUND", 200)
    one, three = (
        BTM(4, algorithm=algorithm, random_state=0, n_jobs=jobs).fit(TEXTS) for jobs in (1, 3)
    )
    assert one.phi_.tobytes() == three.phi_.tobytes()


@every(EDITABLE)
def test_renumbered_states_have_the_merged_counts(algorithm):
    biterms = extract_biterms(Corpus.from_texts(TEXTS))
    trained = train(algorithm, biterms, 4)
    before = algorithm.topics(trained.state, PRIOR)
    after = algorithm.topics(algorithm.renumber(trained.state, np.array([0, 1, 0, 2])), PRIOR)
    np.testing.assert_allclose(after.biterms, before.biterms[[0, 1, 3]] + [before.biterms[2], 0, 0])
    np.testing.assert_allclose(after.words[:, 0], before.words[:, [0, 2]].sum(axis=1), rtol=1e-4)
    removed = algorithm.topics(algorithm.renumber(trained.state, np.array([0, -1, 1, -1])), PRIOR)
    np.testing.assert_allclose(removed.words.sum(axis=1), before.words.sum(axis=1), rtol=1e-4)


@every(ALL)
def test_every_setting_is_documented(algorithm):
    meanings = describe_settings()
    for setting in (field.name for field in fields(algorithm)):
        assert re.search(rf"\b{algorithm.name}(, [a-z0-9-]+)*: [A-Z\"]", meanings[setting])
        assert f"Default: {getattr(type(algorithm)(), setting)}." in meanings[setting]
