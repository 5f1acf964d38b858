"""Stochastic divergence minimization: the paper's algorithm, in one pass or a few."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bittern._core.arrays import sum_columns
from bittern._core.threads import map_slices
from bittern._core.validation import (
    MAX_REPEATS,
    are_indices,
    check_integer,
    check_kappa,
    check_number,
)
from bittern.algorithms._sdm_kernel import Seeds, StepSizes, train
from bittern.algorithms._text_sweep import count_biterms, sum_evidence, sweep
from bittern.algorithms._word_rows import (
    NEVER,
    add_totals,
    add_updates,
    find_gains,
    log_kept,
    merge_rows,
    near_uniform,
    step_sizes,
)
from bittern.algorithms.changes import Changes, apply_changes, find_changes
from bittern.algorithms.contract import (
    MAX_COUNT,
    Algorithm,
    Auto,
    Background,
    Field,
    Prior,
    TopicCounts,
    check_total,
    copy_state,
    log_normalizer,
)
from bittern.algorithms.effort import plan_effort
from bittern.algorithms.priors import DataSize, left_out_fraction
from bittern.algorithms.seeds import SeedWords, parse_seeds, seed_topics, warn_unknown_seeds
from bittern.biterms import BitermSource, Block, Order, Texts
from bittern.errors import InputError

BACKGROUND = 0.15


class SDMState(NamedTuple):
    """For each word, its topics and its weight."""

    rows: NDArray[np.float32]  # (W, K): the topics of each word; without background they sum to 1
    counts: NDArray[np.float64]  # (W,): n_w, how often each word is in a biterm
    left_out: float  # of each count in the weights, for the current biterm; 0 for later data
    totals: NDArray[np.float64]  # (K,): the sum of mass_w rows_w,k; the paper's c_k - W beta
    updates: NDArray[np.int32]  # (W,): t(w), how often a row has been updated
    cooling: NDArray[np.int32]  # (W,): the update with which the cool-down starts
    seeds: NDArray[np.int32]  # (W,): 1 + the topic that a word is a seed of, or 0; none: (0,)
    background: float = 0.0  # the probability of the background, where it is set to "auto"

    @property
    def mass(self) -> NDArray[np.float32]:
        """The weight of each row: the paper's b_k,w is mass_w rows_w,k + beta."""
        return np.maximum(self.counts - self.left_out, 0).astype(np.float32)

    @property
    def frequencies(self) -> NDArray[np.float32]:
        """The relative frequency of each word in all biterms."""
        return np.asarray(self.counts / max(self.counts.sum(), 1), np.float32)


