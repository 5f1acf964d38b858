"""Results on standard output, messages on standard error."""

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bittern.fitted import FittedTopics


def print_message(message: str) -> None:
    """Print a message to standard error."""
    print(message, file=sys.stderr)


def announce_compilation(quiet: bool) -> None:
    """Print a message if kernels have to be compiled, which takes a while on the first run."""
    from bittern._core import progress

    if not quiet:
        progress.announce_compilation()


def print_topics(
    fitted: "FittedTopics", words: int, relevance: float, as_json: bool = False
) -> None:
    """Print topics, the largest first."""
    rows = fitted.topic_info(words, relevance).sort("share", descending=True).to_dicts()
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    from rich.console import Console
    from rich.text import Text

    from bittern.fitted import UNUSED_NAME

    console = Console(soft_wrap=True, highlight=False)
    console.print("topic  share  words", style="bold")
    given = fitted.given_names
    for row in rows:
        line = Text(f"{row['topic']:>5}  ", "cyan").append(f"{row['share']:>5.1%}  ", "dim")
        if row["topic"] in given:
            line.append(f"{row['name']}: ", "bold")
        if row["in_use"]:
            line.append(" ".join(row["words"]), "default")
        else:
            line.append(UNUSED_NAME, "dim")
        console.print(line)
    used = sum(row["in_use"] for row in rows)
    if used < len(rows):
        print_message(f"Only {used} of {len(rows)} topics are in use; try fewer topics.")
