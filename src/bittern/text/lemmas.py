"""Lemmas: the dictionary forms of words, looked up once for each distinct word."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec

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

ARCHAIC = (
    *("assaile", "blowe", "breede", "chate", "crafte", "deposite", "develope", "drenche", "fixe"),
    *("flipe", "formate", "growe", "guarde", "lawe", "longe", "mixe", "patrole", "playe", "prefixe"),
    *("proclaime", "recoupe", "stope", "sweare", "thanke", "thinke", "trape", "unfolde"),
)
"""Archaic English verbs whose forms are those of a common verb without the e."""

COMMON_VERBS = {verb: verb.removesuffix("e") for verb in ARCHAIC}
NO_LOOKUP = r"[\d_-]"  # names such as covid-19 and x_ray are no dictionary words
MAX_CACHED = 1 << 21  # lemmas that are remembered

Search = Callable[[str], str | None]
"""A function that returns the lemma of a word if it finds one."""


def find_lemmas(words: pl.Series, codes: Sequence[str], kept: pl.Series) -> pl.Series:
    """Return the lemma of each word, in lower case; a word without a lemma stays as it is.

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
        The lemmas, in the order of the words.

    Raises
    ------
    InputError
        If the package with the lemmas is not installed.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.text.lemmas import find_lemmas
    >>> find_lemmas(pl.Series(["trains", "were", "late"]), ["en"], pl.Series(["were"])).to_list()
    ['train', 'were', 'late']
    """
    lookup = _lookup(tuple(codes))
    is_sought = ~(words.str.contains(NO_LOOKUP) | words.is_in(kept.implode()))
    return words.scatter(is_sought.arg_true(), lookup(words.filter(is_sought).to_list()))


def check_lemmas(languages: object) -> tuple[str, ...]:
    """Return the codes of one or more languages, given by codes or names."""
    if isinstance(languages, str):
        items: list[object] = [languages]
    else:
        items = check_list("lemmas", languages)
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
def _lookup(codes: tuple[str, ...]) -> Callable[[Iterable[str]], list[str]]:
    """Return a function that looks up words, and remembers them; any thread may call it."""
    searches = _load_searches(codes)
    repaired = COMMON_VERBS if "en" in codes else {}
    known: dict[str, str] = {}

    def find(word: str) -> str:
        found = next(filter(None, (search(word) for search in searches)), word).lower()
        return repaired.get(found, found)

    def lookup(words: Iterable[str]) -> list[str]:
        nonlocal known
        if len(known) > MAX_CACHED:
            known = {}
        cached, lemmas = known, []
        for word in words:
            lemma = cached.get(word)
            if lemma is None:
                lemma = cached[word] = find(word)
            lemmas.append(lemma)
        return lemmas

    return lookup


def _load_searches(codes: tuple[str, ...]) -> list[Search]:
    """Return what to try in turn: the dictionaries, then rules for unknown words."""
    if find_spec("simplemma") is None:
        raise InputError('lemmas require an extra; run: pip install "bittern[lemmas]"')
    from simplemma.strategies import DefaultStrategy, DictionaryLookupStrategy

    dictionary, rules = DictionaryLookupStrategy().get_lemma, DefaultStrategy().get_lemma
    methods = [rules] if len(codes) == 1 else [dictionary, rules]
    return [
        lambda word, method=method, code=code: method(word, code)  # type: ignore[misc]
        for method in methods
        for code in codes
    ]
