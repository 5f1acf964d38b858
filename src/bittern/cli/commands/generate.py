from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.options import Quiet, Seed, TopicCount
from bittern.cli.output import count, expect_output, print_status
from bittern.cli.panels import Panel

PANEL = Panel.RESEARCH
EXAMPLE = "bittern generate tweets.txt --documents 100000"


def generate(
    out: Annotated[
        Path, typer.Argument(metavar="FILE", help="Output file, with one text per line.")
    ],
    documents: Annotated[int, typer.Option(min=1, help="Number of texts.")] = 3_500_000,
    topics: TopicCount = 100,
    words: Annotated[int, typer.Option(min=2, help="Number of distinct words.")] = 100_000,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Generate synthetic, tweet-like texts.

    Useful for measuring speed and memory at any size.
    """
    expect_output(out)
    from bittern._core.atomic import atomic_path
    from bittern._core.progress import ProgressBar
    from bittern.corpus.synthetic import synthetic_texts

    with (
        atomic_path(out) as temporary,
        temporary.open("w", encoding="utf-8") as file,
        ProgressBar("generating", documents, "texts", int(not quiet)) as bar,
    ):
        for number, text in enumerate(synthetic_texts(documents, topics, words, seed), start=1):
            file.write(f"{text}\n")
            if number % 10_000 == 0:
                bar.advance(10_000)
    print_status(f"Wrote {count(documents, 'text')} to {out}.", quiet)