@dataclass(frozen=True, repr=False)
class SDM(Algorithm[SDMState]):
    """Stochastic divergence minimization, the algorithm of the paper.

    Each biterm moves the rows of its two words toward the topics it seems to belong to, by a step
    that shrinks with the number of updates a word has had. Time O(K) per biterm, memory O(K W),
    regardless of the number of biterms. On small corpora, sweeps over the texts follow, which also
    need O(K) memory per word of the texts. `SDM.paper()` is the algorithm of the paper alone.

    Parameters
    ----------
    kappa : float
        How fast step sizes shrink: update t of a word has step size (1 + t) ** -kappa. In
        (0.5, 1].
    cooldown : float
        Fraction of each word's updates, at the end, in which its row becomes an average instead of
        a fading memory. In [0, 1); 0 is the paper's algorithm.
    epochs : int or "auto"
        Passes over the biterms; "auto" uses 1 if sweeps follow or the corpus is large, and up to 10
        otherwise. 1 is the paper's algorithm.
    sweeps : int or "auto"
        Sweeps over the texts after the passes. Each text is compared with all others, without its
        own contribution. "auto" uses up to 16 on small corpora and none on large ones; biterms
        without texts have none. 0 is the paper's algorithm.
    leave_out : {"text", "biterm"}
        What to leave out of the word counts when a biterm is compared with them: as much as a whole
        text contributes, or the biterm alone, as in the paper.
    background : float or "auto"
        Probability that a word of a biterm comes from the corpus as a whole, by its frequency,
        instead of from the topic. It absorbs words that are frequent everywhere. In [0, 1); "auto"
        is 0.15 if sweeps follow, and otherwise 0, as in the paper's algorithm.
    seed_words : dict or str or None
        Words that belong to a topic: {"sports": ["game", "team"], "politics": ["vote"]}, or
        "sports=game,team;politics=vote". These topics come first, in this order.
    seed_share : float
        Fraction of a seed word that stays in its topic, regardless of the data. In [0, 1).
    """

    kappa: float = 0.51
    cooldown: float = 0.3
    epochs: Auto = "auto"
    sweeps: Auto = "auto"
    leave_out: Literal["text", "biterm"] = "text"
    background: float | Literal["auto"] = "auto"
    seed_words: SeedWords | str | None = None
    seed_share: float = 0.5

    name: ClassVar[str] = "sdm"
    state_type = SDMState
    order: ClassVar[Order] = "reshuffled"
    parallel: ClassVar[bool] = True
    layout: ClassVar[Mapping[str, Field]] = {
        "rows": Field("float32", "WK", high=2),
        "counts": Field("float64", "W"),
        "left_out": Field("float64"),
        "totals": Field("float64", "K", low=-MAX_COUNT),  # rounding may leave a zero below 0
        "updates": Field("int32", "W", high=NEVER),
        "cooling": Field("int32", "W", high=NEVER),
        "seeds": Field("int32", "W", high="K", may_be_empty=True),
        "background": Field("float64", high=0.999),
    }

    def __post_init__(self) -> None:
        check_kappa(self.kappa)
        for name in ("cooldown", "background", "seed_share"):
            value = getattr(self, name)
            if name == "background" and value == "auto":
                continue
            check_number(name, value, 0, 1)
            if value == 1:
                raise InputError(f"{name} must be less than 1")
        for name, lowest in (("epochs", 1), ("sweeps", 0)):
            if getattr(self, name) != "auto":
                check_integer(name, getattr(self, name), lowest, 'or "auto"', MAX_REPEATS)
        if self.leave_out not in ("text", "biterm"):
            raise InputError(f'leave_out must be "text" or "biterm", not {self.leave_out!r}')
        object.__setattr__(self, "seed_words", parse_seeds(self.seed_words))

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """Return the algorithm of the paper: one pass, and none of bittern's additions.

        Parameters
        ----------
        **changes
            Settings that differ from the paper's.

        Returns
        -------
        SDM

        Examples
        --------
        >>> from bittern.algorithms import SDM
        >>> SDM.paper(kappa=0.7).epochs
        1
        """
        settings = {"cooldown": 0.0, "epochs": 1, "sweeps": 0, "background": 0.0}
        return cls(**(settings | {"leave_out": "biterm"} | changes))

    @property
    def topic_names(self) -> Mapping[int, str]:
        """The names of the seeded topics."""
        return dict(enumerate(self._seed_words or {}))

    @property
    def _seed_words(self) -> SeedWords | None:
        assert not isinstance(self.seed_words, str)  # parsed when the settings were created
        return self.seed_words

    def check_state(self, state: SDMState) -> None:
        """Reject more words than float32 can add up."""
        check_total(state.counts)

    def init(
        self, biterms: BitermSource, n_topics: int, prior: Prior, rng: np.random.Generator
    ) -> SDMState:
        """Start from nearly uniform rows; cool each word down at the end of its updates."""
        counts = biterms.counts()
        cooling = np.full(len(counts), NEVER, np.int32)
        epochs, sweeps = plan_effort(self.epochs, self.sweeps, biterms, n_topics)
        if self.cooldown > 0:
            updates = np.ceil((1 - self.cooldown) * counts * epochs)
            cooling = np.minimum(updates, NEVER).astype(np.int32)
        left_out = 1.0
        if self.leave_out == "text":
            size = DataSize.of(biterms)
            left_out = max(left_out_fraction(size) * size.biterms_per_token, 1.0)
        seeds = seed_topics(self._seed_words, biterms.vocabulary)
        if biterms.total > 0:
            warn_unknown_seeds(self._seed_words, biterms.vocabulary)
        n_seeded = len(self._seed_words or {})  # also those whose words do not occur
        if n_seeded > n_topics:
            raise InputError(
                f"{n_seeded} topics have seed words but n_topics is {n_topics}; "
                "use more topics or fewer seeds"
            )
        return _with_totals(
            SDMState(
                rows=self._plant(near_uniform(len(counts), n_topics, rng), seeds),
                counts=counts,
                left_out=left_out,
                totals=np.empty(0),
                updates=np.zeros(len(counts), np.int32),
                cooling=cooling,
                seeds=seeds,
                background=BACKGROUND if sweeps > 0 else 0.0,
            )
        )

    def step(
        self, state: SDMState, block: Block, prior: Prior, rng: np.random.Generator
    ) -> tuple[SDMState, float]:
        """Train on the biterms of a block, one after the other."""
        seeds = self._seeds(state)
        steps = StepSizes(step_sizes(self.kappa), self.kappa)
        background = self._background(state)
        log_likelihood = train(block, state, state.mass, steps, prior, seeds, background)
        if background is None:
            normalizer = log_normalizer(state.counts.sum() / 2, state.rows.shape[1], prior)
            log_likelihood -= len(block.first) * normalizer
        return state, log_likelihood

    def first_evidence(self, state: SDMState, texts: Texts) -> NDArray[np.float32]:
        """Give each token the row of its word, for every biterm that it is part of."""
        degrees = np.zeros(len(texts.tokens), np.float32)
        count_biterms(*texts[:4], degrees)
        evidence = state.rows[texts.tokens]
        evidence *= degrees[:, np.newaxis]
        return evidence

    def sweep(
        self,
        state: SDMState,
        texts: Texts,
        order: NDArray[np.int64],
        evidence: NDArray[np.float32],
        step: float,
        prior: Prior,
    ) -> float:
        """Visit the texts one after the other, each one left out of the counts."""
        size = DataSize(state.counts.sum() / 2, texts.n_tokens, int((state.counts > 0).sum()))
        left_out = left_out_fraction(size)
        if self.leave_out == "biterm":
            left_out = min(1 / size.biterms_per_token, 1.0)
        totals = np.zeros(state.rows.shape[1])
        add_totals(state.rows, state.counts, totals)
        return float(
            sweep(
                texts,
                order,
                state.counts,
                state.rows,
                totals,
                evidence,
                step,
                left_out,
                prior,
                self._seeds(state),
                self._background(state),
            )
        )

    def with_evidence(
        self, state: SDMState, texts: Texts, evidence: NDArray[np.float32]
    ) -> SDMState:
        """Make the rows the mean of the evidence of each word."""
        sum_evidence(texts.tokens, evidence, state.counts, state.rows)
        return _with_totals(state)

    def topics(self, state: SDMState, prior: Prior) -> TopicCounts:
        """Return n_w times the row of each word."""
        words = state.counts.astype(np.float32)[:, np.newaxis] * state.rows
        return TopicCounts(
            words.sum(axis=0, dtype=np.float64) / 2, words, background=self._background(state)
        )

    def grow(
        self, state: SDMState, biterms: BitermSource, prior: Prior, rng: np.random.Generator
    ) -> SDMState:
        """Add the counts of more data; new words get rows, and nothing cools down any more.

        From here on the current biterm is not left out of the counts: without any weight, a new
        word would never leave the symmetry of its first row.
        """
        counts = biterms.counts()
        n_topics, n_old = state.rows.shape[1], len(state.rows)
        n_new = len(counts) - n_old
        if not are_indices(state.seeds, n_topics + 1):
            raise InputError("the seed words of the model are damaged; call fit() again")
        seeds = self._grow_seeds(state, biterms.vocabulary)
        rows = self._plant(near_uniform(n_new, n_topics, rng), seeds[n_old:])
        return _with_totals(
            SDMState(
                rows=np.concatenate([state.rows, rows]),
                counts=np.pad(state.counts, (0, n_new)) + counts,
                left_out=0.0,
                totals=state.totals,
                updates=np.pad(add_updates(state.updates, np.zeros(n_old)), (0, n_new)),
                cooling=np.full(len(counts), NEVER, np.int32),
                seeds=seeds,
                background=state.background,
            )
        )

    def merge(self, base: SDMState, parts: list[SDMState], prior: Prior) -> list[SDMState]:
        """Merge rows as if the updates of all parts had followed each other."""
        return merge_states(base, parts, self.kappa, ["rows"])

    def changes(self, base: SDMState, part: SDMState) -> Changes:
        """Return what a part has changed in the rows."""
        return find_changes(base, part, self.kappa, ["rows"])

    def with_changes(self, state: SDMState, changes: Changes) -> SDMState:
        """Move the rows as all updates together would have moved them."""
        apply_changes(state, changes, self.kappa, ["rows"])
        return _with_totals(state)

    def renumber(self, state: SDMState, numbers: NDArray[np.int64]) -> SDMState:
        """Merge columns; what was in removed topics is shared among the others."""
        rows = sum_columns(state.rows, numbers)
        before, left = (x.sum(axis=1, keepdims=True) for x in (state.rows, rows))
        none = left <= 0
        rows = np.where(none, 1 / rows.shape[1], rows / np.where(none, 1, left)) * before
        seeds = np.concatenate([[0], numbers + 1])[state.seeds].astype(np.int32)
        return _with_totals(state._replace(rows=rows.astype(np.float32), seeds=seeds))

    def _seeds(self, state: SDMState) -> Seeds | None:
        return Seeds(state.seeds, self.seed_share) if len(state.seeds) else None

    def _background(self, state: SDMState) -> Background | None:
        probability = state.background if self.background == "auto" else self.background
        return Background(probability, state.frequencies) if probability > 0 else None

    def _plant(self, rows: NDArray[np.float32], seeds: NDArray[np.int32]) -> NDArray[np.float32]:
        """Put the share of seed words into their topics, in place."""
        for word in np.flatnonzero(seeds):
            rows[word] *= np.float32(1 - self.seed_share)
            rows[word, seeds[word] - 1] += np.float32(self.seed_share)
        return rows

    def _grow_seeds(self, state: SDMState, vocabulary: list[str]) -> NDArray[np.int32]:
        """Return the seeds of a longer vocabulary, with the topic numbers of the known seeds."""
        if len(state.seeds) == 0:
            return state.seeds
        seeds = seed_topics(self._seed_words, vocabulary)
        if len(seeds) == 0:  # the settings have no seed words any more
            return np.pad(state.seeds, (0, len(vocabulary) - len(state.seeds)))
        numbers = np.arange(seeds.max(initial=0) + 1, dtype=np.int32)
        numbers[numbers > state.rows.shape[1]] = 0
        numbers[seeds[: len(state.seeds)]] = state.seeds
        return numbers[seeds]


