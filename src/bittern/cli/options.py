"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

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
