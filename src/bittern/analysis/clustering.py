"""Agreement of topics with labels, as of clusters with classes."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from bittern._core.forks import check_not_forked
from bittern._core.validation import check_list, check_text
from bittern.corpus.metadata import is_missing
from bittern.errors import InputError

Table = NDArray[np.integer[Any]]
"""The number of documents with each label (rows) in each topic (columns)."""


def cluster_scores(labels: ArrayLike, topics: ArrayLike) -> dict[str, float]:
    """Compare the main topics of documents with their labels.

    Documents without a label are not used.

    Parameters
    ----------
    labels : array-like of shape (n_documents,)
        The label of each document; None or NaN if it has none.
    topics : array-like of shape (n_documents,)
        The main topic of each document.

    Returns
    -------
    dict
        Purity, normalized mutual information (nmi), adjusted Rand index (ari) and V-measure; the
        last three are those of scikit-learn.

    Raises
    ------
    InputError
        If the lengths differ, or no document has a label.

    Examples
    --------
    >>> from bittern.analysis.clustering import cluster_scores
    >>> cluster_scores(["pets", "pets", "cars", None], [1, 1, 0, 0])["purity"]
    1.0
    """
    table = label_table(label_counts(labels, topics))
    return {
        "purity": purity(table),
        "nmi": normalized_mutual_information(table),
        "ari": adjusted_rand_index(table),
        "v_measure": normalized_mutual_information(table),
    }


def label_counts(labels: ArrayLike, topics: ArrayLike) -> pl.DataFrame:
    """Count the documents with each label in each topic: columns label, topic and documents.

    Documents without a label, or without a topic (-1), are not counted.
    """
    check_not_forked()
    given, found = check_list("labels", labels), np.asarray(topics)
    if len(given) != len(found):
        raise InputError(f"{len(given)} labels but {len(found)} documents; give one label for each")
    names = [None if is_missing(label) else str(label) for label in given]
    for name in names:
        check_text("a label", name or "")
    pairs = pl.DataFrame({"label": pl.Series(names, dtype=pl.String), "topic": found})
    known = pairs.drop_nulls().filter(pl.col("topic") >= 0)
    counts = known.group_by("label", "topic").len("documents")
    return counts.sort("label", "topic")


def label_table(counts: pl.DataFrame) -> Table:
    """Return counts as a table with a row for each label and a column for each topic in use."""
    if counts.is_empty():
        raise InputError("no document has a label; give at least one")
    rows, columns = (
        counts[name].rank("dense").to_numpy().astype(np.intp) - 1 for name in ("label", "topic")
    )
    table = np.zeros((rows.max() + 1, columns.max() + 1), np.int64)
    np.add.at(table, (rows, columns), counts["documents"].to_numpy())
    return table


def purity(table: Table) -> float:
    """Return the fraction of documents with the most frequent label of their topic."""
    return float(table.max(axis=0).sum() / table.sum())


def normalized_mutual_information(table: Table) -> float:
    """Return the mutual information of topics and labels over the mean of their entropies.

    This is also the V-measure, the harmonic mean of homogeneity and completeness.
    """
    from scipy.stats import entropy

    labels, topics = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    if labels + topics == 0:  # one label and one topic: they agree
        return 1.0
    information = labels + topics - entropy(table, axis=None)
    return float(max(2 * information / (labels + topics), 0.0))


def adjusted_rand_index(table: Table) -> float:
    """Return the adjusted Rand index: agreement on pairs of documents, 0 by chance."""
    n = float(table.sum())
    same = [_pairs(counts) for counts in (table, table.sum(axis=1), table.sum(axis=0))]
    both, labels, topics = same
    expected = labels * topics / max(_pairs(np.array([n])), 1.0)
    most = (labels + topics) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _pairs(counts: NDArray[Any]) -> float:
    """Return the number of pairs of documents within cells."""
    x = counts.astype(np.float64)
    return float((x * (x - 1)).sum() / 2)
