"""Corpora: documents over a vocabulary, and the files they are read from."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bittern.corpus.corpus import Corpus
    from bittern.corpus.reading import read, read_batches
    from bittern.corpus.synthetic import synthetic_corpus, synthetic_texts

__all__ = ["Corpus", "read", "read_batches", "synthetic_corpus", "synthetic_texts"]

_MODULES = {
    "Corpus": "corpus",
    "read": "reading",
    "read_batches": "reading",
    "synthetic_corpus": "synthetic",
    "synthetic_texts": "synthetic",
}


def __getattr__(name: str) -> object:
    """Import late: listing the formats must not wait for Polars and Numba."""
    if name not in _MODULES:
        raise AttributeError(f"module 'bittern.corpus' has no attribute {name!r}")
    return getattr(import_module(f"bittern.corpus.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
