"""SCVB0's lazy scale, with and without the guard against underflow."""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from bittern.algorithms import SCVB0, Prior, copy_state, estimate
from bittern.algorithms.scvb0 import SCVB0State
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import Biterms

N_TOPICS = 20
MAX_STEPS = 12_000_000
BLOCK_SIZE = 500_000
BLOCKS_AFTER_BREAKDOWN = 2
SAMPLE_SIZE = 100_000  # held-out biterms


class UnguardedSCVB0(SCVB0):
    """SCVB0 as in the paper: the scale shrinks and the rows grow without limit."""

    min_scale: ClassVar[float] = 0.0


class UnderflowPoint(NamedTuple):
    """After some steps: log10 of the scale, and the held-out score, None if it is not finite."""

    algorithm: str
    steps: int
    log_scale: float
    held_out: float | None


def trace_underflow(
    train: Biterms, test: Biterms, prior: Prior, seed: int
) -> Iterator[UnderflowPoint]:
    """Train SCVB0 with and without its guard, on the same biterms, until one breaks down."""
    algorithms = {"guarded": SCVB0(), "unguarded": UnguardedSCVB0()}
    rng = np.random.default_rng(seed)
    start = SCVB0().init(train, N_TOPICS, prior, rng)
    states = {name: copy_state(start) for name in algorithms}
    log_scale, steps, broken = 0.0, 0, 0
    while steps < MAX_STEPS and broken < BLOCKS_AFTER_BREAKDOWN:
        for block in train.shuffled(rng).blocks(BLOCK_SIZE):
            sizes = SCVB0().step_sizes(steps, steps + len(block.first))
            log_scale += float(np.log10(1 - sizes).sum())
            steps += len(block.first)
            for name, algorithm in algorithms.items():
                states[name], _ = algorithm.step(states[name], block, prior, rng)
                held_out = _score(algorithm, states[name], test[:SAMPLE_SIZE], prior)
                yield UnderflowPoint(name, steps, log_scale, held_out)
            broken += held_out is None
            if steps >= MAX_STEPS or broken == BLOCKS_AFTER_BREAKDOWN:
                break


def steps_until(algorithm: SCVB0, scale: float) -> float:
    """Return about how many steps it takes until the scale falls below this value.

    The logarithm of the scale is -sum (t + tau)^-kappa, which is nearly an integral.
    """
    tau, power = algorithm.tau, 1 - algorithm.kappa
    if power == 0:
        return tau / scale
    with np.errstate(over="ignore"):
        return float((tau**power - power * np.log(scale)) ** (1 / power) - tau)


def _score(algorithm: SCVB0, state: SCVB0State, test: Biterms, prior: Prior) -> float | None:
    """The held-out likelihood, or None if the state is not finite."""
    if not (np.isfinite(state.rows).all() and np.isfinite(state.biterms).all()):
        return None
    theta, phi = estimate(algorithm.topics(state, prior), prior)
    return log_likelihood(theta, phi.T, test)
