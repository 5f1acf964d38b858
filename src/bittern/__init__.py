"""bittern: topics of short texts.

import bittern

corpus = bittern.read("answers.csv", text="answer")
model = bittern.BTM(n_topics=20, random_state=0).fit(corpus)
model.topic_info()
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bittern.corpus.corpus import Corpus
    from bittern.corpus.reading import read
    from bittern.estimator import BTM
    from bittern.fitted.storage import load

__all__ = ["BTM", "Corpus", "load", "read"]
__version__ = version("bittern")

_HOME = {
    "BTM": "estimator",
    "Corpus": "corpus.corpus",
    "load": "fitted.storage",
    "read": "corpus.reading",
}


def __getattr__(name: str) -> Any:
    """Import late: the command line answers --help without waiting for the compiler."""
    if name not in _HOME:
        raise AttributeError(f"module 'bittern' has no attribute {name!r}")
    return getattr(import_module(f"bittern.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
