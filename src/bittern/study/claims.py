"""What the paper claims, and what a study says of it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from bittern.algorithms import SCVB0
from bittern.study.costs import N_TOPICS
from bittern.study.tables import Tables, finished, mean_length
from bittern.study.underflow import steps_to

HOLDS, IN_PART, FAILS, OPEN = "holds", "only at", "does not hold", "undecided"
BEYOND = "beyond the paper"
SHORT = 10  # words
CLOSE = 0.9  # a rank correlation from which two measures say the same
ALIKE = 1.5  # times as slow: still the same cost


class Claim(NamedTuple):
    """A sentence of the paper, where it is, what became of it here, and by how much."""

    where: str
    claim: str
    verdict: str
    evidence: str


def claims(tables: Tables, n_train: int) -> list[Claim]:
    """Every claim that the numbers can speak to."""
    return [
        _short_documents(tables),
        *(
            _better(
                *(tables, "SDM", other, "Figure 3"),
                f"After one pass SDM predicts held-out biterms better than {other}.",
            )
            for other in ("SCVB0", "iBTM", "oBTM")
        ),
        _faster(tables),
        _exact_counts(tables),
        _underflow(tables, n_train),
        _same_cost(tables),
        _memory_rows(tables),
        *_leave_one_out(tables),
        _convergence(tables),
        _better(
            *(tables, "SDM with cool-down", "SDM", BEYOND),
            "A cool-down over the last 30 % of each word's updates predicts better still.",
        ),
        _better(
            *(tables, "SDM with cool-down", "SCVB0", BEYOND),
            "With the cool-down, SDM predicts better than SCVB0.",
        ),
    ]


def _short_documents(tables: Tables) -> Claim:
    words, documents = tables.lengths["words"], tables.lengths["documents"]
    share = documents.filter(words < SHORT).sum() / int(documents.sum())
    return Claim(
        "Figure 2",
        f"Most documents have fewer than {SHORT} words.",
        _holds(share > 0.5),
        f"{share:.0%} of them; {mean_length(tables.lengths):.2f} words on average, as against 6.94 "
        "in the paper's tweets.",
    )


def _better(tables: Tables, of: str, minus: str, where: str, claim: str) -> Claim:
    rows = tables.differences.filter((pl.col("of") == of) & (pl.col("minus") == minus))
    return Claim(where, claim, _verdict(rows), _intervals(rows))


def _verdict(rows: pl.DataFrame) -> str:
    """A difference is there where its interval is above zero."""
    above = rows.filter(pl.col("low") > 0)["topics"].to_list()
    if rows.is_empty():
        return OPEN
    if len(above) == len(rows):
        return HOLDS
    if above:
        return f"{IN_PART} K={', '.join(map(str, above))}"
    return FAILS if (rows["high"] < 0).any() else OPEN


def _intervals(rows: pl.DataFrame) -> str:
    texts = [
        f"K={row['topics']}: {row['difference']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}]"
        for row in rows.to_dicts()
    ]
    return "Mean difference with its 95 % interval: " + "; ".join(texts) + "."


def _faster(tables: Tables) -> Claim:
    reached = {other: _share_to_reach(tables.curves, other) for other in ("SCVB0", "iBTM", "oBTM")}
    samplers = [share for other in ("iBTM", "oBTM") for share in reached[other]]

    def text(other: str) -> str:
        shares = reached[other]
        if not shares:
            return f"{other} was left out"
        if np.isinf(shares).any():
            return f"{other}'s in {np.isfinite(shares).sum()} of {len(shares)} repeats"
        return f"{other}'s after {np.median(shares):.0%}"

    return Claim(
        "Figure 4",
        "SDM converges faster than the algorithms based on sampling.",
        _holds(bool(np.isfinite(samplers).all())),
        "Share of the biterms after which SDM has the final score of another (median): "
        + ", ".join(map(text, reached))
        + ".",
    )


def _share_to_reach(curves: pl.DataFrame, other: str) -> list[float]:
    """For each repeat the share at which SDM is as good as the other in the end."""
    shares = []
    for (_,), group in curves.sort("share").group_by("repeat", maintain_order=True):
        goals = group.filter(pl.col("label") == other)["held_out"]
        if goals.is_empty():  # it was refused
            continue
        goal = goals[-1]
        ahead = group.filter((pl.col("label") == "SDM") & (pl.col("held_out") >= goal))
        shares.append(float(ahead["share"][0]) if len(ahead) else float("inf"))
    return shares


def _exact_counts(tables: Tables) -> Claim:
    errors = tables.scores.group_by("label").agg(pl.col("count_error").mean())
    sdm, scvb0 = (
        float(errors.filter(pl.col("label") == label)["count_error"][0])
        for label in ("SDM", "SCVB0")
    )
    return Claim(
        "Section 1",
        "SDM preserves the counts of the words; SCVB0 does not.",
        _holds(sdm < 1e-4 < scvb0),
        f"Added up over the topics, the counts of the words are off by {sdm:.0e} of their sum with "
        f"SDM, by {scvb0:.1%} with SCVB0.",
    )


def _underflow(tables: Tables, n_train: int) -> Claim:
    single, double = (
        steps_to(SCVB0(), float(np.finfo(kind).tiny)) for kind in (np.float32, np.float64)
    )
    unguarded = tables.underflow.filter(pl.col("algorithm") == "unguarded")
    broken = unguarded.filter(pl.col("held_out").is_null())["steps"].to_list()
    seen = f"ends after {_millions(broken[0])} steps" if broken else "does not end here"
    return Claim(
        "Sections 1 and 2.5",
        "SCVB0's scale may underflow.",
        f"{HOLDS}, after more passes" if broken and broken[0] > n_train else _holds(bool(broken)),
        f"Without a guard, in float32, SCVB0 {seen}: numbers are no longer finite. Its scale "
        f"leaves float32 after {_millions(single)}, float64 after {double:.0e}. A pass here has "
        f"{_millions(n_train)}.",
    )


def _holds(it: bool) -> str:
    return HOLDS if it else FAILS


def _millions(n: float) -> str:
    return f"{n / 1e6:.1f} million"


def _same_cost(tables: Tables) -> Claim:
    time = _cost(tables.costs, "nanoseconds")
    size = _cost(tables.costs, "bytes")
    times = time("SDM", "topics", N_TOPICS) / time("SCVB0", "topics", N_TOPICS)
    bytes_ratio = size("SDM", "", 0) / size("SCVB0", "", 0)
    alike = times < ALIKE and bytes_ratio < ALIKE
    return Claim(
        "Table 1",
        "SDM costs as much time and memory per biterm as SCVB0.",
        _holds(alike),
        f"Time {times:.2f} times that of SCVB0, memory {bytes_ratio:.2f} times, at K={N_TOPICS}.",
    )


def _memory_rows(tables: Tables) -> Claim:
    per_biterm = {label: bytes_per_biterm(tables.costs, label) for label in ("iBTM", "oBTM")}
    per_slice = bytes_per_biterm(tables.costs, "oBTM", of_slice=True)
    right = per_biterm["iBTM"] == 0 and per_biterm["oBTM"] > 0
    return Claim(
        "Table 1",
        "iBTM keeps K(1+W) numbers and a batch, oBTM all biterms.",
        HOLDS if right else f"{FAILS}: the rows are swapped",
        f"iBTM keeps {per_biterm['iBTM']:.0f} bytes more for each biterm of the corpus; oBTM "
        f"{per_biterm['oBTM']:.0f}, and {per_slice:.0f} for each biterm of its slice.",
    )


def bytes_per_biterm(costs: pl.DataFrame, label: str, of_slice: bool = False) -> float:
    """What one more biterm in the corpus, or in each slice, adds to the memory."""
    sizes = costs.filter((pl.col("unit") == "bytes") & (pl.col("algorithm") == label))
    base = sizes.filter(pl.col("varies") == "")["measured"][0]
    more = sizes.filter(pl.col("varies") == ("slice" if of_slice else "biterms"))
    return float((more["measured"][0] - base) / (more["value"][0] / 2))


def _leave_one_out(tables: Tables) -> list[Claim]:
    """Of SDM, which the paper's section is about, and of all algorithms together."""
    where = "Section 3.2"
    own = "The leave-one-out likelihood of SDM goes with its held-out likelihood."
    every = "The leave-one-out likelihoods of different algorithms go with their held-out ones."
    ends = finished(tables.scores)
    many = ends.filter(pl.len().over("label") > 2)
    within = {str(label): correlation(runs) for (label,), runs in many.group_by("label")}
    if not within:
        return [Claim(where, claim, OPEN, "There are too few runs.") for claim in (own, every)]
    midway = correlation(tables.curves.filter(pl.col("label") == "SDM"))
    least = min(within, key=within.__getitem__)
    together, all_midway = correlation(ends), correlation(tables.curves)
    return [
        Claim(
            where,
            own,
            _holds(min(within["SDM"], midway) >= CLOSE),
            f"Rank correlation over its runs with all K and repeats {within['SDM']:.3f}, midway in "
            f"a pass {midway:.3f}. Least of all algorithms, each by itself: {least}, "
            f"{within[least]:.3f}.",
        ),
        Claim(
            where,
            every,
            _holds(min(together, all_midway) >= CLOSE),
            f"Rank correlation over the runs of all algorithms {together:.3f}, midway "
            f"{all_midway:.3f}.",
        ),
    ]


