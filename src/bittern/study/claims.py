"""The claims of the paper, and the verdict of a study on each.

A claim is a function of the results; add it to `CLAIMS` at the end of this file.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from bittern.algorithms import SCVB0
from bittern.study.costs import N_TOPICS, bytes_per_biterm, find_cost
from bittern.study.protocol import DEFAULT, FIXED
from bittern.study.results import Results, completed, mean_length
from bittern.study.underflow import MAX_STEPS, steps_until

HOLDS, HOLDS_PARTLY, FAILS, UNDECIDED = "holds", "holds only", "does not hold", "undecided"
BEYOND_PAPER = "beyond the paper"
SHORT_LENGTH = 10  # words
MIN_CORRELATION = 0.9  # rank correlation from which one likelihood tracks another
MAX_COST_RATIO = 1.5  # up to which two costs count as the same
MAX_COUNT_ERROR = 1e-4  # up to which word counts count as preserved


class Claim(NamedTuple):
    """A claim, where the paper makes it, the verdict of the study, and the evidence."""

    where: str
    claim: str
    verdict: str
    evidence: str

    @property
    def is_confirmed(self) -> bool:
        """Whether the claim holds without restriction to some K."""
        return self.verdict.startswith(HOLDS) and not self.verdict.startswith(HOLDS_PARTLY)


def evaluate_claims(results: Results) -> list[Claim]:
    """Evaluate every claim."""
    return [evaluate(results) for evaluate in CLAIMS]


def verdict_on_intervals(rows: pl.DataFrame) -> str:
    """Return the verdict on "better": it holds where the interval is above zero."""
    above = rows.filter(pl.col("low") > 0)["topics"].to_list()
    if rows.is_empty():
        return UNDECIDED
    if len(above) == len(rows):
        return HOLDS
    if above:
        return f"{HOLDS_PARTLY} at K={', '.join(map(str, above))}"
    return FAILS if (rows["high"] < 0).any() else UNDECIDED


def _short_documents(results: Results) -> Claim:
    words, documents = results.lengths["words"], results.lengths["documents"]
    fraction = documents.filter(words < SHORT_LENGTH).sum() / int(documents.sum())
    return Claim(
        "Figure 2",
        f"Most documents have fewer than {SHORT_LENGTH} words.",
        _verdict(fraction > 0.5),
        f"{fraction:.0%} of the documents; {mean_length(results.lengths):.2f} words on average, "
        "compared with 6.94 in the paper's tweets.",
    )


def _better(results: Results, better: str, worse: str, where: str, claim: str) -> Claim:
    """Compare two algorithms by their paired differences at every K."""
    rows = results.differences.filter((pl.col("of") == better) & (pl.col("minus") == worse))
    intervals = [
        f"K={row['topics']}: {row['difference']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}]"
        for row in rows.to_dicts()
    ]
    evidence = f"Mean difference with its 95% interval: {'; '.join(intervals)}."
    return Claim(where, claim, verdict_on_intervals(rows), evidence)


def _faster(results: Results) -> Claim:
    reached = {
        other: _fractions_to_reach(results.curves, other) for other in ("SCVB0", "iBTM", "oBTM")
    }
    samplers = [fraction for other in ("iBTM", "oBTM") for fraction in reached[other]]

    def describe(other: str) -> str:
        fractions = reached[other]
        if not fractions:
            return f"{other} was left out"
        if np.isinf(fractions).any():
            return f"{other} in {np.isfinite(fractions).sum()} of {len(fractions)} repeats"
        return f"{other} after {np.median(fractions):.0%}"

    return Claim(
        "Figure 4",
        "SDM converges faster than the sampling algorithms.",
        _verdict(bool(np.isfinite(samplers).all())),
        "Median fraction of the biterms after which SDM reaches the final score of another "
        f"algorithm: {', '.join(map(describe, reached))}.",
    )


def _fractions_to_reach(curves: pl.DataFrame, other: str) -> list[float]:
    """For each repeat, the fraction at which SDM is as good as the other in the end."""
    fractions = []
    for (_,), group in curves.sort("share").group_by("repeat", maintain_order=True):
        goals = group.filter(pl.col("label") == other)["held_out"]
        if goals.is_empty():  # it was left out
            continue
        ahead = group.filter((pl.col("label") == "SDM") & (pl.col("held_out") >= goals[-1]))
        fractions.append(float(ahead["share"][0]) if len(ahead) else float("inf"))
    return fractions


def _exact_counts(results: Results) -> Claim:
    errors = results.scores.group_by("label").agg(pl.col("count_error").mean())
    sdm, scvb0 = (
        float(errors.filter(pl.col("label") == label)["count_error"][0])
        for label in ("SDM", "SCVB0")
    )
    return Claim(
        "Section 1",
        "SDM preserves word counts; SCVB0 does not.",
        _verdict(sdm < MAX_COUNT_ERROR < scvb0),
        f"Summed over topics, the word counts are off by {sdm:.0e} of their total with SDM and by "
        f"{scvb0:.1%} with SCVB0.",
    )


def _underflow(results: Results) -> Claim:
    single, double = (
        steps_until(SCVB0(), float(np.finfo(kind).tiny)) for kind in (np.float32, np.float64)
    )
    unguarded = results.underflow.filter(pl.col("algorithm") == "unguarded")
    broken = unguarded.filter(pl.col("held_out").is_null())["steps"].to_list()
    outcome = (
        f"breaks down after {_millions(broken[0])} steps: its values are no longer finite"
        if broken
        else f"does not break down within {_millions(MAX_STEPS)} steps"
    )
    late = bool(broken) and broken[0] > results.n_train
    return Claim(
        "Sections 1 and 2.5",
        "The scale of SCVB0 may underflow.",
        f"{HOLDS}, after more than one pass" if late else _verdict(bool(broken)),
        f"Without a guard, SCVB0 in float32 {outcome}. Its scale leaves the range of float32 after "
        f"{_millions(single)} steps and that of float64 after {double:.0e}. One pass over this "
        f"corpus has {_millions(results.n_train)} steps.",
    )


def _same_cost(results: Results) -> Claim:
    def ratio(unit: str, varies: str, value: int) -> float:
        sdm, scvb0 = (
            find_cost(results.costs, label, unit, varies, value) for label in ("SDM", "SCVB0")
        )
        return sdm / scvb0

    time, memory = ratio("nanoseconds", "topics", N_TOPICS), ratio("bytes", "", 0)
    return Claim(
        "Table 1",
        "SDM needs as much time and memory per biterm as SCVB0.",
        _verdict(max(time, memory) < MAX_COST_RATIO),
        f"{time:.2f} times the time and {memory:.2f} times the memory of SCVB0 at K={N_TOPICS}.",
    )


def _memory(results: Results) -> Claim:
    ibtm, obtm = (bytes_per_biterm(results.costs, label) for label in ("iBTM", "oBTM"))
    per_slice = bytes_per_biterm(results.costs, "oBTM", of_slice=True)
    return Claim(
        "Table 1",
        "iBTM stores K(1+W) numbers and a batch; oBTM stores all biterms.",
        HOLDS if ibtm == 0 and obtm > 0 else f"{FAILS}: the rows are swapped",
        f"iBTM stores {ibtm:.0f} bytes for each biterm of the corpus; oBTM stores {obtm:.0f}, and "
        f"{per_slice:.0f} for each biterm of its slice.",
    )


def _own_leave_one_out(results: Results) -> Claim:
    where = "Section 3.2"
    claim = "The leave-one-out likelihood of SDM tracks its held-out likelihood."
    runs = completed(results.scores).filter(pl.len().over("label") > 2)
    within = {str(label): _correlation(group) for (label,), group in runs.group_by("label")}
    if not within:
        return Claim(where, claim, UNDECIDED, "There are too few runs.")
    midway = _correlation(results.curves.filter(pl.col("label") == "SDM"))
    lowest = min(within, key=within.__getitem__)
    return Claim(
        where,
        claim,
        _verdict(min(within["SDM"], midway) >= MIN_CORRELATION),
        f"Rank correlation {within['SDM']:.3f} over its runs (all K and repeats) and {midway:.3f} "
        f"during training. Lowest of all algorithms, each on its own: {lowest}, "
        f"{within[lowest]:.3f}.",
    )


def _joint_leave_one_out(results: Results) -> Claim:
    where = "Section 3.2"
    claim = "Across algorithms, the leave-one-out likelihood tracks the held-out likelihood."
    runs = completed(results.scores)
    if runs.filter(pl.len().over("label") > 2).is_empty():
        return Claim(where, claim, UNDECIDED, "There are too few runs.")
    final, midway = _correlation(runs), _correlation(results.curves)
    return Claim(
        where,
        claim,
        _verdict(min(final, midway) >= MIN_CORRELATION),
        f"Rank correlation {final:.3f} over the runs of all algorithms and {midway:.3f} during "
        "training.",
    )


def _convergence(results: Results) -> Claim:
    where, claim = "Appendix", "SDM converges to a stationary point of the divergence."
    rows = results.scores.filter(
        (pl.col("experiment") == "epochs") & (pl.col("label") == "no cool-down")
    ).with_columns(pl.col("setting").cast(pl.Int64).alias("epochs"))
    means = rows.group_by("epochs").agg(pl.col("residual").mean()).sort("epochs")
    if len(means) < 2:
        return Claim(where, claim, UNDECIDED, "More than one epoch takes too long on this corpus.")
    by_repeat = rows.sort("epochs").group_by("repeat", maintain_order=True).agg("residual")
    falls = [np.all(np.diff(residuals) < 0) for residuals in by_repeat["residual"]]
    return Claim(
        where,
        claim,
        _verdict(all(falls)),
        f"With every doubling of the epochs, the relative fixed-point residual falls in "
        f"{sum(falls)} of {len(falls)} repeats. Its mean is "
        f"{means['residual'][0]:.3f} after 1 epoch and {means['residual'][-1]:.3f} after "
        f"{means['epochs'][-1]}.",
    )


def _adaptive_prior(results: Results) -> Claim:
    rows = results.text_differences.filter(pl.col("of") == pl.col("minus"))
    claim = "With the adaptive prior, every algorithm predicts new texts better than with 0.01."
    return _better_on_texts(rows, claim)


def _default(results: Results) -> Claim:
    rows = results.text_differences.filter(pl.col("of") == DEFAULT)
    claim = (
        "With default settings, bittern predicts new texts better than every algorithm with "
        f"{FIXED}."
    )
    return _better_on_texts(rows, claim)


def _better_on_texts(rows: pl.DataFrame, claim: str) -> Claim:
    """It holds for the algorithms whose interval is above zero."""
    above = rows.filter(pl.col("low") > 0)["minus"].to_list()
    if len(above) == len(rows):
        verdict = HOLDS
    elif above:
        verdict = f"{HOLDS_PARTLY} for {', '.join(above)}"
    else:
        verdict = FAILS if (rows["high"] < 0).any() else UNDECIDED
    intervals = [
        f"{row['minus']}: {row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"
        for row in rows.to_dicts()
    ]
    evidence = f"Mean difference with its 95% interval: {'; '.join(intervals)}."
    return Claim(BEYOND_PAPER, claim, verdict, evidence)


def _correlation(table: pl.DataFrame) -> float:
    """Spearman's rank correlation of leave-one-out and held-out likelihood."""
    return float(spearmanr(table["leave_one_out"], table["held_out"]).statistic)


