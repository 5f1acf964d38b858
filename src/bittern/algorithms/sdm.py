"""Stochastic divergence minimization: the paper's algorithm, one pass or a few."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bittern._compile import kernel, prefetch_row, scratch
from bittern.algorithms._kernels import AHEAD, SETTLE
from bittern.algorithms._rows import (
    NEVER,
    add_up,
    find_gains,
    log_kept,
    merge_rows,
    near_uniform,
    step_size,
    step_sizes,
)
from bittern.algorithms.base import OnlineAlgorithm, Prior, Topics, copy_state, log_scale
from bittern.biterms import Block
from bittern.checks import check_kappa, check_number, check_whole
from bittern.corpus_biterms import Pass, Source
from bittern.errors import InputError
from bittern.parallel import in_threads


class State(NamedTuple):
    """What SDM knows: for each word where it belongs, and how much it weighs there."""

    rows: NDArray[np.float32]  # (W, K): the topics of each word; every row sums to 1
    counts: NDArray[np.float64]  # (W,): n_w, how often each word is in a biterm
    left_out: float  # 1, the biterm at hand, where the counts were known beforehand; else 0
    totals: NDArray[np.float64]  # (K,): the sum of mass_w rows_{w,k}; the paper's c_k - W beta
    updates: NDArray[np.int32]  # (W,): t(w), how often a row has been updated
    cooling: NDArray[np.int32]  # (W,): the update with which its cool-down starts

    @property
    def mass(self) -> NDArray[np.float32]:
        """What the rows weigh: the paper's b_{k,w} is mass_w rows_{w,k} + beta."""
        return np.maximum(self.counts - self.left_out, 0).astype(np.float32)


