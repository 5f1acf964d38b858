"""Text preprocessing: language filter, cleaning, words, phrases, stop words and n-grams."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern.text.cleaning import clean, separate_emoji, split_hashtags
from bittern.text.custom import split_texts
from bittern.text.detection import load_detector
from bittern.text.lemmas import lemmatize
from bittern.text.no_content import find_no_content
from bittern.text.options import TextOptions
from bittern.text.phrases import find_phrases, merge_phrases
from bittern.text.segmentation import segment_texts
from bittern.text.tokenizer import find_words
from bittern.text.tokens import (
    EMPTY,
    NO_CONTENT,
    OTHER_LANGUAGE,
    Tokens,
    add_ngrams,
    drop_gaps,
    drop_words,
    leave_gaps,
    rename_words,
)

APOSTROPHES, HYPHENS = "[’‘´ʼ]", "[\u2010\u2011]"
SHORT_FORM = r"'(?:s|m|d|ll|re|ve)$"
"""The end of a word that is short for "is", "am", "would" and the like, or the possessive."""

INITIALS = r"^[a-z](?:\.[a-z])+$"
NUMBER = r"^\p{N}+(?:['_\-]\p{N}+)*(?:st|nd|rd|th)?$"
LETTER = r"^[[\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{Hebrew}\p{Arabic}]&&\p{L}]\p{M}*$"
LANGUAGES = ["C", "R"]  # single capital letters that the tokenizer keeps as they are


def tokenize(texts: pl.Series, options: TextOptions, first_row: int | None = None) -> Tokens:
    """Split texts into words; a null text has no words.

    Errors of a custom tokenizer name the row, if that of the first text is known. If phrases are
    to be found, words that are left out leave gaps: see `join_phrases`.
    """
    given, no_content = texts, find_no_content(texts)
    if len(no_content) > 0:
        texts = texts.clone().scatter(no_content, None)
    if options.language is not None:
        texts = _filter_language(texts, options.language)
    stop_words = options.all_stop_words()
    if options.tokenizer is None:
        stop_words = _normalize(stop_words)
        tokens = _find_words(texts, options)
        names = _normalize_words(tokens.words, stop_words)
    else:
        tokens = split_texts(texts, options.tokenizer, first_row)
        names = tokens.words
    if options.lemmas is not None:
        names = lemmatize(names, options.lemmas, kept=stop_words)
    if isinstance(options.phrases, tuple):
        phrases = _normalize_phrases(options.phrases, stop_words)
        tokens = merge_phrases(rename_words(tokens, names), phrases)
        names = tokens.words
    dropped = _find_dropped(names, options, stop_words)
    tokens = leave_gaps(tokens, dropped) if options.finds_phrases else drop_words(tokens, dropped)
    if options.tokenizer is None:
        names = names.replace(LANGUAGES, ["c", "r"])
    tokens = rename_words(tokens, names)
    if options.ngrams > 1 and not options.finds_phrases:
        tokens = add_ngrams(tokens, options.ngrams)
    skipped = np.zeros(len(texts), np.uint8)
    skipped[texts.is_null().to_numpy()] = OTHER_LANGUAGE
    skipped[no_content] = NO_CONTENT
    skipped[_find_empty(given, tokens)] = EMPTY
    return tokens._replace(skipped=skipped)


def join_phrases(tokens: Tokens, options: TextOptions) -> tuple[Tokens, tuple[str, ...]]:
    """Find the phrases of a corpus; return its words with phrases instead of their parts."""
    tokens, phrases = find_phrases(tokens)
    tokens = drop_gaps(tokens)
    if options.ngrams > 1:
        tokens = add_ngrams(tokens, options.ngrams)
    return tokens, phrases


def _find_empty(texts: pl.Series, tokens: Tokens) -> NDArray[np.int64]:
    """Return the rows of texts that are missing or white space; their tokens tell where to look."""
    rows = np.flatnonzero(tokens.lengths == 0)
    stripped = texts.gather(rows).str.strip_chars().fill_null("")
    return np.asarray(rows[(stripped == "").to_numpy()])


def _find_words(texts: pl.Series, options: TextOptions) -> Tokens:
    """Clean texts, and return their words."""
    texts = clean(texts)
    if options.segment is not None:
        texts = segment_texts(texts, options.segment)
    if options.hashtags == "split":
        texts = split_hashtags(texts)
    if options.emoji:
        texts = separate_emoji(texts)
    return find_words(texts, options.emoji)


def _normalize_words(words: pl.Series, stop_words: pl.Series) -> pl.Series:
    """Return the normalized form of each word that the tokenizer found.

    ASCII words are in lower case already, except for names of languages.
    """
    is_ascii = words.str.len_bytes() == words.str.len_chars()
    if not is_ascii.all():
        words = words.scatter((~is_ascii).arg_true(), _normalize(words.filter(~is_ascii)))
    return _shorten(words, stop_words)


def _shorten(words: pl.Series, stop_words: pl.Series) -> pl.Series:
    """Return words without 's and other short forms, unless the whole is a stop word.

    Initials end with a dot.
    """
    has_short_form = words.str.contains(SHORT_FORM) & ~words.is_in(stop_words.implode())
    return pl.select(
        pl.when(has_short_form)
        .then(words.str.replace(SHORT_FORM, ""))
        .when(words.str.contains(INITIALS))
        .then(words + ".")
        .otherwise(words)
    ).to_series()


def _normalize_phrases(phrases: tuple[str, ...], stop_words: pl.Series) -> list[str]:
    """Return phrases that were given, of words as they are found in texts."""
    parts = [pl.Series(phrase.split(" ")) for phrase in phrases]
    return [" ".join(_shorten(_normalize(words), stop_words)) for words in parts]


def _normalize(words: pl.Series) -> pl.Series:
    """Convert words to lower case, straight apostrophes and composed characters (NFC)."""
    straight = words.str.replace_all(APOSTROPHES, "'").str.replace_all(HYPHENS, "-")
    return straight.str.to_lowercase().str.normalize("NFC")


def _find_dropped(
    words: pl.Series, options: TextOptions, stop_words: pl.Series
) -> NDArray[np.bool_]:
    """Return which words are stop words, numbers or single letters that are not kept."""
    if options.tokenizer is not None:
        return words.is_in(stop_words.implode()).to_numpy()
    dropped = words.replace(LANGUAGES, ["c", "r"]).is_in(stop_words.implode())
    if not options.numbers:
        dropped |= words.str.contains(NUMBER)
    if not options.letters:
        dropped |= words.str.contains(LETTER) & ~words.is_in(LANGUAGES)
    return dropped.to_numpy()


def _filter_language(texts: pl.Series, language: str) -> pl.Series:
    """Replace texts in other languages by nulls."""
    detect = load_detector()

    def matches(text: str | None) -> bool:
        if text is None or not text.strip():
            return False
        return detect(text) == language

    keep = pl.Series([matches(text) for text in texts], dtype=pl.Boolean)
    return pl.select(pl.when(keep).then(texts)).to_series()
