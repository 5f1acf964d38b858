"""Biterms: pairs of words that occur close together in a document."""

from bittern.biterms.biterms import Biterms, Block, extract_biterms
from bittern.biterms.lazy import LazyBiterms
from bittern.biterms.slices import PERIODS, time_slices
from bittern.biterms.source import BitermPass, BitermSource, Order, arrange, next_pass
from bittern.biterms.texts import Texts, check_window
from bittern.biterms.validation import check_biterms

__all__ = [
    "PERIODS",
    "BitermPass",
    "BitermSource",
    "Biterms",
    "Block",
    "LazyBiterms",
    "Order",
    "Texts",
    "arrange",
    "check_biterms",
    "check_window",
    "extract_biterms",
    "next_pass",
    "time_slices",
]
