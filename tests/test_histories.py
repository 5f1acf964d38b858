"""Random histories of calls: whatever happened before, a model is valid, or an error says why.

`make trust` runs many more of them.
"""

import os
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from bittern import BTM, load
from bittern.algorithms import ALGORITHMS, CVB0, SDM, Gibbs, IncrementalBTM, OnlineBTM
from bittern.errors import InputError

N_HISTORIES = int(os.environ.get("BITTERN_HISTORIES", "25"))
N_CALLS = int(os.environ.get("BITTERN_CALLS", "12"))

SETTINGS = {  # quick ones, and more of SDM
    "sdm": SDM(epochs=1, sweeps=0),
    "sdm-sweeps": SDM(sweeps=1),
    "sdm-seeds": SDM(seed_words={"first": ["aa", "bb"], "second": ["gg"]}, sweeps=0),
    "sdm-background": SDM(background=0.2, sweeps=0, epochs=2),
    "gibbs": Gibbs(sweeps=3),
    "gibbs-sparse": Gibbs(sweeps=3, samples=2, sampler="sparse"),
    "cvb0": CVB0(sweeps=3),
    "online": OnlineBTM(sweeps=2, slices=2, decay=0.5),
    "incremental": IncrementalBTM(rejuvenation=2, history=9),
}
NAMES = st.sampled_from(sorted({*SETTINGS, *ALGORITHMS}))

word = st.sampled_from([2 * letter for letter in "abcdefghijkl"])
text = st.one_of(st.lists(word, max_size=8).map(" ".join), st.sampled_from(["", "the", "ünï cödé"]))
texts = st.lists(text, min_size=1, max_size=12)
topic = st.integers(0, 6)


def attempt(call, *arguments):
    """Call a function; return its result, or None if it refuses with one line."""
    refusal = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*arguments)
        except InputError as error:
            refusal = str(error)
    assert refusal
    assert "\n" not in refusal
    return None


class History(RuleBasedStateMachine):
    """A model, and calls in any order."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="bittern-test-"))
        self.saved = None

    @initialize(
        name=NAMES,
        n_topics=st.integers(2, 5),  # two have seed words
        n_init=st.sampled_from(["auto", 1, 2]),
        window=st.sampled_from([None, 2, 15]),
        word_prior=st.sampled_from(["auto", 1e-9, 0.01, 1000.0]),
        topic_prior=st.sampled_from([None, 1e-9, 1e6]),
        seed=st.integers(0, 3),
        X=texts,
    )
    def start(self, name, n_topics, n_init, window, word_prior, topic_prior, seed, X):
        algorithm = SETTINGS.get(name, name)
        self.model = BTM(n_topics, algorithm, topic_prior, word_prior, window, n_init, seed)
        assert attempt(self.model.fit, [*X, "aa bb cc", "dd ee ff"]) is not None

    @rule(X=texts)
    def fit(self, X):
        attempt(self.model.fit, X)

    @rule(X=texts)
    def partial_fit(self, X):
        attempt(self.model.partial_fit, X)

    @rule(X=texts)
    def transform(self, X):
        shares = attempt(self.model.transform, X)
        if shares is not None:
            assert shares.shape == (len(X), self.model.n_topics)
            assert_distributions(shares)

    @rule(X=texts)
    def score(self, X):
        score = attempt(self.model.score, X)
        assert score is None or (np.isfinite(score) and score < 1e-6)

    @rule(groups=st.lists(st.lists(topic, max_size=3), max_size=2))
    def merge(self, groups):
        attempt(self.model.merge_topics, *groups)

    @rule(topics=st.lists(topic, max_size=3))
    def remove(self, topics):
        attempt(self.model.remove_topics, *topics)

    @rule(topic=topic, name=st.sampled_from(["trains", "</script>", "ünï\ncödé", " "]))
    def name(self, topic, name):
        attempt(self.model.name_topics, {topic: name})

    @rule(name=NAMES)
    def change_algorithm(self, name):
        self.model.set_params(algorithm=SETTINGS.get(name, name))

    @rule(place=st.integers(0, 1))
    def save(self, place):
        self.saved = self.folder / str(place)
        self.model.save(self.saved)
        loaded = load(self.saved)
        assert loaded.theta_.tobytes() == self.model.theta_.tobytes()
        assert loaded.phi_.tobytes() == self.model.phi_.tobytes()
        assert loaded.vocabulary_ == self.model.vocabulary_
        assert loaded.given_names_ == self.model.given_names_
        assert loaded.history_.equals(self.model.history_)
        for ours, theirs in zip(self.model.slices_, loaded.slices_, strict=True):
            np.testing.assert_array_equal(ours.words.toarray(), theirs.words.toarray())

    @precondition(lambda self: self.saved is not None)
    @rule()
    def load(self):
        self.model = load(self.saved)

    @invariant()
    def topics_are_distributions(self):
        model = getattr(self, "model", None)
        if model is None:
            return
        assert model.theta_.shape == (model.fitted_.n_topics,)
        assert model.phi_.shape == (model.fitted_.n_topics, len(model.vocabulary_))
        assert_distributions(model.theta_[np.newaxis])
        assert_distributions(model.phi_)
        for index in range(len(model.slices_)):
            theta, phi = model.slice_topics(index)
            assert_distributions(theta[np.newaxis])
            assert_distributions(phi)

    def teardown(self):
        shutil.rmtree(self.folder)


def assert_distributions(rows):
    assert np.isfinite(rows).all()
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1, dtype=np.float64), 1, atol=1e-4)


TestHistory = History.TestCase
TestHistory.settings = settings(
    max_examples=N_HISTORIES,
    stateful_step_count=N_CALLS,
    deadline=None,
    derandomize="BITTERN_HISTORIES" not in os.environ,  # `make test` is the same every time
    database=None,
    suppress_health_check=list(HealthCheck),
)
