"""What the commands share: the application, options that several have, and what they print."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bittern.errors import InputError

if TYPE_CHECKING:
    from bittern.corpus.corpus import Corpus
    from bittern.estimator import BTM

app = typer.Typer(
    name="bittern",
    help="Find the topics of short texts: tweets, titles, comments, queries, survey answers.",
    epilog="Start with: bittern demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="txt (a text per line), csv, tsv, jsonl or parquet, also .gz and .zst; "
        "patterns such as 'posts/*.csv'; - is standard input.",
    ),
]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="The directory of a saved model.")]
TextColumn = Annotated[str | None, typer.Option("--text", help="The column with the texts.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="What the files are, if their names don't say: csv, txt, ..."),
]
Words = Annotated[int, typer.Option("--words", "-n", min=1, help="Top words to show per topic.")]
Relevance = Annotated[
    float,
    typer.Option(
        help="1: the most probable words. Towards 0: words that are rare elsewhere. Try 0.6."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the result, no progress.")]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="The same number gives the same topics.")
]

StopWords = Annotated[
    str,
    typer.Option(help="Words to leave out: languages and words, such as english,via,rt; or none."),
]
MinDf = Annotated[
    str, typer.Option(help="Keep words that are in so many documents (5), or that share (0.01).")
]
Language = Annotated[str | None, typer.Option(help="Keep only texts in this language, such as en.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all cores.")]


def say(message: str) -> None:
    """Tell people something, on standard error."""
    print(message, file=sys.stderr)


def announce(quiet: bool) -> None:
    """From here on there may be something to compile."""
    from bittern._core.progress import announce_compilation

    if not quiet:
        announce_compilation()


def print_topics(model: "BTM", words: int, relevance: float, as_json: bool = False) -> None:
    """Print topics, the largest first."""
    rows = model.topic_info(words, relevance).sort("share", descending=True).to_dicts()
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    console.print("topic  share  words", style="bold")
    given = model.given_names_
    for row in rows:
        line = Text(f"{row['topic']:>5}  ", "cyan").append(f"{row['share']:>5.1%}  ", "dim")
        if row["topic"] in given:
            line.append(f"{row['name']}: ", "bold")
        line.append(" ".join(row["words"]), "default")
        console.print(line)


def read_corpus(
    files: list[str], stop_words: str, min_df: str, quiet: bool, **how: Any
) -> "Corpus":
    """The texts that a command is to learn from; `how` are other arguments of `bittern.read`."""
    from bittern import read

    return read(
        *files,
        stop_words=parse_stop_words(stop_words),
        min_df=parse_number(min_df),
        verbose=int(not quiet),
        **how,
    )


def parse_stop_words(given: str) -> str | Sequence[str] | None:
    """Languages and words to leave out, as `bittern.text` wants them."""
    if given.strip().lower() == "none":
        return None
    items = [item.strip() for item in given.split(",") if item.strip()]
    return items[0] if len(items) == 1 else items  # one alone must be a language


def parse_numbers(name: str, given: str) -> tuple[int, ...]:
    """Whole numbers with commas between them."""
    try:
        return tuple(int(item) for item in given.split(","))
    except ValueError:
        raise InputError(f'{name} "{given}": write numbers such as 20,50,100') from None


def parse_number(given: str) -> int | float | str:
    """A number where it is one, else the text."""
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given
