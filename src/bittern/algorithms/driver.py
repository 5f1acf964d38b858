"""The one training loop: passes over blocks of biterms, then sweeps over texts.

Threads never share a state. One thread trains alone on the first biterms, until the topics have
taken shape; then, in rounds, every thread continues from the same state with its own biterms, and
the states are merged. In a sweep, every thread has its own texts, and the new state follows from
the evidence of all of them.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Generic, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.threads import imap_threads, map_threads
from bittern.algorithms.contract import (
    Algorithm,
    Auto,
    Growable,
    Mergeable,
    Prior,
    Refinable,
    Sliced,
    State,
    copy_state,
)
from bittern.algorithms.effort import (
    TRIAL_SWEEPS,
    Effort,
    algorithm_effort,
    resolve_starts,
    starts_at_once,
)
from bittern.algorithms.slices import Slice
from bittern.biterms import BitermSource, Block, arrange, next_pass

POINTS_PER_EPOCH = 20  # of the learning curve, as far as the block sizes allow
MIN_BLOCK, MAX_BLOCK = 1 << 12, 1 << 20  # biterms
WARM_UP = 0.03  # at least this fraction of the first epoch is trained by one thread
MIN_ROUND = 1 << 15  # biterms per thread
ROUND_PER_WORD = 12  # biterms per thread and word: merging takes time for every word
LATE_FRACTION = 0.3  # of a pass, its end: the likelihood there tells how good the start was
FIRST_STEP, STEP = 1.0, 1.8  # of sweeps: extrapolation halves their number


class Record(NamedTuple):
    """A point of the learning curve: the mean log-likelihood of the biterms just learned.

    In a pass over biterms, each one is predicted from all others; in a sweep over texts, from all
    other texts, which is harder.
    """

    epoch: int
    biterms: int
    log_likelihood: float
    stage: Literal["pass", "sweep"] = "pass"


class Progress(NamedTuple, Generic[State]):
    """What the trainer reports after every block."""

    record: Record
    state: State
    """Only to be looked at."""
    n_biterms: float
    """The biterms of the block or sweep."""
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
    clock: Stopwatch = field(default_factory=Stopwatch)

    def __post_init__(self) -> None:
        name = self.algorithm.name
        if self.algorithm.slices is not None and not isinstance(self.algorithm, Growable):
            raise TypeError(f'algorithm "{name}" has slices but no method grow')
        if self.algorithm.parallel and not isinstance(self.algorithm, Mergeable):
            raise TypeError(f'algorithm "{name}" is parallel but has no method merge')

    def fit(self, slices: Iterable[tuple[str, BitermSource]], n_init: Auto = 1) -> Trained[State]:
        """Train on one time slice after the other, from a new state.

        With `n_init` > 1, that many starts are trained for one pass, or all passes and a few
        sweeps, and the best one continues.
        """
        remaining = iter(slices)
        name, first = next(remaining)
        with self.clock.running():
            arranged = arrange(first, self.algorithm.order, self.rng)
        effort = algorithm_effort(self.algorithm, arranged, self.n_topics)
        n_starts = resolve_starts(n_init, effort, arranged, self.n_topics)
        if effort.sweeps > 0:
            trained = self._fit_texts(arranged, effort, n_starts)
        elif n_starts == 1:
            trained = self._run(Trained(self._init(arranged)), arranged, effort.epochs)
        else:
            starts = (  # a generator: at most two are in memory
                self._run(Trained(self._init(arranged)), arranged, 1) for _ in range(n_starts)
            )
            best = max(starts, key=lambda start: late_likelihood(start.history))
            trained = self._run(best, arranged, effort.epochs - 1)
        trained = self._finish(trained, name)
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

    def _init(self, biterms: BitermSource) -> State:
        return self.algorithm.init(biterms, self.n_topics, self.prior, self.rng)

    def _finish(self, trained: Trained[State], name: str) -> Trained[State]:
        """Keep the counts of a finished slice, if the algorithm has any."""
        if not isinstance(self.algorithm, Sliced):
            return trained
        counts = self.algorithm.slice_counts(trained.state)
        piece = Slice.from_counts(name, counts, self.algorithm.carry)
        return trained._replace(slices=(*trained.slices, piece))

    def _fit_texts(self, biterms: BitermSource, effort: Effort, n_starts: int) -> Trained[State]:
        """Pass over the biterms, then sweep over the texts; continue with the best start.

        Several starts share the threads, and each is trained by one: the number of threads does not
        change the result.
        """
        if n_starts == 1:
            return self.start(biterms, effort.epochs, effort.sweeps)[0]
        lock = Lock()

        def report(progress: Progress[State]) -> None:
            with lock:
                self.on_block(progress._replace(slice_finished=False))

        def start(seed: int) -> tuple[Trained[State], NDArray[np.float32]]:
            rng = np.random.default_rng(seed)
            trainer = replace(self, rng=rng, n_threads=1, on_block=report, clock=Stopwatch())
            return trainer.start(biterms, effort.epochs, n_trials)

        n_trials = min(TRIAL_SWEEPS, effort.sweeps)
        seeds = self.rng.integers(np.iinfo(np.int64).max, size=n_starts).tolist()
        n_parallel = max(min(self.n_threads, starts_at_once(biterms, self.n_topics)), 1)
        with self.clock.running():
            starts = imap_threads(start, seeds, n_parallel)
            best, evidence = max(starts, key=lambda tried: tried[0].history[-1].log_likelihood)
        alone = replace(self, n_threads=1)
        return alone.sweep(best, biterms, evidence, effort.sweeps - n_trials, STEP)

    def start(
        self, biterms: BitermSource, epochs: int, n_sweeps: int
    ) -> tuple[Trained[State], NDArray[np.float32]]:
        """Train from a new state; also return the evidence of the texts."""
        assert isinstance(self.algorithm, Refinable)
        assert biterms.texts is not None
        passed = self._run(Trained(self._init(biterms)), biterms, epochs)
        with self.clock.running():
            evidence = self.algorithm.first_evidence(passed.state, biterms.texts)
        return self.sweep(passed, biterms, evidence, n_sweeps, FIRST_STEP), evidence

    def sweep(
        self,
        trained: Trained[State],
        biterms: BitermSource,
        evidence: NDArray[np.float32],
        n_sweeps: int,
        first_step: float,
    ) -> Trained[State]:
        """Sweep over the texts `n_sweeps` times; changes the evidence."""
        algorithm, texts = self.algorithm, biterms.texts
        assert isinstance(algorithm, Refinable)
        assert texts is not None
        n_threads = self.n_threads if biterms.total > 2 * MIN_ROUND else 1
        state, history = trained.state, list(trained.history)
        own = [state] * n_threads

        def visit(step: float, part: tuple[State, NDArray[np.int64]]) -> float:
            return algorithm.sweep(part[0], texts, part[1], evidence, step, self.prior)

        for number in range(n_sweeps):
            with self.clock.running():
                order = self.rng.permutation(len(texts.indptr) - 1)
                step = STEP if number else first_step
                own[1:] = [copy_state(state, old if number else None) for old in own[1:]]
                parts = zip(own, np.array_split(order, n_threads), strict=True)
                log_likelihoods = map_threads(partial(visit, step), list(parts))
                own[0] = state = algorithm.with_evidence(state, texts, evidence)
            last = history[-1] if history else Record(-1, 0, -np.inf)
            record = Record(
                last.epoch + 1,
                last.biterms + round(biterms.total),
                sum(log_likelihoods) / biterms.total,
                "sweep",
            )
            history.append(record)
            finished = number == n_sweeps - 1
            self.on_block(Progress(record, state, biterms.total, self.clock.seconds, finished))
        return trained._replace(state=state, history=tuple(history))

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


def late_likelihood(history: Sequence[Record]) -> float:
    """Return the mean log-likelihood near the end of the first pass.

    Weights below 1 are rounded at random: a pass over very few may have no biterm at all.
    """
    if not history:
        return -np.inf
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
