import inspect
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import bittern.biterms.biterms
import reference
from bittern import BTM, Corpus, load
from bittern.algorithms import SCVB0, SDM, resources
from bittern.analysis.documents import document_topics
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import Biterms, extract_biterms
from bittern.charts import words_chart
from bittern.cli.commands.fit import fit as fit_command
from bittern.cli.commands.topics import topics as topics_command
from bittern.errors import InputError
from bittern.fitted import DEFAULT_RELEVANCE, FitSettings, FittedTopics, top_words
from bittern.text import TextOptions
from known import blocks, match, sample_corpus, sample_topics

TEXTS, TOPICS = blocks()


def best_of_three(X, n_topics, **parameters):
    """Like k-means, a topic model may split one topic and join two: the best start counts."""
    models = [BTM(n_topics, random_state=seed, **parameters).fit(X) for seed in range(3)]
    return max(models, key=lambda model: model.score(X))


@pytest.fixture(scope="module")
def fitted():
    return best_of_three(TEXTS, 4)


@parametrize_with_checks([BTM(n_topics=3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_finds_topics_with_distinct_words(fitted):
    starts = [{word[:6] for word in words} for words in fitted.top_words(6)]
    assert sorted(map(sorted, starts)) == [["topic0"], ["topic1"], ["topic2"], ["topic3"]]
    found = fitted.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) == pytest.approx(1)
    np.testing.assert_allclose(fitted.theta_, 0.25, atol=0.02)


@pytest.mark.parametrize(("background", "loss"), [(0.0, 0.1), ("auto", 0.2)])
def test_recovers_synthetic_topics_and_scores_like_the_truth(background, loss):
    rng = np.random.default_rng(1)
    theta, phi = sample_topics(rng, n_topics=8, n_words=200)
    corpus = sample_corpus(rng, theta, phi, n_documents=6000)
    algorithm = SDM(background=background)
    model = best_of_three(corpus[:5000], 8, algorithm=algorithm, topic_prior=1.0)
    assert match(model.phi_, phi).max() < 0.2
    held_out = corpus[5000:]
    biterms = extract_biterms(held_out)
    truth = log_likelihood(theta, phi.astype(np.float32) + 1e-9, biterms)
    assert model.score(held_out) > truth - loss  # the truth has no background


def test_shares_and_words_are_distributions(fitted):
    assert fitted.theta_.sum() == pytest.approx(1)
    np.testing.assert_allclose(fitted.phi_.sum(axis=1, dtype=float), 1, rtol=1e-5)
    np.testing.assert_allclose(fitted.transform(TEXTS).sum(axis=1), 1, rtol=1e-5)
    assert fitted.components_ is fitted.phi_
    assert fitted.n_features_in_ == len(fitted.vocabulary_) == fitted.phi_.shape[1]
    assert fitted.get_feature_names_out().tolist() == ["btm0", "btm1", "btm2", "btm3"]


def test_representation_of_a_fitted_model_is_short(fitted):
    assert repr(fitted.fitted_).startswith("<FittedTopics: 4 topics, 24 words, SDM(")


def test_fitted_values_are_not_shared_with_the_user():
    rng = np.random.default_rng(0)
    model = BTM(2, random_state=rng).fit(TEXTS)
    state = model.fitted_.rng.bit_generator.state
    rng.random(10)
    assert model.fitted_.rng.bit_generator.state == state
    model.topic_names_[0] = "changed"
    assert model.topic_names_[0] != "changed"


def test_names_and_vocabulary_keep_the_topics_and_parameters():
    model = BTM(2, random_state=0).fit(TEXTS)
    phi = model.phi_
    model.set_params(n_topics=5).name_topics({0: "first"})
    model.vocabulary_ = [word.upper() for word in model.vocabulary_]
    assert model.phi_ is phi
    assert model.n_topics == 5
    assert model.top_words(1)[0][0].startswith("TOPIC")
    with pytest.raises(InputError, match="the model has 24 words, not 1; pass as many"):
        model.vocabulary_ = ["one"]


def test_from_fitted_gives_the_same_model(fitted):
    again = BTM.from_fitted(fitted.fitted_, n_jobs=2)
    assert again.n_jobs == 2
    assert again.random_state == fitted.random_state
    assert again.transform(TEXTS).tobytes() == fitted.transform(TEXTS).tobytes()


def test_unfitted_models_say_so():
    with pytest.raises(NotFittedError):
        BTM(2).transform(TEXTS)
    with pytest.raises(InputError, match=r"not fitted; call fit\(\) first"):
        words_chart(BTM(2))
    model = BTM(2)
    with pytest.raises(InputError, match="no biterms"):
        model.fit(np.eye(3))
    with pytest.raises(NotFittedError):
        model.transform(np.eye(3))


def test_columns_of_a_data_frame_are_forgotten_by_a_fit_on_texts():
    frame = pd.DataFrame(np.ones((3, 3)), columns=["a", "b", "c"])
    model = BTM(2, random_state=0).fit(frame)
    assert model.fitted_.named_columns
    assert not model.fit(TEXTS).fitted_.named_columns


def test_memory_limits_threads_and_biterms():
    corpus = Corpus.from_texts(TEXTS)
    plenty = resources.plan_resources(corpus, 10, "4GB", 8)
    assert plenty.n_threads == 8
    little = resources.plan_resources(corpus, 10, "400MB", 8)
    assert little.n_threads == 1
    assert little.biterm_bytes == resources.MIN_BITERM_BYTES
    assert resources.plan_resources(corpus, 10, None, 8).biterm_bytes is None


def test_learning_curve_rises(fitted):
    curve = fitted.history_
    assert curve.columns == ["epoch", "biterms", "log_likelihood", "stage"]
    assert curve["biterms"][-1] == curve["biterms"].max()
    assert curve["epoch"].unique().to_list() == list(range(17))  # a pass and 16 sweeps
    assert curve["log_likelihood"][-1] > curve["log_likelihood"][0]


@pytest.mark.parametrize("seed", [0, 1])
def test_same_seed_gives_the_same_bits(seed):
    a, b = (BTM(4, random_state=seed).fit(TEXTS) for _ in range(2))
    assert a.phi_.tobytes() == b.phi_.tobytes()
    assert a.transform(TEXTS).tobytes() == b.set_params(n_jobs=2).transform(TEXTS).tobytes()
    other = BTM(4, random_state=seed + 7).fit(TEXTS)
    assert a.phi_.tobytes() != other.phi_.tobytes()


def test_all_kinds_of_seeds_are_accepted():
    for seed in (None, np.int64(3), np.random.default_rng(1), np.random.RandomState(1)):
        assert BTM(2, random_state=seed).fit(TEXTS).theta_.shape == (2,)


def test_documents_get_the_mean_of_their_biterms(fitted):
    corpus = Corpus.from_texts(TEXTS[:20], vocabulary=fitted.vocabulary_)
    documents = [
        [(w, 1) for w in corpus.tokens[a:b]]
        for a, b in zip(corpus.indptr, corpus.indptr[1:], strict=False)
    ]
    for window in (2, 15):
        found = document_topics(fitted.theta_, fitted.phi_, corpus, window, "biterms", 3)
        expected = reference.document_topics(fitted.theta_, fitted.phi_, documents, window)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_counts_weigh_the_biterms_of_documents(fitted):
    counts = np.random.default_rng(0).integers(0, 3, size=(10, len(fitted.vocabulary_)))
    corpus = Corpus.from_counts(counts, fitted.vocabulary_)
    documents = [[(w, row[w]) for w in np.flatnonzero(row)] for row in counts]
    expected = reference.document_topics(fitted.theta_, fitted.phi_, documents, window=10**6)
    found = fitted.document_info(corpus, "biterms", shares=True).select(r"^topic_\d+$")
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_documents_without_biterms_fall_back_on_words_and_shares(fitted):
    texts = ["topic2word1", "topic2word1 topic2word1 unknown", "the", None]
    with pytest.warns(UserWarning, match="2 of 4 documents have no known words"):
        one, twice, none, null = fitted.transform(texts)
    word = fitted.phi_[:, fitted.vocabulary_.index("topic2word1")] * fitted.theta_
    np.testing.assert_allclose(one, word / word.sum(), rtol=1e-5)
    np.testing.assert_allclose(twice, one, rtol=1e-5)
    np.testing.assert_allclose(none, fitted.theta_, rtol=1e-6)
    np.testing.assert_allclose(null, fitted.theta_, rtol=1e-6)


def test_texts_without_known_words_warn(fitted):
    with pytest.warns(UserWarning, match="2 of 2 documents have no known words") as caught:
        shares = fitted.transform(["completely different", "words"])
    assert caught[0].filename == __file__
    assert fitted.document_info(["completely different"])["topic"].to_list() == [None]
    np.testing.assert_allclose(shares, [fitted.theta_] * 2, rtol=1e-6)


def test_score_is_the_mean_log_likelihood_of_biterms(fitted):
    biterms = Biterms.from_words(
        ["topic0word1", "topic0word1"], ["topic0word2", "topic1word2"], weight=[3, 1]
    ).with_vocabulary(fitted.vocabulary_)
    pairs = list(zip(biterms.first, biterms.second, strict=True))
    phi = fitted.fitted_.mixed_phi
    expected = reference.log_likelihood(fitted.theta_, phi, pairs, [3, 1])
    assert fitted.score(biterms) == pytest.approx(expected, rel=1e-5)
    assert log_likelihood(fitted.theta_, phi, biterms, 2) == fitted.score(biterms)
    assert fitted.score(TEXTS) > fitted.score([" ".join(t) for t in pairwise(TEXTS)])


def test_fits_custom_biterms():
    pairs = [("cat", "purr"), ("cat", "meow"), ("purr", "meow"), ("dog", "bark"), ("dog", "woof")]
    biterms = Biterms.from_words(*zip(*pairs, strict=True), weight=[40, 40, 40, 60, 60])
    model = BTM(2, topic_prior=1.0, random_state=0).fit(biterms)
    assert sorted(map(sorted, model.top_words(3)))[1] == ["cat", "meow", "purr"]
    with pytest.raises(InputError, match="needs documents"):
        model.transform(biterms)


def test_partial_fit_learns_more_data_and_new_words():
    model = BTM(4, random_state=0)
    for start in range(0, 400, 100):
        model.partial_fit(TEXTS[start : start + 100])
    found = model.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.8
    n_words = len(model.vocabulary_)
    model.partial_fit(["brandnew topic0word0 topic0word1"] * 20)
    assert model.vocabulary_[n_words:] == ["brandnew"]
    assert model.n_features_in_ == model.phi_.shape[1] == n_words + 1
    new, old = (model.phi_[:, model.vocabulary_.index(w)] for w in ("brandnew", "topic0word0"))
    assert new.argmax() == old.argmax()
    assert model.history_.height > 4


def test_partial_fit_continues_after_fit():
    model = BTM(4, random_state=0).fit(TEXTS)
    before = model.phi_.copy()
    model.partial_fit(TEXTS[:50])
    assert 0 < np.abs(model.phi_ - before).max() < 0.1


def test_an_interrupted_fit_changes_nothing(monkeypatch):
    model = BTM(4, random_state=0).fit(TEXTS)
    before = model.transform(TEXTS)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SDM, "step", interrupt)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(KeyboardInterrupt):
            learn(["entirely different words", "other different words"])
    np.testing.assert_array_equal(model.transform(TEXTS), before)
    monkeypatch.undo()
    undisturbed = BTM(4, random_state=0).fit(TEXTS).partial_fit(TEXTS)
    assert model.partial_fit(TEXTS).phi_.tobytes() == undisturbed.phi_.tobytes()


def test_more_topics_than_memory_are_rejected():
    with pytest.raises(InputError, match=r"topics of 24 words .*fewer topics"):
        BTM(10**13, topic_prior=0.1).fit(TEXTS)


@pytest.mark.parametrize("algorithm", ["sdm", "cvb0", "gibbs", "incremental"])
def test_learning_curve_counts_weights(algorithm):
    biterms = Biterms.from_words("abca", "bcad", weight=[300, 20.5, 1, 7])
    model = BTM(2, algorithm=algorithm, random_state=0).fit(biterms)
    epochs = model.history_["epoch"].max() + 1
    assert model.history_["biterms"].max() == pytest.approx(328.5 * epochs, abs=epochs)


def test_word_limits_apply_to_the_first_texts_only():
    model = BTM(2, random_state=0).fit(Corpus.from_texts(TEXTS, min_df=2, max_df=0.5))
    model.partial_fit(["topic0word1 topic0word2 sky"])
    assert model.vocabulary_[-1] == "sky"


def test_learning_curve_continues():
    model = BTM(2, random_state=0).fit(TEXTS)
    for _ in range(2):
        model.partial_fit(TEXTS)
    curve = model.history_
    assert curve["biterms"].is_sorted()
    assert curve["epoch"].unique().to_list() == list(range(19))  # two passes more


def test_number_of_topics_cannot_change_between_batches():
    model = BTM(2, random_state=0).fit(TEXTS).set_params(n_topics=3)
    with pytest.raises(InputError, match="the model has 2 topics, not 3"):
        model.partial_fit(TEXTS)


def test_small_memory_limit_gives_the_same_quality(monkeypatch):
    monkeypatch.setattr(resources, "MIN_BITERM_BYTES", 800)
    monkeypatch.setattr(bittern.biterms.biterms, "BUCKET_SIZE", 64)
    algorithm = SDM(sweeps=0)  # without memory, there are none
    scores = [
        np.mean(
            [BTM(4, algorithm, random_state=s, memory=m).fit(TEXTS).score(TEXTS) for s in range(6)]
        )
        for m in (None, "1kB")
    ]
    assert scores[0] == pytest.approx(scores[1], abs=0.1)
    with pytest.raises(InputError, match="valid memory size"):
        BTM(4, memory="little").fit(TEXTS)


def test_shares_of_very_long_documents_add_up(fitted):
    word, other = fitted.vocabulary_[:2]
    corpus = Corpus.from_tokens([[word, other] * 700_000])
    np.testing.assert_allclose(fitted.transform(corpus).sum(), 1, rtol=1e-5)


def test_missing_texts_may_come_first():
    texts = [float("nan"), None, *TEXTS]
    assert len(BTM(2, random_state=0).fit(texts).document_info(texts)) == len(texts)


def test_relevance_favors_words_that_are_rare_elsewhere():
    texts = [f"common {text}" for text in TEXTS] * 3
    model = BTM(4, random_state=0).fit(texts)
    assert all("common" in words for words in model.top_words(3, relevance=1))
    assert not any("common" in words for words in model.top_words(3, relevance=0.1))
    info = model.topic_info(n=3)
    assert info.columns == ["topic", "name", "share", "words", "in_use"]
    assert info["words"].to_list() == [", ".join(words) for words in model.top_words(3)]
    lists = model.topic_info(n=3, as_text=False)["words"]
    assert lists.to_list() == model.top_words(3)
    assert len(model.top_words(10**6)[0]) == len(model.vocabulary_)
    with pytest.raises(InputError, match="relevance"):
        model.top_words(relevance=2)


@pytest.mark.parametrize("wrap", [list, np.array, pd.Series, pl.Series, Corpus.from_texts], ids=str)
def test_every_kind_of_texts_gives_the_same_model(fitted, wrap):
    model = BTM(4, random_state=fitted.random_state).fit(wrap(TEXTS))
    assert model.phi_.tobytes() == fitted.phi_.tobytes()


def test_sparse_and_dense_counts_and_data_frames_give_the_same_model():
    counts = CountVectorizer().fit_transform(TEXTS)
    frame = pd.DataFrame(counts.toarray()).rename(columns=lambda i: f"name{i}")
    models = [
        BTM(3, random_state=0).fit(X) for X in (counts, csr_array(counts), counts.toarray(), frame)
    ]
    assert len({model.phi_.tobytes() for model in models}) == 1
    assert models[0].vocabulary_[:2] == ["0", "1"]
    assert models[-1].vocabulary_[:2] == ["name0", "name1"]


def test_works_in_pipelines_and_grid_search():
    pipeline = make_pipeline(CountVectorizer(), BTM(4, random_state=0)).fit(TEXTS)
    found = pipeline.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.9
    pipeline[-1].vocabulary_ = pipeline[0].get_feature_names_out().tolist()
    assert pipeline[-1].top_words(1)[0][0].startswith("topic")
    for X in (TEXTS, Corpus.from_texts(TEXTS)):
        grid = GridSearchCV(BTM(random_state=0, topic_prior=1.0), {"n_topics": [1, 4]}, cv=3).fit(X)
        assert grid.best_params_ == {"n_topics": 4}


def test_grid_search_over_settings_of_the_algorithm():
    grid = {"algorithm__background": [0.0, 0.3], "algorithm__kappa": [0.7]}
    search = GridSearchCV(BTM(4, random_state=0), grid, cv=2).fit(TEXTS)
    assert search.best_estimator_.algorithm.kappa == 0.7
    assert search.best_params_["algorithm__background"] in (0.0, 0.3)


def test_settings_of_the_algorithm_are_parameters():
    model = BTM(algorithm="scvb0")
    assert model.get_params()["algorithm__tau"] == 1000
    assert "algorithm__tau" not in model.get_params(deep=False)
    assert model.set_params(algorithm__tau=500, n_topics=3).algorithm == SCVB0(tau=500)
    assert model.n_topics == 3
    model.set_params(algorithm=SDM(kappa=0.7), algorithm__background=0.2)
    assert model.algorithm == SDM(kappa=0.7, background=0.2)
    with pytest.raises(InputError, match='algorithm "sdm" has no setting "tau"; available: kappa'):
        model.set_params(algorithm__tau=5)
    assert "algorithm" in BTM(algorithm="magic").get_params()


def test_text_options_are_parameters(tmp_path):
    texts = ["der rote Apfel und die Birne", "die Birne und der Apfel", "der Zug war spät"] * 10
    model = BTM(2, random_state=0, stop_words="german", min_df=2).fit(texts)
    corpus = Corpus.from_texts(texts, stop_words="german", min_df=2)
    assert model.vocabulary_ == corpus.vocabulary
    assert model.phi_.tobytes() == BTM(2, random_state=0).fit(corpus).phi_.tobytes()
    assert BTM(2, random_state=0, stop_words="german").fit(corpus).n_topics == 2
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert (loaded.stop_words, loaded.min_df) == ("german", 2)
    assert loaded.fit(texts).vocabulary_ == corpus.vocabulary
    first = BTM(2, random_state=0, stop_words="german").partial_fit(texts)
    assert "und" not in first.vocabulary_
    assert "und" not in first.partial_fit(["und der neue Zug"]).vocabulary_


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        (Corpus.from_texts(TEXTS), "a Corpus"),
        (np.eye(3) + 1, "data that is not texts"),
        (Biterms.from_words("abc", "bca"), "data that is not texts"),
    ],
)
def test_text_options_without_effect_are_refused(X, kind):
    with pytest.raises(InputError, match=f"stop_words has no effect on {kind}; pass it to"):
        BTM(2, stop_words="german").fit(X)
    assert BTM(2, stop_words=None).fit(Corpus.from_tokens([["a", "b"]] * 9)).n_topics == 2


