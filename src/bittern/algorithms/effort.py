"""How much training a corpus gets by default: random starts, passes and sweeps."""

from typing import Any, NamedTuple

import numpy as np

from bittern._core.memory import check_memory
from bittern.algorithms.contract import Algorithm, Auto, Refinable
from bittern.biterms import BitermSource

MAX_UPDATES = 5e7  # biterms that are visited by all starts, passes and sweeps, about
SWEEPS = 16
MIN_SWEEPS = 4  # fewer are not worth the memory
MAX_STARTS = 8
TRIAL_SWEEPS = 4  # of each start, before the best one continues
MAX_EVIDENCE = 1 << 30  # bytes
MAX_PASS_UPDATES = 2e7  # without sweeps
MAX_EPOCHS = 10


class Effort(NamedTuple):
    """Passes over the biterms, and sweeps over the texts after them."""

    epochs: int
    sweeps: int


def plan_effort(epochs: Auto, sweeps: Auto, biterms: BitermSource, n_topics: int) -> Effort:
    """Return the passes and sweeps; "auto" keeps them within about 50 million updates.

    Sweeps need texts, and memory for their evidence. Where there is no room or no time for them,
    several passes take their place.
    """
    total, texts, n_bytes = max(biterms.total, 1), biterms.texts, evidence_bytes(biterms, n_topics)
    if texts is None:
        sweeps = 0
    elif sweeps == "auto":
        affordable = min(int(MAX_UPDATES / total) - 1, SWEEPS)
        sweeps = affordable if affordable >= MIN_SWEEPS and n_bytes <= _room(biterms) else 0
    elif sweeps > 0:
        check_memory(n_bytes, f"sweeps over {len(texts.tokens):,} words", "sweeps=0")
    if epochs == "auto":
        passes = int(np.clip(round(MAX_PASS_UPDATES / total), 1, MAX_EPOCHS))
        epochs = 1 if sweeps > 0 else passes
    return Effort(epochs, sweeps)


def evidence_bytes(biterms: BitermSource, n_topics: int) -> int:
    """Return the memory that the evidence of the texts takes."""
    return 0 if biterms.texts is None else 4 * n_topics * len(biterms.texts.tokens)


def starts_at_once(biterms: BitermSource, n_topics: int) -> int:
    """Return how many starts have room at the same time, besides the best one and the latest."""
    return int(_room(biterms) / max(evidence_bytes(biterms, n_topics), 1)) - 2


def _room(biterms: BitermSource) -> int:
    """Return the bytes that evidence may take."""
    limit = None if biterms.texts is None else biterms.texts.max_bytes
    return MAX_EVIDENCE if limit is None else min(MAX_EVIDENCE, limit)


def algorithm_effort(algorithm: Algorithm[Any], biterms: BitermSource, n_topics: int) -> Effort:
    """Return the passes and sweeps of an algorithm."""
    sweeps = algorithm.sweeps if isinstance(algorithm, Refinable) else 0
    return plan_effort(algorithm.epochs, sweeps, biterms, n_topics)


def resolve_starts(n_init: Auto, effort: Effort, biterms: BitermSource, n_topics: int) -> int:
    """Return the number of random starts; "auto" is as many as can be afforded, up to eight."""
    if n_init != "auto":
        return n_init
    if effort.sweeps == 0 or starts_at_once(biterms, n_topics) < 1:
        return 1
    trials = min(TRIAL_SWEEPS, effort.sweeps)
    left = MAX_UPDATES / max(biterms.total, 1) - (effort.sweeps - trials)
    return int(np.clip(left / (effort.epochs + trials), 1, MAX_STARTS))


def count_updates(effort: Effort, n_biterms: float, n_init: int) -> float:
    """Return the number of biterms that a fit visits."""
    if n_init == 1:
        return (effort.epochs + effort.sweeps) * n_biterms
    if effort.sweeps == 0:  # each start is trained for one pass
        return (effort.epochs + n_init - 1) * n_biterms
    trials = min(TRIAL_SWEEPS, effort.sweeps)
    return (n_init * (effort.epochs + trials) + effort.sweeps - trials) * n_biterms
