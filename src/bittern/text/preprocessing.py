"""Text preprocessing: language filter, words, normalization, stop words and n-grams."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern.text.detection import load_detector
from bittern.text.lemmas import lemmatize
from bittern.text.options import TextOptions
from bittern.text.segmentation import segment_texts
from bittern.text.tokenizer import find_words
from bittern.text.tokens import (
    EMPTY,
    OTHER_LANGUAGE,
    Tokens,
    add_ngrams,
    drop_words,
    encode,
    rename_words,
    word_lists,
)


def tokenize(texts: pl.Series, options: TextOptions) -> Tokens:
    """Split texts into words; a null text has no words."""
    skipped = _find_empty(texts)
    if options.language is not None:
        texts = _filter_language(texts, options.language)
        skipped[(skipped == 0) & texts.is_null().to_numpy()] = OTHER_LANGUAGE
    stop_words = options.all_stop_words()
    if options.segment is not None:
        texts = segment_texts(texts, options.segment)
    if options.tokenizer is None:
        tokens = _normalize_tokens(find_words(texts))
        stop_words = _normalize(stop_words)
    else:
        split = options.tokenizer
        tokens = encode(word_lists(None if text is None else split(text) for text in texts))
    if options.lemmas is not None:
        tokens = lemmatize(tokens, options.lemmas, stop_words)
    tokens = drop_words(tokens, stop_words)
    if options.ngrams > 1:
        tokens = add_ngrams(tokens, options.ngrams)
    return tokens._replace(skipped=skipped)


def _find_empty(texts: pl.Series) -> NDArray[np.uint8]:
    """Return EMPTY for texts that are missing or white space, and 0 for others."""
    is_empty = texts.is_null() | (texts.str.strip_chars() == "")
    return (is_empty.fill_null(True).to_numpy() * EMPTY).astype(np.uint8)


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
    detect = load_detector()

    def matches(text: str | None) -> bool:
        if text is None or not text.strip():
            return False
        return detect(text) == language

    keep = pl.Series([matches(text) for text in texts], dtype=pl.Boolean)
    return pl.select(pl.when(keep).then(texts)).to_series()
