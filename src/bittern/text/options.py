"""Options of preprocessing: how texts are split into words, and which words are kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from difflib import get_close_matches
from math import isqrt
from typing import Any, Literal

import numpy as np
import polars as pl

from bittern._core.validation import (
    check_flag,
    check_integer,
    check_list,
    check_text,
    is_integer,
    is_number,
    quote,
    shorten,
)
from bittern.errors import InputError
from bittern.text.languages import language_code
from bittern.text.lemmas import check_lemmas
from bittern.text.segmentation import check_segment
from bittern.text.stop_words import stop_word_languages, stop_word_list

MAX_NGRAMS = 100  # words
SMALL = 100  # documents: with fewer, words that occur once are kept
AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """Set how texts are split into words and which words are kept.

    Parameters
    ----------
    stop_words : str, list of str or None
        Words to drop: the name or code of a language, or a list of words and names of languages.
    numbers : bool
        Keep words that are numbers, such as "2024", "1st" and "1920x1080"; "4k" and "covid-19" are
        always kept.
    letters : bool
        Keep words that are a single letter; the programming languages "C" and "R" are always
        kept if they are written as capitals.
    hashtags : "keep" or "split"
        "split" cuts hashtags at capital letters: "#ClimateChange" is "climate" and "change".
    emoji : bool
        Keep emoji as words.
    phrases : bool or list of str
        Join phrases to single words: True finds words that belong together, such as "new_york",
        and a list names the phrases, such as "new york".
    ngrams : int
        Maximum number of adjacent words that are added as one word; 2 adds "new york".
    language : str or None
        Keep only texts in this language, such as "en" or "english" (requires the extra `lang`);
        other documents are kept without words. "auto" keeps all texts, and finds the stop words,
        unless you set them, and the segmenter for the main language of the texts.
    segment : str or None
        Put spaces between the words of this language, "zh", "ja" or "th" (requires the extra of
        the same name).
    lemmas : str, list of str or None
        Replace words by their dictionary forms in this language, such as "en" or "english"
        (requires the extra `lemmas`). With several, the first one that knows a word decides.
    tokenizer : callable or None
        Function that returns the words of a text; only stop words are dropped from them. By
        default, words are lowercased, and URLs, email addresses and @mentions are dropped.
    min_df : int, float or "auto"
        Drop words that occur in fewer documents than this; a float is a fraction of them. "auto"
        is 1 below 100 documents, 2 up to 50,000, and then grows to 10 for 1,250,000 or more.
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
    numbers: bool = False
    letters: bool = False
    hashtags: Literal["keep", "split"] = "keep"
    emoji: bool = False
    phrases: bool | Sequence[str] = False
    ngrams: int = 1
    language: str | None = None
    segment: str | None = None
    lemmas: str | Sequence[str] | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    min_df: int | float | Literal["auto"] = "auto"
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
            self._set("stop_words", _word_tuple("stop_words", self.stop_words))
        for name in ("numbers", "letters", "emoji"):
            check_flag(name, getattr(self, name))
        if not isinstance(self.hashtags, str) or self.hashtags not in ("keep", "split"):
            raise InputError(f'hashtags must be "keep" or "split", not {shorten(self.hashtags)}')
        if not isinstance(self.phrases, bool):
            self._set("phrases", _phrase_tuple(self.phrases))
        check_integer("ngrams", self.ngrams, 1, maximum=MAX_NGRAMS)
        self._check_languages()
        self._check_tokenizer()
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if name == "min_df" and isinstance(value, str) and value == "auto":
                continue
            if not is_number(value) or not 0 <= value <= (np.inf if is_integer(value) else 1):
                raise InputError(
                    f"{name} must be a number of documents (an int) or a fraction of them "
                    f"(a float from 0 to 1), not {shorten(value)}"
                )
        if self.max_features is not None:
            check_integer("max_features", self.max_features, 1, "or None")

    def _check_languages(self) -> None:
        """Replace the names of languages by their codes."""
        if self.language is not None:
            is_auto = isinstance(self.language, str) and self.language == AUTO
            code = AUTO if is_auto else language_code("language", self.language)
            self._set("language", code)
        if self.segment is not None:
            self._set("segment", check_segment(self.segment))
        if self.lemmas is not None:
            self._set("lemmas", check_lemmas(self.lemmas))

    def _check_tokenizer(self) -> None:
        """Reject what is not a function, and options of the tokenizer that it replaces."""
        if self.tokenizer is None:
            return
        if not callable(self.tokenizer):
            raise InputError(f"tokenizer must be a function or None, not {shorten(self.tokenizer)}")
        given = {
            "segment": self.segment is not None,
            "hashtags": self.hashtags == "split",
            "emoji": self.emoji,
        }
        for name, is_given in given.items():
            if is_given:
                raise InputError(f"{name} has no effect with a tokenizer; leave out one of them")

    def _set(self, name: str, value: object) -> None:
        """Set a field to its checked value."""
        object.__setattr__(self, name, value)

    @property
    def finds_phrases(self) -> bool:
        """Whether phrases are found in the texts, instead of given."""
        return self.phrases is True

    def check_separable(self) -> None:
        """Raise InputError if the words of a text depend on all texts.

        Examples
        --------
        >>> from bittern.text import TextOptions
        >>> TextOptions(phrases=["new york"]).check_separable()
        """
        if self.finds_phrases:
            raise InputError(
                "phrases are found in all texts at once, not in batches or on a cluster; "
                "list them in Python (phrases=[...]), or leave them out"
            )

    def minimum_documents(self, n_documents: int) -> int | float:
        """Return the number of documents in which a word must occur.

        Parameters
        ----------
        n_documents : int
            The number of documents.

        Returns
        -------
        int or float
            `min_df`, as a number of documents.

        Examples
        --------
        >>> from bittern.text import TextOptions
        >>> [TextOptions().minimum_documents(n) for n in (99, 100, 200_000, 2_000_000)]
        [1, 2, 4, 10]
        """
        if self.min_df == "auto":
            return 1 if n_documents < SMALL else min(max(isqrt(n_documents // 12_500), 2), 10)
        return self.min_df if is_integer(self.min_df) else self.min_df * n_documents

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
        if isinstance(self.stop_words, str):
            return pl.Series(stop_word_list(self.stop_words), dtype=pl.String)
        languages = stop_word_languages()
        words: list[str] = []
        for item in self.stop_words or ():  # names of languages only: "it" and "de" may be words
            words += stop_word_list(item) if item in languages else [item]
        return pl.Series(words, dtype=pl.String)


def _phrase_tuple(phrases: object) -> tuple[str, ...]:
    """Return phrases in lower case, with single spaces, or raise InputError."""
    if phrases is None or isinstance(phrases, str | int):
        raise InputError(
            f"phrases must be True, False or a list of phrases, not {shorten(phrases)}"
        )
    found = _word_tuple("phrases", phrases)
    for phrase in found:
        if len(phrase.split()) < 2:
            raise InputError(f"a phrase has two words or more, not {quote(phrase)}")
    return tuple(dict.fromkeys(" ".join(phrase.lower().split()) for phrase in found))


def _word_tuple(name: str, words: object) -> tuple[str, ...]:
    """Return words as a tuple, or raise InputError if they are not strings."""
    found = tuple(words) if isinstance(words, Set) else tuple(check_list(name, words))
    for word in found:
        check_text(f"a word of {name}", word)
    return found