def test_texts_in_a_column_transformer_have_names_of_features():
    frame = pd.DataFrame({"text": TEXTS, "length": range(len(TEXTS))})
    columns = ColumnTransformer(
        [("topics", BTM(4, random_state=0), "text"), ("other", "passthrough", ["length"])]
    ).fit(frame)
    names = [*(f"topics__btm{k}" for k in range(4)), "other__length"]
    assert columns.get_feature_names_out().tolist() == names
    assert columns.set_output(transform="pandas").transform(frame).columns.tolist() == names


def test_topics_are_inferred_by_the_method_of_document_info(fitted):
    for by in ("words", "biterms", "mix"):
        shares = fitted.document_info(TEXTS, by, shares=True).select(r"^topic_\d+$").to_numpy()
        np.testing.assert_array_equal(fitted.transform(TEXTS, by=by), shares)
        np.testing.assert_array_equal(fitted.predict(TEXTS, by=by), shares.argmax(axis=1))


def test_topics_are_given_one_by_one_or_as_a_list():
    def model():
        return BTM(6, random_state=0).fit(TEXTS)

    assert model().remove_topics([4, 5]).tolist() == model().remove_topics(4, 5).tolist()
    merged = model().merge_topics([0, 1], [2, 3]).tolist()
    assert model().merge_topics([[0, 1], [2, 3]]).tolist() == merged
    assert model().merge_topics(0, 1).tolist() == model().merge_topics([0, 1]).tolist()
    aside = model().set_aside_topics([1, 2])
    assert aside.fitted_.set_aside == {1, 2}
    assert aside.restore_topics([1, 2]).fitted_.set_aside == set()
    with pytest.raises(InputError, match=r"names has 2 names for 6 topics; name some .* a dict"):
        model().name_topics(["a", "b"])


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([["late", "train"], ["dirty"]], "these are lists of words, not texts; use .*from_tokens"),
        ("the train", r"not one text; put it in a list: \['the train'\]"),
    ],
)
def test_data_of_another_kind_gets_a_hint(fitted, X, says):
    for call in (BTM(2).fit, fitted.transform):
        with pytest.raises(InputError, match=says):
            call(X)


