"""Export to topicwizard."""

from functools import partial
from typing import Any

import numpy as np

from bittern.analysis.documents import infer_topics, texts_of, warn_about_unknown
from bittern.export.shared import Model, count_matrix, document_shares, n_threads
from bittern.fitted import as_fitted, encode_documents


def topicwizard(model: Model, X: Any) -> dict[str, Any]:
    """Return the TopicData of topicwizard.

    Use it with `topicwizard.visualize(topic_data=...)`. Documents are laid out by their topics,
    since most short texts have no word in common.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    X : list of str, Corpus or matrix
        Documents: texts, a corpus, or a matrix of word counts. If a corpus has not kept its texts,
        their words are shown.

    Returns
    -------
    dict
        The TopicData; "transform" is None if the model was not fitted on texts.

    Examples
    --------
    >>> import bittern
    >>> from bittern.export import topicwizard
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> topicwizard(model, texts)["document_topic_matrix"].shape
    (40, 2)
    """
    fitted = as_fitted(model)
    corpus = encode_documents(fitted, X)
    warn_about_unknown(corpus, stacklevel=2)
    shares = infer_topics(fitted, corpus, n_threads=n_threads(model))
    return {
        "corpus": texts_of(corpus),
        "vocab": np.array(fitted.vocabulary, object),
        "document_term_matrix": count_matrix(corpus),
        "document_topic_matrix": shares,
        "topic_term_matrix": fitted.phi,
        "document_representation": shares,
        "transform": None if fitted.text_options is None else partial(document_shares, model),
        "topic_names": list(fitted.topic_names),
    }
