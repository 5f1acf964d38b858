"""Results on standard output, messages on standard error."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from bittern.fitted import FittedTopics


def print_message(message: str) -> None:
    """Print a message to standard error."""
    print(message, file=sys.stderr)


def print_status(message: str, quiet: bool) -> None:
    """Print to standard error what a command has done, unless the user wants it quiet."""
    if not quiet:
        print_message(message)


def report_reading(n_texts: int, files: Sequence[str], quiet: bool, what: str = "") -> None:
    """Print how many texts were read, and from where."""
    names = ["standard input" if file == "-" else file for file in files]
    source = names[0] if len(names) == 1 else f"{len(names):,} files"
    print_status(f"Read {count(n_texts, 'text')}{what} from {source}.", quiet)


def report_missing(reasons: Mapping[str, int], n_texts: int, quiet: bool) -> None:
    """Print how many texts were left out, for each reason, the most frequent first."""
    for reason, n in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        if reason in ("empty", "in another language"):
            problem = f"{'is' if n == 1 else 'are'} {reason}"
        else:
            topic = "" if reason.startswith("no ") else "no topic: "
            problem = f"{'has' if n == 1 else 'have'} {topic}{reason}"
        print_status(f"{n:,} of {count(n_texts, 'text')} {problem}.", quiet)


def count(n: int, noun: str) -> str:
    """Return a number with its noun: "1 text", "3,000 texts"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


MODEL_SAVED = "the model was saved to {}"


class _Output(NamedTuple):
    """A file or directory that a command is going to write."""

    path: Path
    result: str
    """What to report once it is written."""
    version_before: tuple[int, ...] | None


_outputs: list[_Output] = []


def expect_output(path: Path | None, result: str = "wrote {}") -> None:
    """Remember what a command is going to write, to report it if the command ends early."""
    if path is not None and str(path) != "-":
        _outputs.append(_Output(path, result.format(path), _version(path)))


def forget_outputs() -> None:
    """Forget what an earlier command was going to write."""
    _outputs.clear()


def written_outputs() -> list[str]:
    """Return what has been written so far, judging by the files."""
    return [output.result for output in _outputs if _version(output.path) != output.version_before]


def interruption_message() -> str:
    """Return what has been written before an interruption; "" for a command that only prints."""
    return ", ".join(written_outputs()) or ("nothing was written" if _outputs else "")


def _version(path: Path) -> tuple[int, ...] | None:
    """Return what changes whenever a file or directory is replaced; None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def print_json(value: Any, indent: int | None = None) -> None:
    """Print JSON, with dates as strings; escape characters that standard output cannot encode."""
    is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not is_unicode, indent=indent, default=str))


def announce_compilation(quiet: bool) -> None:
    """Print a message if kernels have to be compiled, which takes a while on the first run."""
    from bittern._core import progress

    if not quiet:
        progress.announce_compilation()


def print_topics(
    fitted: "FittedTopics",
    words: int,
    relevance: float | None = None,
    as_json: bool = False,
    quiet: bool = False,
    limit: int | None = None,
) -> None:
    """Print topics, the largest first, at most `limit` of them."""
    from bittern.fitted import DEFAULT_RELEVANCE

    relevance = DEFAULT_RELEVANCE if relevance is None else relevance
    if as_json:
        rows = fitted.topic_info(words, relevance).sort("share", descending=True).to_dicts()
        print_json(rows, indent=1)
        return
    from rich.console import Console
    from rich.text import Text

    from bittern.fitted import SUMMARY_HEADER, UNUSED_NAME, summary_notes, summary_rows

    console = Console(soft_wrap=True, highlight=False)
    console.print(SUMMARY_HEADER, style="bold")
    for row in summary_rows(fitted, words, relevance)[:limit]:
        style = "dim" if row.words == UNUSED_NAME else "default"
        line = Text(row.number, "cyan").append(row.share, "dim").append(row.name, "bold")
        console.print(line.append(row.words, style))
    for note in summary_notes(fitted):
        print_status(note, quiet)
