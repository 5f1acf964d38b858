"""The vocabulary of all partitions, from the word counts of each."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern.corpus.corpus import count_words
from bittern.text.tokens import Tokens


class WordCounts(NamedTuple):
    """How often words occur and in how many documents: columns word, count and documents."""

    table: pl.DataFrame
    n_documents: int

    @classmethod
    def of(cls, chunks: list[Tokens]) -> "WordCounts":
        """Count the words of chunks of documents."""
        n_documents = sum(len(chunk.lengths) for chunk in chunks)
        return cls(count_words(chunks), n_documents)


def add_word_counts(first: WordCounts, second: WordCounts) -> WordCounts:
    """Return the counts of both."""
    return WordCounts(
        pl.concat([first.table, second.table]).group_by("word").sum(),
        first.n_documents + second.n_documents,
    )


class PartSize(NamedTuple):
    """The size of a part of the corpus; `counts` says how often each word is in a biterm."""

    n_documents: int
    n_tokens: int
    n_biterms: int
    counts: NDArray[np.int64]


def add_sizes(first: PartSize, second: PartSize) -> PartSize:
    """Return the size of both."""
    pairs: Any = zip(first, second, strict=True)
    added = [a + b for a, b in pairs]
    return PartSize(*added)
