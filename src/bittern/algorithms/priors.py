"""A word prior that is worth one more occurrence of every word."""

import numpy as np

from bittern.algorithms.contract import Prior

BY_SIZE = 0.9  # of the prior goes by the size of topics, the rest is uniform
GROWTH = 3.0  # tokens per distinct word beyond the first, for the prior to be worth an occurrence
MIN_OCCURRENCES = 0.05


def one_extra_occurrence(
    n_topics: int, topic_prior: float, n_biterms: float, n_tokens: float, n_words: int
) -> Prior:
    """Return the priors in which a word has seen c more occurrences than in the data.

    An occurrence of a word is in r = 2 N / T biterms on average (N biterms, T tokens). The prior of
    a word is worth c r biterms, shared among the topics by their size. As many are left out of its
    count when one of its biterms is weighed, because the biterms of one text confirm each other. In
    tiny corpora most words occur once, so c grows with the tokens per distinct word, up to 1.
    """
    per_occurrence = 2 * n_biterms / max(n_tokens, 1)
    repeats = n_tokens / max(n_words, 1) - 1
    worth = float(np.clip(repeats / GROWTH, MIN_OCCURRENCES, 1)) * per_occurrence
    return Prior(topic_prior, worth / n_topics, BY_SIZE, left_out=max(worth, 1.0))
