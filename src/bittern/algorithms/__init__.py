"""The inference algorithms, by name."""

from typing import Any

from bittern.algorithms.base import Prior, Record, Topics, estimate, run
from bittern.algorithms.sdm import SDM

ALGORITHMS: dict[str, type[Any]] = {algorithm.name: algorithm for algorithm in (SDM,)}

__all__ = ["ALGORITHMS", "SDM", "Prior", "Record", "Topics", "estimate", "run"]