def test_predict_gives_main_topics_as_other_tools_name_them(fitted):
    topics = fitted.predict([*TEXTS, "the", None])
    np.testing.assert_array_equal(topics[:-2], fitted.transform(TEXTS).argmax(axis=1))
    assert topics[-2:].tolist() == [-1, -1]
    assert fitted.get_topic_info().equals(fitted.topic_info())
    assert fitted.get_document_info(TEXTS).equals(fitted.document_info(TEXTS))


def test_defaults_are_the_same_everywhere():
    parameters = BTM().get_params(deep=False)
    command = inspect.signature(fit_command).parameters
    defaults = [
        FitSettings()._asdict(),
        asdict(TextOptions()),
        {"n_topics": command["topics"].default, "n_jobs": command["jobs"].default},
    ]
    for values in defaults:
        assert values == {name: parameters[name] for name in values}
    functions = (top_words, FittedTopics.top_words, FittedTopics.topic_info, topics_command)
    functions += (BTM.top_words, BTM.topic_info, words_chart)
    relevances = {inspect.signature(f).parameters["relevance"].default for f in functions}
    assert relevances == {DEFAULT_RELEVANCE}


def test_clone_and_set_output(fitted):
    algorithm = SDM(kappa=0.7)
    assert clone(BTM(3, algorithm=algorithm, window=4)).get_params()["algorithm"] == algorithm
    frame = clone(fitted).set_output(transform="polars").fit_transform(TEXTS)
    assert frame.columns == ["btm0", "btm1", "btm2", "btm3"]


