from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bittern.cli.algorithm_settings import AlgorithmCommand
from bittern.cli.checks import check_inputs
from bittern.cli.groups import TextArguments, TimedFileArguments
from bittern.cli.input import cluster_files, read_corpus, report_duplicates
from bittern.cli.options import (
    AsJson,
    Cluster,
    Duplicates,
    Files,
    Jobs,
    ModelOut,
    OptionalSeed,
    Quiet,
    TextColumn,
    TimeColumn,
    TopicCount,
)
from bittern.cli.output import MODEL_SAVED, expect_output, print_status, print_topics
from bittern.cli.panels import Panel
from bittern.cli.parsing import parse_number
from bittern.cli.saving import save_model
from bittern.errors import InputError

if TYPE_CHECKING:
    from bittern.fitted import FittedTopics
    from bittern.training import Training

PANEL = Panel.FIND
MAX_LISTED = 200  # topics
EXAMPLE = "bittern fit answers.csv --text answer --topics 10 --out answers.model"
COMMAND_CLASS = AlgorithmCommand


def fit(
    ctx: typer.Context,
    files: Files,
    reading: TimedFileArguments,
    words: TextArguments,
    out: ModelOut,
    topics: TopicCount = 20,
    text: TextColumn = None,
    time: TimeColumn = None,
    window: Annotated[
        int,
        typer.Option(
            help="Two words form a biterm if they are fewer than this many positions apart."
        ),
    ] = 15,
    n_init: Annotated[
        str,
        typer.Option(
            help="Number of random starts; training continues with the best one. auto is up to 8 "
            "on small corpora and 1 on large ones."
        ),
    ] = "auto",
    duplicates: Duplicates = "keep",
    topic_prior: Annotated[
        float | None,
        typer.Option(
            help="Dirichlet prior of the topic shares (gamma).", show_default="50 / topics"
        ),
    ] = None,
    word_prior: Annotated[
        str,
        typer.Option(
            help="Dirichlet prior of the words in each topic (beta). auto adapts to the corpus; "
            "the paper uses 0.01."
        ),
    ] = "auto",
    jobs: Jobs = -1,
    memory: Annotated[
        str | None,
        typer.Option(help="Approximate memory limit, such as 512MB.", show_default="no limit"),
    ] = None,
    cluster: Cluster = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue an interrupted fit on a cluster."),
    ] = False,
    seed: OptionalSeed = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on texts, print its topics, and save it.

    The options for stop words, n-grams and so on are saved with the model, so other commands
    process new texts the same way. The same seed, texts and number of threads give exactly the
    same topics.
    """
    expect_output(out, MODEL_SAVED)
    check_inputs(files, reading, text=text, time=time)
    from bittern.corpus.copies import warn_about_copies
    from bittern.fitted import FitSettings, check_target
    from bittern.training import check_training, fit_topics

    check_target(out)
    settings = FitSettings(
        topics,
        topic_prior,
        cast(Any, parse_number(word_prior)),  # checked by check_training
        window,
        cast(Any, parse_number(n_init)),
        seed,
        cast(Any, duplicates),
    )
    training = check_training(settings, ctx.obj, jobs, memory, int(not quiet))
    if cluster is not None:
        from bittern.cluster.checkpoints import remove_checkpoint

        read_arguments = reading.as_keywords()
        if time is not None or read_arguments.pop("time_format") is not None:
            raise InputError("times have no effect on a cluster; leave out --time")
        fitted = fit_on_cluster(
            training,
            files,
            cluster,
            out,
            resume,
            text=text,
            **read_arguments,
            **words.as_keywords(),
        )
        save_and_print(fitted, out, quiet, as_json)
        remove_checkpoint(checkpoint_path(out))
        return
    if resume:
        raise InputError("--resume continues a fit on a cluster; give --cluster")
    corpus = read_corpus(files, words, quiet, text=text, time=time, **reading.as_keywords())
    if duplicates == "keep":
        warn_about_copies(corpus, stacklevel=1)
    else:
        report_duplicates(corpus, quiet)
    fitted = fit_topics(corpus, training)
    del corpus  # free its memory before the topics are computed
    save_and_print(fitted, out, quiet, as_json)


def fit_on_cluster(
    training: "Training", files: list[str], cluster: str, out: Path, resume: bool, **options: Any
) -> "FittedTopics":
    """Train on a cluster; a checkpoint beside the model lasts until the model is saved."""
    from bittern.cluster import fit as fit_in_parts

    checkpoint = checkpoint_path(out)
    try:
        return fit_in_parts(
            cluster_files(files),
            **training.settings._asdict(),
            engine=cluster,
            algorithm=training.algorithm,
            memory=training.memory,
            checkpoint=checkpoint,
            resume=resume,
            verbose=training.verbose,
            **options,
        ).fitted_
    except KeyboardInterrupt:
        if not checkpoint.exists():
            raise
        raise KeyboardInterrupt(
            f"finished rounds are in {checkpoint}; add --resume to continue"
        ) from None


def checkpoint_path(out: Path) -> Path:
    """Return the directory for the state of an unfinished fit."""
    return out.with_name(f"{out.name}.checkpoint")


def save_and_print(fitted: "FittedTopics", out: Path, quiet: bool, as_json: bool) -> None:
    """Save the model, and print its topics."""
    out = save_model(fitted, out)
    print_status(f"Saved the model to {out}.", quiet)
    print_topics(fitted, words=10, as_json=as_json, quiet=quiet, limit=MAX_LISTED)
    if not as_json and fitted.n_topics > MAX_LISTED:
        print_status(f"bittern topics {out} lists all topics.", quiet)
