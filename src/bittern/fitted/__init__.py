"""The result of a fit: topics, names, history, and their files on disk."""

from bittern.fitted.fitted import (
    UNUSED_NAME,
    Distributions,
    FitSettings,
    FittedModel,
    FittedTopics,
    RandomState,
    as_fitted,
)
from bittern.fitted.inputs import (
    Data,
    Documents,
    as_data,
    check_columns,
    encode_data,
    encode_documents,
    is_texts,
    read_encoded,
    read_encoded_batches,
    text_arguments,
)
from bittern.fitted.numbering import check_topics
from bittern.fitted.storage import check_target, read_fitted, write_fitted
from bittern.fitted.top_words import NAME_RELEVANCE, top_words

__all__ = [
    "NAME_RELEVANCE",
    "UNUSED_NAME",
    "Data",
    "Distributions",
    "Documents",
    "FitSettings",
    "FittedModel",
    "FittedTopics",
    "RandomState",
    "as_data",
    "as_fitted",
    "check_columns",
    "check_target",
    "check_topics",
    "encode_data",
    "encode_documents",
    "is_texts",
    "read_encoded",
    "read_encoded_batches",
    "read_fitted",
    "text_arguments",
    "top_words",
    "write_fitted",
]
