"""The runs of a study, and the points of figures and tables that they give."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from bittern.algorithms import CVB0, SDM, Algorithm, AlphaSDM, Gibbs
from bittern.algorithms.effort import MAX_UPDATES
from bittern.study.protocol import (
    ADAPTIVE,
    ALPHAS,
    COMPARED_ALGORITHMS,
    COOLDOWNS,
    DEFAULT,
    EPOCHS,
    KAPPAS,
    ORDERS,
    PRIORS,
    SHUFFLED_BITERMS,
    Protocol,
)

MAX_DEFAULT_VISITS = 52  # of each biterm, with bittern's default settings
MAX_ALPHA_BITERMS = 2_000_000  # powers are slow, and all alphas train on the same biterms
RELATIVE_COSTS = {"alpha-sdm": 25, "incremental": 17, "online": 0.8, "gibbs": 0.8, "cvb0": 0.8}
"""Rough time of an update per topic, relative to SDM's: for the progress bar."""


@dataclass(frozen=True)
class Run:
    """An algorithm trained on the training biterms or the training texts of one repeat."""

    algorithm: Algorithm[Any]
    n_topics: int
    repeat: int
    order: str = SHUFFLED_BITERMS
    n_biterms: int | None = None
    """Train only on this many biterms."""
    word_prior: str | None = None
    """Hold out texts instead of biterms, and train with this word prior, one of `PRIORS`."""
    watched: bool = False
    """Score it during training, and run nothing else meanwhile: its time is compared."""

    @property
    def name(self) -> str:
        """The name of its file: everything that the result depends on.

        Settings with their default value are omitted, so new settings do not rename old files.
        """
        settings = [
            f"{field.name}={getattr(self.algorithm, field.name)}"
            for field in fields(self.algorithm)  # type: ignore[arg-type]  # every one is a dataclass
            if getattr(self.algorithm, field.name) != field.default
        ]
        parts = [self.algorithm.name, *settings, f"K={self.n_topics}"]
        parts += [self.order.replace(" ", "-")] if self.order != SHUFFLED_BITERMS else []
        parts += [f"biterms={self.n_biterms}"] if self.n_biterms is not None else []
        parts += [f"texts_prior={self.word_prior}"] if self.word_prior is not None else []
        return "_".join([*parts, f"repeat={self.repeat}"])

    def n_updates(self, n_train: int) -> float:
        """Return the number of updates with this many training biterms."""
        n, epochs = min(n_train, self.n_biterms or n_train), self.algorithm.epochs
        if epochs == "auto":
            return max(min(MAX_DEFAULT_VISITS * n, MAX_UPDATES), n)
        return float(n * epochs)

    def cost(self, n_train: int) -> float:
        """Return the expected training time, in arbitrary units."""
        relative = RELATIVE_COSTS.get(self.algorithm.name, 1)
        return self.n_updates(n_train) * self.n_topics * relative


class Point(NamedTuple):
    """A run as a point of an experiment; several experiments may share a run."""

    experiment: str
    label: str
    setting: str
    run: Run


def plan_points(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    """Yield the points of one repeat, those of watched runs first."""
    for n_topics in sorted(protocol.topics, key=lambda n_topics: n_topics != protocol.focus):
        for label, algorithm in COMPARED_ALGORITHMS.items():
            watched = n_topics == protocol.focus
            yield Point("pass", label, "", Run(algorithm, n_topics, repeat, watched=watched))
    if repeat < protocol.side_repeats:
        yield from _reference_points(protocol, repeat, n_train)
        yield from _text_points(protocol, repeat, n_train)
        yield from _ablation_points(protocol, repeat, n_train)


def plan_runs(protocol: Protocol, repeat: int, n_train: int) -> list[Run]:
    """Return the distinct runs of one repeat."""
    runs: dict[str, Run] = {}
    for point in plan_points(protocol, repeat, n_train):
        runs.setdefault(point.run.name, point.run)
    return list(runs.values())


def _reference_points(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    for label, algorithm in protocol.references().items():
        for n_topics in protocol.topics:
            if _is_affordable(algorithm, protocol, n_train) or (
                repeat == 0 and n_topics == protocol.focus
            ):
                yield Point("reference", label, "", Run(algorithm, n_topics, repeat))


def _is_affordable(algorithm: Gibbs | CVB0, protocol: Protocol, n_train: int) -> bool:
    return algorithm.sweeps * n_train <= protocol.max_updates


def _text_points(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    def point(label: str, algorithm: Algorithm[Any], word_prior: str) -> Point:
        run = Run(algorithm, protocol.focus, repeat, word_prior=word_prior)
        return Point("texts", label, word_prior, run)

    references = {
        label: algorithm
        for label, algorithm in protocol.references().items()
        if _is_affordable(algorithm, protocol, n_train)
    }
    for label, algorithm in {**COMPARED_ALGORITHMS, **references}.items():
        for word_prior in PRIORS:
            yield point(label, algorithm, word_prior)
    yield point(DEFAULT, SDM(), ADAPTIVE)


def _ablation_points(protocol: Protocol, repeat: int, n_train: int) -> Iterator[Point]:
    def point(
        experiment: str,
        label: str,
        setting: object,
        algorithm: Algorithm[Any],
        order: str = SHUFFLED_BITERMS,
        n_biterms: int | None = None,
    ) -> Point:
        run = Run(algorithm, protocol.focus, repeat, order, n_biterms)
        return Point(experiment, label, str(setting), run)

    for label, cooldown in (("no cool-down", 0.0), ("cool-down", 0.3)):
        for kappa in KAPPAS:
            yield point("kappa", label, kappa, SDM.paper(kappa=kappa, cooldown=cooldown))
        for epochs in EPOCHS:
            if epochs * n_train <= protocol.max_updates or epochs == 1:
                yield point("epochs", label, epochs, SDM.paper(cooldown=cooldown, epochs=epochs))
        for order in ORDERS:
            yield point("order", label, order, SDM.paper(cooldown=cooldown), order)
    for cooldown in COOLDOWNS:
        yield point("cooldown", "SDM", cooldown, SDM.paper(cooldown=cooldown))
    for alpha in ALPHAS:
        algorithm = AlphaSDM(alpha, epochs=1)
        yield point("alpha", "SDM", alpha, algorithm, n_biterms=MAX_ALPHA_BITERMS)
