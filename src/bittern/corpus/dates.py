"""Dates as people write them, rewritten as in ISO 8601: year, month, day."""

import polars as pl

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
MONTH_NUMBERS = {name: f"{i:02}" for i, name in enumerate(MONTHS, start=1)}
MONTH_NUMBERS |= {"sept": "09"} | {name[:3]: number for name, number in MONTH_NUMBERS.items()}
MONTH = rf"(?i:({'|'.join(MONTH_NUMBERS)}))\.?"
WEEKDAY = r"(?:(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
NUMBER = r"(\d{1,2})"
NTH = NUMBER + r"(?i:st|nd|rd|th)?\.?"
YEAR = r"(\d{4}|\d{2})"
TIME = r"(?:,?(?:T|\s+(?:at\s+)?)(\d{1,2}:.*))?$"

YEAR_FIRST = {rf"^(\d{{4}})[-/.年]{NUMBER}[-/.月]{NUMBER}日?{TIME}": "${1}-${2}-${3}T${4}"}
YEAR_LAST = (
    rf"^{NUMBER}[./]{NUMBER}[./]{YEAR}{TIME}",
    rf"^{NUMBER}-{NUMBER}-(\d{{4}}){TIME}",  # 24-12-31 may start with the year
)
NAMED_MONTH = {
    rf"^{WEEKDAY}{NTH}[\s-]+{MONTH},?[\s-]+{YEAR}{TIME}": "${3}-${2}-${1}T${4}",
    rf"^{WEEKDAY}{MONTH}\s+{NTH},?\s+(\d{{4}}){TIME}": "${3}-${1}-${2}T${4}",
    rf"^{WEEKDAY}{MONTH}\s+{NTH}\s+(\d+:\S+\s+\S+)\s+(\d{{4}})$": "${4}-${1}-${2}T${3}",
}
CENTURY = {  # of a date that was rewritten, as strptime chooses it
    r"^([0-5]\d|6[0-8])(-\d+-\d+T)": "20${1}${2}",
    r"^(\d\d)(-\d+-\d+T)": "19${1}${2}",
}
ENDING = {  # of a time of day
    r"(\d)\s*([AaPp])\.?[Mm]\.?$": "${1} ${2}M",
    r"(\d)\s*(?:UTC|GMT|Z)$": "${1}+0000",
    r"(\d)\s+([+-]\d{2}:?\d{2})$": "${1}${2}",
    r"(:\d{2}(?:\.\d+)?[+-]\d{2})$": "${1}00",
    "T$": "",
}


def rewrite_dates(strings: pl.Series, day_first: bool) -> pl.Series:
    """Return dates such as "31.12.2024 2:05 PM" and "Dec 31, 2024" with their year first.

    Parameters
    ----------
    strings : polars.Series
        The dates. Strings in no known notation are returned in no known notation.
    day_first : bool
        Whether dates with three numbers and the year at the end start with the day, or with the
        month.

    Returns
    -------
    polars.Series
        Such as "2024-12-31T2:05 PM" and "2024-12-31".

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.dates import rewrite_dates
    >>> rewrite_dates(pl.Series(["5/6/24 14:05", "Tue, 31 Dec 2024"]), day_first=True).to_list()
    ['2024-6-5T14:05', '2024-12-31']
    """
    year_first = "${3}-${2}-${1}T${4}" if day_first else "${3}-${1}-${2}T${4}"
    rewritten = strings.str.strip_chars()
    for pattern, replacement in (YEAR_FIRST | dict.fromkeys(YEAR_LAST, year_first)).items():
        rewritten = rewritten.str.replace(pattern, replacement)
    if rewritten.str.contains(r"^[^T]*[A-Za-z]{3}").any():
        for pattern, replacement in NAMED_MONTH.items():
            rewritten = rewritten.str.replace(pattern, replacement)
        rewritten = rewritten.str.replace_many(
            MONTH_NUMBERS, ascii_case_insensitive=True, leftmost=True
        )
    for pattern, replacement in (CENTURY | ENDING).items():
        rewritten = rewritten.str.replace(pattern, replacement)
    return rewritten
