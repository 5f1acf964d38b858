"""The runs that a study consists of, and what each of them is a point of."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from bittern.algorithms import SDM, AlphaSDM, resolve_epochs
from bittern.study.protocol import ALPHAS, COMPARED, COOLDOWNS, EPOCHS, KAPPAS, ORDERS, Protocol

MOST_FOR_ALPHA = 2_000_000  # biterms: powers are slow, and all alphas learn the same
COSTS = {"alpha-sdm": 25, "incremental": 17, "online": 0.8, "gibbs": 0.8, "cvb0": 0.8}
"""The time of an update for each topic, roughly, as times of SDM's: for the progress bar."""


@dataclass(frozen=True)
class Run:
    """An algorithm learns the training biterms of one repeat."""

    algorithm: Any
    n_topics: int
    repeat: int
    order: str = ORDERS[0]
    n_biterms: int | None = None
    """Learn only so many."""
    watched: bool = False
    """It is looked at midway, and nothing else runs meanwhile: its seconds are to be compared."""

    @property
    def name(self) -> str:
        """A name for its file, from all that its result depends on.

        Of the settings it has those that are not the default: one that is added later changes none.
        """
        settings = [
            f"{field.name}={getattr(self.algorithm, field.name)}"
            for field in fields(self.algorithm)
            if getattr(self.algorithm, field.name) != field.default
        ]
        parts = [self.algorithm.name, *settings, f"K={self.n_topics}"]
        parts += [self.order.replace(" ", "-")] if self.order != ORDERS[0] else []
        parts += [f"biterms={self.n_biterms}"] if self.n_biterms is not None else []
        return "_".join([*parts, f"repeat={self.repeat}"])

    def updates(self, n_train: int) -> float:
        """How many there will be."""
        n = min(n_train, self.n_biterms or n_train)
        return float(n * resolve_epochs(self.algorithm.epochs, n))

    def cost(self, n_train: int) -> float:
        """How long it will take, in some unit."""
        return self.updates(n_train) * self.n_topics * COSTS.get(self.algorithm.name, 1)


class Point(NamedTuple):
    """A run as a point of a figure; several figures may show the same run."""

    experiment: str
    label: str
    setting: str
    run: Run


def points(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    """The points of one repeat: those of watched runs come first."""
    for n_topics in sorted(protocol.topics, key=lambda n_topics: n_topics != protocol.focus):
        for label, algorithm in COMPARED.items():
            watched = n_topics == protocol.focus
            yield Point("pass", label, "", Run(algorithm, n_topics, repeat, watched=watched))
    if repeat < protocol.side_repeats:
        yield from _references(protocol, repeat, n_train)
        yield from _ablations(protocol, repeat, n_train)


def _references(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    for label, algorithm in protocol.references().items():
        few = algorithm.sweeps * n_train <= protocol.most_updates
        for n_topics in protocol.topics:
            if few or (repeat == 0 and n_topics == protocol.focus):
                yield Point("reference", label, "", Run(algorithm, n_topics, repeat))


def _ablations(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    def point(experiment: str, label: str, setting: Any, algorithm: Any, **how: Any) -> Point:
        run = Run(algorithm, protocol.focus, repeat, **how)
        return Point(experiment, label, str(setting), run)

    for label, cooldown in (("no cool-down", 0.0), ("cool-down", 0.3)):
        for kappa in KAPPAS:
            yield point("kappa", label, kappa, SDM(kappa, cooldown, epochs=1))
        for epochs in EPOCHS:
            if epochs * n_train <= protocol.most_updates or epochs == 1:
                yield point("epochs", label, epochs, SDM(0.51, cooldown, epochs))
        for order in ORDERS:
            yield point("order", label, order, SDM(0.51, cooldown, epochs=1), order=order)
    for cooldown in COOLDOWNS:
        yield point("cooldown", "SDM", cooldown, SDM(0.51, cooldown, epochs=1))
    for alpha in ALPHAS:
        algorithm = AlphaSDM(alpha, epochs=1)
        yield point("alpha", "SDM", alpha, algorithm, n_biterms=MOST_FOR_ALPHA)
