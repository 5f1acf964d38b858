"""Documents as integer-coded words, and operations on them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.numba import kernel
from bittern._core.validation import is_unicode, shorten
from bittern.errors import InputError

EMPTY, OTHER_LANGUAGE, NO_CONTENT = 1, 2, 3  # why a text was not split into words; 0 if it was
GAP = -1  # the code where words were left out between two others
WORD_LISTS = pl.List(pl.String)  # documents that are lists of words


class Tokens(NamedTuple):
    """The words of some documents, one document after the other."""

    lengths: NDArray[np.int64]  # number of words in each document
    codes: NDArray[np.int32]  # the words, as indices into `words`, or GAP
    words: pl.Series  # distinct words
    skipped: NDArray[np.uint8] | None = None  # why documents were not split; None if all were


def word_lists(documents: Iterable[Iterable[str] | None]) -> pl.Series:
    """Return documents that are iterables of words as a column of lists of strings."""
    lists = [
        None if document is None else _word_list(row, document)
        for row, document in enumerate(documents)
    ]
    try:
        return pl.Series(lists, dtype=WORD_LISTS)
    except (TypeError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        for row, words in enumerate(lists):
            for word in words or ():
                if not isinstance(word, str) or not is_unicode(word):
                    raise InputError(
                        f"documents must be lists of strings of valid Unicode; document {row} has "
                        f"{shorten(word)}"
                    ) from None
        raise


def _word_list(row: int, words: object) -> list[str]:
    """Return the words of a document as a list."""
    is_list = isinstance(words, Iterable) and getattr(words, "ndim", 1) == 1
    if not is_list or isinstance(words, str | bytes):
        raise InputError(f"documents must be lists of strings; document {row} is {shorten(words)}")
    return list(words)  # type: ignore[call-overload, no-any-return]


def encode(documents: pl.Series) -> Tokens:
    """Encode documents that are lists of words; a null document has no words."""
    check_not_forked()
    lengths = documents.list.len().fill_null(0).cast(pl.Int64).to_numpy()
    flat = documents.explode(empty_as_null=False, keep_nulls=False)
    if flat.null_count():
        raise InputError("a document contains a null word; words must be strings")
    words = flat.unique()
    return Tokens(lengths, word_indices(flat, words), words)


def word_indices(items: pl.Series, words: pl.Series | Sequence[str]) -> NDArray[np.int32]:
    """Return the index of each item in `words`, which are distinct; -1 if it is not there."""
    table = pl.DataFrame({"word": pl.Series(words, dtype=pl.String)}).with_row_index("index")
    found = items.to_frame("word").join(table, "word", "left", maintain_order="left")["index"]
    return found.cast(pl.Int32).fill_null(-1).to_numpy()


def document_frequency(tokens: Tokens) -> NDArray[np.int64]:
    """Return the number of documents that contain each word."""
    return np.asarray(_document_frequency(tokens.lengths, tokens.codes, len(tokens.words)))


def renumber(
    tokens: Tokens, new_codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return lengths and codes with word i numbered new_codes[i]; drop words below 0, and gaps."""
    lengths, codes = np.empty_like(tokens.lengths), np.empty_like(tokens.codes)
    n = _renumber(tokens.lengths, tokens.codes, new_codes, lengths, codes)
    return lengths, codes[:n]


def drop_words(tokens: Tokens, dropped: NDArray[np.bool_]) -> Tokens:
    """Return the tokens without gaps, and without the words where `dropped` is true.

    Other codes stay the same.
    """
    codes = np.where(dropped, -1, np.arange(len(dropped))).astype(np.int32)
    lengths, codes = renumber(tokens, codes)
    return tokens._replace(lengths=lengths, codes=codes)


def leave_gaps(tokens: Tokens, dropped: NDArray[np.bool_]) -> Tokens:
    """Return the tokens with a GAP for each run of words where `dropped` is true."""
    lengths, codes = np.empty_like(tokens.lengths), np.empty_like(tokens.codes)
    n = _leave_gaps(tokens.lengths, tokens.codes, dropped, lengths, codes)
    return tokens._replace(lengths=lengths, codes=codes[:n])


