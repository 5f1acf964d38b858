from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.options import Quiet
from bittern.cli.panels import Panel

PANEL = Panel.RESEARCH
EXAMPLE = "bittern generate tweets.txt --documents 100000"


def generate(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write, a text per line.")],
    documents: Annotated[int, typer.Option(min=1, help="How many texts.")] = 3_500_000,
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, help="How many topics.")] = 100,
    words: Annotated[int, typer.Option(min=2, help="How many different words.")] = 100_000,
    seed: Annotated[int, typer.Option(min=0, help="The same number gives the same texts.")] = 0,
    quiet: Quiet = False,
) -> None:
    """Write drawn texts that have the shape of tweets, to try things out at any size."""
    from bittern._core.atomic import atomic_path
    from bittern._core.progress import ProgressBar
    from bittern.corpus.synthetic import draw_texts

    with (
        atomic_path(out) as fresh,
        fresh.open("w", encoding="utf-8") as file,
        ProgressBar("drawing", documents, "texts", int(not quiet)) as bar,
    ):
        for number, text in enumerate(draw_texts(documents, topics, words, seed), start=1):
            file.write(f"{text}\n")
            if number % 10_000 == 0:
                bar.advance(10_000)
