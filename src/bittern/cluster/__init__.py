"""Training and applying topic models on several processes or machines."""

from bittern.cluster.applying import quality, score, timeline, transform
from bittern.cluster.engines import ClusterLostError, Engine, WorkerLostError, open_engine
from bittern.cluster.training import fit

__all__ = [
    "ClusterLostError",
    "Engine",
    "WorkerLostError",
    "fit",
    "open_engine",
    "quality",
    "score",
    "timeline",
    "transform",
]
