"""The number of topics: fit models with different numbers, and compare them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.memory import available_memory
from bittern._core.progress import ProgressBar
from bittern._core.threads import imap_threads, resolve_n_jobs
from bittern._core.validation import check_integer, check_list
from bittern.algorithms import Auto
from bittern.analysis.coherence import coherence
from bittern.analysis.likelihood import sum_biterms
from bittern.analysis.similarity import mean_stability, redundancy
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import Duplicates, FitSettings, FittedTopics, check_duplicates
from bittern.training import Training, check_training, fit_topics

N_TOPICS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150)
DOCUMENTS_PER_TOPIC = 30  # at least, by default
FOLDS = 5
MIN_DOCUMENTS = 2 * FOLDS  # with two or more words
TOP_WORDS = 10
GAIN_PER_DOUBLING = 0.1  # of the whole gain; a smaller one is not worth twice as many topics
RANGE_GAIN = 0.8  # of the whole gain, with any number in the range
MIN_STANDARD_ERRORS = 2.0  # by which a gain must exceed zero
NARROW, WIDE = 3.0, 10.0  # ratios of the ends of a range
COLUMNS = (
    *("topics", "held_out", "held_out_error", "gain"),
    *("npmi", "stability", "redundancy", "in_use"),
)


Confidence = Literal["high", "medium", "low", "none"]
ADVICE: dict[Confidence, str] = {
    "high": "",
    "medium": " Choose by how much detail you need.",
    "low": " These texts hardly limit the number; choose by how much detail you need.",
}


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
    low, high : int
        The range of numbers that predict held-out documents almost as well as the best one.
    confidence : {"high", "medium", "low", "none"}
        How narrow this range is: up to a factor of 3, less than a factor of 10, or wider. It is at
        most "medium" if the range begins or ends with the numbers that were compared, and "none" if
        topics predict held-out documents no better than word frequencies.
    reason : str
        Why the number is recommended, and how sure that is.
    table : polars.DataFrame
        A row for each number of topics: means over the repeats, and the standard error of
        `held_out`.
    runs : polars.DataFrame
        A row for each model.
    """

    recommended: int
    low: int
    high: int
    confidence: Confidence
    reason: str
    table: pl.DataFrame
    runs: pl.DataFrame


