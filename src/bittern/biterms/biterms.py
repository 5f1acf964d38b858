"""Biterms: the pairs of words that stand near each other in a document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bittern._core.memory import check_memory
from bittern._core.numba import kernel, random_below, random_unit
from bittern._core.validation import are_indices
from bittern.corpus.corpus import Corpus, random_split
from bittern.errors import InputError

BUCKET = 1 << 16  # biterms that are shuffled together: half a megabyte, so they stay in the cache
MOST_BUCKETS = 1 << 10
HEAVIEST = 1 << 30  # weight of a biterm
FEWER = "a smaller window, fewer texts, or smaller weights"


class Block(NamedTuple):
    """Some biterms of a pass, and where in the pass the first of them stands."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    start: int
    weight: NDArray[np.float32] | None = None

    @property
    def total(self) -> float:
        """The sum of the weights: the number of biterms when there are none."""
        return float(len(self.first) if self.weight is None else self.weight.sum(dtype=np.float64))

    def part(self, begin: int, end: int) -> "Block":
        """Those from one place in the block to another."""
        some = slice(begin, end)
        weight = None if self.weight is None else self.weight[some]
        return Block(self.first[some], self.second[some], self.start + begin, weight)

    def pieces(self, size: int) -> Iterator["Block"]:
        """All of them, `size` at a time."""
        for begin in range(0, len(self.first), size):
            yield self.part(begin, begin + size)


