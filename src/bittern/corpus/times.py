"""Times in columns of strings, parsed in batches, with one order of day and month for all."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

import polars as pl

from bittern._core.forks import check_not_forked
from bittern._core.validation import check_text, quote
from bittern.corpus.dates import rewrite_dates
from bittern.errors import InputError

Parser = Callable[[pl.Series], pl.Series]
RowName = Callable[[int], str]
"""Returns what to call a row in messages; rows are given from 0."""

CLOCKS = ("%H:%M:%S%.f", "%H:%M")
ISO_FORMATS = ("%Y-%m-%d", *(f"%Y-%m-%d{mark}{clock}" for mark in "T " for clock in CLOCKS))
ZONED_FORMATS = tuple(f"{format}%z" for format in ISO_FORMATS[1:])
TWELVE_HOURS = ("%Y-%m-%dT%I:%M:%S%.f %p", "%Y-%m-%dT%I:%M %p")
ORDERS = ("day", "month")  # which of them is first
LEADING_FORMATS = {"day": ("%d.%m.%Y", "%d/%m/%Y"), "month": ("%m/%d/%Y",)}
ISO = r"^\d{4}-|^\d+$"
DATE = r"^\d+[./]\d+[./]\d{4}$"
EPOCH = r"^\d{9,11}$"  # seconds since 1970, from 1973 to 5138
EARLIEST = datetime(1000, 1, 1)  # before that, the year was written with two digits
DOTTED = r"^\s*\d+\."  # starts with the day, unless another value shows that it does not
TIME_HINT = "use 2024-05-31 or 2024-05-31T12:00, or set --time-format (time_format= in Python)"

DIRECTIVE = re.compile(r"%(?:[-_0#]|\.|:{1,3})?([A-Za-z%+]|[369]f)")
CLOCK_DIRECTIVES = {*"cHIklMpPrRsSTX+f", "3f", "6f", "9f"}
KNOWN_DIRECTIVES = CLOCK_DIRECTIVES | set("aAbBCdDeFgGhjmntuUvVwWxyYzZ%")
YEAR_DIRECTIVES = set("cDFGsvxyY+")
FORMAT_EXAMPLE = '"%d.%m.%Y"'


def name_row(row: int) -> str:
    """Return what to call a row in messages, which count from 0."""
    return f"row {row}"


class Example(NamedTuple):
    """A value of a column."""

    value: str
    row_name: str
    column: str
    source: str
    """The file; "" if there is none."""

    def __str__(self) -> str:
        return f"{quote(self.value)} in {self.row_name} of {self.column}"

    def error(self, problem: str) -> InputError:
        """Return the error for this value."""
        return InputError(
            f"{self.source}: {self} {problem}" if self.source else f"{self} {problem}"
        )


@dataclass
class TimeParser:
    """Parse a column of times batch by batch; its days and months have the same order everywhere.

    A value such as "31/12/2024" in any batch decides the order for all of them. The times of a
    batch whose order is not known yet have a field for each order, until `resolve`.

    Parameters
    ----------
    format : str or None
        Format of the times, as for `datetime.strptime`; None recognizes the usual ones.
    evidence : dict
        What is known about the order: a value that starts with the day, with the month, or with
        either of them ("any").

    Raises
    ------
    InputError
        If the format is not valid.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.corpus.times import TimeParser
    >>> parser = TimeParser()
    >>> batches = [parser.parse(pl.Series([day]), "times") for day in ("5/6/2024", "5/31/2024")]
    >>> [time.isoformat() for time in parser.resolve(batches)]
    ['2024-05-06T00:00:00', '2024-05-31T00:00:00']
    """

    format: str | None = None
    evidence: dict[str, Example] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.format is not None:
            self.format = check_time_format(self.format)

    def parse(
        self, values: pl.Series, column: str, source: str = "", row_name: RowName = name_row
    ) -> pl.Series:
        """Return the times of a batch as datetimes without a zone (UTC).

        Parameters
        ----------
        values : polars.Series
            Dates, datetimes, strings, or seconds since 1970.
        column, source : str
            The column and the file, for errors.
        row_name : callable
            Returns what to call a row of these values, for errors.

        Returns
        -------
        polars.Series
            Datetimes, or a struct of them with a field for each order.

        Raises
        ------
        InputError
            If a value is not a time, or contradicts an earlier one.
        """
        check_not_forked()
        if values.dtype in (pl.Date, pl.Datetime):
            return values.cast(pl.Datetime("us"))
        strings = values.cast(pl.String)

        def example(row: int) -> Example:
            return Example(strings[row], row_name(row), column, source)

        if self.format is None:
            return self._recognize(strings, example).alias(values.name)
        parsed = _parse_format(strings, self.format)
        row = _first_row(_left(strings, parsed))
        if row is not None:
            raise example(row).error(f"does not fit the time format {quote(self.format)}")
        return parsed

    def merge(self, other: "TimeParser") -> None:
        """Add what another parser knows about the order.

        Parameters
        ----------
        other : TimeParser
            A parser of other batches of the same column.

        Raises
        ------
        InputError
            If the orders differ.
        """
        for order in other.evidence:
            self._note(order, partial(other.evidence.__getitem__, order))

    def resolve(self, batches: Iterable[pl.Series]) -> pl.Series:
        """Return the times of all batches, after all of them were parsed.

        Parameters
        ----------
        batches : iterable of polars.Series
            What `parse` returned, at least one.

        Returns
        -------
        polars.Series
            Datetimes.

        Raises
        ------
        InputError
            If no value tells the order of day and month.
        """
        order = self._known_order()
        if order is None and "any" in self.evidence:
            example = self.evidence["any"]
            day_first, month_first = (format_of(example.value, order) for order in ORDERS)
            raise example.error(
                "may start with the day or the month, and no other value tells; set --time-format "
                f'(time_format= in Python) to "{day_first}" or "{month_first}"'
            )
        return pl.concat(select_order(batch, order or "day") for batch in batches)

    def ends(self, batches: Iterable[pl.Series]) -> pl.Series:
        """Return the first and the last time of parsed batches, of each order if it is open.

        Parameters
        ----------
        batches : iterable of polars.Series
            What `parse` returned, at least one.

        Returns
        -------
        polars.Series
            Two values like those of the batches; null if there are no times.
        """
        known = list(batches)
        is_open = any(batch.dtype == pl.Struct for batch in known)
        orders = ORDERS if is_open else ORDERS[:1]
        times = [pl.concat(select_order(batch, order) for batch in known) for order in orders]
        fields = [
            pl.Series(order, [column.min(), column.max()], pl.Datetime("us"))
            for order, column in zip(orders, times, strict=True)
        ]
        return pl.DataFrame(fields).to_struct() if is_open else fields[0]

    def _recognize(self, strings: pl.Series, example: Callable[[int], Example]) -> pl.Series:
        """Parse the usual formats."""
        parsed = _parse_iso(strings)
        left = _left(strings, parsed)
        if not left.any():
            return parsed
        rows, rest = left.arg_true(), strings.filter(left)
        known = self._known_order()
        found = {order: _parse_order(rest, order) for order in ([known] if known else ORDERS)}
        if known and found[known].has_nulls():
            found = {order: _parse_order(rest, order) for order in ORDERS}
        if len(found) > 1:
            self._learn_order(rest, found, lambda row: example(rows[row]))
            known = self._known_order()
        if known or (found["day"] == found["month"]).all():
            return parsed.scatter(rows, found[known or "day"])
        fields = [parsed.clone().scatter(rows, found[order]).alias(order) for order in ORDERS]
        return pl.DataFrame(fields).to_struct()

    def _learn_order(
        self,
        strings: pl.Series,
        found: dict[str, pl.Series],
        example: Callable[[int], Example],
    ) -> None:
        """Note the first values that tell the order, or that do not tell it."""
        day_first, month_first = found["day"], found["month"]
        row = _first_row(day_first.is_null() & month_first.is_null())
        if row is not None:
            raise example(row).error(f"is not a valid date or time; {TIME_HINT}")
        row = _first_row((day_first != month_first) & ~strings.str.contains(DOTTED))
        if row is not None:
            self._note("any", partial(example, row))
        for order, other in (("day", month_first), ("month", day_first)):
            row = _first_row(other.is_null())
            if row is not None:
                self._note(order, partial(example, row))

    def _known_order(self) -> str | None:
        """Return the order that a value shows; None if no value does."""
        return next((order for order in ORDERS if order in self.evidence), None)

    def _note(self, order: str, make_example: Callable[[], Example]) -> None:
        """Note a value; reject it if another value shows another order.

        The example is only made if it is needed: its row is looked for in the file.
        """
        if order not in self.evidence:
            self.evidence[order] = make_example()
        other = next((self.evidence[o] for o in ORDERS if o != order and o in self.evidence), None)
        if order not in ORDERS or other is None:
            return
        example = make_example()
        where = f" of {other.source}" if other.source != example.source else ""
        others = "day" if order == "month" else "month"
        raise example.error(
            f"starts with the {order}, but {other}{where} with the {others}; "
            "write all dates in the same order"
        )


def select_order(batch: pl.Series, order: str) -> pl.Series:
    """Return the times of a parsed batch in an order of day and month."""
    return batch.struct.field(order).alias(batch.name) if batch.dtype == pl.Struct else batch


def format_of(value: str, order: str) -> str:
    """Return the format of a date such as "5/6/24 2:05 PM"."""
    year = "%y" if re.match(r"\s*\d+\D\d+\D\d\d(?!\d)", value) else "%Y"
    date = f"%d\\1%m\\1{year}" if order == "day" else f"%m\\1%d\\1{year}"
    hour, half = ("%I", "%p") if re.search("[AaPp][Mm]", value) else ("%H", "")
    format = re.sub(r"^\s*\d+(\D)\d+\D\d+", date, value)
    format = re.sub(r"\d+:\d+:\d+", f"{hour}:%M:%S", format)
    return re.sub("[AaPp][Mm]", half, re.sub(r"\d+:\d+", f"{hour}:%M", format)).strip()


def check_time_format(format: str) -> str:
    """Check a format of times, and return it as Polars expects it.

    Parameters
    ----------
    format : str
        As for `datetime.strptime`.

    Returns
    -------
    str
        The format; fractions of a second are "%.f".

    Raises
    ------
    InputError
        If it is not valid, or has no year.

    Examples
    --------
    >>> from bittern.corpus.times import check_time_format
    >>> check_time_format("%d.%m.%Y %H:%M:%S.%f")
    '%d.%m.%Y %H:%M:%S%.f'
    """
    check_text("time_format", format)
    polars_format = format.replace(".%f", "%.f")
    found = set(DIRECTIVE.findall(polars_format))
    unknown = DIRECTIVE.sub(_remove_known, polars_format)
    invalid = f"invalid time format {quote(format)}"
    if "%" in unknown or re.search(r"(?<![.%])%f", polars_format):
        raise InputError(f"{invalid}; use directives of strptime, as in {FORMAT_EXAMPLE}")
    if not found & YEAR_DIRECTIVES:
        raise InputError(f"{invalid}; it needs a year, as in {FORMAT_EXAMPLE}")
    try:
        _parse_format(pl.Series([""]), polars_format)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0].removeprefix("Invalid format string: ").rstrip(".")
        raise InputError(f"{invalid}: {reason[:1].lower()}{reason[1:]}") from None
    return polars_format


def has_clock(strings: pl.Series, format: str | None) -> bool:
    """Return whether some of the times have a time of day."""
    if format is None:
        return bool(strings.str.contains(r":|^\s*\d+\s*$").any())
    return not CLOCK_DIRECTIVES.isdisjoint(DIRECTIVE.findall(format))


def _remove_known(match: re.Match[str]) -> str:
    """Return nothing in place of a known directive."""
    return "" if match[1] in KNOWN_DIRECTIVES else match[0]


def _left(strings: pl.Series, parsed: pl.Series) -> pl.Series:
    """Tell which strings could not be parsed; blank ones are missing."""
    left = parsed.is_null() & strings.is_not_null()
    return left & strings.str.contains(r"\S") if left.any() else left


def _first_row(mask: pl.Series) -> int | None:
    """Return the first row where a mask is true."""
    return mask.arg_max() if mask.any() else None


def _parse_iso(strings: pl.Series) -> pl.Series:
    """Parse dates and times that start with the year, and seconds since 1970."""
    is_iso = strings.str.contains(ISO)
    found = _parse_any(ISO_PARSERS, strings.filter(is_iso))
    return found if len(found) == len(strings) else _scatter(strings, is_iso, found)


def _parse_order(strings: pl.Series, order: str) -> pl.Series:
    """Parse dates and times in other notations."""
    is_date = strings.str.contains(DATE)
    found = _parse_any(LEADING_PARSERS[order], strings.filter(is_date))
    if is_date.all():
        return found
    others = strings.filter(~is_date)
    distinct = others.unique()  # rewriting is slow
    times = _parse_any(REWRITTEN_PARSERS, rewrite_dates(distinct, day_first=order == "day"))
    times = others.replace_strict(distinct, times)
    return _scatter(strings, is_date, found).scatter((~is_date).arg_true(), times)


def _parse_any(parsers: Sequence[Parser], strings: pl.Series) -> pl.Series:
    """Parse each string by a parser that can; first by the one for the first string."""
    parsed = pl.select(pl.repeat(None, len(strings), dtype=pl.Datetime("us"))).to_series()
    remaining = list(parsers)
    while remaining:
        left = parsed.is_null() & strings.is_not_null()
        if not left.any():
            break
        rest = strings.filter(left)
        fitting = (parse for parse in remaining if not parse(rest.head(1)).has_nulls())
        parse = next(fitting, remaining[0])
        remaining.remove(parse)
        found = parse(rest)
        parsed = found if left.all() else parsed.scatter(left.arg_true(), found)
    return parsed


def _scatter(strings: pl.Series, mask: pl.Series, times: pl.Series) -> pl.Series:
    """Return times for the strings of a mask, and null for the others."""
    nulls = pl.select(pl.repeat(None, len(strings), dtype=pl.Datetime("us"))).to_series()
    return nulls.scatter(mask.arg_true(), times)


def _parse_format(strings: pl.Series, format: str) -> pl.Series:
    """Parse strings of a format; others become null, also those before the year 1000."""
    parsed = strings.str.to_datetime(format, time_unit="us", strict=False)
    parsed = parsed.dt.replace_time_zone(None)
    first = parsed.min()
    if isinstance(first, datetime) and first < EARLIEST:
        parsed = parsed.set(parsed < EARLIEST, None)
    return parsed


def _parse_zoned(strings: pl.Series, format: str) -> pl.Series:
    """Parse strings with a time zone as UTC."""
    return _parse_format(strings.str.replace("Z$", "+0000"), format)


def _parse_epoch(strings: pl.Series) -> pl.Series:
    """Parse seconds since 1970."""
    seconds = strings.set(~strings.str.contains(EPOCH), None).cast(pl.Int64, strict=False)
    return pl.from_epoch(seconds).cast(pl.Datetime("us"))


def _parsers(formats: Iterable[str]) -> list[Parser]:
    """Return a parser for each format."""
    parse = {True: _parse_zoned, False: _parse_format}
    return [partial(parse["%z" in format], format=format) for format in formats]


ISO_PARSERS = [*_parsers((*ISO_FORMATS, *ZONED_FORMATS)), _parse_epoch]
LEADING_PARSERS = {order: _parsers(formats) for order, formats in LEADING_FORMATS.items()}
REWRITTEN_PARSERS = _parsers((*ISO_FORMATS, *ZONED_FORMATS, *TWELVE_HOURS))
