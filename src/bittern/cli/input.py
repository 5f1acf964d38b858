"""Read the texts that a command works on."""

from typing import TYPE_CHECKING, Any

from bittern.cli.parsing import parse_number, parse_stop_words

if TYPE_CHECKING:
    from bittern.corpus.corpus import Corpus


def read_corpus(
    files: list[str], stop_words: str, min_df: str, quiet: bool, **options: Any
) -> "Corpus":
    """Read the texts to train on; `options` are further arguments of `bittern.read`."""
    from bittern import read

    return read(
        *files,
        stop_words=parse_stop_words(stop_words),
        min_df=parse_number(min_df),
        verbose=int(not quiet),
        **options,
    )
