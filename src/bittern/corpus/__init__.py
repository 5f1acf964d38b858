"""Corpora: documents over a vocabulary, and the files they are read from."""

from typing import TYPE_CHECKING

from bittern._core.lazy import lazy_attributes

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
# listing the formats must not wait for Polars and Numba
__getattr__ = lazy_attributes(__name__, _MODULES)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
