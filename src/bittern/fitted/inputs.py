"""Data in the words of a fitted model."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from numpy.typing import ArrayLike

from bittern._core.validation import NOT_LISTS, shorten
from bittern.biterms import Biterms
from bittern.corpus import Corpus, read, read_batches
from bittern.corpus.metadata import is_missing
from bittern.errors import InputError
from bittern.fitted.fitted import FittedTopics

Documents: TypeAlias = Corpus | Iterable[str | None] | ArrayLike
"""A corpus, texts, or a (sparse) matrix of word counts."""

Data: TypeAlias = Documents | Biterms


def as_data(X: Any) -> Any:
    """Return data that can be looked at twice: iterators become lists; reject what is not data."""
    if isinstance(X, Corpus | Biterms) or hasattr(X, "shape") or hasattr(X, "__array__"):
        return X
    if isinstance(X, str):
        raise InputError(
            f"data must be a list of texts, not one text; put it in a list: [{shorten(X)}]"
        )
    if isinstance(X, NOT_LISTS) or not isinstance(X, Iterable):
        raise InputError(
            "data must be a list of texts, a Corpus, Biterms or a matrix of word counts, "
            f"not {shorten(X)}"
        )
    return X if isinstance(X, list | tuple) else list(X)


def is_texts(X: Any) -> TypeGuard[Iterable[str | None]]:
    """Whether X is a list, array or series with strings, judging by its first items."""
    if isinstance(X, Corpus | Biterms) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__"):
        return False
    first = list(X[:100])
    return any(isinstance(item, str | bytes) for item in first) or all(map(is_missing, first))


def check_columns(X: Any) -> None:
    """Reject lists of words, and a data frame with texts, where word counts are expected."""
    if isinstance(X, list | tuple) and any(map(_is_words, X[:100])):
        raise InputError("these are lists of words, not texts; use Corpus.from_tokens")
    if not hasattr(X, "columns"):
        return
    name, n = Counter(X.columns).most_common(1)[0] if len(X.columns) else ("", 1)
    if n > 1:
        raise InputError(f'{n} columns are called "{name}"; give them different names')
    if any(is_texts(X[name]) for name in X.columns):
        raise InputError("this is a table with texts; pass the column with the texts")


def _is_words(item: object) -> bool:
    """Whether an item is a list with a word."""
    return isinstance(item, list | tuple) and any(isinstance(word, str) for word in item[:100])


def text_arguments(fitted: FittedTopics) -> dict[str, Any]:
    """Return the preprocessing options of the texts that the model was fitted on."""
    options = fitted.text_options
    if options is None:
        raise InputError(
            "the model was not fitted on texts; make a Corpus of these as you did for fit"
        )
    return {field.name: getattr(options, field.name) for field in fields(options)}


def encode_data(fitted: FittedTopics, X: Data) -> Corpus | Biterms:
    """Return texts, a corpus, biterms or counts in the words of the model; drop other words."""
    X = as_data(X)
    if isinstance(X, Biterms):
        X.check()
    if isinstance(X, Corpus | Biterms):
        return X.with_vocabulary(fitted.vocabulary)
    if is_texts(X):
        options = text_arguments(fitted)
        return Corpus.from_texts(X, vocabulary=fitted.vocabulary, keep_texts=True, **options)
    check_columns(X)
    columns = getattr(X, "columns", None)
    if fitted.named_columns and columns is not None and list(columns) != fitted.vocabulary:
        raise InputError(
            "the columns differ from those of fit; select them in the order of model.vocabulary_"
        )
    return Corpus.from_counts(X, fitted.vocabulary)


def encode_documents(fitted: FittedTopics, X: Data) -> Corpus:
    """Return documents in the words of the model; drop other words."""
    data = encode_data(fitted, X)
    if isinstance(data, Biterms):
        raise InputError("this needs documents; biterms do not tell which document they are from")
    return data


def read_encoded(fitted: FittedTopics, *paths: str | Path, **arguments: Any) -> Corpus:
    """Read files as a corpus in the words of the model; the arguments are those of `read`."""
    return read(*paths, vocabulary=fitted.vocabulary, **arguments, **text_arguments(fitted))


def read_encoded_batches(
    fitted: FittedTopics, *paths: str | Path, **arguments: Any
) -> Iterator[Corpus]:
    """Read files in batches, as corpora in the words of the model."""
    return read_batches(*paths, vocabulary=fitted.vocabulary, **arguments, **text_arguments(fitted))
