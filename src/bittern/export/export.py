"""Hand-overs: a fitted model as the tools take it that people already use.

Each function gives plain arrays, lists and tables; the tool itself need not be installed, but for
gensim, whose measures want a dictionary of gensim's own. X is what `transform` takes: texts, a
corpus, or a matrix of counts.
"""

from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bittern._core.validation import check_integer
from bittern.analysis.documents import texts_of, words_of
from bittern.corpus.corpus import CHUNK, Corpus
from bittern.errors import InputError
from bittern.estimator import BTM
from bittern.fitted.topics import top_words


def pyldavis(model: BTM, X: Any) -> dict[str, Any]:
    """The arguments of pyLDAvis: `pyLDAvis.prepare(**pyldavis(model, X))`.

    Topics keep their order, but pyLDAvis counts from 1: its page takes topic 0 for none. Documents
    without words are left out. Of more than 100,000 documents, each 100,000 become one row: the
    picture is the same, as pyLDAvis only adds them up, and it takes far less memory.
    """
    corpus = model._documents(X)
    corpus = corpus[_lengths(corpus) > 0]
    if len(corpus) == 0:
        raise InputError("pyLDAvis needs documents with words that the model knows")
    if len(model.theta_) < 2:
        raise InputError("pyLDAvis shows two topics or more, and the model has one")
    rows, lengths = [], []
    for start in range(0, len(corpus), CHUNK):
        part = corpus[start : start + CHUNK]
        shares, words = _sum_to_one(model._shares(part)), _lengths(part)
        if len(corpus) > CHUNK:
            shares = (words @ shares / words.sum())[np.newaxis]
            words = words.sum(keepdims=True)
        rows.append(shares)
        lengths.append(words)
    n_words = len(model.vocabulary_)
    return {
        "topic_term_dists": _sum_to_one(model.phi_),
        "doc_topic_dists": np.concatenate(rows),
        "doc_lengths": np.concatenate(lengths),
        "vocab": list(model.vocabulary_),
        "term_frequency": np.bincount(corpus.tokens, weights=corpus.counts, minlength=n_words),
        "sort_topics": False,
    }


def gensim_coherence(model: BTM, X: Any, n: int = 10) -> dict[str, Any]:
    """The arguments of gensim's CoherenceModel, for the n top words of each topic.

    `CoherenceModel(**gensim_coherence(model, X), coherence="c_npmi")` gives what
    `model.coherence(X)` does where no word is twice in a window (gensim forgets it when one of the
    two leaves), and has measures that bittern has not. X may be a reference corpus, too; gensim
    leaves out top words that it does not have. In a matrix of counts a document is one window.
    """
    if find_spec("gensim") is None:
        raise InputError("gensim's coherence needs gensim: pip install gensim")
    from gensim.corpora import Dictionary

    check_integer("n", n, 2)
    topics = model.top_words(n)
    corpus = X if isinstance(X, Corpus) else model._documents(X)
    texts = [words for words in words_of(corpus) if words]  # gensim has a window for no words
    dictionary = Dictionary(texts)
    for topic, top in enumerate(topics):
        if sum(word in dictionary.token2id for word in top) < 2:
            raise InputError(f"these texts have fewer than two of the top words of topic {topic}")
    arguments = {"topics": topics, "texts": texts, "dictionary": dictionary, "topn": n}
    if corpus.counts is not None:
        arguments["window_size"] = max(map(len, texts))
    return arguments


def octis(model: BTM, X: Any = None, test: Any = None, n: int = 10) -> dict[str, Any]:
    """The model's output as OCTIS has it: what its measures take.

    "topics" are the n top words of each, "topic-word-matrix" is (K, W), "topic-document-matrix"
    (K, D) is there if X is given, and "test-topic-document-matrix" if there are test documents.
    """
    output: dict[str, Any] = {
        "topics": model.top_words(n),
        "topic-word-matrix": _sum_to_one(model.phi_),
    }
    for name, documents in (("topic-document-matrix", X), ("test-topic-document-matrix", test)):
        if documents is not None:
            output[name] = _sum_to_one(_shares(model, documents)).T
    return output


def topicwizard(model: BTM, X: Any) -> dict[str, Any]:
    """The TopicData of topicwizard: `topicwizard.visualize(topic_data=topicwizard(model, X))`.

    The texts are those of X, or the words of a corpus that has not kept its texts. Documents are
    laid out by their topics: most short texts have no word in common. A model that was not fitted
    on texts has no `transform` for new ones.
    """
    corpus = model._documents(X)
    shares = model._shares(corpus)
    return {
        "corpus": texts_of(corpus),
        "vocab": np.array(model.vocabulary_, object),
        "document_term_matrix": _count_matrix(corpus),
        "document_topic_matrix": shares,
        "topic_term_matrix": model.phi_,
        "document_representation": shares,
        "transform": None if model.options_ is None else partial(_shares, model),
        "topic_names": model.topic_names_,
    }


def tables(model: BTM, X: Any = None, n: int = 20) -> dict[str, pl.DataFrame]:
    """Flat tables of the model, for pandas, Arrow, Parquet or a database.

    "topics" has topic, name and share; "words" the n top words of each: topic, rank, word and
    probability; "documents", if X is given, is `model.document_info(X)`.
    """
    best = top_words(model.theta_, model.phi_, n)
    topic, rank = np.indices(best.shape).reshape(2, -1)
    words = pl.DataFrame(
        {
            "topic": topic,
            "rank": rank + 1,
            "word": [model.vocabulary_[word] for word in best.ravel()],
            "probability": model.phi_[topic, best.ravel()],
        }
    )
    found = {"topics": model.topic_info().drop("words"), "words": words}
    return found if X is None else found | {"documents": model.document_info(X)}


def _shares(model: BTM, X: Any) -> NDArray[np.float32]:
    """The share of each topic in each document: an array, whatever `set_output` says."""
    return model._shares(model._documents(X))


def _sum_to_one(rows: NDArray[Any]) -> NDArray[np.float64]:
    exact = rows.astype(np.float64)
    exact /= exact.sum(axis=1, keepdims=True)
    return exact


def _count_matrix(corpus: Corpus) -> csr_array:
    """How often each document has each word."""
    counts = np.ones(len(corpus.tokens), np.int64) if corpus.counts is None else corpus.counts
    matrix = csr_array((counts, corpus.tokens, corpus.indptr), shape=corpus.shape, copy=True)
    matrix.sum_duplicates()
    return matrix


def _lengths(corpus: Corpus) -> NDArray[Any]:
    """How many words each document has."""
    if corpus.counts is None:
        return np.diff(corpus.indptr)
    return np.asarray(_count_matrix(corpus).sum(axis=1))
