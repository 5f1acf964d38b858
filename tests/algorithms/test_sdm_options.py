"""SDM with a background and with seed words."""

import numpy as np
import pytest

import reference
from bittern import BTM, load
from bittern.algorithms import SDM, Prior
from bittern.biterms import Biterms
from bittern.errors import InputError
from known import blocks

TEXTS, TOPICS = blocks()


def word_topics(model):
    """For each topic the blocks that its six top words are from."""
    return [{word[:6] for word in words} for words in model.top_words(6)]


@pytest.mark.parametrize("background", [0.0, 0.3])
@pytest.mark.parametrize("seeds", [None, {"a": ["w1", "w2"], "b": ["w5"]}])
def test_kernel_with_background_and_seeds_equals_the_reference(background, seeds):
    rng = np.random.default_rng(0)
    n_words, n_topics, n = 12, 5, 300
    first, second = rng.integers(n_words, size=(2, n)).astype(np.int32)
    biterms = Biterms(first, second, [f"w{i}" for i in range(n_words)])
    settings = {"background": background, "seed_words": seeds, "seed_share": 0.4}
    algorithm = SDM.paper(kappa=0.7, **settings)
    prior = Prior(0.3, 0.05)
    state = algorithm.init(biterms, n_topics, prior, rng)
    assert state.seeds.tolist() == ([] if seeds is None else [0, 1, 1, 0, 0, 2, *[0] * 6])
    b = state.mass[:, np.newaxis].astype(float) * state.rows + prior.word
    log_q = reference.sdm(
        list(zip(first, second, strict=True)),
        b,
        biterms.counts(),
        0.7,
        *prior[:2],
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
    assert log_likelihood == pytest.approx(log_q.sum(), rel=1e-4)
    if background == 0:
        np.testing.assert_allclose(sums, 1, rtol=1e-4)
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


def test_background_absorbs_common_words(tmp_path):
    texts = noisy(0)
    plain = BTM(4, algorithm=SDM(background=0), random_state=0, n_init=3).fit(texts)
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


def test_threads_score_the_same_with_a_background():
    texts = noisy(1)
    one, two = (
        BTM(4, algorithm=SDM(background=0.3), random_state=0, n_init=3, n_jobs=n).fit(texts * 20)
        for n in (1, 2)
    )
    assert one.score(texts) == pytest.approx(two.score(texts), abs=0.01)


@pytest.mark.parametrize("background", [0.0, 0.2])
def test_seed_words_determine_the_topics(background):
    seeds = {"third": ["topic2word0", "topic2word1"], "first": ["topic0word3", "topic0word4"]}
    for seed in range(5):
        algorithm = SDM(seed_words=seeds, background=background)
        model = BTM(4, algorithm=algorithm, random_state=seed).fit(TEXTS)
        assert model.topic_names_[:2] == ["third", "first"]
        assert "topic2" in word_topics(model)[0]
        assert "topic0" in word_topics(model)[1]


def test_seed_words_are_saved(tmp_path):
    seeds = "third=topic2word0,topic2word1; first=topic0word3"
    model = BTM(4, algorithm=SDM(seed_words=seeds), random_state=0).fit(TEXTS)
    assert model.algorithm.seed_words["first"] == ["topic0word3"]
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.topic_names_[:2] == ["third", "first"]
    np.testing.assert_array_equal(again.phi_, model.phi_)
    again.partial_fit([*TEXTS[:50], "new words here"])
    assert "topic2word0" in again.top_words(6)[0]


@pytest.mark.filterwarnings("ignore:seed words that do not occur")
def test_seed_words_in_later_texts_are_used():
    seeds = {"old": ["topic0word0"], "gone": ["topic1word0"], "late": ["topic3word0", "newword"]}
    model = BTM(4, algorithm=SDM(seed_words=seeds, seed_share=0.9), random_state=0).fit(TEXTS)
    model.remove_topics(1)  # "late" has number 1 now
    model.partial_fit(["newword topic0word1 topic0word2"] * 20)
    at = model.vocabulary_.index("newword")
    assert (model.theta_ * model.phi_[:, at]).argmax() == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed_words": {"a": "word"}}, "non-empty list of words"),
        ({"seed_words": {"a": []}}, "non-empty list of words"),
        ({"seed_words": {"a": ["x"], "b": ["x"]}}, "listed 2 times"),
        ({"seed_words": ["x"]}, "must be a dict"),
        ({"seed_words": "a"}, "non-empty list of words"),
        ({"seed_share": 1.0}, "less than 1"),
        ({"background": 1.0}, "less than 1"),
    ],
)
def test_invalid_seed_words_are_rejected(wrong, message):
    with pytest.raises(InputError, match=message):
        SDM(**wrong)


def test_more_seeded_topics_than_topics_are_rejected():
    seeds = {"a": ["topic0word1"], "b": ["topic1word1"]}
    with pytest.raises(InputError, match="2 topics have seed words but n_topics is 1"):
        BTM(1, algorithm=SDM(seed_words=seeds)).fit(TEXTS)


def test_unknown_seed_words_warn():
    model = BTM(2, algorithm=SDM(seed_words={"a": ["Typo", "topic0word1"]}), random_state=0)
    with pytest.warns(UserWarning, match="do not occur in the texts: Typo"):
        model.fit(TEXTS)


def test_merged_model_with_seed_words_can_be_loaded(tmp_path):
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


def test_more_seeded_topics_than_topics_are_refused_even_if_their_words_do_not_occur():
    algorithm = SDM(seed_words={"first": ["missing"], "second": ["absent"]})
    with (
        pytest.warns(UserWarning, match="do not occur"),
        pytest.raises(InputError, match="2 topics have seed words but n_topics is 1"),
    ):
        BTM(1, algorithm, random_state=0).fit(["red apple pie", "late fast train"])
