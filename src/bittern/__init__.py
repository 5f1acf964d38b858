"""bittern: topics in short texts.

import bittern

corpus = bittern.read("answers.csv", text="answer")
model = bittern.BTM(n_topics=20, random_state=0).fit(corpus)
model.topic_info()
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bittern.corpus import Corpus, read
    from bittern.estimator import BTM, load

__all__ = ["BTM", "Corpus", "load", "read"]
__version__ = version("bittern")

_HOME = {
    "BTM": "estimator",
    "Corpus": "corpus",
    "load": "estimator",
    "read": "corpus",
}


def __getattr__(name: str) -> Any:
    """Import late, so that `bittern --help` does not wait for Numba and Polars."""
    if name not in _HOME:
        raise AttributeError(f"module 'bittern' has no attribute {name!r}")
    return getattr(import_module(f"bittern.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
