"""Topics as people want them: named, seeded, cleared of common words, merged and removed."""

import numpy as np
import pytest

import reference
from bittern import BTM, load
from bittern.algorithms import SDM, Prior
from bittern.biterms.biterms import Biterms
from bittern.errors import InputError
from bittern.fitted.topics import merged, removed, renumber_columns, top_words
from known import blocks

TEXTS, TOPICS = blocks()


@pytest.fixture
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def word_topics(model):
    """For each topic the blocks that its six top words are from."""
    return [{word[:6] for word in words} for words in model.top_words(6)]


def test_relevance_0_is_lift():
    theta, phi = np.array([0.6, 0.4]), np.array([[0.7, 0.25, 0.05], [0.7, 0.05, 0.25]], np.float32)
    assert top_words(theta, phi, 1).tolist() == [[0], [0]]
    assert top_words(theta, phi, 1, relevance=0).tolist() == [[1], [2]]


def test_names_come_from_words_or_from_people(fitted, tmp_path):
    assert fitted.topic_names_ == [", ".join(words) for words in fitted.top_words(3, 0.6)]
    fitted.name_topics({2: "trains"})
    assert fitted.topic_names_[2] == fitted.topic_info()["name"][2] == "trains"
    fitted.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.topic_names_ == fitted.topic_names_
    again.partial_fit(TEXTS[:20])
    assert again.topic_names_[2] == "trains"
    again.name_topics(["a", "b", "c", "d"])
    assert again.topic_names_ == ["a", "b", "c", "d"]
    again.fit(TEXTS)
    assert "a" not in again.topic_names_


@pytest.mark.parametrize("names", [{4: "x"}, {0: ""}, {0: 3}, ["a"] * 5])
def test_names_that_cannot_be_are_refused(fitted, names):
    with pytest.raises(InputError):
        fitted.name_topics(names)
    assert fitted._names == {}


def test_numbers_after_merging_and_removing():
    assert merged([[1, 3], [4, 2]], 6).tolist() == [0, 1, 2, 1, 2, 3]
    assert removed([0, 3], 5).tolist() == [-1, 0, 1, -1, 2]
    values = np.arange(8.0).reshape(2, 4)
    assert renumber_columns(values, np.array([0, 1, 0, -1])).tolist() == [[2, 1], [10, 5]]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: m.merge_topics([1]), "two or more"),
        (lambda m: m.merge_topics([1, 2], [2, 3]), "two groups"),
        (lambda m: m.merge_topics([1, 4]), "0 to 3"),
        (lambda m: m.remove_topics(7), "0 to 3"),
        (lambda m: m.remove_topics(0, 1, 2, 3), "all topics"),
    ],
)
def test_what_cannot_be_edited_is_refused(fitted, edit, message):
    before = fitted.phi_.copy()
    with pytest.raises(InputError, match=message):
        edit(fitted)
    np.testing.assert_array_equal(fitted.phi_, before)


@pytest.mark.parametrize("algorithm", ["sdm", "gibbs", "online"])
def test_merged_topics_have_the_words_of_both(algorithm, tmp_path):
    model = BTM(4, algorithm, random_state=1).fit(TEXTS)
    theta, phi = model.theta_.copy(), model.phi_.copy()
    model.name_topics({0: "first", 3: "last"})
    assert model.merge_topics([1, 3]).tolist() == [0, 1, 2, 1]
    assert model.n_topics == 3
    np.testing.assert_allclose(model.theta_, [theta[0], theta[1] + theta[3], theta[2]], rtol=0.02)
    both = (theta[1] * phi[1] + theta[3] * phi[3]) / (theta[1] + theta[3])
    np.testing.assert_allclose(model.phi_[1], both, atol=2e-3)
    np.testing.assert_allclose(model.phi_.sum(axis=1), 1, rtol=1e-5)
    assert model.topic_names_[:2] == ["first", "last"]
    assert model.transform(TEXTS).shape == (400, 3)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.phi_, model.phi_)
    assert again.topic_names_ == model.topic_names_


