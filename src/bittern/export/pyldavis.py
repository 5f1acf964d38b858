"""Export to pyLDAvis."""

from typing import Any

import numpy as np

from bittern.analysis.documents import CHUNK_SIZE, corpus_chunks, infer_topics
from bittern.errors import InputError
from bittern.export.shared import Model, document_lengths, n_threads, normalize_rows
from bittern.fitted import as_fitted, encode_documents


def pyldavis(model: Model, X: Any) -> dict[str, Any]:
    """Return the arguments of `pyLDAvis.prepare`.

    Topics keep their order, but pyLDAvis numbers them from 1. Documents without known words are
    dropped. In a corpus of more than 100,000 documents, every 100,000 become one row: pyLDAvis only
    uses their sums, so the page is the same, with far less memory.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    X : list of str, Corpus or matrix
        Documents: texts, a corpus, or a matrix of word counts.

    Returns
    -------
    dict
        Keyword arguments for `pyLDAvis.prepare`.

    Raises
    ------
    InputError
        If no document has a known word, or the model has a single topic.

    Examples
    --------
    >>> import bittern
    >>> from bittern.export import pyldavis
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> pyldavis(model, texts)["doc_topic_dists"].shape
    (40, 2)
    """
    fitted = as_fitted(model)
    corpus = encode_documents(fitted, X)
    corpus = corpus[document_lengths(corpus) > 0]
    if len(corpus) == 0:
        raise InputError("no document has a word that the model knows; pyLDAvis needs at least one")
    if fitted.n_topics < 2:
        raise InputError("pyLDAvis needs two or more topics; fit a model with more topics")
    rows, lengths = [], []
    for _, part in corpus_chunks(corpus, CHUNK_SIZE):
        shares = normalize_rows(infer_topics(fitted, part, n_threads=n_threads(model)))
        words = document_lengths(part)
        if len(corpus) > CHUNK_SIZE:
            shares = (words @ shares / words.sum())[np.newaxis]
            words = words.sum(keepdims=True)
        rows.append(shares)
        lengths.append(words)
    frequency = np.bincount(corpus.tokens, weights=corpus.counts, minlength=len(fitted.vocabulary))
    return {
        "topic_term_dists": normalize_rows(fitted.phi),
        "doc_topic_dists": np.concatenate(rows),
        "doc_lengths": np.concatenate(lengths),
        "vocab": list(fitted.vocabulary),
        "term_frequency": frequency,
        "sort_topics": False,
    }