def rename_words(tokens: Tokens, names: pl.Series) -> Tokens:
    """Return the tokens with word i called names[i]; words with the same name are merged.

    The words of the tokens must be distinct.
    """
    new_names = names.filter(names != tokens.words)
    shared = names.is_in(new_names.implode()).arg_true()  # only these names may occur twice
    table = pl.DataFrame({"index": shared, "name": names.gather(shared)})
    first = table.select(pl.col("index").min().over("name")).to_series()
    if (first == shared).all():
        return tokens._replace(words=names)
    targets = np.arange(len(names))
    targets[shared] = first
    is_first = targets == np.arange(len(names))
    codes = (np.cumsum(is_first, dtype=np.int32) - np.int32(1))[targets]
    return tokens._replace(codes=_recode(tokens.codes, codes), words=names.filter(is_first))


def add_ngrams(tokens: Tokens, max_n: int) -> Tokens:
    """Return each word followed by the n-grams that start with it, from 2 to max_n words."""
    n_words, n_tokens = len(tokens.words), len(tokens.codes)
    max_n = min(max_n, int(tokens.lengths.max(initial=1)))  # no n-gram is longer than its document
    # number of words from each token to the end of its document
    remaining = np.repeat(np.cumsum(tokens.lengths), tokens.lengths) - np.arange(n_tokens)
    starts, grams, words = [np.arange(n_tokens)], [tokens.codes.astype(np.int64)], [tokens.words]
    for n in range(2, max_n + 1):
        start = np.flatnonzero(remaining >= n)
        prefix = grams[-1][np.searchsorted(starts[-1], start)]  # the (n-1)-gram that starts there
        pairs, ngrams = np.unique(
            prefix * n_words + tokens.codes[start + n - 1], return_inverse=True
        )
        first, last = np.divmod(pairs, n_words)
        names = pl.DataFrame({"first": words[-1].gather(first), "last": tokens.words.gather(last)})
        starts.append(start)
        grams.append(ngrams)
        words.append(names.select(pl.concat_str("first", "last", separator=" ")).to_series())
    offsets = np.cumsum([0, *map(len, words[:-1])])
    merged = np.concatenate([code + offset for code, offset in zip(grams, offsets, strict=True)])
    order = np.argsort(np.concatenate(starts), kind="stable")
    document = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
    lengths = np.bincount(document, np.minimum(remaining, max_n), minlength=len(tokens.lengths))
    codes = merged[order].astype(np.int32)
    return tokens._replace(lengths=lengths.astype(np.int64), codes=codes, words=pl.concat(words))


@kernel
def _document_frequency(lengths: Any, codes: Any, n_words: int) -> Any:
    """Count the documents with each word; `last` is the last document that had it."""
    frequency = np.zeros(n_words, np.int64)
    last = np.full(n_words, -1, np.int64)
    i = 0
    for document in range(len(lengths)):
        for _ in range(lengths[document]):
            if last[codes[i]] != document:
                last[codes[i]] = document
                frequency[codes[i]] += 1
            i += 1
    return frequency


@kernel
def _renumber(lengths: Any, codes: Any, new_codes: Any, out_lengths: Any, out_codes: Any) -> int:
    """Fill out_lengths and out_codes; return the number of remaining tokens."""
    i, n = 0, 0
    for document in range(len(lengths)):
        start = n
        for _ in range(lengths[document]):
            code = new_codes[codes[i]] if codes[i] != GAP else -1
            i += 1
            if code >= 0:
                out_codes[n] = code
                n += 1
        out_lengths[document] = n - start
    return n


@kernel
def _leave_gaps(lengths: Any, codes: Any, dropped: Any, out_lengths: Any, out_codes: Any) -> int:
    """Fill out_lengths and out_codes; return the number of words and gaps."""
    i, n = 0, 0
    for document in range(len(lengths)):
        start = n
        for _ in range(lengths[document]):
            code = codes[i]
            i += 1
            if code != GAP and not dropped[code]:
                out_codes[n] = code
                n += 1
            elif n == start or out_codes[n - 1] != GAP:
                out_codes[n] = GAP
                n += 1
        out_lengths[document] = n - start
    return n


@kernel
def _recode(codes: Any, new_codes: Any) -> Any:
    """Return the codes with code i replaced by new_codes[i]; gaps stay."""
    result = np.empty_like(codes)
    for i in range(len(codes)):
        result[i] = new_codes[codes[i]] if codes[i] >= 0 else GAP
    return result
