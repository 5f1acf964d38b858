"""The biterms of a corpus, generated on demand within a memory limit."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.memory import check_memory
from bittern._core.numba import kernel, random_below
from bittern._core.threads import map_slices, map_threads
from bittern.biterms.biterms import (
    MEMORY_REMEDY,
    Biterms,
    Block,
    count_pairs,
    extract_biterms,
    n_buckets,
    shuffle_buckets,
)
from bittern.biterms.texts import Texts, window_span
from bittern.corpus.corpus import Corpus


class Part(NamedTuple):
    """Consecutive documents; `number` is the index of their first biterm."""

    indptr: NDArray[np.int64]
    number: int


@dataclass(frozen=True, eq=False)
class LazyBiterms:
    """The biterms of a corpus, never all in memory if `memory` limits their bytes.

    A shuffled pass generates them in portions: the random bucket of a biterm depends on the seed
    alone, and a portion is as many buckets as fit into memory. Scanning the documents once per
    portion is cheap, and needs no disk.
    """

    corpus: Corpus
    window: int | None
    memory: int | None = None
    n_threads: int = 1

    @cached_property
    def _counted(self) -> tuple[list[Part], int, NDArray[np.int64]]:
        """A part for each thread, the number of biterms, and the count of each word in them."""
        Texts.from_corpus(self.corpus, self.window).check_length()

        def count(part: slice) -> tuple[Any, int, Any]:
            indptr = self.corpus.indptr[part.start : part.stop + 1]
            counts = np.zeros(len(self.vocabulary), np.int64)
            documents = indptr, self.corpus.tokens, window_span(self.window)
            return indptr, count_pairs(*documents, False, counts), counts

        counted = map_slices(count, len(self.corpus), self.n_threads)
        numbers = np.cumsum([0, *(n for _, n, _ in counted)]).tolist()
        parts = [Part(indptr, n) for (indptr, _, _), n in zip(counted, numbers, strict=False)]
        return parts, numbers[-1], np.sum([counts for _, _, counts in counted], axis=0)

    @property
    def parts(self) -> list[Part]:
        """The documents, one part per thread."""
        return self._counted[0]

    @property
    def vocabulary(self) -> list[str]:
        """The words of the corpus."""
        return self.corpus.vocabulary

    @cached_property
    def texts(self) -> Texts:
        """The texts of the corpus; long ones in pieces."""
        return Texts.from_corpus(self.corpus, self.window, self.memory).split_long()

    def __len__(self) -> int:
        return self._counted[1]

    @property
    def total(self) -> float:
        """The number of biterms."""
        return float(len(self))

    @property
    def n_tokens(self) -> float:
        """The number of tokens of the texts."""
        return self.texts.n_tokens

    def counts(self) -> NDArray[np.float64]:
        """Count how often each word occurs in a biterm (n_w)."""
        return self._counted[2].astype(np.float64)

    def materialize(self) -> Biterms:
        """Return all biterms in memory, document by document."""
        return extract_biterms(self.corpus, self.window)

    def shuffled(self, rng: np.random.Generator) -> "ShuffledPass":
        """Return all biterms in random order, portion by portion."""
        return ShuffledPass(self, rng.integers(np.iinfo(np.uint64).max, size=2, dtype=np.uint64))


@dataclass(frozen=True, eq=False)
class ShuffledPass:
    """The biterms of a corpus in an order that depends on the seeds, not on the threads."""

    biterms: LazyBiterms
    seeds: NDArray[np.uint64]

    def blocks(self, size: int) -> Iterator[Block]:
        """Yield the biterms in their order, about `size` at a time."""
        n, memory = len(self.biterms), self.biterms.memory
        buckets = self._buckets(n_buckets(n))
        sizes = buckets.sum(axis=0)
        room = n if memory is None else max(memory // 8, int(sizes.max()))
        check_memory(8 * min(room, n), f"{n:,} biterms", MEMORY_REMEDY)
        seen, first, second = 0, np.empty(0, np.int32), np.empty(0, np.int32)
        for begin, end in _portions(sizes, room):
            n = int(sizes[begin:end].sum())
            if n > len(first):
                first = second = np.empty(0, np.int32)  # free the old ones first
                first, second = np.empty(n, np.int32), np.empty(n, np.int32)
            self._fill(first, second, buckets, begin, end, seen)
            yield from Block(first[:n], second[:n], seen).pieces(size)
            seen += n

    def _buckets(self, n_buckets: int) -> NDArray[np.int64]:
        """Count the biterms of each part in each bucket, (parts, buckets)."""
        buckets = np.zeros((len(self.biterms.parts), n_buckets), np.int64)
        self._each_part(lambda part, number, sizes: _tally(*part, number, sizes), buckets)
        return buckets

    def _fill(
        self,
        first: NDArray[np.int32],
        second: NDArray[np.int32],
        buckets: NDArray[np.int64],
        begin: int,
        end: int,
        seen: int,
    ) -> None:
        """Write the biterms of the buckets from `begin` to `end`, shuffled."""
        wanted = buckets[:, begin:end]
        starts = np.concatenate([[0], np.cumsum(wanted.sum(axis=0))])
        free = starts[:-1] + np.cumsum(wanted, axis=0) - wanted
        total = buckets.shape[1]
        self._each_part(
            lambda part, number, free: _scatter(*part, number, total, begin, free, first, second),
            free,
        )
        map_slices(
            lambda some: shuffle_buckets(
                first, second, starts[some.start : some.stop + 1], self.seeds[1], seen
            ),
            end - begin,
            self.biterms.n_threads,
        )

    def _each_part(self, work: Any, rows: NDArray[np.int64]) -> None:
        """Call work(documents, number, row) for each part and its row of counts, in threads."""
        tokens, window = self.biterms.corpus.tokens, window_span(self.biterms.window)
        map_threads(
            lambda item: work(
                (item[0].indptr, tokens, window, self.seeds[0]), item[0].number, item[1]
            ),
            list(zip(self.biterms.parts, rows, strict=True)),
        )


def _portions(sizes: NDArray[np.int64], room: int) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of runs of buckets with at most `room` biterms together."""
    begin, held = 0, 0
    for bucket, size in enumerate(sizes):
        if held + size > room and held > 0:
            yield begin, bucket
            begin, held = bucket, 0
        held += int(size)
    yield begin, len(sizes)


@kernel
def _tally(indptr: Any, tokens: Any, window: int, seed: Any, number: int, sizes: Any) -> None:
    """Add the number of biterms of each bucket to `sizes`."""
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if tokens[i] != tokens[j]:
                    sizes[random_below(seed, number, len(sizes))] += 1
                    number += 1


@kernel
def _scatter(
    indptr: Any,
    tokens: Any,
    window: int,
    seed: Any,
    number: int,
    n_buckets: int,
    begin: int,
    free: Any,
    first: Any,
    second: Any,
) -> None:
    """Write each biterm of the buckets from `begin` on to the next free index; changes `free`."""
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if tokens[i] != tokens[j]:
                    bucket = random_below(seed, number, n_buckets) - begin
                    number += 1
                    if 0 <= bucket < len(free):
                        first[free[bucket]] = tokens[i]
                        second[free[bucket]] = tokens[j]
                        free[bucket] += 1
