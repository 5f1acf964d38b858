"""Biterms in memory, and how they are extracted from documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bittern._core.memory import check_memory
from bittern._core.numba import kernel, random_below, random_unit
from bittern._core.validation import are_indices
from bittern.biterms.texts import Texts
from bittern.corpus.corpus import Corpus, random_split
from bittern.errors import InputError

BUCKET_SIZE = 1 << 16  # biterms that are shuffled together: half a megabyte fits into the cache
MAX_BUCKETS = 1 << 10
MAX_WEIGHT = 1 << 30
MEMORY_REMEDY = "a smaller window, fewer texts, or smaller weights"


class Block(NamedTuple):
    """Consecutive biterms of a pass; `start` is the index of the first one."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    start: int
    weight: NDArray[np.float32] | None = None

    @property
    def total(self) -> float:
        """The sum of the weights; the number of biterms if they have none."""
        return float(len(self.first) if self.weight is None else self.weight.sum(dtype=np.float64))

    def part(self, begin: int, end: int) -> "Block":
        """Return the biterms from index `begin` to index `end`."""
        some = slice(begin, end)
        weight = None if self.weight is None else self.weight[some]
        return Block(self.first[some], self.second[some], self.start + begin, weight)

    def pieces(self, size: int) -> Iterator["Block"]:
        """Yield the biterms, `size` at a time."""
        for begin in range(0, len(self.first), size):
            yield self.part(begin, begin + size)


