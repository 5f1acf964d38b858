"""The overview of a report: topics as cards and lists, which the page shows without a script."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from bittern.fitted import telling_words
from bittern.report.contents import N_WORDS
from bittern.report.wording import counted, in_period, percent

MAX_CARDS = 12  # if there are more topics, those after the first FEW_CARDS are listed
FEW_CARDS = 9
MAX_LISTED = 8  # topics of a branch; the others unfold
MORE_WORDS = 6  # beside those of the name
MAX_QUOTE_LENGTH = 160  # characters
SPARK_WIDTH, SPARK_HEIGHT = 200, 36  # of the view box, which is stretched
WITHOUT_SPACES = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")  # Thai, Japanese, Chinese
ARROWS = {"rising": "↗ rising", "falling": "↘ falling"}


class Overview(NamedTuple):
    """Topics in the order and form in which the page shows them."""

    cards: list[dict[str, Any]]
    """The largest topics."""
    are_listed: bool
    """Whether there are more topics than cards, so that all of them are listed by branch."""
    branches: list[dict[str, Any]]
    """Each branch with its topics, the largest first; none if there are few topics."""
    without_texts: list[dict[str, Any]]
    """Topics that no text has as its main topic."""
    hardly_used: list[dict[str, Any]]
    """Topics that the texts do not support."""


def arrange_topics(contents: dict[str, Any]) -> Overview:
    """Arrange the topics of a report for its overview."""
    topics = [contents["topics"][k] for k in contents["order"]]
    used = [topic for topic in topics if topic["in_use"] and topic["documents"]]
    n_cards = len(used) if len(used) <= MAX_CARDS else FEW_CARDS
    n_texts = contents["documents"] - contents["without_words"] - contents["set_aside"]
    branches = []
    for number, words in enumerate(contents["branches"]):
        members = [topic for topic in used if topic["branch"] == number]
        documents = sum(topic["documents"] for topic in members)
        branches.append(
            {
                "branch": number,
                "words": words,
                "topics": members,
                "size": f"{percent(documents / n_texts)} of texts",
                "count": counted(len(members), "topic"),
            }
        )
    return Overview(
        cards=[_card(topic, contents, n_texts) for topic in used[:n_cards]],
        are_listed=n_cards < len(used),
        branches=branches,
        without_texts=[topic for topic in topics if topic["in_use"] and not topic["documents"]],
        hardly_used=[topic for topic in topics if not topic["in_use"]],
    )


def _card(topic: dict[str, Any], contents: dict[str, Any], n_texts: int) -> dict[str, Any]:
    """Return what the card of a topic shows."""
    k = topic["topic"]
    card = topic | {
        "words": more_words(contents, k),
        "quote": _quote(contents, k, _top_words(contents, k)),
        "size": f"{percent(topic['documents'] / n_texts)} of texts",
        "count": counted(topic["documents"], "text"),
    }
    if contents["periods"] is not None:
        card["spark"] = sparkline(contents["periods"]["share"][k])
        card["trend"] = trend_in_words(contents["periods"], k)
    return card


def more_words(contents: dict[str, Any], k: int) -> list[str]:
    """Return the words that tell most about a topic, beside those of its name."""
    name = contents["topics"][k]["name"].split(", ")
    words = telling_words(_top_words(contents, k), N_WORDS)
    return [word for word in words if word not in name][:MORE_WORDS]


def _top_words(contents: dict[str, Any], k: int) -> list[str]:
    """Return the top words of a topic at the initial relevance."""
    words = contents["words"][k]
    order = words["order"][contents["initial_relevance"]]
    return [contents["terms"][words["terms"][i]] for i in order]


def trend_in_words(periods: dict[str, Any], k: int) -> str:
    """Return how the share of a topic changes, in words."""
    parts = [ARROWS[periods["trends"][k]]] if periods["trends"][k] else []
    if periods["bursts"][k]:
        burst = max(periods["bursts"][k], key=lambda burst: burst["times"])
        start = date.fromisoformat(periods["starts"][burst["peak"]])
        parts.append(f"peak {in_period(start, periods['period'])}")
    return ", ".join(parts)


def _quote(contents: dict[str, Any], k: int, top: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the most representative text that is short, in parts: top words are marked."""
    texts = [contents["texts"][row]["text"] for row, _ in contents["representative"][k]]
    if not texts:
        return []
    short = (text for text in texts if len(text) <= MAX_QUOTE_LENGTH)
    text = next(short, texts[0][: MAX_QUOTE_LENGTH - 1] + "…")
    return mark_words(text, top)


def mark_words(text: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """Split a text into parts, and tell which of them are among the words."""
    if not words:
        return [(text, False)]
    longest_first = "|".join(map(_word_pattern, sorted(words, key=len, reverse=True)))
    parts = re.split(f"(?i)({longest_first})", text)
    return [(part, i % 2 == 1) for i, part in enumerate(parts) if part]


def _word_pattern(word: str) -> str:
    """Return the pattern of a word, or of a phrase such as new_york, in a text."""
    pattern = r"[\W_]+".join(map(re.escape, re.split("[_ ]", word)))
    return pattern if WITHOUT_SPACES.search(word) else rf"(?<![^\W_]){pattern}(?![^\W_])"


def sparkline(shares: Sequence[float | None]) -> tuple[str, str]:
    """Return paths of a line through shares, and of the area below it; both have gaps."""
    highest = max((share for share in shares if share is not None), default=0) or 1
    step = SPARK_WIDTH / max(len(shares) - 1, 1)
    runs: list[list[tuple[float, float]]] = [[]]
    for i, share in enumerate(shares):
        if share is not None:
            runs[-1].append((i * step, 1 + (SPARK_HEIGHT - 1) * (1 - share / highest)))
        elif runs[-1]:
            runs.append([])
    lines = ["M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in run) for run in runs if run]
    areas = (
        f"{line}L{run[-1][0]:.1f} {SPARK_HEIGHT}L{run[0][0]:.1f} {SPARK_HEIGHT}Z"
        for line, run in zip(lines, runs, strict=False)
    )
    return "".join(lines), "".join(areas)