@dataclass(frozen=True)
class SDM(OnlineAlgorithm):
    """Stochastic divergence minimization, the algorithm of the paper.

    Each biterm moves the rows of its two words towards the topics it seems to belong to, by a
    step that shrinks with the number of updates a word has had. Time O(K) per biterm, memory
    O(K W), whatever the number of biterms.

    Parameters
    ----------
    kappa : float
        How fast the steps shrink: the t-th update of a word weighs (1 + t) ** -kappa. In
        (0.5, 1].
    cooldown : float
        The last share of each word's updates in which the row becomes an average instead of a
        fading memory. In [0, 1); 0 is the paper's algorithm.
    epochs : int or "auto"
        Passes over the biterms; "auto" takes 1 on large corpora and up to 10 on small ones. 1
        is the paper's algorithm.
    """

    kappa: float = 0.51
    cooldown: float = 0.3
    epochs: int | Literal["auto"] = "auto"

    name: ClassVar[str] = "sdm"
    state_type: ClassVar[type[Any]] = State
    threads: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_kappa(self.kappa)
        check_number("cooldown", self.cooldown, 0, 1)
        if self.cooldown == 1:
            raise InputError("cooldown must be below 1: something must be learned before it starts")
        if self.epochs != "auto":
            check_whole("epochs", self.epochs, 1, 'or "auto"')

    def passes(self, n_biterms: float) -> int:
        """As many passes as keep the work near twenty million biterms, from 1 to 10."""
        if self.epochs == "auto":
            return int(np.clip(round(2e7 / max(n_biterms, 1)), 1, 10))
        return self.epochs

    def order(self, biterms: Source, rng: np.random.Generator) -> Pass:
        """A new random order in every pass: neighbours must not come from one document."""
        return biterms.shuffled(rng)

    def init(self, biterms: Source, n_topics: int, prior: Prior, rng: np.random.Generator) -> State:
        """Nearly uniform rows, and the cool-down of each word where its updates will end."""
        counts = biterms.counts()
        cooling = np.full(len(counts), NEVER, np.int32)
        if self.cooldown > 0:
            updates = np.ceil((1 - self.cooldown) * counts * self.passes(biterms.total))
            cooling = np.minimum(updates, NEVER).astype(np.int32)
        return _with_totals(
            State(
                rows=near_uniform(len(counts), n_topics, rng),
                counts=counts,
                left_out=1.0,
                totals=np.empty(0),
                updates=np.zeros(len(counts), np.int32),
                cooling=cooling,
            )
        )

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Learn the biterms of a block, one after the other."""
        log_likelihood = learn(
            block.first,
            block.second,
            state.rows,
            state.mass,
            state.totals,
            state.updates,
            state.cooling,
            step_sizes(self.kappa),
            self.kappa,
            *prior,
        )
        scale = log_scale(state.counts.sum() / 2, state.rows.shape[1], prior)
        return state, log_likelihood - len(block.first) * scale

    def topics(self, state: State, prior: Prior) -> Topics:
        """The expected counts: n_w times the row of w; half of its sum over the words."""
        words = state.counts.astype(np.float32)[:, np.newaxis] * state.rows
        return Topics(words.sum(axis=0, dtype=np.float64) / 2, words)

    def grow(self, state: State, biterms: Source, prior: Prior, rng: np.random.Generator) -> State:
        """Count on more data: words weigh more, new ones get a row, nothing cools down any more.

        From here on the biterm at hand is not left out of the counts: with nothing to weigh, a
        new word would never find out of the symmetry of its first row.
        """
        counts = biterms.counts()
        n_topics, n_new = state.rows.shape[1], len(counts) - len(state.rows)
        return _with_totals(
            State(
                rows=np.concatenate([state.rows, near_uniform(n_new, n_topics, rng)]),
                counts=np.pad(state.counts, (0, n_new)) + counts,
                left_out=0.0,
                totals=state.totals,
                updates=np.pad(state.updates, (0, n_new)),
                cooling=np.full(len(counts), NEVER, np.int32),
            )
        )

    def merge(self, base: State, parts: list[State], prior: Prior) -> State:
        """Each row as if the updates of all parts had come one after the other."""
        return self.synchronize(base, parts, prior)[0]

    def synchronize(self, base: State, parts: list[State], prior: Prior) -> list[State]:
        """As `merge`, in as many threads as there are parts."""
        return synchronize(base, parts, self.kappa, ["rows"])


def synchronize(base: Any, parts: list[Any], kappa: float, names: list[str]) -> list[Any]:
    """Merge the rows of those names; `base` and `parts` become the same state."""
    times = np.array([part.updates - base.updates for part in parts])
    gains = np.empty(times.shape, np.float32)
    logs, mass = log_kept(kappa), base.mass

    def work(words: slice) -> NDArray[np.float64]:
        how_often = base.updates[words], times[:, words], base.cooling[words]
        find_gains(*how_often, logs, kappa, gains[:, words])
        for name in names:
            rows = [getattr(part, name)[words] for part in parts]
            merge_rows(getattr(base, name)[words], rows, gains[:, words])
        totals = np.zeros(len(base.totals))
        add_up(base.rows[words], mass[words], totals)
        return totals

    totals = np.sum(in_threads(work, len(mass), len(parts)), axis=0)
    merged = base._replace(updates=base.updates + times.sum(axis=0), totals=totals)
    return [
        copy_state(merged._replace(**{name: getattr(old, name) for name in names}), old)
        for old in (base, *parts)
    ]


def _with_totals(state: State) -> State:
    totals = np.zeros(state.rows.shape[1])
    add_up(state.rows, state.mass, totals)
    return state._replace(totals=totals)


@kernel
def learn(
    first: Any,
    second: Any,
    rows: Any,
    mass: Any,
    totals: Any,
    updates: Any,
    cooling: Any,
    rates: Any,
    kappa: float,
    topic_prior: float,
    word_prior: float,
) -> Any:
    """Learn biterms in their order; changes rows, totals and updates.

    q_k ∝ (t_k / 2 + gamma) (m_v p_v,k + beta) (m_w p_w,k + beta) / (c_k (c_k + 1)) with totals t
    and c_k = t_k + W beta, then p_w += rho (q - p_w) for both words, t following. Gives the sum of
    the logs of q's normalisers.
    """
    n_words, n_topics = rows.shape
    half, one, zero = np.float32(0.5), np.float32(1), np.float32(0)
    beta, gamma = np.float32(word_prior), np.float32(topic_prior)
    all_words_prior = np.float32(n_words * word_prior)
    q, settled, change = scratch(n_topics), scratch(n_topics), scratch(n_topics)
    settled[:] = totals
    change[:] = 0
    log_likelihood, product = 0.0, 1.0
    n = len(first)
    for i in range(n):
        if i + AHEAD < n:
            prefetch_row(rows, first[i + AHEAD])
            prefetch_row(rows, second[i + AHEAD])
        v, w = np.uint32(first[i]), np.uint32(second[i])  # no look at the sign when they index
        row_v, row_w = rows[v], rows[w]
        mass_v, mass_w = mass[v], mass[w]

        weight = np.float32(0)
        for k in range(n_topics):
            t = max(settled[k] + change[k], zero)  # rounding may leave a zero a little below it
            c = t + all_words_prior
            a = half * t + gamma
            b = (mass_v * row_v[k] + beta) * (mass_w * row_w[k] + beta)
            q[k] = a * b / (c * (c + one))
            weight += q[k]
        product *= float(weight)
        if i % 8 == 7:  # one logarithm for eight biterms
            log_likelihood += np.log(product)
            product = 1.0

        rho_v = step_size(updates[v], cooling[v], rates, kappa)
        updates[v] += 1
        rho_w = step_size(updates[w], cooling[w], rates, kappa)
        updates[w] += 1
        if v == w:  # two steps of one row, as one
            rho_v += rho_w - rho_v * rho_w
            rho_w = np.float32(0)
        towards_v, towards_w = rho_v / weight, rho_w / weight
        for k in range(n_topics):
            step_v = towards_v * q[k] - rho_v * row_v[k]
            step_w = towards_w * q[k] - rho_w * row_w[k]
            row_v[k] += step_v
            row_w[k] += step_w
            change[k] += mass_v * step_v + mass_w * step_w

        if i % SETTLE == SETTLE - 1:
            totals += change
            settled[:] = totals
            change[:] = 0
    totals += change
    return log_likelihood + np.log(product)
