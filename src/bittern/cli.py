"""The command line: parse, call, print. Everything else is imported where it is needed."""

import inspect
import json
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from bittern.errors import InputError

if TYPE_CHECKING:
    from bittern.choose import Choice
    from bittern.model import BTM
    from bittern.timeline import Timeline

app = typer.Typer(
    name="bittern",
    help="Find the topics of short texts: tweets, titles, comments, queries, survey answers.",
    epilog="Start with: bittern demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
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

SETTINGS_PANEL = "Settings of the algorithm"


class WithSettings(TyperCommand):
    """A command with an option for every setting of every algorithm."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's own options and, before --help, the algorithms' settings."""
        *own, help_option = super().get_params(ctx)
        return [*own, *_setting_options(), help_option]

    def invoke(self, ctx: Any) -> Any:
        """Hand the settings over in ctx.obj; the command itself does not know their names."""
        names = [option.name for option in _setting_options()]
        given = {name: ctx.params.pop(name) for name in names}
        ctx.obj = {name: _number(value) for name, value in given.items() if value is not None}
        return super().invoke(ctx)


@app.callback(invoke_without_command=True)
def _bittern(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from bittern import __version__

        print(__version__)
        raise typer.Exit


@app.command()
def demo(
    topics: Annotated[int, typer.Option("--topics", "-k", min=1, help="How many.")] = 20,
) -> None:
    """Find the topics of Python's own documentation, the docstrings of its standard library."""
    from bittern import BTM
    from bittern.demo import docstrings

    _announce(quiet=False)
    texts, _ = docstrings(verbose=1)
    _say(f"{len(texts):,} docstrings of Python's standard library, {topics} topics")
    model = BTM(topics, random_state=0, verbose=1).fit(texts)
    _print_topics(model, words=10, relevance=0.6)
    _say("Now your own texts: bittern fit answers.csv --text answer --topics 20 --out model")


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
    from bittern import BTM, read
    from bittern.algorithms import make
    from bittern.store import check_target

    check_target(out)
    _announce(quiet)
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
    corpus = read(
        *files,
        text=text,
        time=time,
        format=format,
        stop_words=_stop_words(stop_words),
        min_df=_number(min_df),
        max_df=_number(max_df),
        max_features=max_features,
        ngrams=ngrams,
        language=language,
        verbose=int(not quiet),
    )
    if not quiet:
        _say(f"{len(corpus):,} texts, {len(corpus.vocabulary):,} different words")
    model.fit(corpus)
    del corpus  # before the topics take its place in memory
    model.save(out)
    _print_topics(model, words=10, relevance=1.0, as_json=as_json)
    if not quiet:
        _say(f"saved to {out}")


@app.command()
def topics(
    model: ModelPath, words: Words = 10, relevance: Relevance = 1.0, as_json: AsJson = False
) -> None:
    """Print the topics of a model, the largest first."""
    from bittern import load

    _print_topics(load(model), words, relevance, as_json)


@app.command(epilog="bittern edit answers.model --merge 3,7 --name 0=trains --out better.model")
def edit(
    model: ModelPath,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to save the model; its own place will do.")
    ],
    merge: Annotated[
        list[str] | None, typer.Option(help="Topics that become one, such as 3,7; may be repeated.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Topics that go, such as 4,9, by their old numbers.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name for a topic, such as 0=trains, by its old number."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Merge topics, remove topics and give them names: for what only people can see."""
    import numpy as np

    from bittern import load
    from bittern.store import check_target

    check_target(out)
    fitted = load(model)
    fitted.name_topics(dict(_named(item) for item in name or []))
    numbers = np.arange(fitted.n_topics)
    if merge:
        numbers = fitted.merge_topics(*(_whole_numbers("--merge", group) for group in merge))
    if remove:
        gone = [topic for group in remove for topic in _whole_numbers("--remove", group)]
        for topic in gone:
            if not 0 <= topic < len(numbers):
                raise InputError(f"there is no topic {topic}: they are 0 to {len(numbers) - 1}")
        fitted.remove_topics(*{int(numbers[topic]) for topic in gone})
    fitted.save(out)
    _print_topics(fitted, words=10, relevance=1.0, as_json=as_json)


@app.command(epilog='bittern explain answers.model "the train was late again"')
def explain(
    model: ModelPath,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to explain.")],
    topic: Annotated[
        int | None, typer.Option(min=0, help="What speaks for this topic; else for its own.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the biterms that put a text into its topic, with the part that each has in it."""
    from bittern import load

    fitted = load(model)
    info = fitted.document_info([text]).row(0, named=True)
    table = fitted.explain(text, topic)
    if as_json:
        print(json.dumps({"document": info, "biterms": table.to_dicts()}, ensure_ascii=False))
        return
    name = fitted.topic_names_[info["topic"]]
    print(f"topic {info['topic']} ({info['probability']:.1%}): {name}")
    for row in table.to_dicts():
        pair = f"{row['first']} + {row['second']}"
        print(f"{row['share']:>6.1%}  {pair}  (p = {row['probability']:.2f})")


@app.command(epilog="bittern examples answers.model answers.csv --text answer")
def examples(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Texts to show per topic.")] = 3,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show the texts that stand best for each topic."""
    from bittern import load

    _announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    corpus = fitted.read(*files, text=text, format=format, keep_texts=True, verbose=int(not quiet))
    table = fitted.representative(corpus, n)
    if as_json:
        print(json.dumps(table.to_dicts(), ensure_ascii=False, indent=1))
        return
    names = fitted.topic_names_
    for row in table.to_dicts():
        if row["rank"] == 0:
            print(f"topic {row['topic']}: {names[row['topic']]}")
        print(f"{row['probability']:>7.1%}  {row['text']}")


@app.command(epilog="bittern quality answers.model answers.csv --text answer --label question")
def quality(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    label: Annotated[
        str | None, typer.Option(help="The column with labels to compare the topics with.")
    ] = None,
    words: Words = 10,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say how good the topics are: likelihood, coherence, how different, how true to labels."""
    from bittern import load

    _announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    corpus = fitted.read(*files, text=text, label=label, format=format, verbose=int(not quiet))
    found = fitted.quality(corpus, n=words)
    if as_json:
        print(json.dumps(found))
        return
    for measure, value in found.items():
        print(f"{measure:<24}{value:>10.4f}")


@app.command(epilog="bittern transform answers.model new.csv --text answer --out topics.csv")
def transform(
    model: ModelPath,
    files: Files,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A csv, jsonl or parquet file; without it, csv is printed."
        ),
    ] = None,
    text: TextColumn = None,
    format: Format = None,
    by: Annotated[
        str,
        typer.Option(
            help="Go by the biterms of a text, its words, or a mix: one topic as a whole."
        ),
    ] = "biterms",
    shares: Annotated[
        bool, typer.Option("--shares", help="Also the share of every topic in every text.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Say which topic each text has, and which comes second: their numbers and probabilities.

    Texts are read and written in batches: there may be more of them than memory holds.
    """
    from itertools import chain

    from bittern import load
    from bittern.writing import check_table, write_tables

    if out is not None:
        check_table(out)
    _announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    batches = fitted.read_batches(*files, text=text, format=format, verbose=int(not quiet))
    tables = (fitted.document_info(batch, by, shares=shares) for batch in batches)
    if out is None:
        for number, table in enumerate(tables):
            print(table.write_csv(include_header=number == 0), end="")
        return
    first = next(tables, None)
    if first is None:
        raise InputError(f"there are no texts in {', '.join(files)}")
    write_tables(chain([first], tables), out, first.schema)


@app.command()
def score(
    model: ModelPath,
    files: Files,
    text: TextColumn = None,
    format: Format = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print the mean log-likelihood per biterm of texts: higher is better."""
    from bittern import load

    _announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    value = fitted.score(fitted.read(*files, text=text, format=format, verbose=int(not quiet)))
    print(json.dumps({"log_likelihood": value}) if as_json else f"{value:.4f}")


@app.command(epilog="bittern timeline answers.model answers.csv --text answer --time date")
def timeline(
    model: ModelPath,
    files: Files,
    time: Annotated[str, typer.Option("--time", help="The column with the times of the texts.")],
    text: TextColumn = None,
    format: Format = None,
    period: Annotated[
        str,
        typer.Option(help="day, week, month, year, auto, or a number of equal periods."),
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The shares as csv, jsonl or parquet.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the largest topics: an html, svg or png file.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show topics over time: which rise, which fall, and which burst, with their dates."""
    from bittern import load
    from bittern.charts import check_chart, save_chart, timeline_chart
    from bittern.writing import check_table, write_table

    if plot is not None:
        check_chart(plot)
    if out is not None:
        check_table(out)
    _announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    corpus = fitted.read(*files, text=text, time=time, format=format, verbose=int(not quiet))
    found = fitted.timeline(corpus, period=_number(period))
    if out is not None:
        write_table(found.shares, out)
    names = fitted.topic_names_
    if plot is not None:
        save_chart(timeline_chart(found, names), plot)
    if as_json:
        tables = {"trends": found.trends.to_dicts(), "bursts": found.bursts.to_dicts()}
        print(json.dumps(tables, indent=1, default=str, ensure_ascii=False))
        return
    _print_timeline(found, names)


@app.command(epilog="bittern choose answers.csv --text answer --plot choice.html")
def choose(
    files: Files,
    topics: Annotated[
        str | None, typer.Option("--topics", "-k", help="Numbers to choose from: 10,20,30.")
    ] = None,
    text: TextColumn = None,
    format: Format = None,
    stop_words: StopWords = "english",
    min_df: MinDf = "1",
    language: Language = None,
    starts: Annotated[int, typer.Option(min=2, help="Models for each number of topics.")] = 3,
    sample: Annotated[
        int | None, typer.Option(min=100, help="Only so many of the texts, at random.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw what was measured: an html, svg or png file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The table as a csv, jsonl or parquet file.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same number gives the same table.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say how many topics to take: fit models with few and many, and compare them.

    Measured are the likelihood of texts that were held out, the coherence of the top words (NPMI),
    how stable topics are from start to start, and how redundant. The recommended number is within
    a standard error of the best likelihood, and its topics are coherent and stable.
    """
    import numpy as np

    from bittern import read
    from bittern.charts import check_chart, choice_chart, save_chart
    from bittern.choose import TOPICS
    from bittern.choose import choose as choose_topics
    from bittern.writing import check_table, write_table

    if plot is not None:
        check_chart(plot)
    if out is not None:
        check_table(out)
    numbers = _whole_numbers("--topics", topics) if topics else TOPICS
    _announce(quiet)
    corpus = read(
        *files,
        text=text,
        format=format,
        stop_words=_stop_words(stop_words),
        min_df=_number(min_df),
        language=language,
        verbose=int(not quiet),
    )
    if sample is not None and sample < len(corpus):
        some = np.random.default_rng(seed).choice(len(corpus), sample, replace=False)
        corpus = corpus[np.sort(some)]
    choice = choose_topics(
        corpus, numbers, starts, random_state=seed, n_jobs=jobs, verbose=int(not quiet)
    )
    if out is not None:
        write_table(choice.table, out)
    if plot is not None:
        save_chart(choice_chart(choice.table, choice.recommended), plot)
    if as_json:
        found = {"recommended": choice.recommended, "reason": choice.reason}
        print(json.dumps(found | {"table": choice.table.to_dicts()}, indent=1))
        return
    _print_choice(choice)


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

    from bittern import read
    from bittern.charts import check_installed
    from bittern.study import QUICK, Protocol
    from bittern.study import study as run_study

    check_installed()
    protocol = QUICK if quick else Protocol()
    numbers = _whole_numbers("--topics", topics) if topics else protocol.topics
    near = min(numbers, key=lambda n: abs(n - protocol.focus))
    protocol = replace(
        protocol,
        topics=numbers,
        focus=focus or near,
        repeats=repeats or protocol.repeats,
        window=window,
        seed=seed,
    )
    _announce(quiet)
    corpus = read(
        *files,
        text=text,
        format=format,
        stop_words=_stop_words(stop_words),
        min_df=_number(min_df),
        language=language,
        verbose=int(not quiet),
    )
    name = ", ".join(Path(file).name for file in files)
    try:
        page = run_study(corpus, out, protocol, jobs, int(not quiet), name)
    except KeyboardInterrupt:
        _say(
            f"bittern: interrupted: what is finished is in {out}; the same command goes on with it"
        )
        raise typer.Exit(130) from None
    print(page)


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
    from bittern.generate import draw_texts
    from bittern.progress import Bar
    from bittern.writing import written_whole

    with (
        written_whole(out) as fresh,
        fresh.open("w", encoding="utf-8") as file,
        Bar("drawing", documents, "texts", int(not quiet)) as bar,
    ):
        for number, text in enumerate(draw_texts(documents, topics, words, seed), start=1):
            file.write(f"{text}\n")
            if number % 10_000 == 0:
                bar.advance(10_000)


def main() -> None:
    """Run the command line; what goes wrong by the user's doing is said in one line."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except (InputError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader of our output has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        _say("bittern: interrupted: nothing was written")
        sys.exit(130)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "bittern")
        if not error.format_message():  # bittern alone: the help has been printed
            sys.exit(2)
        _fail(f"{error.format_message().rstrip('.')}: see {command} --help")
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> NoReturn:
    _say(f"bittern: {message}")
    sys.exit(2)


def _say(message: str) -> None:
    print(message, file=sys.stderr)


def _announce(quiet: bool) -> None:
    """From here on there may be something to compile."""
    from bittern.progress import say_when_compiling

    if not quiet:
        say_when_compiling()


def _show_warning(message: Any, *_: Any) -> None:
    _say(f"bittern: warning: {message}")


def _print_topics(model: "BTM", words: int, relevance: float, as_json: bool = False) -> None:
    rows = model.topic_info(words, relevance).sort("share", descending=True).to_dicts()
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    console.print("topic  share  words", style="bold")
    for row in rows:
        line = Text(f"{row['topic']:>5}  ", "cyan")
        line.append(f"{row['share']:>5.1%}  ", "dim").append(" ".join(row["words"]), "default")
        console.print(line)


def _print_timeline(found: "Timeline", names: list[str]) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False)
    console.print("topic  begin    end  trend  name", style="bold")
    for row in found.trends.to_dicts():
        numbers = f"{row['topic']:>5}  {row['begin']:>5.1%}  {row['end']:>5.1%}  {row['trend']:<5}"
        console.print(f"{numbers}  {names[row['topic']]}")
    if found.bursts.height:
        console.print("topic  burst                      times  name", style="bold")
    for row in found.bursts.to_dicts():
        when = f"{str(row['start'])[:10]} to {str(row['end'])[:10]}"
        line = f"{row['topic']:>5}  {when:<25} {row['times']:>6.1f}  {names[row['topic']]}"
        console.print(line)


def _print_choice(choice: "Choice") -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False)
    console.print("topics  held-out           NPMI    stability  redundancy", style="bold")
    for row in choice.table.to_dicts():
        line = (
            f"{row['topics']:>6}  {row['held_out']:.3f} ± {row['held_out_error']:.3f}  "
            f"{row['npmi']:>+.3f}  {row['stability']:>9.2f}  {row['redundancy']:>10.2f}"
        )
        console.print(line, style="green" if row["topics"] == choice.recommended else "")
    console.print(f"{choice.recommended} topics. {choice.reason}")


def _stop_words(given: str) -> str | Sequence[str] | None:
    if given.strip().lower() == "none":
        return None
    items = [item.strip() for item in given.split(",") if item.strip()]
    return items[0] if len(items) == 1 else items  # one alone must be a language


def _whole_numbers(name: str, given: str) -> tuple[int, ...]:
    try:
        return tuple(int(item) for item in given.split(","))
    except ValueError:
        raise InputError(f'{name} "{given}": write numbers such as 20,50,100') from None


def _named(given: str) -> tuple[int, str]:
    number, sign, name = given.partition("=")
    try:
        return int(number), name if sign else ""
    except ValueError:
        raise InputError(
            f'--name "{given}": write a topic and its name, such as 0=trains'
        ) from None


def _number(given: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given


def _setting_options() -> list[Any]:
    """An option for each setting, made by Typer from a function that has them as parameters."""
    from bittern.algorithms import settings

    def function(**_: Any) -> None: ...

    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Option(help=text, metavar="VALUE", rich_help_panel=SETTINGS_PANEL),
            ],
        )
        for name, text in settings().items()
    ]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    settings_app = typer.Typer(add_completion=False)
    settings_app.command()(function)
    return list(typer.main.get_command(settings_app).params)
