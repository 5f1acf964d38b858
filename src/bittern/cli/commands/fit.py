from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.algorithm_settings import WithSettings
from bittern.cli.input import read_corpus
from bittern.cli.options import (
    AsJson,
    Files,
    Format,
    Jobs,
    Language,
    MinDf,
    Quiet,
    Seed,
    StopWords,
    TextColumn,
)
from bittern.cli.output import announce, print_topics, say
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_number

PANEL = Panel.FIND
EXAMPLE = "bittern fit answers.csv --text answer --topics 20 --out answers.model"
COMMAND_CLASS = WithSettings


def fit(
    ctx: typer.Context,
    files: Files,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to save the model.")],
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, help="How many topics.")] = 20,
    text: TextColumn = None,
    time: Annotated[
        str | None, typer.Option("--time", help="The column with the times of the texts.")
    ] = None,
    format: Format = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "1",
    max_df: Annotated[
        str, typer.Option(help="Drop words that are in more documents than that.")
    ] = "1.0",
    max_features: Annotated[
        int | None, typer.Option(help="Keep only so many words, the most frequent.")
    ] = None,
    ngrams: Annotated[int, typer.Option(help="2 also takes pairs of neighbours as words.")] = 1,
    language: Language = None,
    window: Annotated[
        int, typer.Option(help="Words make a biterm when they are less than that apart.")
    ] = 15,
    n_init: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of random starts; training continues with the best one after one pass.",
        ),
    ] = 1,
    algorithm: Annotated[str, typer.Option("--algorithm", "-a", help="How to learn.")] = "sdm",
    topic_prior: Annotated[
        float | None, typer.Option(help="The prior of topics (gamma); 50 / topics if not given.")
    ] = None,
    word_prior: Annotated[float, typer.Option(help="The prior of words in a topic (beta).")] = 0.01,
    jobs: Jobs = -1,
    memory: Annotated[
        str | None, typer.Option(help="How much memory to take, about, such as 512MB.")
    ] = None,
    seed: Seed = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find the topics of texts, print them, and save the model."""
    from bittern import BTM
    from bittern.algorithms import make
    from bittern.fitted.storage import check_target

    check_target(out)
    announce(quiet)
    model = BTM(
        topics,
        algorithm=make(algorithm, ctx.obj),
        topic_prior=topic_prior,
        word_prior=word_prior,
        window=window,
        n_init=n_init,
        random_state=seed,
        n_jobs=jobs,
        memory=memory,
        verbose=int(not quiet),
    )
    model.check()
    corpus = read_corpus(
        *(files, stop_words, min_df, quiet),
        text=text,
        time=time,
        format=format,
        max_df=parse_number(max_df),
        max_features=max_features,
        ngrams=ngrams,
        language=language,
    )
    if not quiet:
        say(f"{len(corpus):,} texts, {len(corpus.vocabulary):,} different words")
    model.fit(corpus)
    del corpus  # before the topics take its place in memory
    model.save(out)
    print_topics(model, words=10, relevance=1.0, as_json=as_json)
    if not quiet:
        say(f"saved to {out}")
