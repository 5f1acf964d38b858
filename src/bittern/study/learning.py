"""Learn biterms with any algorithm, with looks at what it knows on the way."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bittern.algorithms import Prior, Record, run
from bittern.biterms.biterms import Biterms

Look = Callable[[float, float, float, Any], None]


def learn(
    algorithm: Any,
    train: Biterms,
    n_topics: int,
    prior: Prior,
    rng: np.random.Generator,
    look: Look | None = None,
    advance: Callable[[float], None] = lambda updates: None,
) -> tuple[Any, float]:
    """The state after all passes, and the seconds that they took.

    `look` is called with the share of the biterms that has been learned, the seconds, the running
    leave-one-out likelihood and the state: after each block where a pass is all there is, else
    after each slice. What it does takes no time: the clock stands still. `advance` is told how
    many updates there were.
    """
    state, clock = None, _Clock()
    slices = algorithm.cut(train)
    for number, (_, part) in enumerate(slices):
        arranged = algorithm.arrange(part, n_topics, rng)
        if state is None:
            state = algorithm.init(arranged, n_topics, prior, rng)
        else:
            state = algorithm.grow(state, arranged, prior, rng)
        passes = algorithm.passes(train.total)
        last = Record(0, 0, 0.0)

        def watch(
            record: Record, state: Any, passes: int = passes, total: float = arranged.total
        ) -> None:
            nonlocal last
            with clock.stopped() as seconds:
                advance(record.biterms - last.biterms)
                last = record
                if look is not None and passes == 1 and len(slices) == 1:
                    look(record.biterms / total, seconds, record.log_likelihood, state)

        state = run(algorithm, state, arranged, prior, rng, passes, watch)
        if look is not None and len(slices) > 1:
            with clock.stopped() as seconds:
                look((number + 1) / len(slices), seconds, last.log_likelihood, state)
    return state, clock.seconds()


class _Clock:
    """The seconds since it was made, less those in which it was stopped."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @contextmanager
    def stopped(self) -> Iterator[float]:
        seconds = self.seconds()
        yield seconds
        self._start = time.perf_counter() - seconds