def test_one_topic_and_more_topics_than_biterms():
    assert BTM(1).fit(["red blue"]).theta_.tolist() == [1.0]
    model = BTM(50, random_state=0).fit(["red blue", "one"])
    assert np.isfinite(model.transform(["red blue", "red"])).all()


@pytest.mark.parametrize(
    ("X", "says"),
    [
        ([], "no documents"),
        (["the", "of and"], "no words are left"),
        (["word", "word word", ""], "no biterm"),
        (Biterms.from_words("a", "b", weight=[0]), "no biterms"),
        (Biterms(*np.array([[0, 9], [1, 0]], np.int32), ["a", "b"]), "not in the vocabulary"),
        (Biterms(np.zeros(2), np.zeros(2), ["a", "b"]), "int32"),
        (Biterms.from_words("ab", "ba", weight=[0.01, 0.02]), "too small"),
    ],
)
def test_data_without_biterms_is_rejected(X, says):
    with pytest.raises(InputError, match=says):
        BTM(2).fit(X)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"n_topics": 0}, "n_topics"),
        ({"topic_prior": 0}, "topic_prior"),
        ({"word_prior": -1}, "word_prior"),
        ({"word_prior": "large"}, "word_prior"),
        ({"window": 1}, "window"),
        ({"window": 2.5}, "window"),
        ({"n_topics": 2.5}, "n_topics"),
        ({"n_topics": "5"}, "n_topics"),
        ({"word_prior": np.inf}, "word_prior"),
        ({"algorithm": SDM}, "algorithm"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "a"}, "random_state"),
        ({"algorithm": "magic"}, "choose from sdm"),
    ],
)
def test_parameters_out_of_range_are_rejected(parameters, says):
    with pytest.raises(InputError, match=says):
        BTM(**parameters).fit(TEXTS)


