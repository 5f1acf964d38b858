"""The texts that biterms come from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import check_integer, is_integer, shorten
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError

MAX_WINDOW = 50_000  # words: pairing the words of a text then takes seconds
MAX_LENGTH = 1 << 14  # words of a text that work keeps together, if its window is shorter


class Texts(NamedTuple):
    """Texts as word indices, and which of their words form biterms."""

    indptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    counts: NDArray[np.float32]
    """How often each token counts; empty if the tokens are in order and each counts once."""
    window: int
    max_bytes: int | None = None
    """Memory that work on them may take; None is no limit."""

    @classmethod
    def from_corpus(
        cls, corpus: Corpus, window: int | None, max_bytes: int | None = None
    ) -> "Texts":
        """Return the texts of a corpus; word counts have no order, so no window either."""
        if corpus.counts is None:
            span, counts = window_span(window), np.empty(0, np.float32)
        else:
            span, counts = window_span(None), corpus.counts
        return cls(corpus.indptr, corpus.tokens, counts, span, max_bytes)

    @property
    def n_tokens(self) -> float:
        """The number of tokens, each as often as it counts."""
        if len(self.counts) == 0:
            return float(len(self.tokens))
        return float(self.counts.sum(dtype=np.float64))

    def check_length(self) -> None:
        """Raise InputError if a text is too long to pair all of its words."""
        longest = int(np.diff(self.indptr).max(initial=0))
        if min(longest, self.window) > MAX_WINDOW:
            raise InputError(
                f"a text has {longest:,} words, too many to pair each with all others; "
                f"set window to {MAX_WINDOW:,} or less, such as 15, or split the text"
            )

    def split_long(self) -> "Texts":
        """Return long texts as several, so that work on one of them needs little memory.

        The few biterms across their ends are lost. Texts without a window stay as they are.
        """
        lengths = np.diff(self.indptr)
        if self.window > MAX_LENGTH or lengths.max(initial=0) <= MAX_LENGTH:
            return self
        n_pieces = np.maximum(-(-lengths // MAX_LENGTH), 1)
        first = np.cumsum(n_pieces) - n_pieces
        within = np.arange(n_pieces.sum()) - np.repeat(first, n_pieces)
        starts = np.repeat(self.indptr[:-1], n_pieces) + MAX_LENGTH * within
        return self._replace(indptr=np.append(starts, self.indptr[-1]))


def check_window(window: int | None) -> None:
    """Raise InputError unless the window is a number of words, or None for the whole text."""
    if window is None:
        return
    if is_integer(window) and window > MAX_WINDOW:
        raise InputError(
            f"window must be at most {MAX_WINDOW:,} words, or None for whole texts, "
            f"not {shorten(window)}"
        )
    check_integer("window", window, 2, "or None")


def window_span(window: int | None) -> int:
    """Return the window as a number of positions; None is unlimited."""
    check_window(window)
    return int(np.iinfo(np.int32).max) if window is None else window
