"""How a table with separated values is written, found out from its first lines."""

import csv
import io
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from bittern.errors import InputError

NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}  # of separators to detect
ALIASES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|"}
NONE = "\x1f"  # a separator that no text has: there is a single column
MAX_RECORDS = 1000  # that are looked at
SEPARATOR_LINE = re.compile(r'^\ufeff?"?sep=(.)"?\r?$', re.I)  # written and read by Excel
VALUE = re.compile(  # a number, a date or a time, or an address
    r"[-+]?[\d.,\s]*\d\s*%?|\d+[-/.]\d+[-/.]\d+([ T][\d:.]+\S*)?|\d+:[\d:]+|https?://\S+|\S+@\S+"
)
TITLE_PROBLEM = "the first row has no column names; delete the rows above the names"
MIN_TABLE = 0.9  # of the rows of a table, those that are as wide as its header
MIN_TEXT = 3  # words of what is not the name of a column


class Dialect(NamedTuple):
    """How the values of a file are separated, and where they start."""

    separator: str
    n_header_records: int = 1
    header: bytes | None = None
    """The names of the columns as Polars can read them; None if the file's own are fine."""


def parse_separator(separator: object) -> str:
    r"""Return the separator that a user has set, or raise InputError.

    Examples
    --------
    >>> from bittern.corpus.formats.dialect import parse_separator
    >>> parse_separator("tab"), parse_separator(";")
    ('\t', ';')
    """
    if isinstance(separator, str):
        separator = ALIASES.get(separator.strip().lower(), separator)
        if len(separator) == 1 and separator.isascii() and separator not in '"\r\n\0':
            return separator
    given = repr(separator)[:50] if isinstance(separator, str) else type(separator).__name__
    raise InputError(f"separator must be a single character such as ; or the word tab, not {given}")


def find_dialect(lines: Sequence[str], usual: str, separator: str | None = None) -> Dialect:
    r"""Return how a file with these first lines is written.

    Parameters
    ----------
    lines : sequence of str
        The first lines.
    usual : str
        The separator that files of this name usually have.
    separator : str or None
        The separator that the user has set.

    Returns
    -------
    Dialect
        Its separator is the one between fields in the header and, as far as possible, in the
        same number in all rows. Without one, there is a single column, whose texts may have
        separators.

    Examples
    --------
    >>> from bittern.corpus.formats.dialect import find_dialect
    >>> find_dialect(["id;text\n", "1;late, dirty\n"], ",").separator
    ';'
    """
    written = next((match[1] for line in lines[:1] if (match := SEPARATOR_LINE.match(line))), None)
    n_before = 1 if written else 0
    table = lines[n_before:]
    separator = separator or written or _find_separator(table, usual)
    rows = read_records(table, separator)
    if not rows:
        return Dialect(separator, n_before + 1)
    names = clean_names(_padded_header(rows))
    is_plain = not written and names == [name.removeprefix("\ufeff") for name in rows[0]]
    return Dialect(separator, n_before + 1, None if is_plain else _write(names, separator))