def test_bad_counts_are_rejected_as_in_scikit_learn():
    with pytest.raises(ValueError, match="NaN"):
        BTM(2).fit([[1, 2], [np.nan, 1]])
    with pytest.raises(ValueError, match="Negative values"):
        BTM(2).fit([[1, 2], [-1, 1]])


def test_texts_need_a_model_fitted_on_texts():
    model = BTM(2, random_state=0).fit(Corpus.from_tokens([["a", "b"], ["b", "c"]]))
    with pytest.raises(InputError, match="not fitted on texts"):
        model.transform(["a b"])
    with pytest.raises(InputError, match="n_jobs"):
        model.set_params(n_jobs=0).transform(Corpus.from_tokens([["a", "b"]]))


def test_auto_word_prior_is_worth_a_part_of_an_occurrence(tmp_path):
    corpus = Corpus.from_texts(TEXTS)
    model = BTM(4, random_state=0).fit(corpus)
    n_biterms, n_tokens = extract_biterms(corpus).total, len(corpus.tokens)
    prior = model.fitted_.prior
    assert prior.word * 4 == pytest.approx(0.4 * 2 * n_biterms / n_tokens)  # 83 tokens per word
    assert model.fitted_.size == (n_biterms, n_tokens, 24)
    found = model.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.95
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.word_prior == "auto"
    assert loaded.fitted_.prior == prior
    assert loaded.phi_.tobytes() == model.phi_.tobytes()
    loaded.partial_fit(["brandnew topic0word1 topic0word2"])
    assert loaded.fitted_.size == (n_biterms + 3, n_tokens + 3, 25)
    assert loaded.fitted_.prior.word == pytest.approx(prior.word, rel=0.01)


@pytest.mark.parametrize("wrap", [CountVectorizer().fit_transform, Corpus.from_texts], ids=str)
def test_auto_word_prior_counts_tokens_of_any_input(wrap):
    model = BTM(4, window=None, random_state=0).fit(wrap(TEXTS))
    assert model.fitted_.prior.word * 4 == pytest.approx(1.32, abs=0.3)
    assert BTM(2).fit(Biterms.from_words("abc", "bca")).fitted_.prior.word > 0


def test_auto_word_prior_learns_from_batches():
    model = BTM(4, random_state=0)
    for start in range(0, 400, 100):
        model.partial_fit(TEXTS[start : start + 100])
    found = model.transform(TEXTS).argmax(axis=1)
    assert normalized_mutual_info_score(TOPICS, found) > 0.8
