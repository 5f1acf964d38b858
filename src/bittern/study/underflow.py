"""What becomes of SCVB0's lazy scale when nobody takes care of it."""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from bittern.algorithms import SCVB0, Prior, copy_state, estimate
from bittern.algorithms.scvb0 import SCVB0State
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms.biterms import Biterms

N_TOPICS = 20
STEPS = 12_000_000
BLOCK = 500_000
SOME_MORE = 2  # blocks after the end
SAMPLE = 100_000  # held-out biterms


class Unguarded(SCVB0):
    """SCVB0 as the paper describes it: the scale becomes ever smaller, the rows ever larger."""

    min_scale: ClassVar[float] = 0.0


class Point(NamedTuple):
    """After so many steps: log10 of the scale, and the held-out score if it is a number still."""

    algorithm: str
    steps: int
    log_scale: float
    held_out: float | None


def trace(train: Biterms, test: Biterms, prior: Prior, seed: int) -> Iterator[Point]:
    """SCVB0 with and without its guard on the same biterms, pass after pass, until one breaks."""
    algorithms = {"guarded": SCVB0(), "unguarded": Unguarded()}
    rng = np.random.default_rng(seed)
    start = SCVB0().init(train, N_TOPICS, prior, rng)
    states = {name: copy_state(start) for name in algorithms}
    log_scale, steps, broken = 0.0, 0, 0
    while steps < STEPS and broken < SOME_MORE:
        for block in train.shuffled(rng).blocks(BLOCK):
            sizes = SCVB0().step_sizes(steps, steps + len(block.first))
            log_scale += float(np.log10(1 - sizes).sum())
            steps += len(block.first)
            for name, algorithm in algorithms.items():
                states[name], _ = algorithm.step(states[name], block, prior, rng)
                held_out = _score(algorithm, states[name], test[:SAMPLE], prior)
                yield Point(name, steps, log_scale, held_out)
            broken += held_out is None
            if steps >= STEPS or broken == SOME_MORE:
                break


def _score(algorithm: SCVB0, state: SCVB0State, test: Biterms, prior: Prior) -> float | None:
    if not (np.isfinite(state.rows).all() and np.isfinite(state.biterms).all()):
        return None
    theta, phi = estimate(algorithm.topics(state, prior), prior)
    return log_likelihood(theta, phi.T, test)


def steps_to(algorithm: SCVB0, smallest: float) -> float:
    """About how many steps take the scale below `smallest`.

    Its logarithm is -sum (t + tau)^-kappa, nearly an integral.
    """
    tau, power = algorithm.tau, 1 - algorithm.kappa
    if power == 0:
        return tau / smallest
    with np.errstate(over="ignore"):
        return float((tau**power - power * np.log(smallest)) ** (1 / power) - tau)
