"""The result of a fit: topics, names, history, and their files on disk."""

from bittern.fitted.fitted import (
    UNUSED_NAME,
    Distributions,
    Duplicates,
    FitSettings,
    FittedModel,
    FittedTopics,
    RandomState,
    as_fitted,
    check_duplicates,
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
from bittern.fitted.numbering import check_topics, topic_groups, topic_list
from bittern.fitted.storage import check_target, read_fitted, write_fitted
from bittern.fitted.summary import HEADER as SUMMARY_HEADER
from bittern.fitted.summary import summary_notes, summary_rows, topic_summary
from bittern.fitted.tokenizers import tokenizer_name
from bittern.fitted.top_words import DEFAULT_RELEVANCE, NAME_WORDS, telling_words, top_words

__all__ = [
    "DEFAULT_RELEVANCE",
    "NAME_WORDS",
    "SUMMARY_HEADER",
    "UNUSED_NAME",
    "Data",
    "Distributions",
    "Documents",
    "Duplicates",
    "FitSettings",
    "FittedModel",
    "FittedTopics",
    "RandomState",
    "as_data",
    "as_fitted",
    "check_columns",
    "check_duplicates",
    "check_target",
    "check_topics",
    "encode_data",
    "encode_documents",
    "is_texts",
    "read_encoded",
    "read_encoded_batches",
    "read_fitted",
    "summary_notes",
    "summary_rows",
    "telling_words",
    "text_arguments",
    "tokenizer_name",
    "top_words",
    "topic_groups",
    "topic_list",
    "topic_summary",
    "write_fitted",
]