def read_records(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Return the fields of the first records that are not blank."""
    csv.field_size_limit(sys.maxsize)
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(filter(None, islice(csv.reader(lines, delimiter=separator), MAX_RECORDS)))
    return rows


def _find_separator(lines: Sequence[str], usual: str) -> str:
    """Return the separator that divides the header, and most rows into as many fields."""
    best, best_score = usual if not lines else NONE, (0.0, 0)
    for separator in sorted(NAMES, key=lambda other: other != usual):
        rows = read_records(lines, separator)
        if not rows or len(rows[0]) == 1:
            continue
        share = _share_of_width(rows)
        if share <= 0.5 and _is_prose(rows[:1]):
            continue  # a sentence with a comma rather than names of columns
        score = (round(share, 1), len(rows[0]))
        if score > best_score:
            best, best_score = separator, score
    return best


def _share_of_width(rows: list[list[str]]) -> float:
    """Return the fraction of the rows that have as many fields as the header."""
    width = len(rows[0])
    fits = [len(row) == width or (len(row) > width and not any(row[width:])) for row in rows[1:]]
    return sum(fits) / max(len(fits), 1)


def _is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether separators are followed by spaces, as in sentences, and not by fields."""
    fields = [field for row in rows for field in row[1:]]
    return sum(field[:1].isspace() for field in fields) > len(fields) / 2


def _padded_header(rows: list[list[str]]) -> list[str]:
    """Return the header with a field for the separator at the end of each row, if there is one."""
    width = len(rows[0])
    extra = [row[width:] for row in rows[1:] if len(row) > width]
    if any(map(any, extra)):  # not all rows can be read
        return rows[0]
    return rows[0] + [""] * max(map(len, extra), default=0)


def clean_names(header: Sequence[str]) -> list[str]:
    """Return the names of columns without marks, line breaks and spaces around them.

    Columns without a name are called by their number, from 1. A name that occurs again is marked
    as Polars does.

    Examples
    --------
    >>> from bittern.corpus.formats.dialect import clean_names
    >>> clean_names(["id ", "", "id"])
    ['id', 'column_2', 'id_duplicated_0']
    """
    names: list[str] = []
    for number, field in enumerate(header, start=1):
        name = " ".join(field.replace("\ufeff", "").split()) or f"column_{number}"
        names.append(name if name not in names else _unused_name(name, names))
    return names


def _unused_name(name: str, names: Sequence[str]) -> str:
    """Return the name of a column whose name is in use, as Polars does."""
    number = next(i for i in range(len(names) + 1) if f"{name}_duplicated_{i}" not in names)
    return f"{name}_duplicated_{number}"


def _write(names: list[str], separator: str) -> bytes:
    """Return a header with these names."""
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def find_header_problem(lines: Sequence[str], separator: str) -> str | None:
    """Return what is wrong with the first line as a header, and the remedy."""
    if lines and SEPARATOR_LINE.match(lines[0]):
        lines = lines[1:]
    rows = read_records(lines, separator)
    if not rows:
        return None
    if len(rows[0]) == 1:
        problem = _find_other_separator(lines, separator)
        if problem is not None:
            return problem
        if _is_above_table(lines):
            return TITLE_PROBLEM
    return check_header(rows[0], rows[1:])


def check_header(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str | None:
    """Return what is wrong with a row that should have the names of columns, and the remedy."""
    if len(header) > 2 and sum(map(bool, header)) == 1:
        below = next((row for row in rows if any(row)), [])
        if sum(map(bool, below)) > 1:
            return TITLE_PROBLEM
    if _is_data(header, rows):
        return "the first row has data and no column names; add a row with names above it"
    return None


def _find_other_separator(lines: Sequence[str], separator: str) -> str | None:
    """Recognize another separator than the one that the user has set."""
    found = _find_separator(lines, NONE)
    if found in (NONE, separator) or separator == NONE:
        return None
    return f"columns are separated by {NAMES[found]}; set that separator, or none to detect it"


def _is_above_table(lines: Sequence[str]) -> bool:
    """Return whether the records after the first one are a table."""
    for separator in NAMES:
        below = read_records(lines, separator)[1:]
        if len(below) < 2 or len(below[0]) == 1 or _share_of_width(below) < MIN_TABLE:
            continue
        if not _is_prose(below) and (len(below[0]) > 2 or not _has_words(*below[0])):
            return True
    return False


def _is_data(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a header has values as in the rows below it, and nothing that is a name."""
    n_alike = 0
    for i, field in enumerate(header):
        below = {row[i] for row in rows if len(row) > i and row[i]}
        are_values = all(map(_is_value, below))
        if not field or not below:
            continue
        if are_values and _is_value(field):
            n_alike += 1
        elif field in below:  # in the rows of files that were joined with their headers, too
            continue
        elif are_values or (_has_words(*below) and not _has_words(field)):
            return False
    return n_alike > 0


def _has_words(*fields: str) -> bool:
    """Return whether fields are longer than names usually are, on average."""
    return sum(len(field.split()) for field in fields) >= MIN_TEXT * len(fields)


def _is_value(field: str) -> bool:
    """Return whether a field is a number, a date, a time or an address."""
    return VALUE.fullmatch(field.strip()) is not None
