"""Gibbs sampling for a Dirichlet mixture: one topic per text (Yin and Wang, 2014).

No well-kept package has it, so this is a plain implementation for comparison.
"""

import numpy as np
from numba import njit


def fit_mixture(corpus, n_topics, n_sweeps, seed, alpha=0.1, beta=0.1):
    """Return the texts of each topic (K,), its word counts (K, W), and the topic of each text."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(n_topics, size=len(corpus))
    sizes = np.bincount(topics, minlength=n_topics).astype(float)
    counts = np.zeros((n_topics, len(corpus.vocabulary)))
    np.add.at(counts, (np.repeat(topics, np.diff(corpus.indptr)), corpus.tokens), 1)
    for _ in range(n_sweeps):
        draws = rng.random(len(corpus))
        _sweep(corpus.indptr, corpus.tokens, topics, sizes, counts, draws, alpha, beta)
    return sizes, counts, topics


@njit
def _sweep(indptr, tokens, topics, sizes, counts, draws, alpha, beta):
    """Draw the topic of each text, given those of all others."""
    n_topics, n_words = counts.shape
    totals = counts.sum(axis=1)
    logs = np.empty(n_topics)
    for d in range(len(topics)):
        text, old = tokens[indptr[d] : indptr[d + 1]], topics[d]
        sizes[old] -= 1
        totals[old] -= len(text)
        for w in text:
            counts[old, w] -= 1
        for k in range(n_topics):
            logs[k] = np.log(sizes[k] + alpha)
            for i, w in enumerate(text):
                before = 0
                for j in range(i):
                    before += text[j] == w
                logs[k] += np.log((counts[k, w] + beta + before) / (totals[k] + n_words * beta + i))
        cumulative = np.cumsum(np.exp(logs - logs.max()))
        new = min(np.searchsorted(cumulative, draws[d] * cumulative[-1]), n_topics - 1)
        topics[d] = new
        sizes[new] += 1
        totals[new] += len(text)
        for w in text:
            counts[new, w] += 1