def correlation(table: pl.DataFrame) -> float:
    """The rank correlation (Spearman's) of leave-one-out and held-out likelihood."""
    return float(spearmanr(table["leave_one_out"], table["held_out"]).statistic)


def _convergence(tables: Tables) -> Claim:
    rows = tables.scores.filter(
        (pl.col("experiment") == "epochs") & (pl.col("label") == "no cool-down")
    ).with_columns(pl.col("setting").cast(pl.Int64).alias("epochs"))
    by_repeat = rows.sort("epochs").group_by("repeat", maintain_order=True).agg("residual")
    falls = all(np.all(np.diff(residuals) < 0) for residuals in by_repeat["residual"])
    means = rows.group_by("epochs").agg(pl.col("residual").mean()).sort("epochs")
    first, last = means["residual"][0], means["residual"][-1]
    where, claim = "Appendix", "SDM converges to a stationary point of the divergence."
    if len(means) < 2:
        return Claim(where, claim, OPEN, "More epochs would take too long here.")
    return Claim(
        where,
        claim,
        _holds(falls),
        f"The relative fixed-point residual falls with every doubling of the epochs in "
        f"{'all' if falls else 'not all'} repeats: {first:.3f} after 1, {last:.3f} after "
        f"{means['epochs'][-1]}.",
    )


def _cost(costs: pl.DataFrame, unit: str) -> Callable[[str, str, int], float]:
    def find(label: str, varies: str, value: int) -> float:
        is_it = (pl.col("unit") == unit) & (pl.col("algorithm") == label)
        found = costs.filter(is_it & (pl.col("varies") == varies) & (pl.col("value") == value))
        return float(found["measured"][0])

    return find
