"""Export to OCTIS."""

from typing import Any

from bittern.export.shared import Model, document_shares, normalize_rows
from bittern.fitted import as_fitted


def octis(model: Model, X: Any = None, test: Any = None, n: int = 10) -> dict[str, Any]:
    """Return the model output that the measures of OCTIS need.

    Parameters
    ----------
    model : BTM or FittedTopics
        A fitted model.
    X : list of str, Corpus or matrix, optional
        Training documents, for "topic-document-matrix".
    test : list of str, Corpus or matrix, optional
        Test documents, for "test-topic-document-matrix".
    n : int
        Number of top words per topic.

    Returns
    -------
    dict
        "topics", the top words of each topic; "topic-word-matrix" of shape (n_topics, n_words); and
        the matrices of shape (n_topics, n_documents) of the given documents.

    Examples
    --------
    >>> import bittern
    >>> from bittern.export import octis
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> octis(model, texts)["topic-document-matrix"].shape
    (2, 40)
    """
    fitted = as_fitted(model)
    output: dict[str, Any] = {
        "topics": fitted.top_words(n, relevance=1),
        "topic-word-matrix": normalize_rows(fitted.phi),
    }
    for name, documents in (("topic-document-matrix", X), ("test-topic-document-matrix", test)):
        if documents is not None:
            output[name] = normalize_rows(document_shares(model, documents)).T
    return output
