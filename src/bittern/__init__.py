"""bittern: topics in short texts.

import bittern

corpus = bittern.read("answers.csv", text="answer")
model = bittern.BTM(n_topics=20, random_state=0).fit(corpus)
model.topic_info()
"""

from importlib.metadata import version
from typing import TYPE_CHECKING

from bittern._core.lazy import lazy_attributes

if TYPE_CHECKING:
    from bittern.corpus import Corpus, read
    from bittern.estimator import BTM, load

__all__ = ["BTM", "Corpus", "load", "read"]
__version__ = version("bittern")

# so that `bittern --help` does not wait for Numba and Polars
_MODULES = {"BTM": "estimator", "Corpus": "corpus", "load": "estimator", "read": "corpus"}
__getattr__ = lazy_attributes(__name__, _MODULES)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