def _verdict(holds: bool) -> str:
    return HOLDS if holds else FAILS


def _millions(n: float) -> str:
    return f"{n / 1e6:.1f} million" if n >= 1e6 else f"{n:,.0f}"


def _better_after_one_pass(other: str) -> Callable[[Results], Claim]:
    claim = f"After one pass, SDM predicts held-out biterms better than {other}."
    return partial(_better, better="SDM", worse=other, where="Figure 3", claim=claim)


CLAIMS: list[Callable[[Results], Claim]] = [
    _short_documents,
    _better_after_one_pass("SCVB0"),
    _better_after_one_pass("iBTM"),
    _better_after_one_pass("oBTM"),
    _faster,
    _exact_counts,
    _underflow,
    _same_cost,
    _memory,
    _own_leave_one_out,
    _joint_leave_one_out,
    _convergence,
    partial(
        _better,
        better="SDM with cool-down",
        worse="SDM",
        where=BEYOND_PAPER,
        claim="A cool-down over the last 30% of each word's updates improves the prediction.",
    ),
    partial(
        _better,
        better="SDM with cool-down",
        worse="SCVB0",
        where=BEYOND_PAPER,
        claim="With the cool-down, SDM predicts held-out biterms better than SCVB0.",
    ),
    _adaptive_prior,
    _default,
]
