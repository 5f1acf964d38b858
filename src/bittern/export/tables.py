"""Export to flat tables."""

from typing import Any

import numpy as np
import polars as pl

from bittern.analysis.documents import document_table, infer_topics
from bittern.export.shared import Model, n_threads
from bittern.fitted import as_fitted, encode_documents, top_words


def tables(model: Model, X: Any = None, n: int = 20) -> dict[str, pl.DataFrame]:
    """Return flat tables for pandas, Arrow, Parquet or a database.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    X : list of str, Corpus or matrix, optional
        Documents: texts, a corpus, or a matrix of word counts.
    n : int
        Number of top words per topic.

    Returns
    -------
    dict of polars.DataFrame
        "topics" with topic, name and share; "words" with topic, rank, word and probability; and, if
        X is given, "documents", the table of `BTM.document_info`.

    Examples
    --------
    >>> import bittern
    >>> from bittern.export import tables
    >>> model = bittern.BTM(2, random_state=0).fit(["cats purr", "dogs bark"] * 20)
    >>> tables(model, n=2)["words"].shape
    (4, 4)
    """
    fitted = as_fitted(model)
    best = top_words(fitted.theta, fitted.phi, n, relevance=1)
    topic, rank = np.indices(best.shape).reshape(2, -1)
    words = pl.DataFrame(
        {
            "topic": topic,
            "rank": rank + 1,
            "word": [fitted.vocabulary[word] for word in best.ravel()],
            "probability": fitted.phi[topic, best.ravel()],
        }
    )
    found = {"topics": fitted.topic_info().drop("words"), "words": words}
    if X is not None:
        corpus = encode_documents(fitted, X)
        shares = infer_topics(fitted, corpus, n_threads=n_threads(model))
        found["documents"] = document_table(fitted, corpus, shares)
    return found