def choose(
    X: Corpus | Iterable[str],
    n_topics: Sequence[int] | None = None,
    n_repeats: int = FOLDS,
    n_init: Auto = "auto",
    random_state: int = 0,
    n_jobs: int | None = -1,
    verbose: int = 0,
    duplicates: Duplicates = "keep",
    **parameters: Any,
) -> Choice:
    """Recommend a number of topics.

    Models are fitted on four fifths of the documents; a different fifth is held out in each repeat.
    Words that occur in the held-out documents only do not count. More topics predict the held-out
    documents better, up to a point. The recommended number is the smallest from which doubling it
    would gain less than a tenth of what topics gain at all. Coherence (NPMI of the top words),
    stability (similarity of matched topics across repeats) and redundancy (similarity of each topic
    to its nearest) are reported.

    Parameters
    ----------
    X : Corpus or texts
        Documents.
    n_topics : sequence of int or None
        Numbers of topics to compare; by default from 2 to 150, with at least 30 documents for each
        topic.
    n_repeats : int
        Number of models per number of topics. With five, each document is held out once.
    n_init : int or "auto"
        Number of random starts of each model.
    random_state : int
        Seed.
    n_jobs : int or None
        Number of models that are fitted at the same time; -1 uses all cores.
    verbose : int
        1 shows progress bars.
    duplicates : {"keep", "once"}
        "once" drops all but one of the texts that have the same words in the same order, so that no
        held-out text is a copy of one to train on.
    **parameters
        Other parameters of `BTM` for training, such as algorithm or window.

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
    check_not_forked()
    check_duplicates(duplicates)
    corpus = X if isinstance(X, Corpus) else Corpus.from_texts(X)
    if duplicates == "once":
        corpus = corpus.drop_duplicates()
    if n_topics is None:
        n_topics = default_numbers(corpus)
    for number in check_list("n_topics", n_topics):
        check_integer("the number of topics", number, 2)
    numbers = sorted(set(n_topics))
    if len(numbers) < 2:
        raise InputError("choosing needs two or more numbers of topics")
    check_integer("n_repeats", n_repeats, 2)
    if count_documents(corpus) < MIN_DOCUMENTS:
        raise InputError(
            f"choosing needs at least {MIN_DOCUMENTS} texts with two or more words; these are "
            f"{count_documents(corpus)}"
        )
    corpus = corpus.drop_empty()
    splits = [split(corpus, seed, random_state) for seed in range(n_repeats)]

    def fit(item: tuple[int, int]) -> tuple[Run, NDArray[np.float32]]:
        number, seed = item
        train, test = splits[seed]
        seeds = [random_state, seed, number]
        model = fit_topics(train, _training(number, n_init, seeds, parameters))
        in_use = model.in_use
        words = list(compress(model.top_words(TOP_WORDS, relevance=1), in_use))
        run = Run(
            number,
            seed,
            held_out=score_known(model, test),
            npmi=float(coherence(words, corpus).mean()),
            redundancy=float(redundancy(model.phi[in_use]).mean()) if in_use.sum() > 1 else 0.0,
            in_use=int(in_use.sum()),
        )
        return run, model.phi

    items = [(number, seed) for number in (1, *numbers) for seed in range(n_repeats)]
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
    gains = held_out_gains(measured)
    low, recommended, high = recommend(gains)
    confidence = assess(gains, low, high)
    table = _summarize(measured).join(pl.DataFrame(stability), on="topics", maintain_order="left")
    shares = gains.select("topics", gain=pl.mean_horizontal(pl.exclude("topics")))
    table = table.join(shares, on="topics", maintain_order="left").select(COLUMNS)
    reason = explain(table, low, recommended, high, confidence)
    return Choice(recommended, low, high, confidence, reason, table, measured)


def default_numbers(corpus: Corpus) -> list[int]:
    """Return the numbers of topics to compare, with enough documents for each topic."""
    n = count_documents(corpus)
    return [k for k in N_TOPICS if k * DOCUMENTS_PER_TOPIC <= n or k <= N_TOPICS[1]]


def count_documents(corpus: Corpus) -> int:
    """Return the number of documents with two or more words."""
    return int(np.count_nonzero(np.diff(corpus.indptr) > 1))


def split(corpus: Corpus, repeat: int, random_state: int) -> tuple[Corpus, Corpus]:
    """Return the documents to train on, and one of five folds with the words that occur in them.

    A word that occurs in the held-out documents only says nothing about the number of topics.
    """
    shuffle, fold = divmod(repeat, FOLDS)
    order = np.random.default_rng([random_state, shuffle]).permutation(len(corpus))
    parts = np.array_split(order, FOLDS)
    test = corpus[parts.pop(fold)]
    train = corpus[np.concatenate(parts)]
    known = test.with_vocabulary(train.drop_unused_words().vocabulary)
    return train, known.with_vocabulary(corpus.vocabulary)


def _training(
    n_topics: int, n_init: Auto, seeds: list[int], parameters: Mapping[str, Any]
) -> Training:
    """Return the checked parameters of one model."""
    names = parameters.keys() & set(FitSettings._fields)
    settings = FitSettings(
        n_topics, n_init=n_init, random_state=seeds, **{name: parameters[name] for name in names}
    )
    others = {name: value for name, value in parameters.items() if name not in names}
    return check_training(settings, n_jobs=1, **others)


def score_known(fitted: FittedTopics, test: Corpus) -> float:
    """Return the mean log-likelihood per biterm of held-out documents."""
    found = sum_biterms(fitted, test)
    if found.weight == 0:
        raise InputError("the words of held-out texts do not occur in the others; use more texts")
    return found.mean


def held_out_gains(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the gain in held-out likelihood over one topic, a row per number, a column per repeat.

    It is given as a fraction of the largest mean gain; 0 everywhere if topics gain nothing.
    """
    wide = runs.pivot("seed", index="topics", values="held_out").sort("topics")
    gains = wide[1:].select("topics", *(pl.col(name) - wide[name][0] for name in wide.columns[1:]))
    largest = gains.select(pl.mean_horizontal(pl.exclude("topics")).max()).item()
    scaled = pl.exclude("topics") / largest if largest > 0 else pl.exclude("topics") * 0
    return gains.select("topics", scaled)


