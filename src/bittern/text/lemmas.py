"""Lemmas: the dictionary forms of words, looked up once for each distinct word."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import Protocol

import polars as pl

from bittern._core.validation import check_list, shorten
from bittern.errors import InputError
from bittern.text.languages import language_code, language_name

LEMMA_CODES = (
    *("ar", "ast", "bg", "ca", "cs", "cy", "da", "de", "el", "en", "enm", "eo", "es", "et", "fa"),
    *("fi", "fr", "ga", "gd", "gl", "grc", "gv", "hbs", "he", "hi", "hu", "hy", "id", "is", "it"),
    *("ka", "la", "lb", "lt", "lv", "mk", "ml", "ms", "nb", "nl", "nn", "pl", "pt", "ro", "ru"),
    *("se", "sk", "sl", "sq", "sv", "sw", "tl", "tr", "uk"),
)
"""Codes of the languages with lemmas."""

SAME_LEMMAS = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs"}
"""Languages that have the lemmas of another one."""

ARCHAIC = [
    "assaile", "blowe", "breede", "chate", "crafte", "deposite", "develope", "drenche",
    "fixe", "flipe", "formate", "growe", "guarde", "lawe", "longe", "mixe",
    "patrole", "playe", "prefixe", "proclaime", "recoupe", "stope", "sweare", "thanke",
    "thinke", "trape", "unfolde",
]  # fmt: skip
"""Archaic English verbs whose forms are those of a common verb without the e."""

COMMON_VERBS = {verb: verb.removesuffix("e") for verb in ARCHAIC}
NOT_IN_DICTIONARIES = r"[\d_-]"  # in names such as covid-19
ENGLISH_ENDINGS = r"(?:doms|isms|ists|ments|nces|ships|tions|ums|cies|ized|erves)$"
"""Endings of the unknown English words that simplemma has rules for."""

MAX_CACHED = 1 << 21  # words whose lemmas are remembered

_lock = Lock()


class Lemmatizer(Protocol):
    """The lemmas of some languages; any thread may use it."""

    def find_changes(self, words: pl.Series) -> pl.DataFrame:
        """Return the index and the lemma of each word that differs from its lemma."""
        ...


def lemmatize(words: pl.Series, codes: Sequence[str], kept: pl.Series) -> pl.Series:
    """Replace words by their lemmas in lower case; words without a lemma stay as they are.

    Parameters
    ----------
    words : polars.Series
        Distinct words.
    codes : sequence of str
        Codes of languages; the first one that knows a word decides.
    kept : polars.Series
        Words that stay as they are: stop words, which are dropped later in this form.

    Returns
    -------
    polars.Series
        The lemma of each word.

    Raises
    ------
    InputError
        If the package with the lemmas is not installed.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.text.lemmas import lemmatize
    >>> lemmatize(pl.Series(["were", "trains"]), ("en",), kept=pl.Series(["were"])).to_list()
    ['were', 'train']
    """
    with _lock:  # one thread loads a dictionary
        lemmatizer = _load_lemmatizer(tuple(codes))
    changes = lemmatizer.find_changes(words)
    changed = words.gather(changes["index"])
    stays = changed.is_in(kept.implode()) | changed.str.contains(NOT_IN_DICTIONARIES)
    changes = changes.filter(~stays)
    return words.clone().scatter(changes["index"], changes["lemma"])


def check_lemmas(languages: object) -> tuple[str, ...]:
    """Return the codes of one or more languages, given by codes or names."""
    items = [languages] if isinstance(languages, str) else check_list("lemmas", languages)
    if not items:
        raise InputError(f"lemmas must be a language or None, not {shorten(languages)}")
    return tuple(dict.fromkeys(map(_lemma_code, items)))


def _lemma_code(language: object) -> str:
    code = language_code("lemmas", language)
    code = SAME_LEMMAS.get(code, code)
    if code not in LEMMA_CODES:
        raise InputError(
            f"no lemmas for {language_name(code)}; choose from {', '.join(LEMMA_CODES)}"
        )
    return code


@cache
def _load_lemmatizer(codes: tuple[str, ...]) -> Lemmatizer:
    """Load the dictionaries of languages, once in this process."""
    if find_spec("simplemma") is None:
        raise InputError('lemmas require an extra; run: pip install "bittern[lemmas]"')
    return _English() if codes == ("en",) else _Languages(codes)


class _English:
    """English: the dictionary is small enough for a table, which is joined with all words."""

    def __init__(self) -> None:
        from simplemma.strategies import RulesStrategy
        from simplemma.strategies.dictionaries import DefaultDictionaryFactory

        dictionary = DefaultDictionaryFactory().get_dictionary("en")
        forms = list(dictionary)
        lemmas = pl.Series(list(map(dictionary.get, forms))).str.to_lowercase()
        self._table = (
            pl.DataFrame({"form": forms, "lemma": lemmas.replace(COMMON_VERBS)})
            .with_columns(word=pl.col("form").str.to_lowercase())
            .sort(pl.col("form") != pl.col("word"), maintain_order=True)  # names come last
            .unique("word", keep="first", maintain_order=True)
            .select("word", "lemma")
        )
        self._changes = self._table.filter(pl.col("word") != pl.col("lemma"))
        self._find = RulesStrategy().get_lemma

    def find_changes(self, words: pl.Series) -> pl.DataFrame:
        """Return the index and the lemma of each word that differs from its lemma."""
        numbered = words.to_frame("word").with_row_index("index")
        known = numbered.join(self._changes, "word")
        guessed = numbered.filter(pl.col("word").str.contains(ENGLISH_ENDINGS))
        guessed = guessed.join(self._table, "word", "anti")
        lemmas = [self._find(word, "en") or word for word in guessed["word"]]
        guessed = guessed.with_columns(lemma=pl.Series(lemmas, dtype=pl.String))
        return pl.concat([known, guessed]).select("index", "lemma")


class _Languages:
    """Any languages: each word is looked up when it is first seen."""

    def __init__(self, codes: tuple[str, ...]) -> None:
        from simplemma.strategies import DefaultStrategy, DictionaryLookupStrategy
        from simplemma.strategies.dictionaries.dictionary_factory import DEFAULT_DICTIONARY_FACTORY

        for code in codes:
            DEFAULT_DICTIONARY_FACTORY.get_dictionary(code)  # loads it: threads would do it twice
        self._codes, self._known = codes, dict[str, str]()
        self._look_up: list[Callable[[str, str], str | None]] = [
            DictionaryLookupStrategy().get_lemma,
            DefaultStrategy().get_lemma,  # also has rules for compounds and unknown words
        ]

    def find_changes(self, words: pl.Series) -> pl.DataFrame:
        """Return the index and the lemma of each word that differs from its lemma."""
        if len(self._known) > MAX_CACHED:
            self._known = {}
        known = self._known
        listed = words.to_list()
        lemmas = list(map(known.get, listed))
        for index, lemma in enumerate(lemmas):
            if lemma is None:
                word = listed[index]
                lemmas[index] = known[word] = self._find(word)
        found = pl.DataFrame({"lemma": pl.Series(lemmas, dtype=pl.String)})
        return found.with_row_index("index").filter(pl.col("lemma") != words)

    def _find(self, word: str) -> str:
        """Look up a word in all dictionaries, then try the rules of all languages."""
        found = (look_up(word, code) for look_up in self._look_up for code in self._codes)
        lemma = next(filter(None, found), word).lower()
        return self._german_noun(word, lemma) if "de" in self._codes else lemma

    def _german_noun(self, word: str, lemma: str) -> str:
        """Return the lemma of a noun rather than that of an imperative, which is rare.

        Texts are in lower case here, so "wein" is found as a form of weinen, to weep.
        """
        if not lemma.endswith((f"{word}en", f"{word}n")):
            return lemma
        noun = (self._look_up[0](word.capitalize(), "de") or lemma).lower()
        return word if noun == lemma and not word.endswith("e") else noun
