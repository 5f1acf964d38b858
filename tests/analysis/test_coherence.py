import numpy as np
import pytest

import reference
from bittern import Corpus
from bittern.analysis.coherence import coherence, count_windows
from bittern.errors import InputError

gensim_models = pytest.importorskip("gensim.models.coherencemodel")
gensim_corpora = pytest.importorskip("gensim.corpora")

WORDS = [f"w{i:02}" for i in range(40)]
NAMES = {"umass": "u_mass", "npmi": "c_npmi", "c_v": "c_v"}


def documents(rng, n=300, longest=9):
    """Each word at most once in a document: gensim forgets a word that leaves a window twice."""
    shares = rng.dirichlet(np.full(len(WORDS), 0.4), size=4)
    return [
        list(rng.choice(WORDS, size=rng.integers(1, longest), replace=False, p=p))
        for p in shares[rng.integers(4, size=n)] * 0.9 + 0.1 / len(WORDS)
    ]


def topics(rng, n_topics=5, n=6):
    return [list(rng.choice(WORDS, size=n, replace=False)) for _ in range(n_topics)]


@pytest.mark.parametrize("measure", NAMES)
@pytest.mark.parametrize("longest", [9, 38])  # shorter and longer than a window
def test_as_gensim_has_it(measure, longest):
    rng = np.random.default_rng(longest)
    texts, top = documents(rng, longest=longest), topics(rng)
    window = None if measure == "umass" else 10
    dictionary = gensim_corpora.Dictionary(texts)
    model = gensim_models.CoherenceModel(
        topics=top,
        texts=texts,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        coherence=NAMES[measure],
        window_size=window,
        processes=1,
    )
    expected = model.get_coherence_per_topic()
    found = coherence(top, Corpus.from_tokens(texts), measure, window)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.ptp(found) > 0.01


def test_own_windows_are_those_of_the_measures():
    rng = np.random.default_rng(0)
    texts, top = documents(rng, longest=38), topics(rng)
    corpus = Corpus.from_tokens(texts)
    for measure, window in (("npmi", 10), ("c_v", 110), ("umass", 1000)):
        own = coherence(top, corpus, measure)
        np.testing.assert_array_equal(own, coherence(top, corpus, measure, window))


def test_windows_are_counted_as_by_the_twin():
    rng = np.random.default_rng(1)
    texts = [list(rng.choice(WORDS[:8], size=rng.integers(0, 12))) for _ in range(60)]
    top = [WORDS[:3], WORDS[2:5], [WORDS[7], WORDS[0], "unknown"]]
    counts = count_windows(top, Corpus.from_tokens(texts), 4)
    words, pairs, n = reference.windows(texts, top, 4)
    assert counts.windows == n
    np.testing.assert_array_equal(counts.words, words)
    np.testing.assert_array_equal(counts.pairs, pairs)


def test_words_that_go_together_are_coherent():
    texts = [["a", "b", "c"], ["x", "y", "z"]] * 50 + [["a", "x"]]
    corpus = Corpus.from_tokens(texts)
    for measure in NAMES:
        good, bad = coherence([["a", "b", "c"], ["a", "y", "b"]], corpus, measure)
        assert good > bad


def test_a_word_that_is_nowhere_goes_with_none():
    corpus = Corpus.from_tokens([["a", "b"], ["c"]] * 5)
    values = [coherence([["a", "nowhere"]], corpus, measure)[0] for measure in NAMES]
    assert np.isfinite(values).all()
    assert values[1] == -1


def test_a_count_matrix_has_documents_for_windows():
    texts = [["a", "b", "c", "a"], ["b", "c"], ["a", "c"]] * 4
    top = [["a", "b", "c"]]
    corpus = Corpus.from_tokens(texts)
    matrix = np.array([[text.count(w) for w in corpus.vocabulary] for text in texts])
    counted = Corpus.from_counts(matrix, corpus.vocabulary)
    for measure in NAMES:
        assert coherence(top, counted, measure) == pytest.approx(coherence(top, corpus, measure))


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ([["a"]], "two or more"),
        ([["a", "b"], ["a", "b", "c"]], "as many"),
        ([["a", "a"]], "twice"),
        ([], "two or more"),
    ],
)
def test_what_cannot_be_measured_is_refused(top, message):
    with pytest.raises(InputError, match=message):
        coherence(top, Corpus.from_tokens([["a", "b"]]))
    with pytest.raises(InputError, match="npmi"):
        coherence([["a", "b"]], Corpus.from_tokens([["a", "b"]]), "pmi")
