import numpy as np
import pytest

import reference
from bittern import BTM, Corpus
from bittern.analysis.coherence import COHERENCE, coherence, count_windows
from bittern.errors import InputError
from known import blocks

gensim_models = pytest.importorskip("gensim.models.coherencemodel")
gensim_corpora = pytest.importorskip("gensim.corpora")

WORDS = [f"w{i:02}" for i in range(40)]
NAMES = {"umass": "u_mass", "npmi": "c_npmi", "c_v": "c_v"}


def random_documents(rng, n=300, longest=9):
    """Without repeated words: gensim drops one when its first occurrence leaves a window."""
    shares = rng.dirichlet(np.full(len(WORDS), 0.4), size=4)
    return [
        list(rng.choice(WORDS, size=rng.integers(1, longest), replace=False, p=p))
        for p in shares[rng.integers(4, size=n)] * 0.9 + 0.1 / len(WORDS)
    ]


def topics(rng, n_topics=5, n=6):
    return [list(rng.choice(WORDS, size=n, replace=False)) for _ in range(n_topics)]


@pytest.mark.parametrize("measure", NAMES)
@pytest.mark.parametrize("longest", [9, 38])  # shorter and longer than a window
def test_coherence_matches_gensim(measure, longest):
    rng = np.random.default_rng(longest)
    texts, top = random_documents(rng, longest=longest), topics(rng)
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


def test_default_windows():
    rng = np.random.default_rng(0)
    texts, top = random_documents(rng, longest=38), topics(rng)
    corpus = Corpus.from_tokens(texts)
    for measure, window in (("npmi", 10), ("c_v", 110), ("umass", 1000)):
        default = coherence(top, corpus, measure)
        np.testing.assert_array_equal(default, coherence(top, corpus, measure, window))


def test_window_counts_match_the_reference_implementation():
    rng = np.random.default_rng(1)
    texts = [list(rng.choice(WORDS[:8], size=rng.integers(0, 12))) for _ in range(60)]
    top = [WORDS[:3], WORDS[2:5], [WORDS[7], WORDS[0], "unknown"]]
    counts = count_windows(top, Corpus.from_tokens(texts), 4)
    words, pairs, n = reference.windows(texts, top, 4)
    assert counts.windows == n
    np.testing.assert_array_equal(counts.words, words)
    np.testing.assert_array_equal(counts.pairs, pairs)


def test_words_that_occur_together_are_coherent():
    texts = [["a", "b", "c"], ["x", "y", "z"]] * 50 + [["a", "x"]]
    corpus = Corpus.from_tokens(texts)
    for measure in NAMES:
        good, bad = coherence([["a", "b", "c"], ["a", "y", "b"]], corpus, measure)
        assert good > bad


def test_a_word_that_never_occurs_has_no_company():
    corpus = Corpus.from_tokens([["a", "b"], ["c"]] * 5)
    values = {name: coherence([["a", "nowhere"]], corpus, name)[0] for name in COHERENCE}
    assert np.isfinite(list(values.values())).all()
    assert values["npmi"] == -1


def test_documents_of_a_count_matrix_are_windows():
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
        ([["a", "b"], ["a", "b", "c"]], "the same number"),
        ([["a", "a"]], "twice"),
        ([], "two or more"),
    ],
)
def test_unsuitable_top_words_are_rejected(top, message):
    with pytest.raises(InputError, match=message):
        coherence(top, Corpus.from_tokens([["a", "b"]]))


def test_unknown_measures_and_empty_corpora_are_rejected():
    with pytest.raises(InputError, match='unknown coherence measure "pmi"; choose from npmi, c_v'):
        coherence([["a", "b"]], Corpus.from_tokens([["a", "b"]]), "pmi")
    with pytest.raises(InputError, match="the corpus has none"):
        coherence([["a", "b"]], Corpus.from_tokens([[]]))


def test_coherence_of_a_model():
    texts, _ = blocks()
    values = BTM(4, random_state=1).fit(texts).coherence(texts, n=4)
    assert values.shape == (4,)
    assert (values > 0.2).all()
