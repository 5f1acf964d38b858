"""The topics of a model as text, which people read line by line."""

from typing import NamedTuple

from bittern.fitted.fitted import UNUSED_NAME, FittedTopics
from bittern.fitted.top_words import DEFAULT_RELEVANCE

HEADER = "topic  share  words"


class SummaryRow(NamedTuple):
    """The parts of a line about a topic; joined, they are the line."""

    number: str
    share: str
    name: str
    """The name that the topic was given; "" if it was given none."""
    words: str


def summary_rows(
    fitted: FittedTopics, n: int = 10, relevance: float = DEFAULT_RELEVANCE
) -> list[SummaryRow]:
    """Return the topics that are in use or have been given a name, the largest first."""
    info = fitted.topic_info(n, relevance).sort("share", descending=True)
    given = fitted.given_names
    return [
        SummaryRow(
            f"{row['topic']:>5}  ",
            f"{row['share']:>5.1%}  ",
            f"{row['name']}: " if row["topic"] in given else "",
            " ".join(row["words"]) if row["in_use"] else UNUSED_NAME,
        )
        for row in info.to_dicts()
        if row["in_use"] or row["topic"] in given
    ]


def summary_notes(fitted: FittedTopics) -> list[str]:
    """Return sentences on the topics that are not listed."""
    notes = []
    if fitted.set_aside:
        listed = ", ".join(map(str, sorted(fitted.set_aside)))
        verb = "topics are" if len(fitted.set_aside) > 1 else "topic is"
        notes.append(f"{len(fitted.set_aside)} {verb} set aside and not listed: {listed}.")
    n_used = int(fitted.in_use.sum())
    if n_used < fitted.n_topics:
        notes.append(
            f"Only {n_used:,} of {fitted.n_topics:,} topics are in use; the others are not listed. "
            "Fit with fewer topics; bittern choose recommends a number."
        )
    return notes


def topic_summary(fitted: FittedTopics, n: int = 10, relevance: float = DEFAULT_RELEVANCE) -> str:
    """Return a line for each topic: its number, share, name if it was given one, and top words."""
    lines = ["".join(row) for row in summary_rows(fitted, n, relevance)]
    return "\n".join([HEADER, *lines, *summary_notes(fitted)])
