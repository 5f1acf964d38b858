"""The one training loop: passes over blocks of biterms, in one thread or several.

Threads never share a state. One thread trains alone on the first biterms, until the topics have
taken shape; then, in rounds, every thread continues from the same state with its own biterms, and
the states are merged.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple

import numpy as np

from bittern.algorithms.contract import (
    Algorithm,
    Growable,
    Mergeable,
    Prior,
    Sliced,
    State,
    copy_state,
    resolve_epochs,
)
from bittern.algorithms.slices import Slice
from bittern.biterms import Biterms, BitermSource, Block, arrange, next_pass

POINTS_PER_EPOCH = 20  # of the learning curve, as far as the block sizes allow
MIN_BLOCK, MAX_BLOCK = 1 << 12, 1 << 20  # biterms
WARM_UP = 0.03  # at least this fraction of the first epoch is trained by one thread
MIN_ROUND = 1 << 15  # biterms per thread
ROUND_PER_WORD = 12  # biterms per thread and word: merging takes time for every word
LATE_FRACTION = 0.3  # of a pass, its end: the likelihood there tells how good the start was


class Record(NamedTuple):
    """A point of the learning curve: the mean log-likelihood of the biterms just learned."""

    epoch: int
    biterms: int
    log_likelihood: float


class Progress(NamedTuple, Generic[State]):
    """What the trainer reports after every block."""

    record: Record
    state: State
    """Only to be looked at."""
    n_biterms: float
    """The biterms of the block."""
    seconds: float
    """Training time so far, without initial states and without the time of callbacks."""
    slice_finished: bool


class Trained(NamedTuple, Generic[State]):
    """The outcome of training."""

    state: State
    history: tuple[Record, ...] = ()
    slices: tuple[Slice, ...] = ()


class Stopwatch:
    """Counts the seconds in which it runs."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of this block."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start


