"""Table 1: time per biterm and memory, measured while one quantity varies."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from bittern.algorithms import Algorithm, IncrementalBTM, OnlineBTM, Trainer
from bittern.biterms import Biterms, arrange, time_slices
from bittern.study.measures import n_bytes
from bittern.study.protocol import COMPARED_ALGORITHMS, Protocol

N_BITERMS = 50_000  # twice as many where their number is doubled
N_TOPICS = 100
TOPIC_NUMBERS = (25, 50, 100, 200, 400)
REJUVENATIONS = (5, 10, 20, 40)
SLICE_NUMBERS = (16, 8, 4, 2)
N_ROUNDS = 3  # the fastest counts

PAPER_COSTS = {
    "SDM": ("O(K)", "O(K(1+W))"),
    "SCVB0": ("O(K)", "O(K(1+W))"),
    "iBTM": ("O(R)", "O(K(1+W)+B_t)"),
    "oBTM": ("O(B_t(1+KW))", "O(K(1+W)+N_B)"),
}
"""Time of an update and memory in the paper's Table 1."""

CORRECTED_COSTS = {
    "SDM": ("O(K)", "O(K(1+W))"),
    "SCVB0": ("O(K)", "O(K(1+W))"),
    "iBTM": ("O(RK)", "O(K(1+W)+N_B)"),
    "oBTM": ("O(K) per sweep, O(KW) per slice", "O(K(1+W)+B_t)"),
}
"""The same, corrected: the memory of iBTM and oBTM is swapped, and a draw looks at K topics."""


class Cost(NamedTuple):
    """A measurement: nanoseconds per biterm, or bytes stored, where `varies` has this value."""

    algorithm: str
    unit: str
    varies: str
    value: int
    measured: float


def measure_costs(protocol: Protocol, biterms: Biterms) -> Iterator[Cost]:
    """Yield all measurements of the table."""
    doubled = drop_unused_words(biterms[: 2 * N_BITERMS])
    for label in PAPER_COSTS:
        yield from _measure_times(label, doubled[: len(doubled) // 2], protocol)
        yield from _measure_sizes(label, doubled, protocol)


def find_cost(costs: pl.DataFrame, label: str, unit: str, varies: str, value: int) -> float:
    """Return one measurement of the table."""
    rows = costs.filter(
        (pl.col("algorithm") == label)
        & (pl.col("unit") == unit)
        & (pl.col("varies") == varies)
        & (pl.col("value") == value)
    )
    return float(rows["measured"][0])


def bytes_per_biterm(costs: pl.DataFrame, label: str, of_slice: bool = False) -> float:
    """Return the memory that one more biterm in the corpus, or in each slice, needs."""
    sizes = costs.filter((pl.col("unit") == "bytes") & (pl.col("algorithm") == label))
    base = sizes.filter(pl.col("varies") == "")["measured"][0]
    more = sizes.filter(pl.col("varies") == ("slice" if of_slice else "biterms"))
    return float((more["measured"][0] - base) / (more["value"][0] / 2))


def doubling_ratio(times: pl.DataFrame, varies: str, value: int | None) -> float:
    """Return the ratio of times when `varies` grows from `value` to twice that.

    None is the last doubling.
    """
    rows = times.filter(pl.col("varies") == varies).sort("value")["value", "measured"]
    before = len(rows) - 2 if value is None else rows["value"].to_list().index(value)
    return float(rows["measured"][before + 1] / rows["measured"][before])


def drop_unused_words(biterms: Biterms) -> Biterms:
    """Return the same biterms over a vocabulary of only their own words."""
    words, indices = np.unique(np.concatenate([biterms.first, biterms.second]), return_inverse=True)
    first, second = np.split(indices.astype(np.int32), 2)
    return Biterms(first, second, [biterms.vocabulary[word] for word in words])


def _measure_times(label: str, biterms: Biterms, protocol: Protocol) -> Iterator[Cost]:
    """Yield times per biterm for growing numbers of topics, rejuvenations and slice sizes."""
    algorithm = COMPARED_ALGORITHMS[label]
    cases = [("topics", n_topics, algorithm, n_topics) for n_topics in TOPIC_NUMBERS]
    if isinstance(algorithm, IncrementalBTM):
        cases += [
            ("rejuvenation", n, replace(algorithm, rejuvenation=n), N_TOPICS) for n in REJUVENATIONS
        ]
    if isinstance(algorithm, OnlineBTM):
        cases += [
            ("slice", len(biterms) // n, replace(algorithm, slices=n), N_TOPICS)
            for n in SLICE_NUMBERS
        ]
    for varies, value, variant, n_topics in cases:
        times = [_nanoseconds(variant, biterms, n_topics, protocol) for _ in range(N_ROUNDS)]
        yield Cost(label, "nanoseconds", varies, value, min(times))


def _measure_sizes(label: str, doubled: Biterms, protocol: Protocol) -> Iterator[Cost]:
    """Yield the memory before and after doubling one quantity, with slices of the same size."""
    algorithm = COMPARED_ALGORITHMS[label]
    biterms, n_words = doubled[: len(doubled) // 2], len(doubled.vocabulary)
    more_words = Biterms(biterms.first, biterms.second, [*doubled.vocabulary, *["-"] * n_words])
    same_slices, more_cases = algorithm, []
    if isinstance(algorithm, OnlineBTM):
        assert isinstance(algorithm.slices, int)
        same_slices = replace(algorithm, slices=2 * algorithm.slices)
        n_slices = algorithm.slices // 2
        larger = replace(algorithm, slices=n_slices)
        more_cases = [("slice", len(biterms) // n_slices, larger, biterms, N_TOPICS)]
    for varies, value, variant, data, n_topics in [
        ("", 0, algorithm, biterms, N_TOPICS),
        ("topics", 2 * N_TOPICS, algorithm, biterms, 2 * N_TOPICS),
        ("words", 2 * n_words, algorithm, more_words, N_TOPICS),
        ("biterms", len(doubled), same_slices, doubled, N_TOPICS),
        *more_cases,
    ]:
        yield Cost(label, "bytes", varies, value, _bytes_stored(variant, data, n_topics, protocol))


def _nanoseconds(
    algorithm: Algorithm[Any], biterms: Biterms, n_topics: int, protocol: Protocol
) -> float:
    """Training time per biterm, without the first state; with slices, that of the second one."""
    rng = np.random.default_rng(protocol.seed)
    trainer = Trainer(algorithm, n_topics, protocol.prior(n_topics), rng)
    (name, first), *others = time_slices(biterms, algorithm.slices)
    trained = trainer.fit([(name, first)])
    if not others:
        return 1e9 * trainer.clock.seconds / len(first)
    _, second = others[0]
    before = trainer.clock.seconds
    trainer.update(trained, second)
    return 1e9 * (trainer.clock.seconds - before) / len(second)


def _bytes_stored(
    algorithm: Algorithm[Any], biterms: Biterms, n_topics: int, protocol: Protocol
) -> int:
    """The size of the state and of the biterms that are seen again."""
    prior, rng = protocol.prior(n_topics), np.random.default_rng(protocol.seed)
    _, first = time_slices(biterms, algorithm.slices)[0]
    arranged = arrange(first, algorithm.order, rng)
    several = int(algorithm.epochs) > 1
    seen_again = first.first.nbytes + first.second.nbytes if several else 0
    return n_bytes(algorithm.init(arranged, n_topics, prior, rng)) + seen_again
