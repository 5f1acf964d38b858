"""Lists of stop words, one for each language."""

from functools import cache
from importlib import resources

from bittern.errors import InputError


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
