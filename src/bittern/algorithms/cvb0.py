"""CVB0: zero-order collapsed variational Bayes, batch."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.memory import check_memory, format_size, parse_size
from bittern._core.numba import (
    PREFETCH_DISTANCE,
    disable_interleaving,
    kernel,
    prefetch_row,
    scratch,
)
from bittern._core.validation import MAX_REPEATS, check_integer
from bittern.algorithms._word_rows import SETTLE_INTERVAL
from bittern.algorithms.contract import (
    Algorithm,
    Prior,
    TopicCounts,
    copy_state,
    log_normalizer,
)
from bittern.biterms import BitermSource, Block, Order
from bittern.errors import InputError


class CVB0State(NamedTuple):
    """The responsibilities of the topics for each biterm, and the expected counts."""

    shares: NDArray[np.float32]  # (M, K): of each distinct biterm; every row sums to 1
    words: NDArray[np.float32]  # (W, K): N_w|k
    biterms: NDArray[np.float64]  # (K,): N_k
    total: float  # biterms


@dataclass(frozen=True, repr=False)
class CVB0(Algorithm[CVB0State]):
    """Zero-order collapsed variational Bayes, in sweeps over all biterms.

    Deterministic after its random start, and of high quality; but it keeps K numbers for each
    distinct biterm. Time O(K) per distinct biterm and sweep, memory O(K (M + W)).

    Parameters
    ----------
    sweeps : int
        Number of times the responsibilities of each biterm are updated.
    max_memory : str or int
        Refuse to start if more memory than this is needed, such as "4GB".
    """

    sweeps: int = 30
    max_memory: str | int = "4GB"

    name: ClassVar[str] = "cvb0"
    state_type = CVB0State
    order: ClassVar[Order] = "merged"

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1, maximum=MAX_REPEATS)
        parse_size(self.max_memory)

    @property
    def epochs(self) -> int:
        """A pass is a sweep."""
        return self.sweeps

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> CVB0State:
        """Draw random responsibilities, uniform among all that sum to 1."""
        merged, n_words = biterms.materialize(), len(biterms.vocabulary)
        needed = 4 * n_topics * (len(merged) + 2 * n_words)
        if needed > parse_size(self.max_memory):
            raise InputError(
                f"cvb0 needs {format_size(needed)} of memory for {len(merged):,} distinct biterms "
                f"and {n_topics} topics but max_memory is {self.max_memory}; raise max_memory, or "
                'use algorithm="sdm", which keeps nothing per biterm'
            )
        check_memory(
            needed, f"{len(merged):,} distinct biterms", "fewer topics, or another algorithm"
        )
        shares = rng.standard_exponential((len(merged), n_topics), dtype=np.float32)
        shares /= shares.sum(axis=1, keepdims=True)
        weight = np.ones(len(merged), np.float32) if merged.weight is None else merged.weight
        words = np.zeros((n_words, n_topics), np.float32)
        counts = np.zeros(n_topics)
        add_shares(merged.first, merged.second, weight, shares, words, counts)
        return CVB0State(shares, words, counts, biterms.total)

    def step(
        self, state: CVB0State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[CVB0State, float]:
        """Update the responsibilities of a block."""
        n = len(block.first)
        weight = np.ones(n, np.float32) if block.weight is None else block.weight
        shares = state.shares[block.start : block.start + n]
        log_likelihood = update_shares(
            block.first, block.second, weight, shares, state.words, state.biterms, prior
        )
        normalizer = log_normalizer(state.total, shares.shape[1], prior)
        return state, log_likelihood - block.total * normalizer

    def topics(self, state: CVB0State, prior: Prior) -> TopicCounts:
        """Return the expected counts; rounding may have left a zero slightly below 0."""
        return TopicCounts(np.maximum(state.biterms, 0), np.maximum(state.words, 0))

    def merge(self, base: CVB0State, parts: list[CVB0State], prior: Prior) -> list[CVB0State]:
        """Add up what each part changed."""
        merged = base._replace(
            shares=base.shares + sum(part.shares - base.shares for part in parts),
            words=base.words + sum(part.words - base.words for part in parts),
            biterms=base.biterms + sum(part.biterms - base.biterms for part in parts),
        )
        return [copy_state(merged, old) for old in (base, *parts)]


@kernel
def add_shares(first: Any, second: Any, weight: Any, shares: Any, words: Any, biterms: Any) -> None:
    """Add the weighted shares of each biterm to the rows of its words, and to biterms."""
    for i in range(len(first)):
        for k in range(shares.shape[1]):
            share = weight[i] * shares[i, k]
            words[first[i], k] += share
            words[second[i], k] += share
            biterms[k] += share


@kernel
def update_shares(
    first: Any, second: Any, weight: Any, shares: Any, words: Any, biterms: Any, prior: Any
) -> Any:
    """Update the shares of each biterm in turn; changes shares, words and biterms.

    share_k ∝ (N_k + gamma) (N_v|k + beta) (N_w|k + beta) / ((2 N_k + W beta) (2 N_k + W beta + 1)),
    where each N is without one such biterm. Returns the weighted sum over biterms of the log of the
    normalizer.
    """
    n_words, n_topics = words.shape
    beta, gamma = np.float32(prior.word), np.float32(prior.topic)
    two, one = np.float32(2), np.float32(1)
    all_words_prior = np.float32(n_words * prior.word)
    q, settled, change = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    settled[:] = biterms
    change[:] = 0
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + PREFETCH_DISTANCE < n:
            prefetch_row(words, first[i + PREFETCH_DISTANCE])
            prefetch_row(words, second[i + PREFETCH_DISTANCE])
        row_v, row_w, old = words[first[i]], words[second[i]], shares[i]
        twice = two if first[i] == second[i] else one
        total = np.float32(0)
        for k in range(n_topics):
            n_k = max(settled[k] + change[k] - old[k], np.float32(0))
            c = two * n_k + all_words_prior
            v = max(row_v[k] - twice * old[k], np.float32(0)) + beta
            w = max(row_w[k] - twice * old[k], np.float32(0)) + beta
            q[k] = (n_k + gamma) / (c * (c + one)) * v * w
            total += q[k]
        log_likelihood += weight[i] * np.log(total)
        for k in range(n_topics):
            new = q[k] / total
            step = weight[i] * (new - old[k])
            old[k] = new
            row_v[k] += step
            row_w[k] += step
            change[k] += step
        if i % SETTLE_INTERVAL == SETTLE_INTERVAL - 1:
            biterms += change
            settled[:] = biterms
            change[:] = 0
    biterms += change
    disable_interleaving()
    return log_likelihood