def test_removed_topics_are_gone(fitted):
    theta, phi = fitted.theta_.copy(), fitted.phi_.copy()
    assert fitted.remove_topics(0, 2).tolist() == [-1, 0, -1, 1]
    rest = theta[[1, 3]] / theta[[1, 3]].sum()
    np.testing.assert_allclose(fitted.theta_, rest, atol=0.1)
    assert word_topics(fitted)[0] == {fitted.vocabulary_[phi[1].argmax()][:6]}
    assert fitted.transform(TEXTS).shape == (400, 2)


def test_sdm_goes_on_learning_after_that_and_others_say_that_they_do_not(fitted):
    fitted.merge_topics([0, 1])
    fitted.partial_fit(TEXTS[:50])
    assert fitted.phi_.shape[0] == 3
    assert np.isfinite(fitted.phi_).all()
    online = BTM(4, "scvb0", random_state=1).fit(TEXTS)
    online.remove_topics(1)
    with pytest.raises(InputError, match="fit it anew"):
        online.partial_fit(TEXTS[:50])


@pytest.mark.parametrize("background", [0.0, 0.3])
@pytest.mark.parametrize("seeds", [None, {"a": ["w1", "w2"], "b": ["w5"]}])
def test_kernels_with_background_and_seeds_are_their_twins(background, seeds):
    rng = np.random.default_rng(0)
    n_words, n_topics, n = 12, 5, 300
    first, second = rng.integers(n_words, size=(2, n)).astype(np.int32)
    biterms = Biterms(first, second, [f"w{i}" for i in range(n_words)])
    algorithm = SDM(0.7, 0, 1, background=background, seed_words=seeds, seed_share=0.4)
    prior = Prior(0.3, 0.05)
    state = algorithm.init(biterms, n_topics, prior, rng)
    assert state.seeds.tolist() == ([] if seeds is None else [0, 1, 1, 0, 0, 2, *[0] * 6])
    b = state.mass[:, np.newaxis].astype(float) * state.rows + prior.word
    log_q = reference.sdm(
        list(zip(first, second, strict=True)),
        b,
        biterms.counts(),
        0.7,
        *prior,
        np.full(n_words, 10**9),
        background=background,
        seeds=None if seeds is None else state.seeds - 1,
        share=0.4,
    )
    state, log_likelihood = algorithm.step(state, next(biterms.blocks(n)), prior, rng)
    found = state.mass[:, np.newaxis] * state.rows + prior.word
    np.testing.assert_allclose(found, b, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(state.totals, (found - prior.word).sum(axis=0), rtol=1e-3)
    sums = state.rows.sum(axis=1)
    if background == 0:
        np.testing.assert_allclose(sums, 1, rtol=1e-4)
        assert log_likelihood == pytest.approx(log_q.sum(), rel=1e-4)
    else:
        assert ((sums > 0.2) & (sums < 1)).all()


def noisy(seed):
    """Texts of four topics of six words each, in which three words in eight are from anywhere."""
    rng = np.random.default_rng(seed)
    texts, _ = blocks(n_documents=1000, seed=seed)
    every = [f"topic{k}word{w}" for k in range(4) for w in range(6)]
    extra = rng.choice(every, size=(len(texts), 3))
    return [f"{text} {' '.join(words)}" for text, words in zip(texts, extra, strict=True)]


def foreign(model):
    """What each topic has of the words of others."""
    own = [
        max(range(4), key=lambda k: sum(f"topic{k}" in w for w in ws)) for ws in model.top_words(6)
    ]
    blocks_of_words = np.array([int(word[5]) for word in model.vocabulary_])
    return np.array([model.phi_[t][blocks_of_words != own[t]].sum() for t in range(4)])


def test_a_background_takes_what_is_everywhere(tmp_path):
    texts = noisy(0)
    plain = BTM(4, random_state=0, n_init=3).fit(texts)
    clear = BTM(4, algorithm=SDM(background=0.3), random_state=0, n_init=3).fit(texts)
    assert foreign(plain).mean() > 0.2
    assert foreign(clear).mean() < 0.6 * foreign(plain).mean()
    assert clear.score(noisy(1)) > plain.score(noisy(1)) - 0.01  # with the background, not without
    clear.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.score(texts) == clear.score(texts)
    np.testing.assert_array_equal(again.transform(texts), clear.transform(texts))
    again.partial_fit(texts[:100])
    assert foreign(again).mean() < 0.6 * foreign(plain).mean()


def test_with_a_background_threads_learn_the_same():
    texts = noisy(1)
    one, two = (
        BTM(4, algorithm=SDM(background=0.3), random_state=0, n_init=3, n_jobs=n).fit(texts * 20)
        for n in (1, 2)
    )
    assert one.score(texts) == pytest.approx(two.score(texts), abs=0.01)


@pytest.mark.parametrize("background", [0.0, 0.2])
def test_seed_words_say_which_topic_is_which(background):
    seeds = {"third": ["topic2word0", "topic2word1"], "first": ["topic0word3", "topic0word4"]}
    for seed in range(5):
        algorithm = SDM(seed_words=seeds, background=background)
        model = BTM(4, algorithm=algorithm, random_state=seed).fit(TEXTS)
        assert model.topic_names_[:2] == ["third", "first"]
        assert "topic2" in word_topics(model)[0]
        assert "topic0" in word_topics(model)[1]


def test_seeds_stay_with_models(tmp_path):
    seeds = "third=topic2word0,topic2word1; first=topic0word3"
    model = BTM(4, algorithm=SDM(seed_words=seeds), random_state=0).fit(TEXTS)
    assert model.algorithm.seed_words["first"] == ["topic0word3"]
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.topic_names_[:2] == ["third", "first"]
    np.testing.assert_array_equal(again.phi_, model.phi_)
    again.partial_fit([*TEXTS[:50], "new words here"])
    assert "topic2word0" in again.top_words(6)[0]


@pytest.mark.filterwarnings("ignore:no text has the seed words")
def test_seeds_that_come_later_are_planted():
    seeds = {"old": ["topic0word0"], "gone": ["topic1word0"], "late": ["topic3word0", "newword"]}
    model = BTM(4, algorithm=SDM(seed_words=seeds, seed_share=0.9), random_state=0).fit(TEXTS)
    model.remove_topics(1)  # "late" has number 1 now
    model.partial_fit(["newword topic0word1 topic0word2"] * 20)
    at = model.vocabulary_.index("newword")
    assert (model.theta_ * model.phi_[:, at]).argmax() == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed_words": {"a": "word"}}, "list of seed words"),
        ({"seed_words": {"a": []}}, "list of seed words"),
        ({"seed_words": {"a": ["x"], "b": ["x"]}}, "twice"),
        ({"seed_words": ["x"]}, "must be like"),
        ({"seed_words": "a"}, "list of seed words"),
        ({"seed_share": 1.0}, "below 1"),
        ({"background": 1.0}, "below 1"),
    ],
)
def test_seeds_are_checked(wrong, message):
    with pytest.raises(InputError, match=message):
        SDM(**wrong)


def test_more_seeded_topics_than_topics_are_refused():
    seeds = {"a": ["topic0word1"], "b": ["topic1word1"]}
    with pytest.raises(InputError, match="2 topics have seeds, of 1"):
        BTM(1, algorithm=SDM(seed_words=seeds)).fit(TEXTS)


def test_seeds_that_no_text_has_are_a_warning():
    model = BTM(2, algorithm=SDM(seed_words={"a": ["Typo", "topic0word1"]}), random_state=0)
    with pytest.warns(UserWarning, match="seed words Typo"):
        model.fit(TEXTS)


def test_a_merged_model_with_seeds_can_be_loaded(tmp_path):
    seeds = {f"t{k}": [f"topic{k}word0"] for k in range(4)}
    model = BTM(4, algorithm=SDM(seed_words=seeds), random_state=0).fit(TEXTS)
    model.name_topics({3: "new"})
    model.merge_topics([1, 3])
    assert model.topic_names_ == ["t0", "new", "t2"]
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.phi_, model.phi_)
    again.partial_fit(TEXTS[:50])
    assert again.topic_names_ == ["t0", "new", "t2"]
