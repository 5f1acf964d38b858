"""Exports and, where the tools are installed (make test-export), what the tools make of them."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import bittern
import known
from bittern import export
from bittern.biterms import Biterms
from bittern.errors import InputError

K, WORDS = 4, 60
TEXTS, LABELS = known.blocks(n_topics=K, words_per_topic=WORDS)


@pytest.fixture(scope="module")
def model():
    return bittern.BTM(K, random_state=0, min_df=1).fit(TEXTS)


def matrix_of(model, texts):
    index = {word: i for i, word in enumerate(model.vocabulary_)}
    counts = np.zeros((len(texts), len(index)))
    for row, text in enumerate(texts):
        for word in text.split():
            counts[row, index[word]] += 1
    return counts


def test_pyldavis_gets_distributions(model):
    found = export.pyldavis(model, TEXTS)
    assert found["topic_term_dists"].shape == (K, len(model.vocabulary_))
    assert found["doc_topic_dists"].shape == (len(TEXTS), K)
    for name in ("topic_term_dists", "doc_topic_dists"):
        assert found[name].dtype == np.float64
        np.testing.assert_allclose(found[name].sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(found["doc_topic_dists"], model.transform(TEXTS), atol=1e-6)
    np.testing.assert_array_equal(found["doc_lengths"], [len(text.split()) for text in TEXTS])
    assert found["vocab"] == model.vocabulary_
    np.testing.assert_array_equal(found["term_frequency"], matrix_of(model, TEXTS).sum(axis=0))


def test_pyldavis_skips_documents_without_words(model):
    found = export.pyldavis(model, ["", *TEXTS, None, "unheard-of"])
    assert len(found["doc_topic_dists"]) == len(found["doc_lengths"]) == len(TEXTS)


def test_pyldavis_sums_up_a_large_corpus(model, monkeypatch):
    texts = [*TEXTS[:60], TEXTS[0] + " " + TEXTS[1]]
    each = export.pyldavis(model, texts)
    monkeypatch.setattr(sys.modules["bittern.export.pyldavis"], "CHUNK_SIZE", 25)
    together = export.pyldavis(model, texts)
    assert together["doc_topic_dists"].shape == (3, K)
    np.testing.assert_array_equal(together["doc_lengths"], [125, 125, 60])
    np.testing.assert_array_equal(together["term_frequency"], each["term_frequency"])
    sums = [found["doc_lengths"] @ found["doc_topic_dists"] for found in (each, together)]
    np.testing.assert_allclose(*sums, rtol=1e-12)


def test_counts_are_exported_like_texts():
    texts = TEXTS[:100]
    corpus = bittern.Corpus.from_texts(texts, min_df=1)
    model = bittern.BTM(K, window=None, random_state=0).fit(corpus)
    counts = matrix_of(model, texts)
    one, other = export.pyldavis(model, corpus), export.pyldavis(model, csr_array(counts))
    for name in ("doc_lengths", "term_frequency", "topic_term_dists"):
        np.testing.assert_array_equal(one[name], other[name])
    wizard = export.topicwizard(model, counts)
    np.testing.assert_array_equal(wizard["document_term_matrix"].toarray(), counts)
    assert [set(text.split()) for text in wizard["corpus"]] == [set(t.split()) for t in texts]


def test_a_fitted_result_is_exported_like_its_estimator(model):
    for function in (export.pyldavis, export.octis, export.tables):
        ours, theirs = function(model, TEXTS), function(model.fitted_, TEXTS)
        assert list(ours) == list(theirs)
        for name, value in ours.items():
            np.testing.assert_array_equal(np.array(value), np.array(theirs[name]))


def test_octis_gets_topics_in_rows(model):
    found = export.octis(model, n=7)
    assert found["topics"] == model.top_words(7, relevance=1)
    assert sorted(found) == ["topic-word-matrix", "topics"]
    np.testing.assert_allclose(found["topic-word-matrix"].sum(axis=1), 1, atol=1e-12)
    found = export.octis(model, TEXTS, test=TEXTS[:9])
    np.testing.assert_allclose(found["topic-document-matrix"], model.transform(TEXTS).T, atol=1e-6)
    assert found["test-topic-document-matrix"].shape == (K, 9)


def test_topicwizard_gets_texts_and_matrices(model):
    texts = ["", *TEXTS[:50], None]
    with pytest.warns(UserWarning, match="2 of 52 documents have no known words"):
        found = export.topicwizard(model, texts)
    with pytest.warns(UserWarning, match="2 of 52 documents have no known words"):
        shares = model.transform(texts)
    assert found["corpus"] == ["", *TEXTS[:50], ""]
    assert list(found["vocab"]) == model.vocabulary_
    counts = matrix_of(model, ["", *TEXTS[:50], ""])
    np.testing.assert_array_equal(found["document_term_matrix"].toarray(), counts)
    np.testing.assert_array_equal(found["document_topic_matrix"], shares)
    np.testing.assert_array_equal(found["topic_term_matrix"], model.phi_)
    np.testing.assert_array_equal(found["transform"](TEXTS[:3]), model.transform(TEXTS[:3]))
    assert found["topic_names"] == model.topic_names_


def test_topicwizard_gets_words_if_there_are_no_texts():
    corpus = bittern.Corpus.from_tokens([text.split() for text in TEXTS])
    found = export.topicwizard(bittern.BTM(K, random_state=0).fit(corpus), corpus)
    assert found["corpus"] == TEXTS
    assert found["transform"] is None


def test_exports_are_arrays_regardless_of_set_output():
    model = bittern.BTM(K, random_state=0).fit(TEXTS).set_output(transform="polars")
    assert isinstance(model.transform(TEXTS[:2]), pl.DataFrame)
    found = export.topicwizard(model, TEXTS)
    assert isinstance(found["document_topic_matrix"], np.ndarray)
    assert isinstance(found["transform"](TEXTS[:2]), np.ndarray)
    assert isinstance(export.octis(model, TEXTS)["topic-document-matrix"], np.ndarray)


def test_tables_are_flat_and_can_be_joined(model):
    found = export.tables(model, TEXTS, n=5)
    assert found["topics"].columns == ["topic", "name", "share", "in_use"]
    assert found["documents"].equals(model.document_info(TEXTS))
    words = found["words"]
    assert words["topic"].to_list() == [topic for topic in range(K) for _ in range(5)]
    assert words["rank"].to_list() == [1, 2, 3, 4, 5] * K
    assert words["word"].to_list() == [word for top in model.top_words(5) for word in top]
    for topic, word, probability in words.select("topic", "word", "probability").iter_rows():
        assert probability == model.phi_[topic, model.vocabulary_.index(word)]
    joined = found["documents"].join(found["topics"], "topic").join(words, "topic")
    assert len(joined) == 5 * len(TEXTS)
    assert not any(table.schema[c].is_nested() for table in found.values() for c in table.columns)
    assert sorted(export.tables(model)) == ["topics", "words"]
    every = export.tables(model, n=10_000)["words"]
    sums = every.group_by("topic").agg(pl.col("probability").sum())["probability"]
    np.testing.assert_allclose(sums, 1, atol=1e-4)


def test_unsuitable_input_is_rejected(model, monkeypatch):
    with pytest.raises(InputError, match="no document has a word that the model knows"):
        export.pyldavis(model, ["unheard-of", ""])
    with pytest.raises(InputError, match="two or more topics"):
        export.pyldavis(bittern.BTM(1, random_state=0).fit(TEXTS), TEXTS)
    biterms = Biterms.from_words(["topic0word0"], ["topic0word1"])
    for function in (export.pyldavis, export.topicwizard, export.octis, export.tables):
        with pytest.raises(InputError, match="needs documents"):
            function(model, biterms)
    with pytest.raises(InputError, match="n must be 1 or more"):
        export.tables(model, n=0)
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(InputError, match="needs gensim; run: pip install gensim"):
        export.gensim_coherence(model, TEXTS)


def test_pyldavis_shows_our_topics(model):
    tool = pytest.importorskip("pyLDAvis")
    texts = ["", *TEXTS[: len(TEXTS) // 2]]  # half of them: some words never occur
    prepared = tool.prepare(**export.pyldavis(model, texts), n_jobs=1)
    assert prepared.topic_order == [1, 2, 3, 4]
    lengths = np.array([len(text.split()) for text in texts[1:]])
    shares = lengths @ model.transform(texts[1:]) / lengths.sum()
    table = prepared.topic_coordinates
    np.testing.assert_allclose(table["Freq"] / 100, shares, rtol=1e-5)
    assert np.isfinite(table[["x", "y"]].to_numpy()).all()
    for topic, probabilities in enumerate(model.phi_):
        top = prepared.sorted_terms(topic + 1, 1).head(5)
        logs = dict(zip(model.vocabulary_, np.log(probabilities), strict=True))
        np.testing.assert_allclose(top["logprob"], [logs[word] for word in top["Term"]], atol=1e-4)
        np.testing.assert_allclose(top["logprob"], sorted(logs.values())[:-6:-1], atol=1e-4)
    assert model.top_words(1)[0][0] in tool.prepared_data_to_html(prepared)


@pytest.mark.parametrize(("measure", "name"), [("npmi", "c_npmi"), ("umass", "u_mass")])
@pytest.mark.parametrize("n", [5, 25])  # without topn, gensim would look at 20
def test_gensim_reproduces_our_coherence(model, measure, name, n):
    tool = pytest.importorskip("gensim.models.coherencemodel")
    texts = ["", *TEXTS[:200], "unheard-of"]
    for X in (texts, bittern.Corpus.from_texts(texts, min_df=1), matrix_of(model, TEXTS[:200])):
        arguments = export.gensim_coherence(model, X, n)
        found = tool.CoherenceModel(**arguments, coherence=name, processes=1)
        own = model.coherence(X, measure, n)
        np.testing.assert_allclose(found.get_coherence_per_topic(), own, atol=1e-6)
        assert np.ptp(own) > 1e-3


def test_gensim_uses_a_document_of_counts_as_one_window():
    tool = pytest.importorskip("gensim.models.coherencemodel")
    texts = [" ".join(TEXTS[i] for i in range(k, 40 + k, K)) for k in range(100)]
    counts = matrix_of(bittern.BTM(K, random_state=0, min_df=1).fit(TEXTS), texts)
    model = bittern.BTM(K, random_state=0).fit(counts)
    arguments = export.gensim_coherence(model, counts, 5)
    assert arguments["window_size"] == (counts > 0).sum(axis=1).max() > 10
    found = tool.CoherenceModel(**arguments, coherence="c_npmi", processes=1)
    np.testing.assert_allclose(
        found.get_coherence_per_topic(), model.coherence(counts, "npmi", 5), atol=1e-6
    )


def test_gensim_needs_two_words_of_each_topic(model):
    pytest.importorskip("gensim")
    with pytest.raises(InputError, match="fewer than two of the top words of topic"):
        export.gensim_coherence(model, TEXTS[::K])
    with pytest.raises(InputError, match="n must be 2 or more"):
        export.gensim_coherence(model, TEXTS, 1)


# umap and dash warn about missing packages, random numbers and deprecations
@pytest.mark.filterwarnings("ignore")
def test_topicwizard_draws_our_topics(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # dash creates a folder in the current directory
    figures = pytest.importorskip("topicwizard.figures")
    prepare = pytest.importorskip("topicwizard.prepare.topics")
    app = pytest.importorskip("topicwizard.app")
    data = export.topicwizard(model, TEXTS)
    matrices = ("topic_term_matrix", "document_term_matrix", "document_topic_matrix")
    weights, *_ = prepare.topic_importances(*(data[name] for name in matrices))
    lengths = [len(text.split()) for text in TEXTS]
    np.testing.assert_allclose(weights, lengths @ model.transform(TEXTS), rtol=1e-5)
    assert figures.topic_map(data).data
    titles = [note.text for note in figures.topic_barcharts(data, top_n=3).layout.annotations]
    for title, words in zip(titles, model.top_words(4), strict=True):
        assert set(title.split("_")[1:]) == set(words)
    assert {trace.name for trace in figures.document_map(data).data} == set(model.topic_names_)
    assert figures.word_map(data).data
    assert figures.word_association_barchart(data, model.top_words(2)[0]).data
    assert figures.document_topic_distribution(data, TEXTS[0]).data
    assert figures.document_topic_timeline(data, " ".join(TEXTS[:5])).data
    assert figures.group_topic_barcharts(data, LABELS.astype(str)).data
    # without its page of topics, whose word cloud downloads a font
    assert app.get_dash_app(data, exclude_pages={"topics"}).layout is not None


def test_pandas_and_arrow_read_the_tables(model):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    for table in export.tables(model, TEXTS).values():
        assert table.to_pandas().shape == table.shape
        assert table.to_arrow().num_rows == len(table)


def test_columns_of_a_data_frame_must_be_those_of_fit():
    frame = pd.DataFrame(np.random.default_rng(0).integers(3, size=(9, 3)), columns=["a", "b", "c"])
    model = bittern.BTM(2, random_state=0).fit(frame)
    assert export.tables(model, frame)["documents"].height == 9
    with pytest.raises(InputError, match="columns differ from those of fit"):
        export.tables(model, frame[["c", "b", "a"]])
    with pytest.raises(InputError, match="pass the column with the texts"):
        export.tables(model, pd.DataFrame({"text": ["a b"]}))
