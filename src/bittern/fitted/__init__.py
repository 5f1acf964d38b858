"""The result of a fit: topics, names, history, and their files on disk."""

from bittern.fitted.fitted import (
    Distributions,
    FitSettings,
    FittedModel,
    FittedTopics,
    RandomState,
    fitted_topics,
)
from bittern.fitted.inputs import (
    Data,
    Documents,
    is_texts,
    known_data,
    known_documents,
    read_known,
    read_known_batches,
    text_options,
)
from bittern.fitted.numbering import check_topics
from bittern.fitted.storage import check_target, read_fitted, write_fitted
from bittern.fitted.top_words import NAME_RELEVANCE, top_words

__all__ = [
    "NAME_RELEVANCE",
    "Data",
    "Distributions",
    "Documents",
    "FitSettings",
    "FittedModel",
    "FittedTopics",
    "RandomState",
    "check_target",
    "check_topics",
    "fitted_topics",
    "is_texts",
    "known_data",
    "known_documents",
    "read_fitted",
    "read_known",
    "read_known_batches",
    "text_options",
    "top_words",
    "write_fitted",
]
