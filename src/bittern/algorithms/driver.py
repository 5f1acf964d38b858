"""One way to run every algorithm: epochs of blocks, in one thread or in several.

Threads never share a state. The first part of the data is learned by one alone, so that the topics
take shape; then in every round each thread goes on from the same state with biterms of its own, and
their states are merged.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from bittern.algorithms.contract import Algorithm, Prior, Record, copy_state
from bittern.biterms.biterms import Block
from bittern.biterms.lazy import Source

POINTS_PER_EPOCH = 20  # of the learning curve, as far as the block sizes allow
SMALLEST_BLOCK, LARGEST_BLOCK = 1 << 12, 1 << 20
WARM_UP = 0.03  # of the first epoch, at least, is learned by one thread
SMALLEST_ROUND = 1 << 15  # biterms for each thread
LATE = 0.7  # of a pass
BITERMS_PER_WORD = 12  # for each thread in a round: merging costs time for every word


def run(
    algorithm: Algorithm,
    state: Any,
    biterms: Source,
    prior: Prior,
    rng: np.random.Generator,
    epochs: int,
    watch: Callable[[Record, Any], None] = lambda record, state: None,
    n_threads: int = 1,
) -> Any:
    """Show the arranged biterms to the algorithm, `epochs` times.

    `watch` is called after every block with the learning curve's next point and the state, which
    is only to be looked at.
    """
    size = int(np.clip(-(-biterms.total // POINTS_PER_EPOCH), SMALLEST_BLOCK, LARGEST_BLOCK))
    share = max(SMALLEST_ROUND, BITERMS_PER_WORD * len(biterms.vocabulary))
    in_rounds = n_threads > 1 and biterms.total > 2 * share
    alone = max(WARM_UP * biterms.total, SMALLEST_ROUND) if in_rounds else np.inf
    seen = 0.0
    with ThreadPoolExecutor(n_threads) as pool:
        # copies are made while one thread learns alone: their memory will be at hand
        copies = [pool.submit(copy_state, state) for _ in range(n_threads) if in_rounds]
        states: list[Any] = []
        for epoch in range(epochs):
            ordered = algorithm.order(biterms, rng)
            for block in ordered.blocks(n_threads * share if in_rounds else size):
                for part in _warm_up(block, alone - seen, size):
                    if seen < alone:
                        state, log_likelihood = algorithm.step(state, part, prior, rng)
                    else:
                        if not states:
                            made = [copy.result() for copy in copies]
                            states = [state, *pool.map(partial(copy_state, state), made)]
                        states, log_likelihood = _round(algorithm, states, part, prior, rng, pool)
                        state = states[0]
                    seen += part.total
                    watch(Record(epoch, round(seen), log_likelihood / part.total), state)
    return state


def late_likelihood(records: list[Record]) -> float:
    """The mean log-likelihood near the end of a pass: it says how good the start was."""
    ends = np.array([record.biterms for record in records])
    logs = np.array([record.log_likelihood for record in records])
    late = ends > LATE * ends[-1]
    return float(np.average(logs[late], weights=np.diff(ends, prepend=0)[late]))


def _round(
    algorithm: Algorithm,
    states: list[Any],
    block: Block,
    prior: Prior,
    rng: np.random.Generator,
    pool: Any,
) -> tuple[list[Any], float]:
    """Learn a block in parts, each in a thread and a state of its own, and merge them.

    The first state stays as it is until then: the others go on from it.
    """
    base, *own = states
    parts = list(block.pieces(-(-len(block.first) // len(own))))
    seeds = rng.integers(np.iinfo(np.int64).max, size=len(parts))
    work = zip(own, parts, map(np.random.default_rng, seeds), strict=False)
    done = list(pool.map(lambda w: algorithm.step(w[0], w[1], prior, w[2]), work))
    own[: len(done)] = [state for state, _ in done]
    return algorithm.synchronize(base, own, prior), sum(part[1] for part in done)


def _warm_up(block: Block, alone: float, size: int) -> Iterator[Block]:
    """The part of a block that one thread learns alone, in pieces, and the rest as it is."""
    n = int(np.clip(np.ceil(alone), 0, len(block.first)))
    yield from block.part(0, n).pieces(size)
    if n < len(block.first):
        yield block.part(n, len(block.first))
