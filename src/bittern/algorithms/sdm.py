"""Stochastic divergence minimization: the paper's algorithm, one pass or a few."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, cast
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel, prefetch_row, scratch
from bittern._core.threads import map_slices
from bittern._core.validation import are_indices, check_integer, check_kappa, check_number
from bittern.algorithms._background import learn_with_background
from bittern.algorithms._gibbs_kernels import AHEAD, SETTLE
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
from bittern.algorithms.contract import OnlineAlgorithm, Prior, Topics, copy_state, log_scale
from bittern.biterms.biterms import Block
from bittern.biterms.lazy import Pass, Source
from bittern.errors import InputError
from bittern.fitted.topics import renumber_columns


class State(NamedTuple):
    """What SDM knows: for each word where it belongs, and how much it weighs there."""

    rows: NDArray[np.float32]  # (W, K): the topics of each word; with no background they sum to 1
    counts: NDArray[np.float64]  # (W,): n_w, how often each word is in a biterm
    left_out: float  # 1, the biterm at hand, where the counts were known beforehand; else 0
    totals: NDArray[np.float64]  # (K,): the sum of mass_w rows_{w,k}; the paper's c_k - W beta
    updates: NDArray[np.int32]  # (W,): t(w), how often a row has been updated
    cooling: NDArray[np.int32]  # (W,): the update with which its cool-down starts
    seeds: NDArray[np.int32]  # (W,): 1 + the topic that a word is a seed of, or 0; none: (0,)

    @property
    def mass(self) -> NDArray[np.float32]:
        """What the rows weigh: the paper's b_{k,w} is mass_w rows_{w,k} + beta."""
        return np.maximum(self.counts - self.left_out, 0).astype(np.float32)

    @property
    def frequencies(self) -> NDArray[np.float32]:
        """The share of each word in all biterms."""
        return np.asarray(self.counts / max(self.counts.sum(), 1), np.float32)


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
    background : float
        The probability that a word of a biterm is not from its topic but from the corpus as a
        whole, with the frequency that it has there: it takes what is everywhere, and leaves the
        topics what is their own. In [0, 1); try 0.2. 0 is the paper's algorithm.
    seed_words : dict or str or None
        Words that are to be in a topic: {"sports": ["game", "team"], "politics": ["vote"]}, or
        "sports=game,team;politics=vote". These topics come first, in that order.
    seed_share : float
        The share of a seed word that stays with its topic, whatever the data say. In [0, 1).
    """

    kappa: float = 0.51
    cooldown: float = 0.3
    epochs: int | Literal["auto"] = "auto"
    background: float = 0.0
    seed_words: Mapping[str, Sequence[str]] | str | None = None
    seed_share: float = 0.5

    name: ClassVar[str] = "sdm"
    state_type: ClassVar[type[Any]] = State
    threads: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_kappa(self.kappa)
        check_number("cooldown", self.cooldown, 0, 1)
        if self.cooldown == 1:
            raise InputError("cooldown must be below 1: something must be learned before it starts")
        if self.epochs != "auto":
            check_integer("epochs", self.epochs, 1, 'or "auto"')
        check_number("seed_share", self.seed_share, 0, 1)
        if self.seed_share == 1:
            raise InputError("seed_share must be below 1: something must be left to learn")
        check_number("background", self.background, 0, 1)
        if self.background == 1:
            raise InputError("background must be below 1: something must be left to the topics")
        object.__setattr__(self, "seed_words", parse_seeds(self.seed_words))

    @property
    def topic_names(self) -> dict[int, str]:
        """The topics that have a name before anything is learned."""
        return dict(enumerate(self.seed_words or {}))

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
        seeds = self._seeds(biterms.vocabulary)
        if biterms.total > 0:
            self._warn_of_unknown_seeds(biterms.vocabulary)
        if seeds.max(initial=0) > n_topics:
            raise InputError(f"{seeds.max()} topics have seeds, of {n_topics}: take more")
        return _with_totals(
            State(
                rows=self._plant(near_uniform(len(counts), n_topics, rng), seeds),
                counts=counts,
                left_out=1.0,
                totals=np.empty(0),
                updates=np.zeros(len(counts), np.int32),
                cooling=cooling,
                seeds=seeds,
            )
        )

    def _seeds(self, vocabulary: list[str]) -> NDArray[np.int32]:
        """The topic that each word is a seed of."""
        seed_words = cast(dict[str, list[str]] | None, self.seed_words)
        if not seed_words:
            return np.empty(0, np.int32)
        topics = {word: topic for topic, words in enumerate(seed_words.values()) for word in words}
        return np.array([topics.get(word, -1) + 1 for word in vocabulary], np.int32)

    def _warn_of_unknown_seeds(self, vocabulary: list[str]) -> None:
        seed_words = cast(dict[str, list[str]] | None, self.seed_words) or {}
        unknown = {word for words in seed_words.values() for word in words} - set(vocabulary)
        if unknown:
            warn(f"no text has the seed words {', '.join(sorted(unknown))}", stacklevel=2)

    def _plant(self, rows: NDArray[np.float32], seeds: NDArray[np.int32]) -> NDArray[np.float32]:
        """The rows with the seeds' share in their topics, in place."""
        for word in np.flatnonzero(seeds):
            rows[word] *= np.float32(1 - self.seed_share)
            rows[word, seeds[word] - 1] += np.float32(self.seed_share)
        return rows

    def step(
        self, state: State, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[State, float]:
        """Learn the biterms of a block, one after the other."""
        arguments = (
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
            state.seeds if len(state.seeds) else None,
            self.seed_share,
        )
        if self.background == 0:
            log_likelihood = learn(*arguments)
            n_biterms = state.counts.sum() / 2
        else:
            log_likelihood = learn_with_background(*arguments, state.frequencies, self.background)
            n_biterms = state.totals.sum() / 2
        scale = log_scale(n_biterms, state.rows.shape[1], prior)
        return state, log_likelihood - len(block.first) * scale

    def topics(self, state: State, prior: Prior) -> Topics:
        """The expected counts: n_w times the row of w; half of its sum over the words."""
        words = state.counts.astype(np.float32)[:, np.newaxis] * state.rows
        return Topics(words.sum(axis=0, dtype=np.float64) / 2, words)

    def drawn(self, phi: NDArray[np.float32], state: State) -> NDArray[np.float32]:
        """The topics as words are drawn from them: with the background."""
        if self.background == 0:
            return phi
        h = np.float32(self.background)
        mixed: NDArray[np.float32] = (1 - h) * phi
        mixed += h * state.frequencies
        return mixed

    def grow(self, state: State, biterms: Source, prior: Prior, rng: np.random.Generator) -> State:
        """Count on more data: words weigh more, new ones get a row, nothing cools down any more.

        From here on the biterm at hand is not left out of the counts: with nothing to weigh, a
        new word would never find out of the symmetry of its first row.
        """
        counts = biterms.counts()
        n_topics, n_old = state.rows.shape[1], len(state.rows)
        n_new = len(counts) - n_old
        if not are_indices(state.seeds, n_topics + 1):
            raise InputError("the seeds of the model are damaged: fit it anew")
        seeds = self._grown_seeds(state, biterms.vocabulary)
        rows = self._plant(near_uniform(n_new, n_topics, rng), seeds[n_old:])
        return _with_totals(
            State(
                rows=np.concatenate([state.rows, rows]),
                counts=np.pad(state.counts, (0, n_new)) + counts,
                left_out=0.0,
                totals=state.totals,
                updates=np.pad(state.updates, (0, n_new)),
                cooling=np.full(len(counts), NEVER, np.int32),
                seeds=seeds,
            )
        )

    def _grown_seeds(self, state: State, vocabulary: list[str]) -> NDArray[np.int32]:
        """The seeds of more words; topics have the numbers that the seeds known so far have."""
        if len(state.seeds) == 0:
            return state.seeds
        seeds = self._seeds(vocabulary)
        numbers = np.arange(seeds.max(initial=0) + 1, dtype=np.int32)
        numbers[numbers > state.rows.shape[1]] = 0
        numbers[seeds[: len(state.seeds)]] = state.seeds
        return numbers[seeds]

    def renumber(self, state: State, numbers: NDArray[np.int64]) -> State:
        """Rows with fewer topics; what was with topics that go is shared out among the others."""
        rows = renumber_columns(state.rows, numbers)
        all_of_it, left = (x.sum(axis=1, keepdims=True) for x in (state.rows, rows))
        none = left <= 0
        rows = np.where(none, 1 / rows.shape[1], rows / np.where(none, 1, left)) * all_of_it
        seeds = np.concatenate([[0], numbers + 1])[state.seeds].astype(np.int32)
        return _with_totals(state._replace(rows=rows.astype(np.float32), seeds=seeds))

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

    totals = np.sum(map_slices(work, len(mass), len(parts)), axis=0)
    merged = base._replace(updates=base.updates + times.sum(axis=0), totals=totals)
    return [
        copy_state(merged._replace(**{name: getattr(old, name) for name in names}), old)
        for old in (base, *parts)
    ]


def parse_seeds(given: Mapping[str, Sequence[str]] | str | None) -> dict[str, list[str]] | None:
    """Seed words by the names of their topics, checked."""
    if given is None:
        return None
    if isinstance(given, str):
        parts = [part.partition("=") for part in given.split(";") if part.strip()]
        given = {name.strip(): words.replace(" ", "").split(",") for name, _, words in parts}
    if not isinstance(given, Mapping):
        raise InputError('seed_words must be like {"sports": ["game", "team"]}')
    seeds: dict[str, list[str]] = {}
    for name, words in given.items():
        if isinstance(words, str) or not words or not all(words):
            raise InputError(f'the topic "{name}" needs a list of seed words')
        seeds[str(name)] = [str(word) for word in words]
    for word, n in Counter(word for words in seeds.values() for word in words).items():
        if n > 1:
            raise InputError(
                f'the seed word "{word}" is there twice: a word is a seed of one topic'
            )
    return seeds


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
    seeds: Any,
    seed_share: float,
) -> Any:
    """Learn biterms in their order; changes rows, totals and updates.

    q_k ∝ (t_k / 2 + gamma) (m_v p_v,k + beta) (m_w p_w,k + beta) / (c_k (c_k + 1)) with totals t
    and c_k = t_k + W beta, then p_w += rho (q - p_w) for both words, t following. A seed moves
    towards (1 - share) q, and towards its topic for the rest. Gives the sum of the logs of q's
    normalisers.
    """
    n_words, n_topics = rows.shape
    half, one, zero = np.float32(0.5), np.float32(1), np.float32(0)
    share = np.float32(seed_share)
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
        if seeds is not None:  # None is a type of its own: its code has no such branch
            towards_v *= one - share if seeds[v] > 0 else one
            towards_w *= one - share if seeds[w] > 0 else one
        for k in range(n_topics):
            step_v = towards_v * q[k] - rho_v * row_v[k]
            step_w = towards_w * q[k] - rho_w * row_w[k]
            row_v[k] += step_v
            row_w[k] += step_w
            change[k] += mass_v * step_v + mass_w * step_w
        if seeds is not None:
            if seeds[v] > 0:
                row_v[seeds[v] - 1] += share * rho_v
                change[seeds[v] - 1] += mass_v * share * rho_v
            if seeds[w] > 0:
                row_w[seeds[w] - 1] += share * rho_w
                change[seeds[w] - 1] += mass_w * share * rho_w

        if i % SETTLE == SETTLE - 1:
            totals += change
            settled[:] = totals
            change[:] = 0
    totals += change
    return log_likelihood + np.log(product)
