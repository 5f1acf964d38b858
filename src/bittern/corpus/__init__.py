"""Corpora: documents over a vocabulary, and the files they are read from."""

from bittern.corpus.corpus import Corpus
from bittern.corpus.reading import read, read_batches

__all__ = ["Corpus", "read", "read_batches"]
