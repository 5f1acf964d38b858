"""What a source of biterms offers, and the orders in which algorithms see it."""

from collections.abc import Iterator
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bittern.biterms.biterms import Biterms, Block
from bittern.biterms.texts import Texts

Order = Literal["reshuffled", "shuffled", "grouped", "merged", "sequential"]
"""How an algorithm sees the biterms.

"reshuffled": in a new random order in every pass, not necessarily all in memory;
"shuffled": in one random order for all passes;
"grouped": by word, the more frequent word of each biterm first;
"merged": every distinct biterm once, with its weight, in random order;
"sequential": as they come.
"""


class BitermPass(Protocol):
    """The biterms in the order of one pass."""

    def blocks(self, size: int) -> Iterator[Block]:
        """Yield the biterms in blocks of about `size`."""
        ...


class BitermSource(Protocol):
    """Biterms that can be counted and shuffled; they need not be in memory."""

    @property
    def vocabulary(self) -> list[str]:
        """The words that the biterms are made of."""
        ...

    @property
    def texts(self) -> Texts | None:
        """The texts that all the biterms come from; None if that is not known."""
        ...

    @property
    def total(self) -> float:
        """The sum of the weights; the number of biterms if they have none."""
        ...

    @property
    def n_tokens(self) -> float:
        """The number of tokens of the texts; biterms without texts are texts of two words each."""
        ...

    def counts(self) -> NDArray[np.float64]:
        """Count how often each word occurs in a biterm (n_w)."""
        ...

    def materialize(self) -> Biterms:
        """Return all biterms in memory, document by document."""
        ...

    def shuffled(self, rng: np.random.Generator) -> BitermPass:
        """Return all biterms in a random order."""
        ...


def arrange(biterms: BitermSource, order: Order, rng: np.random.Generator) -> BitermSource:
    """Prepare the biterms, once, for an algorithm that sees them in this order."""
    if order == "reshuffled":
        return biterms
    if order == "shuffled":
        return biterms.materialize().shuffled(rng)
    if order == "sequential":
        return biterms.materialize().repeated(rng)
    if order == "grouped":
        return biterms.materialize().repeated(rng).grouped()
    merged = biterms.materialize().merged()
    return merged[rng.permutation(len(merged))]


def next_pass(arranged: BitermSource, order: Order, rng: np.random.Generator) -> BitermPass:
    """Return arranged biterms in the order of the next pass."""
    return arranged.shuffled(rng) if order == "reshuffled" else arranged.materialize()
