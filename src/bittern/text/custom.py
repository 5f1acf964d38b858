"""Words from the user's own tokenizer, whose mistakes are reported with the text."""

from collections.abc import Callable, Iterable

import polars as pl

from bittern._core.untrusted import one_line
from bittern._core.validation import quote, shorten
from bittern.errors import InputError
from bittern.text.tokens import Tokens, encode, word_lists

Tokenizer = Callable[[str], Iterable[str]]


def split_texts(texts: pl.Series, tokenizer: Tokenizer, first_row: int | None = None) -> Tokens:
    """Split texts by a tokenizer; `first_row` is the row of the first one, if it is known."""

    def split(index: int, text: str) -> list[str]:
        row = "" if first_row is None else f"row {first_row + index}, "
        return _split(text, tokenizer, f"{row}{quote(text)}")

    lists = (None if text is None else split(index, text) for index, text in enumerate(texts))
    return encode(word_lists(lists))


def _split(text: str, tokenizer: Tokenizer, place: str) -> list[str]:
    """Return the words of a text, which is called `place` in messages."""
    try:
        words = tokenizer(text)
        is_list = isinstance(words, Iterable) and not isinstance(words, str | bytes)
        found = list(words) if is_list else None
    except InputError:
        raise
    except Exception as error:
        reason = one_line(f"{type(error).__name__}: {error}")
        raise InputError(f"the tokenizer failed on {place}: {reason}") from error
    if found is None or not all(isinstance(word, str) for word in found):
        returned = shorten(words if found is None else found)
        raise InputError(
            f"the tokenizer must return a list of strings; on {place}, it returned {returned}"
        )
    return found