@dataclass(frozen=True, eq=False)
class Biterms:
    """Pairs of word numbers over a vocabulary, each with an optional weight.

    A weight says how often its pair counts. The training algorithms see a pair of weight 2.3
    two or three times, 2.3 times on average; scores use the weight as it is.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    vocabulary: list[str]
    weight: NDArray[np.float32] | None = None

    @classmethod
    def from_words(
        cls,
        first: Sequence[str],
        second: Sequence[str],
        weight: ArrayLike | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> "Biterms":
        """Your own biterms: two equally long lists of words and, if you like, their weights."""
        if len(first) != len(second):
            raise InputError(f"{len(first)} first words but {len(second)} second words")
        names = list(dict.fromkeys([*first, *second]) if vocabulary is None else vocabulary)
        number = {word: i for i, word in enumerate(names)}
        if len(number) < len(names):
            raise InputError("a word is in the vocabulary more than once")
        try:
            numbers = np.array([[number[a], number[b]] for a, b in zip(first, second, strict=True)])
        except KeyError as missing:
            raise InputError(f"the word {missing} of a biterm is not in the vocabulary") from None
        pairs = numbers.astype(np.int32).reshape(-1, 2)
        if weight is not None:
            weight = np.asarray(weight, dtype=np.float32)
            _check_weight(weight, len(pairs))
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), names, weight)

    def __len__(self) -> int:
        return len(self.first)

    def check(self) -> None:
        """Refuse pairs that are not places in the vocabulary: kernels trust them."""
        for words in (self.first, self.second):
            if words.dtype != np.int32 or len(words) != len(self.first):
                raise InputError("biterms must be two equally long arrays of int32")
            if not are_indices(words, len(self.vocabulary)):
                raise InputError("a biterm has a word that is not in the vocabulary")
        if self.weight is not None:
            _check_weight(self.weight, len(self))

    def materialize(self) -> "Biterms":
        """These, which are."""
        return self

    @property
    def total(self) -> float:
        """The sum of the weights: the number of biterms when there are none."""
        return float(len(self) if self.weight is None else self.weight.sum(dtype=np.float64))

    def counts(self) -> NDArray[np.float64]:
        """How often each word of the vocabulary is in a biterm (n_w)."""
        n = len(self.vocabulary)
        first = np.bincount(self.first, self.weight, minlength=n)
        return np.asarray(first + np.bincount(self.second, self.weight, minlength=n), np.float64)

    def __getitem__(self, index: Any) -> "Biterms":
        """The biterms at these places."""
        weight = None if self.weight is None else self.weight[index]
        return Biterms(self.first[index], self.second[index], self.vocabulary, weight)

    def with_vocabulary(self, vocabulary: Sequence[str]) -> "Biterms":
        """The same biterms over another vocabulary; those with a word that is not in it go."""
        if list(vocabulary) == self.vocabulary:
            return self
        place = {word: i for i, word in enumerate(vocabulary)}
        new = np.array([place.get(word, -1) for word in self.vocabulary], np.int32)
        kept = self[(new[self.first] >= 0) & (new[self.second] >= 0)]
        return Biterms(new[kept.first], new[kept.second], list(vocabulary), kept.weight)

    def shuffled(self, rng: np.random.Generator) -> "Biterms":
        """All biterms in random order, each as often as its weight says.

        Each goes to a random bucket, then the buckets are shuffled one by one in the cache:
        every order is equally likely, and no step jumps about in memory.
        """
        check_memory(8 * self.total, f"{self.total:,.0f} biterms", FEWER)
        weight = np.empty(0, np.float32) if self.weight is None else self.weight
        seeds = rng.integers(np.iinfo(np.uint64).max, size=3, dtype=np.uint64)
        starts = _bucket_starts(len(self), weight, n_buckets(self.total), seeds)
        first = np.empty(starts[-1], np.int32)
        second = np.empty(starts[-1], np.int32)
        _scatter(self.first, self.second, weight, starts[:-1].copy(), seeds, first, second)
        shuffle_buckets(first, second, starts, seeds[2], 0)
        return Biterms(first, second, self.vocabulary)

    def repeated(self, rng: np.random.Generator) -> "Biterms":
        """All biterms in their order, each as often as its weight says."""
        if self.weight is None:
            return self
        check_memory(8 * self.total, f"{self.total:,.0f} biterms", FEWER)
        times = np.floor(self.weight + rng.random(len(self), np.float32)).astype(np.int64)
        return Biterms(np.repeat(self.first, times), np.repeat(self.second, times), self.vocabulary)

    def merged(self) -> "Biterms":
        """Each different biterm once, its weight the sum over all that are equal to it."""
        n = len(self.vocabulary)
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        pairs, place = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
        weight = np.bincount(place, self.weight, minlength=len(pairs)).astype(np.float32)
        first, second = np.divmod(pairs, max(n, 1))
        merged = Biterms(first.astype(np.int32), second.astype(np.int32), self.vocabulary, weight)
        return merged[weight > 0]

    def grouped(self) -> "Biterms":
        """The biterms of the same word together, the more frequent of their words first."""
        rank = np.argsort(np.argsort(self.counts(), kind="stable"))
        swap = rank[self.first] < rank[self.second]
        first = np.where(swap, self.second, self.first)
        second = np.where(swap, self.first, self.second)
        order = np.lexsort((second, first))
        weight = None if self.weight is None else self.weight[order]
        return Biterms(first[order], second[order], self.vocabulary, weight)

    def blocks(self, size: int) -> Iterator[Block]:
        """The biterms in their order, `size` at a time."""
        return Block(self.first, self.second, 0, self.weight).pieces(size)

    def split(self, test_size: float, rng: np.random.Generator) -> tuple["Biterms", "Biterms"]:
        """Biterms to learn from and biterms to test on, at random."""
        train, test = random_split(len(self), test_size, rng)
        return self[train], self[test]


def _check_weight(weight: NDArray[Any], n: int) -> None:
    if weight.shape != (n,):
        raise InputError(f"{n} biterms but weights of shape {weight.shape}")
    if weight.dtype != np.float32 or not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("weights of biterms must be finite and not negative, in float32")
    if weight.max(initial=0) > HEAVIEST:
        raise InputError(f"a biterm has the weight {weight.max():.3g}: scale them down")


def n_buckets(n: float) -> int:
    """How many buckets n biterms are scattered to."""
    return int(np.clip(n / BUCKET, 1, MOST_BUCKETS))


def window_span(window: int | None) -> int:
    """The window as a number of places; None is all of them."""
    if window is not None and window < 2:
        raise InputError(f"window must be 2 or more, or None, not {window}")
    return int(np.iinfo(np.int32).max) if window is None else window


def extract_biterms(corpus: Corpus, window: int | None = 15, equal: bool = False) -> Biterms:
    """All biterms of a corpus, document by document.

    Two words make a biterm when they stand less than `window` places apart in a document (None:
    anywhere in it). A word with itself makes one only if `equal` is set. Documents that are
    mere word counts have no order: there each two words make one, weighted by the product of
    their counts.
    """
    if corpus.counts is not None and equal:
        raise InputError("equal=True needs documents with their words in order, not word counts")
    span = window_span(window if corpus.counts is None else None)
    counts = np.empty(0, np.float32) if corpus.counts is None else corpus.counts
    n = count_pairs(corpus.indptr, corpus.tokens, span, equal, np.empty(0, np.int64))
    check_memory(8 * n, f"{n:,} biterms", FEWER)
    first, second = np.empty(n, np.int32), np.empty(n, np.int32)
    weight = np.empty(n if corpus.counts is not None else 0, np.float32)
    _fill_pairs(corpus.indptr, corpus.tokens, counts, span, equal, first, second, weight)
    return Biterms(first, second, corpus.vocabulary, weight if corpus.counts is not None else None)


@kernel
def count_pairs(indptr: Any, tokens: Any, window: int, equal: bool, counts: Any) -> Any:
    """The number of biterms; adds to `counts`, if there are any, how often each word is in one."""
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
    """How often biterm i is to come: its weight, rounded up or down so that the mean is right."""
    return np.int64(weight[i] + random_unit(seed, i)) if len(weight) else 1


@kernel
def _bucket_starts(n: int, weight: Any, n_buckets: int, seeds: Any) -> Any:
    starts = np.zeros(n_buckets + 1, np.int64)
    copy = 0
    for i in range(n):
        for _ in range(_copies(weight, i, seeds[0])):
            starts[random_below(seeds[1], copy, n_buckets) + 1] += 1
            copy += 1
    return np.cumsum(starts)


@kernel
def _scatter(
    first: Any, second: Any, weight: Any, place: Any, seeds: Any, out_first: Any, out_second: Any
) -> None:
    """Write each biterm to the next free place of its bucket; `place` is used up."""
    copy = 0
    for i in range(len(first)):
        for _ in range(_copies(weight, i, seeds[0])):
            bucket = random_below(seeds[1], copy, len(place))
            out_first[place[bucket]] = first[i]
            out_second[place[bucket]] = second[i]
            place[bucket] += 1
            copy += 1


@kernel
def shuffle_buckets(first: Any, second: Any, starts: Any, seed: Any, seen: int) -> None:
    """Shuffle what is between one start and the next; `seen` biterms came before all these."""
    for bucket in range(len(starts) - 1):
        start = starts[bucket]
        for i in range(starts[bucket + 1] - 1, start, -1):
            j = start + random_below(seed, seen + i, i - start + 1)
            first[i], first[j] = first[j], first[i]
            second[i], second[j] = second[j], second[i]
