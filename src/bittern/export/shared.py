"""What several exports need: documents and their topics as arrays."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bittern._core.threads import resolve_n_jobs
from bittern.analysis.arrays import Floats, Numbers
from bittern.analysis.documents import infer_topics, warn_about_unknown
from bittern.corpus import Corpus
from bittern.fitted import FittedModel, FittedTopics, as_fitted, encode_documents

Model: TypeAlias = FittedModel | FittedTopics


def n_threads(model: Model) -> int:
    """Return the number of threads that the estimator is set to use."""
    return resolve_n_jobs(getattr(model, "n_jobs", None))


def document_shares(model: Model, X: Any) -> NDArray[np.float32]:
    """Return the share of each topic in each document, as an array regardless of `set_output`."""
    fitted = as_fitted(model)
    corpus = encode_documents(fitted, X)
    warn_about_unknown(corpus, stacklevel=3)
    return infer_topics(fitted, corpus, n_threads=n_threads(model))


def normalize_rows(rows: Floats) -> NDArray[np.float64]:
    """Make rows sum to exactly 1 in double precision."""
    exact = rows.astype(np.float64)
    exact /= exact.sum(axis=1, keepdims=True)
    return exact


def count_matrix(corpus: Corpus) -> csr_array:
    """Count how often each word occurs in each document."""
    counts = np.ones(len(corpus.tokens), np.int64) if corpus.counts is None else corpus.counts
    matrix = csr_array((counts, corpus.tokens, corpus.indptr), shape=corpus.shape, copy=True)
    matrix.sum_duplicates()
    return matrix


def document_lengths(corpus: Corpus) -> Numbers:
    """Count the words of each document."""
    if corpus.counts is None:
        return np.diff(corpus.indptr)
    return np.asarray(count_matrix(corpus).sum(axis=1))
