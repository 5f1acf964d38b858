"""What adapts to the data: the word prior, and how much of it is left out of its own judgment."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bittern.biterms import BitermSource

OCCURRENCES = 0.4  # of a word, that its prior is worth
MANY_TOKENS = 1e6  # with more, the prior needs to be worth less
PRIOR_REPEATS = 2.0  # repeats of a word, on average, for the prior to have its full worth
LEAVE_OUT_REPEATS = 0.5  # likewise, for a whole text to be left out
MIN_SHARE = 0.02


class DataSize(NamedTuple):
    """The numbers of biterms, of tokens, and of distinct words in them."""

    n_biterms: float
    n_tokens: float
    n_words: int

    @classmethod
    def of(cls, biterms: BitermSource) -> "DataSize":
        """Count the biterms, tokens and words of a source."""
        return cls(biterms.total, biterms.n_tokens, int(np.count_nonzero(biterms.counts())))

    @classmethod
    def joint(cls, sizes: Sequence["DataSize"], n_words: int) -> "DataSize":
        """Add up the parts of data that has this many distinct words."""
        return cls(sum(s.n_biterms for s in sizes), sum(s.n_tokens for s in sizes), n_words)

    @property
    def biterms_per_token(self) -> float:
        """The number of biterms that a token is part of, on average."""
        return 2 * self.n_biterms / max(self.n_tokens, 1)

    @property
    def repeats(self) -> float:
        """How often a word occurs again after the first time, on average."""
        return max(self.n_tokens / max(self.n_words, 1) - 1, 0)


def adaptive_word_prior(size: DataSize, n_topics: int) -> float:
    """Return the word prior (beta) that is worth 0.4 occurrences of the word in all topics.

    A token is part of r biterms, so beta = c r / K with c = 0.4. In tiny corpora, where most words
    occur once, that would drown the data, so c shrinks with the number of repeats. In corpora of
    more than a million tokens, it shrinks with the square root of their number.
    """
    share = np.clip(size.repeats / PRIOR_REPEATS, MIN_SHARE, 1)
    share *= min(np.sqrt(MANY_TOKENS / max(size.n_tokens, 1)), 1)
    return float(OCCURRENCES * share * size.biterms_per_token / n_topics)


def left_out_fraction(size: DataSize) -> float:
    """Return the fraction of a text that is left out when its own biterms are weighed.

    It is 1, except in tiny corpora: where most words occur in one text only, nothing would be left.
    """
    return float(np.clip(size.repeats / LEAVE_OUT_REPEATS, 0, 1))
