"""Numbers and dates in plain words, as the page writes them."""

from datetime import date

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
SPELLED_MONTHS = 2  # a longer time is described by its months, without days


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: 1 text, 2,000 texts."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def percent(share: float) -> str:
    """Return a share as a percentage of two or three digits."""
    if 0 < share < 0.0005:
        return "<0.1%"
    return f"{share:.0%}" if share == 0 or share >= 0.0995 else f"{share:.1%}"


def time_span(first: date, last: date) -> str:
    """Return the time from one day to another: from January to July 2024."""
    months = 12 * (last.year - first.year) + last.month - first.month
    if first == last:
        return f"of {day(first)}"
    if months < SPELLED_MONTHS:
        return f"from {day(first)} to {day(last)}"
    start = MONTHS[first.month - 1] + ("" if first.year == last.year else f" {first.year}")
    return f"from {start} to {MONTHS[last.month - 1]} {last.year}"


def day(value: date) -> str:
    """Return a day: January 8, 2024."""
    return f"{MONTHS[value.month - 1]} {value.day}, {value.year}"


def in_period(start: date, period: str) -> str:
    """Return when something happens: on January 8, 2024; in January 2024; in Q1 2024."""
    if period == "year":
        return f"in {start.year}"
    if period == "quarter":
        return f"in Q{(start.month + 2) // 3} {start.year}"
    if period == "month":
        return f"in {MONTHS[start.month - 1]} {start.year}"
    return f"in the week of {day(start)}" if period == "week" else f"on {day(start)}"
