"""Load the model and read the texts that a command works on."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bittern.cli.groups import TextArguments
from bittern.cli.output import (
    announce_compilation,
    count,
    print_status,
    report_missing,
    report_reading,
)
from bittern.cli.tokenizers import import_tokenizer
from bittern.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from bittern.corpus import Corpus
    from bittern.fitted import FittedTopics


def read_corpus(
    files: Sequence[str], words: TextArguments, quiet: bool, **options: Any
) -> "Corpus":
    """Read the texts to train on; `options` are further arguments of `bittern.read`."""
    from bittern import read
    from bittern.text import stop_word_languages

    announce_compilation(quiet)
    arguments = words.as_keywords()
    dropped = arguments["stop_words"]
    if isinstance(dropped, list) and not set(dropped) & set(stop_word_languages()):
        print_status(
            "Only these stop words are dropped; add a language to drop its stop words, too, such "
            f"as --stop-words english,{words.stop_words}",
            quiet,
        )
    corpus = read(*files, verbose=int(not quiet), **arguments, **options)
    if len(corpus) == 0:
        raise no_texts(files)
    report_corpus(corpus, files, quiet)
    return corpus


def report_corpus(corpus: "Corpus", files: Sequence[str], quiet: bool) -> None:
    """Print how many texts and words were read, their period, and how many have no words."""
    details = f" with {count(len(corpus.vocabulary), 'distinct word')}"
    if corpus.options is not None and corpus.options.min_df == "auto":
        minimum = corpus.options.minimum_documents(len(corpus))
        details += f" (each in {minimum} texts or more)" if minimum > 1 else ""
    if corpus.times is not None and corpus.times.null_count() < len(corpus):
        details += f", {corpus.times.min()!s:.10} to {corpus.times.max()!s:.10},"
    report_reading(len(corpus), files, quiet, details)
    _report_phrases(corpus, quiet)
    reasons = corpus.missing_reasons().replace("no known words", "no words that are kept")
    report_missing(Counter(reasons.drop_nulls()), len(corpus), quiet)


def _report_phrases(corpus: "Corpus", quiet: bool) -> None:
    """Print how many phrases were found."""
    if corpus.options is not None and isinstance(corpus.options.phrases, tuple):
        phrases = corpus.options.phrases
        examples = ", ".join(phrase.replace(" ", "_") for phrase in phrases[:3])
        such_as = f", such as {examples}" if examples else ""
        print_status(f"Found {count(len(phrases), 'phrase')}{such_as}.", quiet)


def report_duplicates(corpus: "Corpus", quiet: bool) -> None:
    """Print how many texts do not count in training because they repeat another one."""
    import numpy as np

    is_copy = corpus.has_words & (corpus.first_copies() != np.arange(len(corpus)))
    n = int(np.count_nonzero(is_copy))
    repeat = "repeats" if n == 1 else "repeat"
    print_status(
        f"{n:,} of {count(len(corpus), 'text')} {repeat} the words of another one, and "
        f"{'does' if n == 1 else 'do'} not count in training.",
        quiet,
    )


def cluster_files(files: Sequence[str]) -> "list[str | Path]":
    """Return files for a cluster, and silence an engine whose errors are reported in one line."""
    import logging
    from pathlib import Path

    from bittern.corpus.remote import is_remote

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return [file if is_remote(file) else Path(file) for file in files]


def load_model(path: "Path", quiet: bool, tokenizer: str | None = None) -> "FittedTopics":
    """Load a saved model, without the estimator: importing scikit-learn would take a second."""
    from bittern.fitted import read_fitted

    announce_compilation(quiet)
    return read_fitted(path, import_tokenizer(tokenizer))


def all_cores() -> int:
    """Return the number of threads for work on texts."""
    from bittern._core.threads import resolve_n_jobs

    return resolve_n_jobs(-1)


def no_texts(files: Sequence[str]) -> InputError:
    """Return the error for files without texts."""
    names = ", ".join("standard input" if file == "-" else file for file in files)
    return InputError(f"no texts found in {names}; check the files and --text")


def readable_name(name: str) -> str:
    """Return the name of a file for a page, with question marks for what is not UTF-8."""
    return name.encode(errors="replace").decode()
