"""Read the texts that a model is applied to, and report what was read."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bittern.cli.input import no_texts
from bittern.cli.output import report_missing, report_reading

if TYPE_CHECKING:
    from bittern.corpus import Corpus
    from bittern.fitted import FittedTopics


def read_texts(
    fitted: "FittedTopics", files: Sequence[str], quiet: bool, **options: Any
) -> "Corpus":
    """Read texts in the words of a model; `options` are further arguments of `bittern.read`."""
    from bittern.fitted import read_encoded

    corpus = read_encoded(fitted, *files, verbose=int(not quiet), **options)
    if len(corpus) == 0:
        raise no_texts(files)
    report_reading(len(corpus), files, quiet)
    report_missing(Counter(corpus.missing_reasons().drop_nulls()), len(corpus), quiet)
    if corpus.times is not None and corpus.times.has_nulls():
        report_missing({"no date or time": corpus.times.null_count()}, len(corpus), quiet)
    return corpus
