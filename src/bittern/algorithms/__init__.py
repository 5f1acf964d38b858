"""Inference algorithms behind one small contract, and the loop that trains them."""

import inspect
from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import takewhile
from typing import Any

from bittern.algorithms.alpha import AlphaSDM
from bittern.algorithms.changes import Changes, combine_changes
from bittern.algorithms.contract import (
    Algorithm,
    Auto,
    Background,
    Distributable,
    Editable,
    Field,
    Growable,
    Mergeable,
    Prior,
    Refinable,
    Sliced,
    TopicCounts,
    copy_state,
    estimate,
)
from bittern.algorithms.cvb0 import CVB0
from bittern.algorithms.driver import Progress, Record, Trained, Trainer
from bittern.algorithms.effort import algorithm_effort, count_updates, resolve_starts
from bittern.algorithms.gibbs import Gibbs
from bittern.algorithms.incremental import IncrementalBTM
from bittern.algorithms.online import OnlineBTM
from bittern.algorithms.priors import DataSize, adaptive_word_prior
from bittern.algorithms.resources import Resources, check_state_memory, plan_resources
from bittern.algorithms.scvb0 import SCVB0
from bittern.algorithms.sdm import SDM
from bittern.algorithms.slices import Slice, counts_after
from bittern.errors import InputError

__all__ = [
    "ALGORITHMS",
    "CVB0",
    "SCVB0",
    "SDM",
    "Algorithm",
    "AlphaSDM",
    "Auto",
    "Background",
    "Changes",
    "DataSize",
    "Distributable",
    "Editable",
    "Field",
    "Gibbs",
    "Growable",
    "IncrementalBTM",
    "Mergeable",
    "OnlineBTM",
    "Prior",
    "Progress",
    "Record",
    "Refinable",
    "Resources",
    "Slice",
    "Sliced",
    "TopicCounts",
    "Trained",
    "Trainer",
    "adaptive_word_prior",
    "algorithm_effort",
    "check_state_memory",
    "combine_changes",
    "copy_state",
    "count_updates",
    "counts_after",
    "describe_settings",
    "estimate",
    "make_algorithm",
    "plan_resources",
    "resolve_starts",
    "with_settings",
]

ALGORITHMS: dict[str, type[Any]] = {
    algorithm.name: algorithm
    for algorithm in (SDM, SCVB0, CVB0, Gibbs, OnlineBTM, IncrementalBTM, AlphaSDM)
}


def make_algorithm(name: str, settings: Mapping[str, Any] | None = None) -> Algorithm[Any]:
    """Create an algorithm by name, with these settings and defaults for the others.

    Parameters
    ----------
    name : str
        A name such as "sdm".
    settings : dict, optional
        Settings of the algorithm.

    Returns
    -------
    Algorithm

    Examples
    --------
    >>> from bittern.algorithms import make_algorithm
    >>> make_algorithm("scvb0", {"tau": 500})
    SCVB0(tau=500)
    """
    if name not in ALGORITHMS:
        raise InputError(f'unknown algorithm "{name}"; choose from {", ".join(ALGORITHMS)}')
    return with_settings(ALGORITHMS[name](), settings or {})


def with_settings(algorithm: Algorithm[Any], changes: Mapping[str, Any]) -> Algorithm[Any]:
    """Return an algorithm with some settings changed.

    Parameters
    ----------
    algorithm : Algorithm
        An algorithm, which does not change.
    changes : dict
        New settings.

    Returns
    -------
    Algorithm

    Examples
    --------
    >>> from bittern.algorithms import SDM, with_settings
    >>> with_settings(SDM(kappa=0.7), {"background": 0.3})
    SDM(kappa=0.7, background=0.3)
    """
    known: Any = algorithm  # a dataclass, as all algorithms are
    names = [field.name for field in fields(known)]
    for setting in changes:
        if setting not in names:
            raise InputError(
                f'algorithm "{algorithm.name}" has no setting "{setting}"; '
                f"available: {', '.join(names)}"
            )
    changed: Algorithm[Any] = replace(known, **changes)
    return changed


def describe_settings() -> dict[str, str]:
    """Return the meaning and defaults of all algorithms' settings, from their docstrings."""
    algorithms: dict[str, dict[str, list[str]]] = {}  # by setting and meaning
    for name, algorithm in ALGORITHMS.items():
        lines = (inspect.getdoc(algorithm) or "").splitlines()
        for field in fields(algorithm):
            start = next(i for i, line in enumerate(lines) if line.startswith(f"{field.name} :"))
            indented = takewhile(lambda line: line.startswith(" "), lines[start + 1 :])
            meaning = f"{' '.join(line.strip() for line in indented)} Default: {field.default}."
            algorithms.setdefault(field.name, {}).setdefault(meaning, []).append(name)
    return {
        setting: " ".join(f"{', '.join(names)}: {meaning}" for meaning, names in meanings.items())
        for setting, meanings in algorithms.items()
    }
