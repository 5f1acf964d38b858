"""The inference algorithms, by name."""

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bittern.algorithms.alpha import AlphaSDM
from bittern.algorithms.contract import Algorithm, OnlineAlgorithm, Prior, Record, Topics, estimate
from bittern.algorithms.cvb0 import CVB0
from bittern.algorithms.driver import late_likelihood, run
from bittern.algorithms.gibbs import Gibbs
from bittern.algorithms.incremental import IncrementalBTM
from bittern.algorithms.online import OnlineBTM
from bittern.algorithms.scvb0 import SCVB0
from bittern.algorithms.sdm import SDM
from bittern.errors import InputError

ALGORITHMS: dict[str, type[Any]] = {
    algorithm.name: algorithm
    for algorithm in (SDM, SCVB0, CVB0, Gibbs, OnlineBTM, IncrementalBTM, AlphaSDM)
}

__all__ = [
    "ALGORITHMS",
    "CVB0",
    "SCVB0",
    "SDM",
    "Algorithm",
    "AlphaSDM",
    "Gibbs",
    "IncrementalBTM",
    "OnlineAlgorithm",
    "OnlineBTM",
    "Prior",
    "Record",
    "Topics",
    "estimate",
    "late_likelihood",
    "make",
    "run",
    "settings",
]


def make(name: str, given: Mapping[str, Any] | None = None) -> Any:
    """The algorithm of that name, with these settings and its own defaults for the others."""
    if name not in ALGORITHMS:
        raise InputError(f'there is no algorithm "{name}": choose from {", ".join(ALGORITHMS)}')
    known = [field.name for field in fields(ALGORITHMS[name])]
    for setting in given or {}:
        if setting not in known:
            raise InputError(
                f'the algorithm "{name}" has no setting "{setting}": it has {", ".join(known)}'
            )
    return ALGORITHMS[name](**(given or {}))


def settings() -> dict[str, str]:
    """What the settings of all algorithms mean, from their docstrings, with their defaults."""
    meanings: dict[str, str] = {}
    for name, algorithm in ALGORITHMS.items():
        lines = (inspect.getdoc(algorithm) or "").splitlines()
        for field in fields(algorithm):
            start = next(i for i, line in enumerate(lines) if line.startswith(f"{field.name} :"))
            meaning = []
            for line in lines[start + 1 :]:
                if not line.startswith(" "):
                    break
                meaning.append(line.strip())
            text = f"{name}: {' '.join(meaning)} Default: {field.default}."
            meanings[field.name] = " ".join(filter(None, [meanings.get(field.name), text]))
    return meanings