@dataclass(frozen=True)
class Trainer(Generic[State]):
    """Train an algorithm on biterms.

    `on_block` is called after every block.
    """

    algorithm: Algorithm[State]
    n_topics: int
    prior: Prior
    rng: np.random.Generator
    n_threads: int = 1
    on_block: Callable[[Progress[State]], None] = lambda progress: None
    clock: Stopwatch = field(default_factory=Stopwatch, init=False)

    def __post_init__(self) -> None:
        name = self.algorithm.name
        if self.algorithm.slices is not None and not isinstance(self.algorithm, Growable):
            raise TypeError(f'algorithm "{name}" has slices but no method grow')
        if self.algorithm.parallel and not isinstance(self.algorithm, Mergeable):
            raise TypeError(f'algorithm "{name}" is parallel but has no method merge')

    def fit(self, slices: Iterable[tuple[str, BitermSource]], n_init: int = 1) -> Trained[State]:
        """Train on one time slice after the other, from a new state.

        With `n_init` > 1, that many starts are trained for one pass, and the best one continues.
        """
        remaining = iter(slices)
        name, first = next(remaining)
        with self.clock.running():
            arranged = arrange(first, self.algorithm.order, self.rng)
        epochs = resolve_epochs(self.algorithm.epochs, arranged.total)
        if n_init == 1:
            trained = Trained(self._init(arranged))
        else:
            starts = (  # a generator: at most two are in memory
                self._run(Trained(self._init(arranged)), arranged, 1) for _ in range(n_init)
            )
            trained = max(starts, key=lambda start: late_likelihood(start.history))
            epochs -= 1
        trained = self._finish(self._run(trained, arranged, epochs), name)
        del first, arranged  # free their memory before the next slice
        for name, biterms in remaining:
            trained = self.update(trained, biterms, name)
        return trained

    def update(
        self, trained: Trained[State], biterms: BitermSource, name: str = ""
    ) -> Trained[State]:
        """Continue on more biterms."""
        assert isinstance(self.algorithm, Growable)
        with self.clock.running():
            arranged = arrange(biterms, self.algorithm.order, self.rng)
            state = self.algorithm.grow(trained.state, arranged, self.prior, self.rng)
        slices = trained.slices
        if slices and isinstance(self.algorithm, Sliced):  # `grow` has used the current fraction
            slices = (*slices[:-1], slices[-1]._replace(carry=self.algorithm.carry))
        grown = trained._replace(state=state, slices=slices)
        return self._finish(self._run(grown, arranged, self.algorithm.update_epochs), name)

    def untrained(self, vocabulary: list[str]) -> Trained[State]:
        """Return a state that has seen no biterms yet, to `update`."""
        return Trained(self._init(Biterms.from_words([], [], vocabulary=vocabulary)))

    def _init(self, biterms: BitermSource) -> State:
        return self.algorithm.init(biterms, self.n_topics, self.prior, self.rng)

    def _finish(self, trained: Trained[State], name: str) -> Trained[State]:
        """Keep the counts of a finished slice, if the algorithm has any."""
        if not isinstance(self.algorithm, Sliced):
            return trained
        counts = self.algorithm.slice_counts(trained.state)
        piece = Slice.from_counts(name, counts, self.algorithm.carry)
        return trained._replace(slices=(*trained.slices, piece))

    def _run(self, trained: Trained[State], biterms: BitermSource, epochs: int) -> Trained[State]:
        """Pass over arranged biterms `epochs` times."""
        if epochs == 0:
            return trained
        history = list(trained.history)
        epoch, seen = (history[-1].epoch + 1, history[-1].biterms) if history else (0, 0)
        state, n_trained = trained.state, 0.0
        with closing(self._steps(state, biterms, epochs)) as steps:
            while True:
                with self.clock.running():
                    step = next(steps, None)
                if step is None:
                    break
                state, n_passes, block, log_likelihood = step
                n_trained += block.total
                record = Record(
                    epoch + n_passes, seen + round(n_trained), log_likelihood / block.total
                )
                history.append(record)
                finished = round(n_trained) >= round(epochs * biterms.total)
                self.on_block(Progress(record, state, block.total, self.clock.seconds, finished))
        return trained._replace(state=state, history=tuple(history))

    def _steps(
        self, state: State, biterms: BitermSource, epochs: int
    ) -> Generator[tuple[State, int, Block, float], None, None]:
        """Yield the state, the pass, the block and its log-likelihood after every block."""
        algorithm, n_threads = self.algorithm, self.n_threads if self.algorithm.parallel else 1
        size = int(np.clip(-(-biterms.total // POINTS_PER_EPOCH), MIN_BLOCK, MAX_BLOCK))
        share = max(MIN_ROUND, ROUND_PER_WORD * len(biterms.vocabulary))
        in_rounds = n_threads > 1 and biterms.total > 2 * share
        alone = max(WARM_UP * biterms.total, MIN_ROUND) if in_rounds else np.inf
        seen = 0.0
        with ThreadPoolExecutor(n_threads) as pool:
            # made while one thread trains alone, so that their memory is allocated by then
            copies = [pool.submit(copy_state, state) for _ in range(n_threads) if in_rounds]
            states: list[State] = []
            for epoch in range(epochs):
                ordered = next_pass(biterms, algorithm.order, self.rng)
                for block in ordered.blocks(n_threads * share if in_rounds else size):
                    for part in _split_warm_up(block, alone - seen, size):
                        if seen < alone:
                            state, log_likelihood = algorithm.step(
                                state, part, self.prior, self.rng
                            )
                        else:
                            if not states:
                                made = [copy.result() for copy in copies]
                                states = [state, *pool.map(partial(copy_state, state), made)]
                            states, log_likelihood = self._round(states, part, pool)
                            state = states[0]
                        seen += part.total
                        yield state, epoch, part, log_likelihood

    def _round(
        self, states: list[State], block: Block, pool: ThreadPoolExecutor
    ) -> tuple[list[State], float]:
        """Train on the parts of a block in threads, each with its own state, and merge.

        The first state stays as it is until then: the others continue from it.
        """
        assert isinstance(self.algorithm, Mergeable)
        base, *own = states
        parts = list(block.pieces(-(-len(block.first) // len(own))))
        seeds = self.rng.integers(np.iinfo(np.int64).max, size=len(parts))
        rngs = map(np.random.default_rng, seeds)
        step = self.algorithm.step
        futures = [
            pool.submit(step, state, part, self.prior, rng)
            for state, part, rng in zip(own, parts, rngs, strict=False)
        ]
        done = [future.result() for future in futures]
        own[: len(done)] = [state for state, _ in done]
        merged = self.algorithm.merge(base, own, self.prior)
        return merged, sum(log_likelihood for _, log_likelihood in done)


def count_updates(algorithm: Algorithm[Any], totals: Sequence[float], n_init: int = 1) -> float:
    """Return the number of biterms that `fit` trains on, from the totals of the slices."""
    first, *others = totals
    epochs = resolve_epochs(algorithm.epochs, first) + n_init - 1
    return epochs * first + algorithm.update_epochs * sum(others)


def late_likelihood(history: Sequence[Record]) -> float:
    """Return the mean log-likelihood near the end of the first pass."""
    ends = np.array([record.biterms for record in history])
    logs = np.array([record.log_likelihood for record in history])
    late = ends > (1 - LATE_FRACTION) * ends[-1]
    return float(np.average(logs[late], weights=np.diff(ends, prepend=0)[late]))


def _split_warm_up(block: Block, alone: float, size: int) -> Iterator[Block]:
    """Yield the part of a block that one thread trains on alone, in pieces, then the rest."""
    n = int(np.clip(np.ceil(alone), 0, len(block.first)))
    yield from block.part(0, n).pieces(size)
    if n < len(block.first):
        yield block.part(n, len(block.first))
