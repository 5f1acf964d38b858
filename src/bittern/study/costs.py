"""Table 1: what a biterm costs and what must be kept in memory, measured while one thing varies."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bittern.algorithms import OnlineBTM, Trainer, resolve_epochs
from bittern.biterms import Biterms, arrange, time_slices
from bittern.study.measures import n_bytes
from bittern.study.protocol import COMPARED, Protocol

BITERMS = 50_000  # to learn; where they are doubled, twice that
N_TOPICS = 100
TOPICS = (25, 50, 100, 200, 400)
REJUVENATIONS = (5, 10, 20, 40)
SLICES = (16, 8, 4, 2)  # the fewer, the larger
ROUNDS = 3  # the fastest of them counts

PAPER = {
    "SDM": ("O(K)", "O(K(1+W))"),
    "SCVB0": ("O(K)", "O(K(1+W))"),
    "iBTM": ("O(R)", "O(K(1+W)+B_t)"),
    "oBTM": ("O(B_t(1+KW))", "O(K(1+W)+N_B)"),
}
"""What the paper's Table 1 says of update cost and memory."""

CORRECT = {
    "SDM": ("O(K)", "O(K(1+W))"),
    "SCVB0": ("O(K)", "O(K(1+W))"),
    "iBTM": ("O(RK)", "O(K(1+W)+N_B)"),
    "oBTM": ("O(K) a sweep, O(KW) a slice", "O(K(1+W)+B_t)"),
}
"""What it should say: it has swapped the memory of iBTM and oBTM, and a draw looks at K topics."""


class Cost(NamedTuple):
    """A measurement: nanoseconds per biterm, or bytes kept, where `varies` has that value."""

    algorithm: str
    unit: str
    varies: str
    value: int
    measured: float


def costs(protocol: Protocol, biterms: Biterms) -> Iterator[Cost]:
    """All measurements for the table."""
    many = compact(biterms[: 2 * BITERMS])
    for label in PAPER:
        yield from _times(label, many[: len(many) // 2], protocol)
        yield from _sizes(label, many, protocol)


def _times(label: str, biterms: Biterms, protocol: Protocol) -> Iterator[Cost]:
    algorithm = COMPARED[label]
    cases = [("topics", n_topics, algorithm, n_topics) for n_topics in TOPICS]
    if label == "iBTM":
        cases += [
            ("rejuvenation", n, replace(algorithm, rejuvenation=n), N_TOPICS) for n in REJUVENATIONS
        ]
    if label == "oBTM":
        cases += [
            ("slice", len(biterms) // n, replace(algorithm, slices=n), N_TOPICS) for n in SLICES
        ]
    for varies, value, config, n_topics in cases:
        times = [_nanoseconds(config, biterms, n_topics, protocol) for _ in range(ROUNDS)]
        yield Cost(label, "nanoseconds", varies, value, min(times))


def _sizes(label: str, many: Biterms, protocol: Protocol) -> Iterator[Cost]:
    """The bytes before and after doubling one thing; a slice stays as it is while others double."""
    algorithm = COMPARED[label]
    biterms, n_words = many[: len(many) // 2], len(many.vocabulary)
    more_words = Biterms(biterms.first, biterms.second, [*many.vocabulary, *["-"] * n_words])
    online = isinstance(algorithm, OnlineBTM)
    smaller = replace(algorithm, slices=2 * algorithm.slices) if online else algorithm
    cases = [
        ("", 0, algorithm, biterms, N_TOPICS),
        ("topics", 2 * N_TOPICS, algorithm, biterms, 2 * N_TOPICS),
        ("words", 2 * n_words, algorithm, more_words, N_TOPICS),
        ("biterms", len(many), smaller, many, N_TOPICS),
    ]
    if online:
        larger = replace(algorithm, slices=algorithm.slices // 2)
        cases.append(("slice", len(biterms) // larger.slices, larger, biterms, N_TOPICS))
    for varies, value, config, data, n_topics in cases:
        yield Cost(label, "bytes", varies, value, _bytes_kept(config, data, n_topics, protocol))


def _nanoseconds(algorithm: Any, biterms: Biterms, n_topics: int, protocol: Protocol) -> float:
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


def _bytes_kept(algorithm: Any, biterms: Biterms, n_topics: int, protocol: Protocol) -> int:
    """The size of the state and of the biterms that are seen again."""
    prior, rng = protocol.prior(n_topics), np.random.default_rng(protocol.seed)
    _, first = time_slices(biterms, algorithm.slices)[0]
    arranged = arrange(first, algorithm.order, rng)
    several = resolve_epochs(algorithm.epochs, first.total) > 1
    seen_again = first.first.nbytes + first.second.nbytes if several else 0
    return n_bytes(algorithm.init(arranged, n_topics, prior, rng)) + seen_again


def compact(biterms: Biterms) -> Biterms:
    """The same biterms over the words that they have."""
    words, places = np.unique(np.concatenate([biterms.first, biterms.second]), return_inverse=True)
    first, second = np.split(places.astype(np.int32), 2)
    return Biterms(first, second, [biterms.vocabulary[word] for word in words])
