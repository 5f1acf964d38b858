"""Lists of stop words, one for each language."""

from difflib import get_close_matches
from functools import cache
from importlib import resources

from bittern._core.validation import quote
from bittern.errors import InputError
from bittern.text.languages import LANGUAGES


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
        One of `stop_word_languages`, or the code of the language, such as "en".

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
    ('a', 'a.m.', 'about')
    """
    languages = stop_word_languages()
    name = LANGUAGES.get(language, language)
    name = "norwegian" if name.startswith("norwegian") else name
    if name not in languages:
        similar = get_close_matches(language, languages, 3)
        if similar:
            remedy = f"did you mean {' or '.join(similar)}?"
        else:
            remedy = (
                f"use one of {len(languages)} languages by name or code, such as english or en, "
                "or a list of words, or None"
            )
        raise InputError(f"no stop word list {quote(language)}; {remedy}")
    file = resources.files("bittern.text").joinpath("stopwords", f"{name}.txt")
    return tuple(file.read_text("utf-8").split())
