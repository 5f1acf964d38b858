"""Text preprocessing: language filter, cleaning, words, phrases, stop words and n-grams."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.threads import imap_threads
from bittern.text.cleaning import clean, separate_emoji, split_hashtags
from bittern.text.custom import split_texts
from bittern.text.detection import VARIETIES, load_detector
from bittern.text.lemmas import lemmatize
from bittern.text.no_content import find_no_content
from bittern.text.options import TextOptions
from bittern.text.phrases import (
    SEPARATOR,
    PhraseIndex,
    find_phrases,
    index_phrases,
    merge_phrases,
)
from bittern.text.segmentation import segment_texts
from bittern.text.tokenizer import find_words
from bittern.text.tokens import (
    EMPTY,
    NO_CONTENT,
    OTHER_LANGUAGE,
    Tokens,
    add_ngrams,
    drop_words,
    encode,
    leave_gaps,
    rename_words,
)

APOSTROPHES, HYPHENS = "[’‘´ʼ]", "[\u2010\u2011]"
SHORT_FORM = r"'(?:s|m|d|ll|re|ve)$"
"""The end of a word that is short for "is", "am", "would" and the like, or the possessive."""

ELIDED = r"^(\p{L}+')"  # the first word of two that an apostrophe joins
INITIALS = r"^[a-z](?:\.[a-z])+$"
NUMBER = r"^\p{N}+(?:['_\-]\p{N}+)*(?:st|nd|rd|th)?$|^\d{3,}x\d{3,}$"
LETTER = r"^[[\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{Hebrew}\p{Arabic}]&&\p{L}]\p{M}*$"
LANGUAGES = ["C", "R"]  # single capital letters that the tokenizer keeps as they are


def tokenize(texts: pl.Series, options: TextOptions, first_row: int | None = None) -> Tokens:
    """Split texts into words; a null text has no words.

    Errors of a custom tokenizer name the row, if that of the first text is known. If phrases are
    to be found, words that are left out leave gaps, and `join_phrases` does the rest.
    """
    given, no_content = texts, find_no_content(texts)
    if len(no_content) > 0:
        texts = texts.clone().scatter(no_content, None)
    if options.language is not None:
        texts = _filter_language(texts, options.language)
    stop_words = _stop_words(options)
    if options.tokenizer is None:
        tokens = _find_words(texts, options)
        names = _normalize_words(tokens.words, stop_words)
    else:
        tokens = split_texts(texts, options.tokenizer, first_row)
        names = tokens.words
    if options.lemmas is not None:
        names = lemmatize(names, options.lemmas, kept=stop_words)
    if options.finds_phrases:  # "vitamin C" may be one; single letters are dropped later
        gaps = _find_dropped(names, replace(options, letters=True), stop_words)
        tokens = rename_words(leave_gaps(tokens, gaps), names)
    elif isinstance(options.phrases, tuple):
        phrases = _split_phrases(options.phrases, options, stop_words)
        tokens = rename_words(tokens, names)
        tokens = _apply_phrases(tokens, index_phrases(phrases), options, stop_words)
    else:
        tokens = drop_words(tokens, _find_dropped(names, options, stop_words))
        tokens = _finish(tokens, names, options)
    skipped = np.zeros(len(texts), np.uint8)
    skipped[texts.is_null().to_numpy()] = OTHER_LANGUAGE
    skipped[no_content] = NO_CONTENT
    skipped[_find_empty(given, tokens)] = EMPTY
    return tokens._replace(skipped=skipped)


def join_phrases(
    chunks: Sequence[Tokens], options: TextOptions
) -> tuple[list[Tokens], tuple[str, ...]]:
    """Find the phrases of all chunks; return words with phrases instead of their parts."""
    stop_words = _stop_words(options)
    found = find_phrases(chunks)
    given = _split_phrases([" ".join(words) for words in found], options, stop_words)
    same = [words for words, again in zip(found, given, strict=True) if words == again]
    index = index_phrases(same)

    def join(chunk: Tokens) -> Tokens:
        return _apply_phrases(chunk, index, options, stop_words)

    joined = list(imap_threads(join, chunks))
    occurs = {name for chunk in joined for name in _used(chunk, index.names)}
    return joined, tuple(" ".join(words) for words in same if SEPARATOR.join(words) in occurs)


def _used(tokens: Tokens, names: pl.Series) -> pl.Series:
    """Return which of some words occur in documents."""
    is_used = pl.Series(np.bincount(tokens.codes, minlength=len(tokens.words)) > 0)
    return tokens.words.filter(is_used & tokens.words.is_in(names.implode()))


def _split_phrases(
    phrases: Sequence[str], options: TextOptions, stop_words: pl.Series
) -> list[list[str]]:
    """Split phrases into words as they are found in texts."""
    texts = pl.Series(phrases, dtype=pl.String)
    if options.tokenizer is None:
        tokens = _scan(texts, options)
        names = _lower_languages(_normalize_words(tokens.words, stop_words))
    else:
        tokens = encode(texts.str.split(" "))
        names = tokens.words
    if options.lemmas is not None:
        names = lemmatize(names, options.lemmas, kept=stop_words)
    listed = names.gather(tokens.codes).to_list()
    ends = np.cumsum(tokens.lengths).tolist()
    return [listed[start:end] for start, end in pairwise([0, *ends])]


def _apply_phrases(
    tokens: Tokens, phrases: PhraseIndex, options: TextOptions, stop_words: pl.Series
) -> Tokens:
    """Join phrases, and leave out other words that are not kept."""
    dropped = _find_dropped(tokens.words, options, stop_words)
    tokens = merge_phrases(tokens, phrases)
    joined = tokens.words.slice(len(dropped)).is_in(stop_words.implode()).to_numpy()
    tokens = drop_words(tokens, np.concatenate([dropped, joined]))
    return _finish(tokens, tokens.words, options)


def _finish(tokens: Tokens, names: pl.Series, options: TextOptions) -> Tokens:
    """Rename words, merge those with the same name, and add n-grams."""
    if options.tokenizer is None:
        names = _lower_languages(names)
    tokens = rename_words(tokens, names)
    return add_ngrams(tokens, options.ngrams) if options.ngrams > 1 else tokens


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
    return _scan(texts, options)


def _scan(texts: pl.Series, options: TextOptions) -> Tokens:
    """Return the words of clean texts, and emoji if they are kept."""
    if options.emoji:
        texts = separate_emoji(texts)
    return find_words(texts, options.emoji)


def _stop_words(options: TextOptions) -> pl.Series:
    """Return the words to drop, as they are found in texts."""
    words = options.all_stop_words()
    return words if options.tokenizer is not None else _normalize(words)


def _normalize_words(words: pl.Series, stop_words: pl.Series) -> pl.Series:
    """Return the normalized form of each word that the tokenizer found.

    ASCII words are in lower case already, except for names of languages.
    """
    is_ascii = words.str.len_bytes() == words.str.len_chars()
    if not is_ascii.all():
        words = _change(words, ~is_ascii, _normalize)
    return _shorten(_drop_elided(words, stop_words), stop_words)


def _drop_elided(words: pl.Series, stop_words: pl.Series) -> pl.Series:
    """Return words without elided articles and the like: "l'eau" is "eau" if "l'" is a stop word.

    A word that is a stop word as a whole stays.
    """
    elided = stop_words.filter(stop_words.str.ends_with("'"))
    if elided.is_empty():
        return words
    has_elided = words.str.extract(ELIDED).is_in(elided.implode()).fill_null(False)
    has_elided &= ~words.is_in(stop_words.implode())
    return _change(words, has_elided, lambda found: found.str.replace(ELIDED, ""))


def _shorten(words: pl.Series, stop_words: pl.Series) -> pl.Series:
    """Return words without 's and other short forms, unless the whole is a stop word.

    Initials end with a dot.
    """
    has_short_form = words.str.contains(SHORT_FORM) & ~words.is_in(stop_words.implode())
    words = _change(words, has_short_form, lambda found: found.str.replace(SHORT_FORM, ""))
    return _change(words, words.str.contains(INITIALS), lambda found: found + ".")


def _change(
    words: pl.Series, where: pl.Series, function: Callable[[pl.Series], pl.Series]
) -> pl.Series:
    """Return words with some of them changed by a function."""
    return words.clone().scatter(where.arg_true(), function(words.filter(where)))


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
    patterns = [] if options.numbers else [NUMBER]
    patterns += [] if options.letters else [LETTER]
    dropped = words.is_in(stop_words.implode())
    if patterns:
        dropped |= words.str.contains("|".join(patterns)) & ~words.is_in(LANGUAGES)
    unwanted = [name for name in LANGUAGES if name.lower() in stop_words]
    return (dropped | words.is_in(unwanted)).to_numpy()


def _lower_languages(words: pl.Series) -> pl.Series:
    """Return words with the names of languages in lower case, as all others are."""
    return _change(words, words.is_in(LANGUAGES), lambda found: found.str.to_lowercase())


def _filter_language(texts: pl.Series, language: str) -> pl.Series:
    """Replace texts in other languages by nulls."""
    detect, language = load_detector(), VARIETIES.get(language, language)

    def matches(text: str | None) -> bool:
        if text is None or not text.strip():
            return False
        return detect(text) == language

    keep = pl.Series([matches(text) for text in texts], dtype=pl.Boolean)
    return pl.select(pl.when(keep).then(texts)).to_series()
