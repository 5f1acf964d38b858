"""Functions that tests run on workers; engines send them by name."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from bittern.algorithms import SDM
from bittern.errors import InputError

kept: dict[str, int] = {}


def add(*numbers):
    return sum(sum(n) if isinstance(n, list) else n for n in numbers)


def remember(name):
    """Count the calls with this name in this process."""
    kept[name] = kept.get(name, 0) + 1
    return kept[name]


def process_id():
    return os.getpid()


def fail(message):
    raise InputError(message)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(flag, part, mortal):
    """Die if this is the mortal part and the file `flag` does not exist yet."""
    if part == mortal and not Path(flag).exists():
        Path(flag).touch()
        die()
    return part


def sleep(seconds):
    time.sleep(seconds)
    return seconds


def length(value):
    return len(value)


class Tracked:
    """A value that counts how many of it have arrived in a process and are still there."""

    n_alive = 0

    def __reduce__(self):
        return (arrive, ())

    def __del__(self):
        Tracked.n_alive -= 1


def arrive():
    Tracked.n_alive += 1
    return Tracked()


def count_tracked(*values):
    return Tracked.n_alive


@dataclass(frozen=True)
class MortalSDM(SDM):
    """SDM whose worker dies in a round, once: when the file `flag` does not exist yet."""

    flag: str = ""

    def step(self, state, block, prior, rng):
        """Die after the warm-up, or train."""
        if state.updates.sum() > 0 and not Path(self.flag).exists():
            Path(self.flag).touch()
            die()
        return super().step(state, block, prior, rng)


@dataclass(frozen=True)
class SlowSDM(SDM):
    """SDM that takes its time, so that something can happen meanwhile."""

    seconds: float = 0.2

    def step(self, state, block, prior, rng):
        """Wait, then train."""
        time.sleep(self.seconds)
        return super().step(state, block, prior, rng)
