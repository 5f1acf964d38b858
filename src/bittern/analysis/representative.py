"""Representative documents: those that show best what a topic is about."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.analysis.arrays import Floats
from bittern.analysis.documents import NO_KNOWN_WORDS, main_topics, texts_table
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import DEFAULT_RELEVANCE, FittedTopics, top_words

HALF_WEIGHT_LENGTH = 5.0  # distinct words of a document that counts with half of its share
TOP_WORDS = 20  # of a topic; a representative document has some of them
MIN_TOP_WORDS = 2
NEAR_COPY = 0.75  # of the words of two documents are in both
CANDIDATES = 10  # for each document that is wanted, because some may be near copies
SCORE_DIGITS = 5  # the order of the words of a document does not matter


def representative_table(
    fitted: FittedTopics, corpus: Corpus, shares: Floats, n: int
) -> pl.DataFrame:
    """Return a table of the n most representative documents of each topic.

    Documents are ranked by share * length / (length + 5), where the length is the number of
    distinct words: of two documents that are entirely about a topic, the longer one says more about
    it. Every second one is no longer than most documents. Only documents with a share of at least
    1/K are used; only those with two or more of the topic's twenty top words, if there are any; and
    of near copies, which have three quarters of their words in common, only one.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    corpus : Corpus
        Documents over the vocabulary of the model.
    shares : ndarray of shape (n_documents, n_topics)
        The share of each topic in each document.
    n : int
        Number of documents per topic.

    Returns
    -------
    polars.DataFrame
        Columns topic, rank, id and probability; also text, if the corpus has kept its texts. A
        topic may have fewer than n documents, and those that are set aside have none.

    Raises
    ------
    InputError
        If no document has a known word.

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.documents import infer_topics
    >>> from bittern.analysis.representative import representative_table
    >>> texts = ["cats purr", "dogs bark"] * 20
    >>> model = bittern.BTM(2, random_state=0).fit(texts)
    >>> corpus = bittern.Corpus.from_texts(texts, keep_texts=True)
    >>> shares = infer_topics(model.fitted_, corpus)
    >>> representative_table(model.fitted_, corpus, shares, n=1)["text"].sort().to_list()
    ['cats purr', 'dogs bark']
    """
    if not corpus.has_words.any():
        raise InputError(NO_KNOWN_WORDS)
    if fitted.set_aside:
        rows = np.flatnonzero(main_topics(fitted, corpus, np.asarray(shares)) >= 0)
        corpus, shares = corpus[rows], shares[rows]
    candidates = find_candidates(fitted, corpus, shares, n)
    shown = candidates.filter(~pl.col("topic").is_in(list(fitted.set_aside)))
    found = choose_representative(shown, corpus, n)
    ranks = found.select(pl.int_range(pl.len()).over("topic")).to_series()
    return texts_table(corpus[found["document"].to_numpy()]).select(
        found["topic"],
        ranks.alias("rank"),
        pl.col("id"),
        found["probability"],
        pl.exclude("id"),
    )


def find_candidates(
    fitted: FittedTopics,
    corpus: Corpus,
    shares: Floats,
    n: int,
    typical_length: float | None = None,
) -> pl.DataFrame:
    """Return documents that may represent each topic: the best ones, and the best short ones.

    There are more than n of each, because some may be near copies. Each has a share of at least
    1/K. A document is short if it is no longer than `typical_length`, by default the median.
    Columns are topic, document, probability, score, is_short, tier (the number of top words, up to
    two), and words, a hash of the words in any order.
    """
    lengths, words = _describe(corpus.indptr, corpus.tokens, len(corpus.vocabulary))
    if typical_length is None:
        typical_length = median_length(corpus)
    distinct = _first_of_each(words, lengths > 0)
    corpus, shares = corpus[distinct], shares[distinct]
    lengths, words = lengths[distinct], words[distinct]
    top = top_words(fitted.theta, fitted.phi, TOP_WORDS, DEFAULT_RELEVANCE)
    tiers = np.minimum(count_top_words(corpus, top), MIN_TOP_WORDS)
    weight = (lengths / (lengths + HALF_WEIGHT_LENGTH)).astype(np.float32)
    is_short = lengths <= typical_length

    def best() -> Iterator[pl.DataFrame]:
        for k in range(shares.shape[1]):
            eligible = np.flatnonzero(shares[:, k] >= 1 / shares.shape[1])
            score = np.round(shares[eligible, k] * weight[eligible], SCORE_DIGITS)
            rank = score + tiers[eligible, k]  # scores are below 1
            short = np.flatnonzero(is_short[eligible])
            found = np.union1d(
                _largest(rank, CANDIDATES * n), short[_largest(rank[short], CANDIDATES * n)]
            )
            rows = eligible[found]
            yield pl.DataFrame(
                {
                    "topic": np.full(len(rows), k),
                    "document": distinct[rows],
                    "probability": shares[rows, k],
                    "score": score[found],
                    "is_short": is_short[rows],
                    "tier": tiers[rows, k],
                    "words": words[rows],
                }
            )

    return pl.concat(best())


def choose_representative(candidates: pl.DataFrame, corpus: Corpus, n: int) -> pl.DataFrame:
    """Return n candidates of each topic, the best first, every second one short if there is one.

    Of near copies, only the first is used.
    """
    order = ["topic", "tier", "score", "document"]
    ranked = candidates.sort(order, descending=[False, True, True, False])
    ranked = ranked.unique(["topic", "words"], keep="first", maintain_order=True)
    of_all = pl.int_range(pl.len()).over("topic")
    of_short = pl.int_range(pl.len()).over("topic", "is_short")
    is_best = (of_all < CANDIDATES * n) | (pl.col("is_short") & (of_short < CANDIDATES * n))
    ranked = ranked.filter(is_best)  # of all parts of the corpus
    ranked = ranked.filter(pl.col("tier") == pl.col("tier").max().over("topic"))
    # The i-th of all comes at 2i, the i-th short one at 2i + 1, whichever is first.
    turn = pl.when("is_short").then(pl.min_horizontal(2 * of_all, 2 * of_short + 1))
    ranked = ranked.with_columns(turn=turn.otherwise(2 * of_all)).sort("topic", "turn")
    chosen = [
        part[list(islice(without_near_copies(corpus, part["document"].to_list()), n))]
        for part in ranked.partition_by("topic", maintain_order=True)
    ]
    return pl.concat([ranked.clear(), *chosen])


def without_near_copies(corpus: Corpus, documents: Sequence[int]) -> Iterator[int]:
    """Yield the index of each of the documents that is no near copy of an earlier one."""
    kept: list[set[int]] = []
    for index, document in enumerate(documents):
        start, end = corpus.indptr[document : document + 2].tolist()
        words = set(corpus.tokens[start:end].tolist())
        if all(len(words & other) < NEAR_COPY * len(words | other) for other in kept):
            kept.append(words)
            yield index


def median_length(corpus: Corpus) -> float:
    """Return the median number of distinct words of documents that have words."""
    lengths, _ = _describe(corpus.indptr, corpus.tokens, len(corpus.vocabulary))
    return float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 0.0


def count_top_words(corpus: Corpus, top: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Count how many of the top words of each topic (K, n) each document has, (documents, K)."""
    order = np.argsort(top, axis=None, kind="stable")  # the topics of each word together
    starts = np.searchsorted(top.ravel()[order], np.arange(len(corpus.vocabulary) + 1))
    counts = np.zeros((len(corpus), len(top)), np.uint8)
    _count_top_words(corpus.indptr, corpus.tokens, starts, order // top.shape[1], counts)
    return counts


def _first_of_each(words: NDArray[np.uint64], usable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first document of those with the same words, in order."""
    rows = np.flatnonzero(usable)
    _, first = np.unique(words[rows], return_index=True)
    return np.sort(rows[first])


def _largest(values: NDArray[np.float32], n: int) -> NDArray[np.int64]:
    """Return where the n largest values are; of equal ones, the first."""
    if len(values) <= n:
        return np.arange(len(values))
    threshold = np.partition(values, len(values) - n)[len(values) - n]
    found = np.flatnonzero(values >= threshold)
    return found[np.argsort(-values[found], kind="stable")[:n]]


@kernel
def _describe(indptr: Any, tokens: Any, n_words: int) -> Any:
    """Return the number of distinct words of each document, and a hash of all in any order."""
    last_seen = np.full(n_words, -1)
    distinct = np.zeros(len(indptr) - 1, np.int64)
    words = np.zeros(len(indptr) - 1, np.uint64)
    for d in range(len(distinct)):
        for i in range(indptr[d], indptr[d + 1]):
            distinct[d] += last_seen[tokens[i]] != d
            last_seen[tokens[i]] = d
            x = np.uint64(tokens[i]) + np.uint64(0x9E3779B97F4A7C15)  # SplitMix64
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            words[d] += x ^ (x >> np.uint64(31))
    return distinct, words


@kernel
def _count_top_words(indptr: Any, tokens: Any, starts: Any, topics: Any, counts: Any) -> None:
    """Add the distinct words of each document to the counts of the topics that they are top in.

    Word w is a top word of topics[i] for i from starts[w] to starts[w + 1].
    """
    last_seen = np.full(len(starts) - 1, -1)
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            word = tokens[i]
            if last_seen[word] != d:
                last_seen[word] = d
                for j in range(starts[word], starts[word + 1]):
                    counts[d, topics[j]] += 1
