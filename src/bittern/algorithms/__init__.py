"""Inference algorithms behind one small contract, and the loop that trains them."""

from bittern.algorithms.alpha import AlphaSDM
from bittern.algorithms.contract import (
    Algorithm,
    Background,
    Editable,
    Growable,
    Mergeable,
    Prior,
    SliceCounts,
    TopicCounts,
    copy_state,
    estimate,
    resolve_epochs,
)
from bittern.algorithms.cvb0 import CVB0
from bittern.algorithms.driver import Progress, Record, Trained, Trainer
from bittern.algorithms.gibbs import Gibbs
from bittern.algorithms.incremental import IncrementalBTM
from bittern.algorithms.online import OnlineBTM
from bittern.algorithms.registry import ALGORITHMS, describe_settings, make_algorithm
from bittern.algorithms.resources import Resources, check_state_memory, plan_resources
from bittern.algorithms.scvb0 import SCVB0
from bittern.algorithms.sdm import SDM
from bittern.algorithms.slices import Slice, counts_after

__all__ = [
    "ALGORITHMS",
    "CVB0",
    "SCVB0",
    "SDM",
    "Algorithm",
    "AlphaSDM",
    "Background",
    "Editable",
    "Gibbs",
    "Growable",
    "IncrementalBTM",
    "Mergeable",
    "OnlineBTM",
    "Prior",
    "Progress",
    "Record",
    "Resources",
    "Slice",
    "SliceCounts",
    "TopicCounts",
    "Trained",
    "Trainer",
    "check_state_memory",
    "copy_state",
    "counts_after",
    "describe_settings",
    "estimate",
    "make_algorithm",
    "plan_resources",
    "resolve_epochs",
]
