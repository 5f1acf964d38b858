"""The texts that biterms come from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern.corpus.corpus import Corpus
from bittern.errors import InputError


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


def window_span(window: int | None) -> int:
    """Return the window as a number of positions; None is unlimited."""
    if window is not None and window < 2:
        raise InputError(f"window must be at least 2, or None, not {window}")
    return int(np.iinfo(np.int32).max) if window is None else window
