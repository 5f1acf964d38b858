"""The number of topics: fit models with different numbers, and compare them."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.memory import available_memory
from bittern._core.progress import ProgressBar
from bittern._core.threads import imap_threads, resolve_n_jobs
from bittern._core.validation import check_integer
from bittern.algorithms import Auto
from bittern.analysis.coherence import coherence
from bittern.analysis.similarity import mean_stability, redundancy
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.estimator import BTM

N_TOPICS = (5, 10, 15, 20, 30, 40, 50, 75, 100, 150)
TEST_SIZE = 0.2  # of the documents
TOP_WORDS = 10
TOLERANCE = 0.01  # of the gain in likelihood from the worst number to the best


class Run(NamedTuple):
    """The measures of one model."""

    topics: int
    seed: int
    held_out: float
    npmi: float
    redundancy: float
    in_use: int


class Choice(NamedTuple):
    """The recommended number of topics, and what it is based on.

    Attributes
    ----------
    recommended : int
        The recommended number of topics.
    reason : str
        Why it is recommended.
    table : polars.DataFrame
        A row for each number of topics: means over the repeats, and the standard error of
        `held_out`.
    runs : polars.DataFrame
        A row for each model.
    """

    recommended: int
    reason: str
    table: pl.DataFrame
    runs: pl.DataFrame


def choose(
    X: Corpus | Iterable[str],
    n_topics: Sequence[int] = N_TOPICS,
    n_repeats: int = 3,
    n_init: Auto = "auto",
    random_state: int = 0,
    n_jobs: int | None = -1,
    verbose: int = 0,
    **parameters: Any,
) -> Choice:
    """Recommend a number of topics.

    Models are fitted on four fifths of the documents; a different fifth is held out in each repeat.
    The models are compared by the mean log-likelihood of held-out biterms, the coherence (NPMI) of
    the top words, the stability (similarity of matched topics across repeats) and the redundancy
    (similarity of each topic to its nearest).

    Parameters
    ----------
    X : Corpus or texts
        Documents.
    n_topics : sequence of int
        Numbers of topics to compare.
    n_repeats : int
        Number of models per number of topics.
    n_init : int or "auto"
        Number of random starts of each model.
    random_state : int
        Seed.
    n_jobs : int or None
        Number of models that are fitted at the same time; -1 uses all cores.
    verbose : int
        1 shows progress bars.
    **parameters
        Other parameters of `BTM`, such as algorithm or window.

    Returns
    -------
    Choice

    Examples
    --------
    >>> from bittern.selection import choose
    >>> texts = ["red apple pie", "apple pie recipe", "fast train", "late fast train"] * 20
    >>> choose(texts, [2, 3], n_repeats=2).table["topics"].to_list()
    [2, 3]
    """
    corpus = X if isinstance(X, Corpus) else Corpus.from_texts(X)
    for number in n_topics:
        check_integer("the number of topics", number, 2)
    numbers = sorted(set(n_topics))
    if len(numbers) < 2:
        raise InputError("choosing needs two or more numbers of topics")
    check_integer("n_repeats", n_repeats, 2)
    splits = [
        corpus.split(TEST_SIZE, np.random.default_rng([random_state, seed]))
        for seed in range(n_repeats)
    ]

    def fit(item: tuple[int, int]) -> tuple[Run, NDArray[np.float32]]:
        number, seed = item
        train, test = splits[seed]
        seeds = [random_state, seed, number]
        model = BTM(number, n_init=n_init, random_state=seeds, **parameters).fit(train)
        in_use = model.fitted_.in_use
        words = list(compress(model.top_words(TOP_WORDS), in_use))
        run = Run(
            number,
            seed,
            held_out=model.score(test),
            npmi=float(coherence(words, corpus).mean()),
            redundancy=float(redundancy(model.phi_[in_use]).mean()),
            in_use=int(in_use.sum()),
        )
        return run, model.phi_

    items = [(number, seed) for number in numbers for seed in range(n_repeats)]
    runs: list[Run] = []
    phis: list[NDArray[np.float32]] = []
    stability = []
    work = sum(number for number, _ in items)
    with ProgressBar("comparing", work, "topics", verbose) as bar:
        for run, phi in imap_threads(fit, items, count_models(corpus, numbers[-1], n_jobs)):
            bar.advance(run.topics, f"{run.topics} topics: held-out {run.held_out:.3f}")
            runs.append(run)
            phis.append(phi)
            if len(phis) == n_repeats:  # all models of one number come before those of the next
                stability.append({"topics": run.topics, "stability": mean_stability(phis)})
                phis = []
    measured = pl.DataFrame(runs)
    table = _summarize(measured).join(pl.DataFrame(stability), on="topics")
    recommended, reason = recommend(table)
    return Choice(recommended, reason, table, measured)


def recommend(table: pl.DataFrame) -> tuple[int, str]:
    """Return the recommended number of topics, and the reason.

    Candidates are the numbers whose held-out likelihood is within one standard error of the best,
    or within 1% of the whole gain; if it still rises at the largest number, those with at least
    half of the gain from the worst to the best. The candidate with the most coherent and stable
    topics is recommended: by the mean of NPMI and stability, each in standard deviations over all
    numbers; the smaller number wins a tie.
    """
    best = table.row(int(table["held_out"].arg_max() or 0), named=True)
    rising = best["topics"] == table["topics"].max()
    shortfall = best["held_out"] - pl.col("held_out")
    gain = best["held_out"] - table["held_out"].to_numpy().min()
    enough = shortfall <= pl.max_horizontal(pl.col("held_out_error"), pl.lit(TOLERANCE * gain))
    if rising:
        enough |= shortfall <= gain / 2
    scored = table.with_columns(score=_standardized("npmi") + _standardized("stability"))
    candidates = scored.filter(enough)
    chosen = candidates.row(int(candidates["score"].arg_max() or 0), named=True)
    numbers = ", ".join(map(str, candidates["topics"]))
    if rising:
        likelihood = f"The held-out likelihood is still rising at {best['topics']} topics"
        among = f"{numbers} have at least half of the gain"
    else:
        likelihood = (
            f"The held-out likelihood is highest with {best['topics']} topics "
            f"({best['held_out']:.3f})"
        )
        among = f"{numbers} are within the error of it"
    reason = (
        f"{likelihood}; {among}. Among them, {chosen['topics']} topics have the best combination "
        f"of coherence and stability (NPMI {chosen['npmi']:.3f}, stability "
        f"{chosen['stability']:.2f})."
    )
    return int(chosen["topics"]), reason


def count_models(corpus: Corpus, n_topics: int, n_jobs: int | None) -> int:
    """Return how many models to fit at a time: no more than fit into half of the memory."""
    model_bytes = 4 * len(corpus.vocabulary) * n_topics  # each needs three of them in training
    room = available_memory() / 2 / (3 * model_bytes + corpus.nbytes)
    return max(1, min(resolve_n_jobs(n_jobs), int(min(room, 1e6))))


def _summarize(runs: pl.DataFrame) -> pl.DataFrame:
    """Average over the repeats.

    The error of `held_out` is that of the difference to the best number: all numbers are compared
    on the same splits, so the variation between splits does not matter.
    """
    means = runs.group_by("topics").agg(pl.col("held_out", "npmi", "redundancy", "in_use").mean())
    best = means.sort("held_out", "topics")["topics"][-1]
    of_best = runs.filter(pl.col("topics") == best).select("seed", best="held_out")
    errors = (
        runs.join(of_best, on="seed")
        .group_by("topics")
        .agg(held_out_error=(pl.col("best") - pl.col("held_out")).std() / pl.len().sqrt())
    )
    return means.join(errors, on="topics").sort("topics")


def _standardized(name: str) -> pl.Expr:
    """A column in standard deviations from its mean."""
    spread = pl.col(name).std()
    return pl.when(spread > 0).then((pl.col(name) - pl.col(name).mean()) / spread).otherwise(0.0)
