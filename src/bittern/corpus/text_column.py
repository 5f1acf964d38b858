"""The column with the texts, recognized by its values."""

from collections.abc import Sequence

import polars as pl

SAMPLE = 1000  # rows that are looked at
MAX_COLUMNS = 1000  # that are compared
MIN_WORDS = 2.5  # of a text, on average
MIN_DISTINCT = 0.4  # of the texts
MAX_VALUES = 0.5  # of the texts, those that are numbers, dates or addresses
SHOWN_COLUMNS, SHOWN_CHARACTERS = 12, 30  # in messages
WORD = r"\p{L}[\p{L}\p{M}'’-]+"
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
LETTERS_PER_WORD = 2  # in scripts without spaces
VALUE = r"(?i)^(https?://\S+|\S+@\S+\.\S+|[\d\s.,:;/%+-]+([ap]m|utc|gmt)?)$"


def find_text_columns(sample: pl.DataFrame) -> list[str]:
    """Return the columns with texts: several words in each, and mostly distinct ones.

    Parameters
    ----------
    sample : polars.DataFrame
        The first rows of a table.

    Returns
    -------
    list of str
        Names of columns; the name itself says nothing.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.text_column import find_text_columns
    >>> texts = ["The train was late", "No seats for an hour", "Staff was kind to me"]
    >>> find_text_columns(pl.DataFrame({"id": ["1", "2", "3"], "answer": texts}))
    ['answer']
    """
    return [column.name for column in sample if column.dtype == pl.String and _has_texts(column)]


def list_columns(sample: pl.DataFrame, names: Sequence[str]) -> str:
    """Return the names of columns, each with the start of its longest value, for a message."""
    shown = [f"{_shorten(name, 50)}{_example(sample, name)}" for name in names[:SHOWN_COLUMNS]]
    n_more = len(names) - SHOWN_COLUMNS
    return ", ".join(shown) + (f" and {n_more:,} more" if n_more > 0 else "")


def _has_texts(column: pl.Series) -> bool:
    """Return whether the values of a column are texts."""
    values = column.str.strip_chars().replace("", None).drop_nulls()
    if values.is_empty():
        return False
    n_words = int(values.str.count_matches(WORD).sum())
    n_words += int(values.str.count_matches(UNSPACED).sum()) // LETTERS_PER_WORD
    return bool(
        n_words >= MIN_WORDS * len(values)
        and values.n_unique() >= MIN_DISTINCT * len(values)
        and values.str.contains(VALUE).sum() <= MAX_VALUES * len(values)
    )


def _example(sample: pl.DataFrame, name: str) -> str:
    """Return the start of the longest of the first values in parentheses, "" if there is none."""
    if name not in sample.columns:
        return ""
    values = sample[name].head(10).drop_nulls().cast(pl.String, strict=False).to_list()
    longest = _shorten(max(values, key=len, default=""), SHOWN_CHARACTERS)
    return f' ("{longest}")' if longest else ""


def _shorten(text: str, size: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else f"{line[:size]}..."
