"""Languages by code and by name."""

import re
from difflib import get_close_matches

from bittern._core.validation import quote, shorten
from bittern.errors import InputError

LANGUAGES = {
    "af": "afrikaans",
    "am": "amharic",
    "ar": "arabic",
    "ast": "asturian",
    "az": "azerbaijani",
    "be": "belarusian",
    "bg": "bulgarian",
    "bn": "bengali",
    "bs": "bosnian",
    "ca": "catalan",
    "cs": "czech",
    "cy": "welsh",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "enm": "middle english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "gd": "scottish gaelic",
    "gl": "galician",
    "grc": "ancient greek",
    "gu": "gujarati",
    "gv": "manx",
    "ha": "hausa",
    "hbs": "serbo-croatian",
    "he": "hebrew",
    "hi": "hindi",
    "hr": "croatian",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "is": "icelandic",
    "it": "italian",
    "ja": "japanese",
    "ka": "georgian",
    "kk": "kazakh",
    "km": "khmer",
    "kn": "kannada",
    "ko": "korean",
    "la": "latin",
    "lb": "luxembourgish",
    "lo": "lao",
    "lt": "lithuanian",
    "lv": "latvian",
    "mk": "macedonian",
    "ml": "malayalam",
    "mr": "marathi",
    "ms": "malay",
    "my": "burmese",
    "nb": "norwegian bokmål",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian nynorsk",
    "no": "norwegian",
    "pa": "punjabi",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "se": "northern sami",
    "si": "sinhala",
    "sk": "slovak",
    "sl": "slovenian",
    "so": "somali",
    "sq": "albanian",
    "sr": "serbian",
    "sv": "swedish",
    "sw": "swahili",
    "ta": "tamil",
    "te": "telugu",
    "th": "thai",
    "tl": "tagalog",
    "tr": "turkish",
    "uk": "ukrainian",
    "ur": "urdu",
    "uz": "uzbek",
    "vi": "vietnamese",
    "yo": "yoruba",
    "zh": "chinese",
    "zu": "zulu",
}
"""English names of languages by their ISO 639 codes."""

CODES = {name: code for code, name in LANGUAGES.items()}


def language_code(option: str, language: object) -> str:
    """Return the code of a language that is given by its code or its English name.

    Parameters
    ----------
    option : str
        Name of the option for the error message.
    language : str
        A code such as "de", or a name such as "german".

    Returns
    -------
    str
        The code, in lower case. A code of two or three letters need not be in `LANGUAGES`.

    Raises
    ------
    InputError
        If the name is unknown.

    Examples
    --------
    >>> from bittern.text.languages import language_code
    >>> language_code("language", "German"), language_code("language", "de")
    ('de', 'de')
    """
    if not isinstance(language, str):
        raise InputError(
            f'{option} must be a code such as "de" or a name such as "german", '
            f"not {shorten(language)}"
        )
    name = language.strip().lower()
    if name in CODES:
        return CODES[name]
    if re.fullmatch("[a-z]{2,3}", name):
        return name
    similar = get_close_matches(name, CODES, 3)
    remedy = f"did you mean {' or '.join(similar)}?" if similar else "use a code such as de"
    raise InputError(f"unknown language in {option}: {quote(language)}; {remedy}")


def language_name(code: str) -> str:
    """Return the English name of a language, capitalized; an unknown code stays as it is.

    Parameters
    ----------
    code : str
        A code such as "de".

    Returns
    -------
    str

    Examples
    --------
    >>> from bittern.text.languages import language_name
    >>> language_name("de")
    'German'
    """
    return LANGUAGES[code].title() if code in LANGUAGES else code
