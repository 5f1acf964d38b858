"""Biterms: pairs of words that occur close together in a document."""

from bittern.biterms.biterms import Biterms, Block, extract_biterms
from bittern.biterms.lazy import LazyBiterms

__all__ = ["Biterms", "Block", "LazyBiterms", "extract_biterms"]