def merge_states(base: Any, parts: list[Any], kappa: float, names: list[str]) -> list[Any]:
    """Merge the rows with these names, in as many threads as there are parts."""
    times = np.array([part.updates - base.updates for part in parts])
    gains = np.empty(times.shape, np.float32)
    logs, mass = log_kept(kappa), base.mass

    def merge(words: slice) -> NDArray[np.float64]:
        updates = base.updates[words], times[:, words], base.cooling[words]
        find_gains(*updates, logs, kappa, gains[:, words])
        for name in names:
            rows = [getattr(part, name)[words] for part in parts]
            merge_rows(getattr(base, name)[words], rows, gains[:, words])
        totals = np.zeros(len(base.totals))
        add_totals(base.rows[words], mass[words], totals)
        return totals

    totals = np.sum(map_slices(merge, len(mass), len(parts)), axis=0)
    updates = add_updates(base.updates, times.sum(axis=0, dtype=np.int64))
    merged = base._replace(updates=updates, totals=totals)
    return [
        copy_state(merged._replace(**{name: getattr(old, name) for name in names}), old)
        for old in (base, *parts)
    ]


def _with_totals(state: SDMState) -> SDMState:
    totals = np.zeros(state.rows.shape[1])
    add_totals(state.rows, state.mass, totals)
    return state._replace(totals=totals)