@dataclass(frozen=True, eq=False)
class Biterms:
    """Pairs of words, as indices into a vocabulary, with optional weights.

    A weight is how often a pair counts. In training, a pair of weight 2.3 occurs two or three
    times, 2.3 times on average; scores use the exact weight. `texts` are what all the biterms come
    from, if that is known.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    vocabulary: list[str]
    weight: NDArray[np.float32] | None = None
    texts: Texts | None = None

    @classmethod
    def from_words(
        cls,
        first: Sequence[str],
        second: Sequence[str],
        weight: ArrayLike | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> "Biterms":
        """Create biterms from words.

        Parameters
        ----------
        first, second : sequence of str
            The words of each biterm.
        weight : array-like, optional
            How often each biterm counts.
        vocabulary : sequence of str, optional
            The words that the indices refer to; by default those that occur.

        Returns
        -------
        Biterms

        Examples
        --------
        >>> from bittern.biterms import Biterms
        >>> Biterms.from_words(["red", "blue"], ["apple", "sky"], weight=[2, 1]).total
        3.0
        """
        if len(first) != len(second):
            raise InputError(f"{len(first)} first words but {len(second)} second words")
        names = list(dict.fromkeys([*first, *second]) if vocabulary is None else vocabulary)
        number = {word: i for i, word in enumerate(names)}
        if len(number) < len(names):
            raise InputError("the vocabulary contains a word more than once")
        try:
            numbers = np.array([[number[a], number[b]] for a, b in zip(first, second, strict=True)])
        except KeyError as missing:
            raise InputError(f"word {missing} of a biterm is not in the vocabulary") from None
        pairs = numbers.astype(np.int32).reshape(-1, 2)
        if weight is not None:
            weight = np.asarray(weight, dtype=np.float32)
            _check_weight(weight, len(pairs))
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), names, weight)

    def __len__(self) -> int:
        return len(self.first)

    def check(self) -> None:
        """Reject pairs that are not indices into the vocabulary: kernels trust them."""
        for words in (self.first, self.second):
            if words.dtype != np.int32 or len(words) != len(self.first):
                raise InputError("biterms must be two int32 arrays of the same length")
            if not are_indices(words, len(self.vocabulary)):
                raise InputError("a biterm contains an index that is not in the vocabulary")
        if self.weight is not None:
            _check_weight(self.weight, len(self))

    def materialize(self) -> "Biterms":
        """Return the biterms themselves: they are in memory."""
        return self

    @property
    def total(self) -> float:
        """The sum of the weights; the number of biterms if they have none."""
        return float(len(self) if self.weight is None else self.weight.sum(dtype=np.float64))

    @property
    def n_tokens(self) -> float:
        """The number of tokens of the texts; biterms without texts are texts of two words each."""
        return 2 * self.total if self.texts is None else self.texts.n_tokens

    def counts(self) -> NDArray[np.float64]:
        """Count how often each word occurs in a biterm (n_w)."""
        n = len(self.vocabulary)
        first = np.bincount(self.first, self.weight, minlength=n)
        return np.asarray(first + np.bincount(self.second, self.weight, minlength=n), np.float64)

    def __getitem__(self, index: Any) -> "Biterms":
        """Return the biterms at these indices."""
        weight = None if self.weight is None else self.weight[index]
        return Biterms(self.first[index], self.second[index], self.vocabulary, weight)

    def with_vocabulary(self, vocabulary: Sequence[str]) -> "Biterms":
        """Return the biterms over another vocabulary; drop those with a word that is not in it."""
        if list(vocabulary) == self.vocabulary:
            return self
        index = {word: i for i, word in enumerate(vocabulary)}
        new = np.array([index.get(word, -1) for word in self.vocabulary], np.int32)
        kept = self[(new[self.first] >= 0) & (new[self.second] >= 0)]
        return Biterms(new[kept.first], new[kept.second], list(vocabulary), kept.weight)

    def shuffled(self, rng: np.random.Generator) -> "Biterms":
        """Return all biterms in random order, each as often as its weight.

        Biterms are scattered to random buckets, then the buckets are shuffled one by one in the
        cache: every order is equally likely, without random access to memory.
        """
        check_memory(8 * self.total, f"{self.total:,.0f} biterms", MEMORY_REMEDY)
        weight = np.empty(0, np.float32) if self.weight is None else self.weight
        seeds = rng.integers(np.iinfo(np.uint64).max, size=3, dtype=np.uint64)
        starts = _bucket_starts(len(self), weight, n_buckets(self.total), seeds)
        first = np.empty(starts[-1], np.int32)
        second = np.empty(starts[-1], np.int32)
        _scatter(self.first, self.second, weight, starts[:-1].copy(), seeds, first, second)
        shuffle_buckets(first, second, starts, seeds[2], 0)
        return Biterms(first, second, self.vocabulary)

    def repeated(self, rng: np.random.Generator) -> "Biterms":
        """Return all biterms in their order, each as often as its weight."""
        if self.weight is None:
            return self
        check_memory(8 * self.total, f"{self.total:,.0f} biterms", MEMORY_REMEDY)
        times = np.floor(self.weight + rng.random(len(self), np.float32)).astype(np.int64)
        return Biterms(np.repeat(self.first, times), np.repeat(self.second, times), self.vocabulary)

    def merged(self) -> "Biterms":
        """Return each distinct biterm once, with the total weight of all that are equal."""
        n = len(self.vocabulary)
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        pairs, group = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
        weight = np.bincount(group, self.weight, minlength=len(pairs)).astype(np.float32)
        first, second = np.divmod(pairs, max(n, 1))
        merged = Biterms(first.astype(np.int32), second.astype(np.int32), self.vocabulary, weight)
        return merged[weight > 0]

    def grouped(self) -> "Biterms":
        """Return biterms without weights grouped by word, the more frequent word first."""
        n = max(len(self.vocabulary), 1)
        rank = np.argsort(np.argsort(self.counts(), kind="stable"))
        swap = rank[self.first] < rank[self.second]
        key = np.where(swap, self.second, self.first).astype(np.int64)
        key *= n
        key += np.where(swap, self.first, self.second)
        key.sort()
        first, second = np.divmod(key, n)
        return Biterms(first.astype(np.int32), second.astype(np.int32), self.vocabulary)

    def blocks(self, size: int) -> Iterator[Block]:
        """Yield the biterms in their order, `size` at a time."""
        return Block(self.first, self.second, 0, self.weight).pieces(size)

    def split(self, test_size: float, rng: np.random.Generator) -> tuple["Biterms", "Biterms"]:
        """Split at random into biterms to train on and biterms to test on."""
        train, test = random_split(len(self), test_size, rng)
        return self[train], self[test]


def _check_weight(weight: NDArray[Any], n: int) -> None:
    if weight.shape != (n,):
        raise InputError(f"{n} biterms but weights of shape {weight.shape}")
    if weight.dtype != np.float32 or not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("weights of biterms must be finite, non-negative float32 numbers")
    if weight.max(initial=0) > MAX_WEIGHT:
        raise InputError(
            f"the largest weight is {weight.max():.3g}; scale the weights down to "
            f"{MAX_WEIGHT:.3g} or less (of word counts, it is the product of two)"
        )


def n_buckets(n: float) -> int:
    """Return the number of buckets that n biterms are scattered to."""
    return int(np.clip(n / BUCKET_SIZE, 1, MAX_BUCKETS))


def extract_biterms(corpus: Corpus, window: int | None = 15, equal: bool = False) -> Biterms:
    """Extract all biterms of a corpus, document by document.

    Documents that are word counts have no order: every two words form a biterm, weighted by the
    product of their counts.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    window : int or None
        Two words form a biterm if they are fewer than this many positions apart; None pairs all
        words of a document.
    equal : bool
        Whether a word also forms biterms with itself.

    Returns
    -------
    Biterms

    Examples
    --------
    >>> from bittern import Corpus
    >>> from bittern.biterms import extract_biterms
    >>> len(extract_biterms(Corpus.from_texts(["red apple pie"])))
    3
    """
    if corpus.counts is not None and equal:
        raise InputError("equal=True needs documents with words in order, not word counts")
    texts = Texts.from_corpus(corpus, window)
    texts.check_length()
    n = count_pairs(texts.indptr, texts.tokens, texts.window, equal, np.empty(0, np.int64))
    check_memory(8 * n, f"{n:,} biterms", MEMORY_REMEDY)
    first, second = np.empty(n, np.int32), np.empty(n, np.int32)
    weight = np.empty(n if corpus.counts is not None else 0, np.float32)
    _fill_pairs(*texts[:4], equal, first, second, weight)
    _check_weight(weight, len(weight))
    return Biterms(
        first,
        second,
        corpus.vocabulary,
        weight if corpus.counts is not None else None,
        None if equal else texts.split_long(),
    )


@kernel
def count_pairs(indptr: Any, tokens: Any, window: int, equal: bool, counts: Any) -> Any:
    """Count the biterms; if `counts` is not empty, add how often each word occurs in one."""
    n = 0
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if equal or tokens[i] != tokens[j]:
                    n += 1
                    if len(counts):
                        counts[tokens[i]] += 1
                        counts[tokens[j]] += 1
    return n


@kernel
def _fill_pairs(
    indptr: Any,
    tokens: Any,
    counts: Any,
    window: int,
    equal: bool,
    first: Any,
    second: Any,
    weight: Any,
) -> None:
    """Write the words and weights of all biterms to `first`, `second` and `weight`."""
    n = 0
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if equal or tokens[i] != tokens[j]:
                    first[n] = tokens[i]
                    second[n] = tokens[j]
                    if len(weight):
                        weight[n] = counts[i] * counts[j]
                    n += 1


@kernel
def _copies(weight: Any, i: int, seed: Any) -> Any:
    """The number of copies of biterm i: its weight, rounded at random so that the mean is exact."""
    return np.int64(weight[i] + random_unit(seed, i)) if len(weight) else 1


@kernel
def _bucket_starts(n: int, weight: Any, n_buckets: int, seeds: Any) -> Any:
    """The index at which each bucket starts, and the end of the last one."""
    starts = np.zeros(n_buckets + 1, np.int64)
    copy = 0
    for i in range(n):
        for _ in range(_copies(weight, i, seeds[0])):
            starts[random_below(seeds[1], copy, n_buckets) + 1] += 1
            copy += 1
    return np.cumsum(starts)


@kernel
def _scatter(
    first: Any, second: Any, weight: Any, free: Any, seeds: Any, out_first: Any, out_second: Any
) -> None:
    """Write each biterm to the next free index of its bucket; changes `free`."""
    copy = 0
    for i in range(len(first)):
        for _ in range(_copies(weight, i, seeds[0])):
            bucket = random_below(seeds[1], copy, len(free))
            out_first[free[bucket]] = first[i]
            out_second[free[bucket]] = second[i]
            free[bucket] += 1
            copy += 1


@kernel
def shuffle_buckets(first: Any, second: Any, starts: Any, seed: Any, seen: int) -> None:
    """Shuffle each bucket in place; `seen` biterms came before the first one."""
    for bucket in range(len(starts) - 1):
        start = starts[bucket]
        for i in range(starts[bucket + 1] - 1, start, -1):
            j = start + random_below(seed, seen + i, i - start + 1)
            first[i], first[j] = first[j], first[i]
            second[i], second[j] = second[j], second[i]
