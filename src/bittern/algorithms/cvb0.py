"""CVB0: zero-order collapsed variational inference, batch."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._core.memory import format_size, parse_size
from bittern._core.numba import kernel, prefetch_row, scratch
from bittern._core.validation import check_integer
from bittern.algorithms._gibbs_kernels import AHEAD, SETTLE
from bittern.algorithms.contract import Algorithm, Prior, Topics, log_scale
from bittern.biterms.biterms import Biterms, Block
from bittern.biterms.lazy import Source
from bittern.errors import InputError


class State(NamedTuple):
    """How each biterm is shared out among the topics, and the expected counts."""

    shares: NDArray[np.float32]  # (M, K): of each different biterm; every row sums to 1
    words: NDArray[np.float32]  # (W, K): N_w|k
    biterms: NDArray[np.float64]  # (K,): N_k
    total: float  # biterms


@dataclass(frozen=True)
class CVB0(Algorithm):
    """Zero-order collapsed variational inference, in sweeps over all biterms.

    Deterministic after its random start, and of high quality; but it keeps K numbers for each
    different biterm. Time O(K) per different biterm and sweep, memory O(K (M + W)).

    Parameters
    ----------
    sweeps : int
        How often the shares of each biterm are worked out anew.
    max_memory : str or int
        The most memory it may take, such as "4GB"; if it needs more it says so and does not start.
    """

    sweeps: int = 30
    max_memory: str | int = "4GB"

    name: ClassVar[str] = "cvb0"
    state_type: ClassVar[type[Any]] = State

    def __post_init__(self) -> None:
        check_integer("sweeps", self.sweeps, 1)
        parse_size(self.max_memory)

    def passes(self, n_biterms: float) -> int:
        """A pass is a sweep."""
        return self.sweeps

    def arrange(self, biterms: Source, n_topics: int, rng: np.random.Generator) -> Biterms:
        """Equal biterms have equal shares: each once, with its weight, in random order."""
        merged = biterms.materialize().merged()
        return merged[rng.permutation(len(merged))]

    def init(
        self, biterms: Biterms, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> State:
        """Random shares, uniform among all that sum to 1."""
        n_words = len(biterms.vocabulary)
        needed = 4 * n_topics * (len(biterms) + 2 * n_words)
        allowed = parse_size(self.max_memory)
        if needed > allowed:
            raise InputError(
                f"cvb0 would need {format_size(needed)} for {len(biterms):,} different biterms and "
                f"{n_topics} topics, and may take {format_size(allowed)}: allow more with "
                'max_memory, or take "sdm", which needs none per biterm'
            )
        shares = rng.standard_exponential((len(biterms), n_topics), dtype=np.float32)
        shares /= shares.sum(axis=1, keepdims=True)
        weight = np.ones(len(biterms), np.float32) if biterms.weight is None else biterms.weight
        words = np.zeros((n_words, n_topics), np.float32)
        counts = np.zeros(n_topics)
        add_up(biterms.first, biterms.second, weight, shares, words, counts)
        return State(shares, words, counts, biterms.total)

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Work out the shares of a block's biterms anew."""
        shares = state.shares[block.start : block.start + len(block.first)]
        weight = np.ones(len(shares), np.float32) if block.weight is None else block.weight
        log_likelihood = share_out(
            block.first, block.second, weight, shares, state.words, state.biterms, *prior
        )
        scale = log_scale(state.total, shares.shape[1], prior)
        return state, log_likelihood - block.total * scale

    def topics(self, state: State, prior: Prior) -> Topics:
        """The expected counts; adding up may have left a zero a little below zero."""
        return Topics(np.maximum(state.biterms, 0), np.maximum(state.words, 0))

    def merge(self, base: State, parts: list[State], prior: Prior) -> State:
        """The expected counts change by the sum of what each part changed."""
        return base._replace(
            shares=base.shares + sum(part.shares - base.shares for part in parts),
            words=base.words + sum(part.words - base.words for part in parts),
            biterms=base.biterms + sum(part.biterms - base.biterms for part in parts),
        )


@kernel
def add_up(first: Any, second: Any, weight: Any, shares: Any, words: Any, biterms: Any) -> None:
    """Add the weighted shares of each biterm to the rows of its words, and to biterms."""
    for i in range(len(first)):
        for k in range(shares.shape[1]):
            share = weight[i] * shares[i, k]
            words[first[i], k] += share
            words[second[i], k] += share
            biterms[k] += share


@kernel
def share_out(
    first: Any,
    second: Any,
    weight: Any,
    shares: Any,
    words: Any,
    biterms: Any,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Work out the shares of each biterm in turn; changes shares, words and biterms.

    share_k ∝ (N_k + gamma) (N_v|k + beta) (N_w|k + beta) / (2 N_k + W beta) (2 N_k + W beta + 1),
    where each N is without one such biterm. Gives the weighted sum of the logs of the normalisers.
    """
    n_words, n_topics = words.shape
    beta, gamma = np.float32(word_prior), np.float32(topic_prior)
    two, one = np.float32(2), np.float32(1)
    all_words_prior = np.float32(n_words * word_prior)
    q, settled, change = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    settled[:] = biterms
    change[:] = 0
    log_likelihood = 0.0
    n = len(first)
    for i in range(n):
        if i + AHEAD < n:
            prefetch_row(words, first[i + AHEAD])
            prefetch_row(words, second[i + AHEAD])
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
        if i % SETTLE == SETTLE - 1:
            biterms += change
            settled[:] = biterms
            change[:] = 0
    biterms += change
    return log_likelihood
