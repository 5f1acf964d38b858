"""Commands that learn: demo, fit, generate, and the study of algorithms."""

from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.settings import WithSettings
from bittern.cli.shared import (
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
    announce,
    app,
    parse_number,
    parse_numbers,
    print_topics,
    read_corpus,
    say,
)


@app.command()
def demo(
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, help="How many.")] = 20,
    report: Annotated[
        Path | None, typer.Option(help="Also write a page to look at, such as demo.html.")
    ] = None,
) -> None:
    """Find the topics of Python's own documentation, the docstrings of its standard library."""
    from bittern import BTM
    from bittern.corpus.stdlib_docs import docstrings

    if report is not None:
        from bittern.report import check_page

        check_page(report)
    announce(quiet=False)
    texts, modules = docstrings(verbose=1)
    say(f"{len(texts):,} docstrings of Python's standard library, {topics} topics")
    model = BTM(topics, random_state=0, verbose=1).fit(texts)
    print_topics(model, words=10, relevance=0.6)
    if report is not None:
        page = model.report(texts, labels=modules, title="Python's standard library")
        page.save(report)
        say(f"Open {report} in a browser")
    say("Now your own texts: bittern fit answers.csv --text answer --topics 20 --out model")


@app.command(
    cls=WithSettings,
    epilog="bittern fit answers.csv --text answer --topics 20 --out answers.model",
)
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
    starts: Annotated[
        int, typer.Option(min=1, help="Try so many, and go on with the best after a pass.")
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
        n_init=starts,
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


@app.command(epilog="bittern generate tweets.txt --documents 100000")
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


@app.command(epilog="bittern study tweets.csv --text tweet --language en --out study")
def study(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The directory to write to, or to go on in.")
    ],
    text: TextColumn = None,
    format: Format = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "1",
    language: Language = None,
    topics: Annotated[
        str | None, typer.Option("--topics", "-k", help="Numbers of topics to compare at.")
    ] = None,
    focus: Annotated[
        int | None, typer.Option(help="The one of them at which to look more closely.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=2, help="How often each algorithm learns.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(help="Words make a biterm when they are less than that apart; else all do."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look: fewer topics, repeats and sweeps.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same number gives the same study.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
) -> None:
    """Repeat the paper's experiments on your texts, and write a page about what they show.

    Six algorithms learn the same texts by the paper's protocol, again and again: held-out
    likelihood by topics, data and time, what each costs, and which of the paper's claims hold.
    A study that was interrupted goes on where it was when it is called again.
    """
    from dataclasses import replace

    from bittern.charts.charts import check_installed
    from bittern.study import QUICK, Protocol
    from bittern.study import study as run_study

    check_installed()
    protocol = QUICK if quick else Protocol()
    numbers = parse_numbers("--topics", topics) if topics else protocol.topics
    near = min(numbers, key=lambda n: abs(n - protocol.focus))
    protocol = replace(
        protocol,
        topics=numbers,
        focus=focus or near,
        repeats=repeats or protocol.repeats,
        window=window,
        seed=seed,
    )
    announce(quiet)
    corpus = read_corpus(
        *(files, stop_words, min_df, quiet), text=text, format=format, language=language
    )
    name = ", ".join(Path(file).name for file in files)
    try:
        page = run_study(corpus, out, protocol, jobs, int(not quiet), name)
    except KeyboardInterrupt:
        say(f"bittern: interrupted: what is finished is in {out}; the same command goes on with it")
        raise typer.Exit(130) from None
    print(page)