def recommend(gains: pl.DataFrame) -> tuple[int, int, int]:
    """Return the smallest number of topics that is almost as good as the best, the recommended one,
    and the largest.

    If topics gain nothing, the smallest number is recommended, and all of them are as good.
    """
    numbers, means = gains["topics"], gains.select(pl.mean_horizontal(pl.exclude("topics")))
    if not gains_are_real(gains):
        return numbers[0], numbers[0], numbers[-1]
    recommended = smallest_sufficient(gains, GAIN_PER_DOUBLING)
    good = numbers.filter(means.to_series() >= RANGE_GAIN).to_list()
    return min(recommended, *good), recommended, max(recommended, *good)


def gains_are_real(gains: pl.DataFrame) -> bool:
    """Whether the largest mean gain is two standard errors above zero."""
    values = gains.drop("topics").to_numpy()
    best = values[values.mean(axis=1).argmax()]
    error = best.std(ddof=1) / np.sqrt(len(best))
    return bool(best.mean() > MIN_STANDARD_ERRORS * error)


def smallest_sufficient(gains: pl.DataFrame, share: float) -> int:
    """Return the smallest number of topics from which no larger one gains `share` per doubling.

    A gain that is within one standard error of zero does not count.
    """
    numbers, values = gains["topics"].to_numpy(), gains.drop("topics").to_numpy()
    for i, number in enumerate(numbers):
        more = values[i + 1 :] - values[i]
        error = more.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
        needed = share * np.log2(numbers[i + 1 :] / number)
        if np.all(more.mean(axis=1) < np.maximum(needed, error)):
            break
    return int(number)


def assess(gains: pl.DataFrame, low: int, high: int) -> Confidence:
    """Return how sure a recommendation is, by the range of numbers that are almost as good.

    It is at most medium if the range begins or ends with the numbers that were compared.
    """
    if not gains_are_real(gains):
        return "none"
    if high >= WIDE * low:
        return "low"
    is_open = low == gains["topics"].min() or high == gains["topics"].max()
    return "medium" if is_open or high > NARROW * low else "high"


def explain(
    table: pl.DataFrame, low: int, recommended: int, high: int, confidence: Confidence
) -> str:
    """Return why a number is recommended, and how sure that is."""
    if confidence == "none":
        return (
            "This is no more than a guess: topics predict held-out texts no better than word "
            "frequencies alone. There may be too few texts, or they may have no topics."
        )
    chosen = table.row(by_predicate=pl.col("topics") == recommended, named=True)
    best = table["topics"][int(table["held_out"].arg_max() or 0)]
    if recommended == best:
        reason = f"Held-out texts are most probable with {best} topics."
    else:
        reason = (
            f"{chosen['gain']:.0%} of what topics gain on held-out texts is gained with "
            f"{recommended} topics, and doubling them gains less than {GAIN_PER_DOUBLING:.0%} more."
        )
    if low < high:
        others = f"{low} to {high} topics do almost as well."
    else:
        others = f"No other number does almost as well as {low} topics."
    fewest, *_, most = table["topics"].to_list()
    if high == most:
        others += " More were not compared."
    if low == fewest > N_TOPICS[0]:
        others += " Fewer were not compared."
    elif low == fewest and high < most:
        others += " More texts may support more topics."
    return f"{reason} Confidence: {confidence}. {others}{ADVICE[confidence]}"


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
    runs = runs.filter(pl.col("topics") > 1)
    means = runs.group_by("topics").agg(pl.col("held_out", "npmi", "redundancy", "in_use").mean())
    best = means.sort("held_out", "topics")["topics"][-1]
    of_best = runs.filter(pl.col("topics") == best).select("seed", best="held_out")
    errors = (
        runs.join(of_best, on="seed")
        .group_by("topics")
        .agg(held_out_error=(pl.col("best") - pl.col("held_out")).std() / pl.len().sqrt())
    )
    return means.join(errors, on="topics").sort("topics")
