"""Commands about texts and their topics."""

import json
from pathlib import Path
from typing import Annotated

import typer

from bittern.cli.shared import (
    AsJson,
    Files,
    Format,
    ModelPath,
    Quiet,
    TextColumn,
    Words,
    announce,
    app,
)
from bittern.errors import InputError


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
    from bittern._core.atomic import check_table, write_tables

    if out is not None:
        check_table(out)
    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    batches = fitted.read_batches(*files, text=text, format=format, verbose=int(not quiet))
    tables = (fitted.document_info(batch, by, shares=shares) for batch in batches)
    first = next(tables, None)
    if first is None:
        raise InputError(f"there are no texts in {', '.join(files)}")
    if out is not None:
        write_tables(chain([first], tables), out, first.schema)
        return
    for number, table in enumerate(chain([first], tables)):
        print(table.write_csv(include_header=number == 0), end="")


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

    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    value = fitted.score(fitted.read(*files, text=text, format=format, verbose=int(not quiet)))
    print(json.dumps({"log_likelihood": value}) if as_json else f"{value:.4f}")


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
    topic = info["topic"] if topic is None else topic
    share = fitted.transform([text])[0, topic]
    print(f"topic {topic} ({share:.1%}): {fitted.topic_names_[topic]}")
    if table.is_empty():
        print("no biterm: the model knows fewer than two different words of the text")
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

    announce(quiet)
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

    announce(quiet)
    fitted = load(model).set_params(n_jobs=-1)
    corpus = fitted.read(*files, text=text, label=label, format=format, verbose=int(not quiet))
    found = fitted.quality(corpus, n=words)
    if as_json:
        print(json.dumps(found))
        return
    for measure, value in found.items():
        print(f"{measure:<24}{value:>10.4f}")
