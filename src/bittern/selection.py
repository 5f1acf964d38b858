"""How many topics: models with more and more of them, and what each is worth."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.memory import available_memory
from bittern._core.progress import ProgressBar
from bittern._core.threads import imap_threads, resolve_n_jobs
from bittern._core.validation import check_integer
from bittern.analysis.coherence import coherence
from bittern.analysis.quality import mean_stability, redundancy
from bittern.corpus.corpus import Corpus
from bittern.errors import InputError
from bittern.estimator import BTM

TOPICS = (5, 10, 15, 20, 30, 40, 50, 75, 100, 150)
HELD_OUT = 0.2  # of the documents
TOP_WORDS = 10
SLIGHT = 0.01  # of the gain in likelihood from the worst number to the best is as good as none


class Run(NamedTuple):
    """A model with so many topics, from one of the starts, and what was measured of it."""

    topics: int
    seed: int
    held_out: float
    npmi: float
    redundancy: float


class Choice(NamedTuple):
    """What each number of topics is worth, and which one to take."""

    recommended: int
    reason: str
    table: pl.DataFrame
    """A row for each number of topics: means over the starts, and the error of `held_out`."""
    runs: pl.DataFrame
    """A row for each model."""


def choose(
    corpus: Any,
    topics: Sequence[int] = TOPICS,
    n_seeds: int = 3,
    n_init: int = 5,
    random_state: int = 0,
    n_jobs: int | None = -1,
    verbose: int = 0,
    **settings: Any,
) -> Choice:
    """Fit models of a corpus, or of texts, with these numbers of topics; recommend one.

    Each start holds out another fifth of the documents. Measured are the mean log-likelihood of
    held-out biterms; the coherence (NPMI) of the top words; the stability, how alike the matched
    topics from different starts are; and the redundancy, how alike each topic is to its nearest.
    Each start is the best of `n_init`; `settings` are those of `BTM`, such as algorithm or window.
    """
    corpus = corpus if isinstance(corpus, Corpus) else Corpus.from_texts(corpus)
    for n_topics in topics:
        check_integer("the number of topics", n_topics, 2)
    if len(set(topics)) < 2:
        raise InputError("there is nothing to choose from: give two or more numbers of topics")
    check_integer("n_seeds", n_seeds, 2)
    splits = [
        corpus.split(HELD_OUT, np.random.default_rng([random_state, seed]))
        for seed in range(n_seeds)
    ]

    def fit(item: tuple[int, int]) -> tuple[Run, NDArray[np.float32]]:
        n_topics, seed = item
        train, test = splits[seed]
        model = BTM(
            n_topics, n_init=n_init, random_state=[random_state, seed, n_topics], **settings
        ).fit(train)
        run = Run(
            n_topics,
            seed,
            held_out=model.score(test),
            npmi=float(coherence(model.top_words(TOP_WORDS), corpus).mean()),
            redundancy=float(redundancy(model.phi_).mean()),
        )
        return run, model.phi_

    items = [(n_topics, seed) for n_topics in sorted(set(topics)) for seed in range(n_seeds)]
    runs: list[Run] = []
    stability = []
    work = sum(n_topics for n_topics, _ in items)
    with ProgressBar("choosing", work, "topics", verbose) as bar:
        found = imap_threads(fit, items, _threads(corpus, max(topics), n_jobs))
        phis = []
        for run, phi in found:  # all of one number of topics come before those of the next
            bar.advance(run.topics, f"{run.topics} topics: held-out {run.held_out:.3f}")
            runs.append(run)
            phis.append(phi)
            if len(phis) == n_seeds:
                stability.append({"topics": run.topics, "stability": mean_stability(phis)})
                phis = []
    measured = pl.DataFrame(runs)
    table = _summary(measured).join(pl.DataFrame(stability), on="topics")
    recommended, reason = recommend(table)
    return Choice(recommended, reason, table, measured)


def _threads(corpus: Corpus, n_topics: int, n_jobs: int | None) -> int:
    """How many models at a time: no more than have room in half of the memory."""
    a_model = 4 * len(corpus.vocabulary) * n_topics  # of which each has three while it learns
    room = available_memory() / 2 / (3 * a_model + corpus.nbytes)
    return max(1, min(resolve_n_jobs(n_jobs), int(min(room, 1e6))))


def _summary(runs: pl.DataFrame) -> pl.DataFrame:
    """Means over the starts.

    The error of `held_out` is that of its difference to the best: all numbers are tried on the same
    splits, and what differs between splits is no matter of the number.
    """
    means = runs.group_by("topics").agg(pl.col("held_out", "npmi", "redundancy").mean())
    best = means.sort("held_out", "topics")["topics"][-1]
    of_best = runs.filter(pl.col("topics") == best).select("seed", best="held_out")
    errors = (
        runs.join(of_best, on="seed")
        .group_by("topics")
        .agg(held_out_error=(pl.col("best") - pl.col("held_out")).std() / pl.len().sqrt())
    )
    return means.join(errors, on="topics").sort("topics")


def recommend(table: pl.DataFrame) -> tuple[int, str]:
    """The number of topics to take, and why.

    Candidates are those within one standard error of the best held-out likelihood, or that lack no
    more than a hundredth of the whole gain; where it still rises at the largest number, all that
    have half of the gain from the worst to the best. Of these it takes the one whose topics are
    most coherent and stable: the mean of NPMI and stability, each measured in standard deviations
    over all numbers; of equals the smaller.
    """
    best = table.row(int(table["held_out"].arg_max() or 0), named=True)
    rises = best["topics"] == table["topics"].max()
    lack = best["held_out"] - pl.col("held_out")
    gain = best["held_out"] - float(table["held_out"].min())  # type: ignore[arg-type]
    enough = lack <= pl.max_horizontal(pl.col("held_out_error"), pl.lit(SLIGHT * gain))
    if rises:
        enough |= lack <= gain / 2
    scored = table.with_columns(good=_standard("npmi") + _standard("stability"))
    candidates = scored.filter(enough)
    chosen = candidates.row(int(candidates["good"].arg_max() or 0), named=True)
    likelihood = (
        f"The held-out likelihood still rises at {best['topics']}"
        if rises
        else f"The held-out likelihood is best with {best['topics']} ({best['held_out']:.3f})"
    )
    among = "have half of the gain" if rises else "are as good, within the error"
    numbers = ", ".join(map(str, candidates["topics"]))
    reason = (
        f"{likelihood}; {numbers} {among}. Of these, {chosen['topics']} topics are the most "
        f"coherent and stable together (NPMI {chosen['npmi']:.3f}, stability "
        f"{chosen['stability']:.2f})."
    )
    return int(chosen["topics"]), reason


def _standard(name: str) -> pl.Expr:
    """In standard deviations from the mean."""
    spread = pl.col(name).std()
    return pl.when(spread > 0).then((pl.col(name) - pl.col(name).mean()) / spread).otherwise(0.0)
