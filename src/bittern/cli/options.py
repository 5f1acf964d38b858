"""Arguments and options that several commands share, with the same wording everywhere."""

from pathlib import Path
from typing import Annotated

import typer

from bittern.corpus.formats import FORMATS, join_names, table_sinks

_FORMAT_NAMES = join_names(list(FORMATS))
_TABLE_NAMES = join_names(list(table_sinks()))

# Input

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help=f"Input files: {_FORMAT_NAMES}, optionally compressed (.gz, .zst). A txt file has one "
        "text per line. Also directories, quoted patterns such as 'posts/*.csv', and addresses "
        "such as s3://bucket/posts.parquet. Use - for standard input.",
    ),
]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Directory of a saved model.")]
Format = Annotated[
    str | None,
    typer.Option(
        help=f"Format of the input files: {_FORMAT_NAMES}.",
        show_default="from the file name; txt for standard input",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="Separator between the columns of csv and tsv files, such as ';' or tab.",
        show_default="detected",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="Encoding of text files, such as utf-8, cp1252, cp1251 or shift_jis.",
        show_default="detected: UTF-8 and UTF-16, otherwise cp1252 with a warning",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        help="Name of the sheet to read from workbooks.", show_default="the first one with a table"
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with the texts.",
        show_default='"text", or the only column with texts',
    ),
]
_TIME = typer.Option(metavar="COLUMN", help="Column with the dates or times of the texts.")
TimeColumn = Annotated[str | None, _TIME]
RequiredTimeColumn = Annotated[str, _TIME]
TimeFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of the times, as for strptime, such as %d.%m.%Y or '%m/%d/%Y %H:%M'.",
        show_default="recognized from the values",
    ),
]
LabelColumn = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column with the labels of the texts.")
]
Sample = Annotated[
    int | None, typer.Option(min=100, help="Use a random sample of this many texts.")
]

Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="CLUSTER",
        help="Run on a cluster: local:4 for four processes, ray://head:10001, "
        "'dask tcp://head:8786', or ray or dask for workers on this machine. All workers must see "
        "the files.",
        show_default="this process",
    ),
]

# Preprocessing

StopWords = Annotated[
    str,
    typer.Option(
        help="Stop words to drop: languages and words separated by commas, such as "
        "english,via,rt; none keeps all words."
    ),
]
MinDf = Annotated[
    str,
    typer.Option(
        help="Drop words that occur in fewer than this many documents (5) or this fraction of "
        "them (0.01). auto is 1 below 100 documents, 2 up to 50,000, and then grows to 10."
    ),
]
MaxDf = Annotated[
    str,
    typer.Option(
        help="Drop words that occur in more than this many documents (1000) or this fraction of "
        "them (0.5)."
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        help="Keep only texts in this language, such as en or english; auto keeps all texts, and "
        "finds the stop words and the segmenter for their main language."
    ),
]
Segment = Annotated[
    str | None, typer.Option(help="Put spaces between words, for texts without them: zh, ja or th.")
]
Lemmas = Annotated[
    str | None,
    typer.Option(
        help="Replace words by their dictionary forms in this language, such as en or english, or "
        "in several, separated by commas."
    ),
]

Tokenizer = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:FUNCTION",
        help="Your own tokenizer: a function that returns the words of a text, in a module of the "
        "current folder or of an installed package.",
    ),
]
ModelTokenizer = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="MODULE:FUNCTION",
        help="The tokenizer that the model was trained with, if it was your own; models do not "
        "contain functions.",
    ),
]

# Model

TopicCount = Annotated[int, typer.Option("--topics", "-k", min=1, help="Number of topics.")]
Duplicates = Annotated[
    str,
    typer.Option(
        metavar="[keep|once]",
        help="Whether texts with the same words in the same order count as often as they occur "
        "(keep) or only once in training (once). All of them get topics.",
    ),
]
_SEED = typer.Option(min=0, help="Random seed, for reproducible results.")
Seed = Annotated[int, _SEED]
OptionalSeed = Annotated[int | None, _SEED]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Number of threads; -1 uses all cores.")]

# Output

TopWords = Annotated[
    int, typer.Option("--words", "-n", min=1, help="Number of top words per topic.")
]
ModelOut = Annotated[
    Path, typer.Option("--out", "-o", metavar="MODEL", help="Directory to save the model to.")
]
TableOut = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help=f"Write the table to this {_TABLE_NAMES} file; - is standard output."
    ),
]
TableFormat = Annotated[
    str | None,
    typer.Option(
        "--out-format",
        metavar="FORMAT",
        help=f"Format of the table: {_TABLE_NAMES}.",
        show_default="from the file name; csv for standard output",
    ),
]
ChartOut = Annotated[
    Path | None, typer.Option("--plot", help="Save a chart to this html, svg or png file.")
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Hide progress and messages; warnings and errors are still shown."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
