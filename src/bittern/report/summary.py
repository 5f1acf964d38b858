"""What a report says of documents, found in one walk over them: memory does not grow with them."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.progress import ProgressBar
from bittern.analysis.representative import (
    count_distinct_words,
    distinct_documents,
    representative,
    trust,
)
from bittern.analysis.timeline import add_up
from bittern.corpus.corpus import CHUNK, Corpus

if TYPE_CHECKING:
    from bittern._fitted_mixin import FittedTopics

MOST_LABELS = 1_000  # that are told apart
LONGEST_LABEL = 40  # letters


class Groups(NamedTuple):
    """Which group each document is in, such as its period or its label; -1 for none."""

    names: pl.Series
    place: NDArray[np.int64]

    @property
    def documents(self) -> NDArray[np.int64]:
        """How many documents each group has."""
        return np.bincount(self.place[self.place >= 0], minlength=len(self.names))


class Summary(NamedTuple):
    """What was found in the documents."""

    documents: NDArray[np.int64]
    """How many have each topic as their main topic, (K,)."""
    sums: dict[str, NDArray[np.float64]]
    """Of each kind of groups, how many documents of each topic a group has, (groups, K)."""
    best: pl.DataFrame
    """The documents that stand best for each topic, no text twice: topic, place, probability."""
    shown: pl.DataFrame
    """These and a random sample, each with its main topic: place, topic, probability."""


def label_groups(labels: pl.Series) -> Groups:
    """The most frequent labels in the order of their names; all others are a group without one."""
    names = shortened(labels.cast(pl.String), LONGEST_LABEL).alias("label")
    counts = names.drop_nulls().value_counts().sort("count", "label", descending=[True, False])
    kept = counts.head(MOST_LABELS)["label"].sort()
    numbers = pl.DataFrame({"label": kept}).with_row_index("place")
    found = names.to_frame().join(numbers, on="label", how="left", maintain_order="left")
    place = found["place"].cast(pl.Int64).fill_null(-1).to_numpy(writable=True)
    if counts.height > len(kept):
        place[(place < 0) & names.is_not_null().to_numpy()] = len(kept)
        kept = kept.extend(pl.Series([None], dtype=pl.String))
    return Groups(kept, place)


def shortened(texts: pl.Series, longest: int) -> pl.Series:
    """Texts on one line each, cut where they are too long for a page."""
    lines = texts.str.replace_all(r"[\s\p{Cc}]+", " ").str.strip_chars()
    cut = lines.str.head(longest - 1) + "…"
    return lines.zip_with((lines.str.len_chars() <= longest).fill_null(True), cut)


def summarize(
    model: "FittedTopics",
    corpus: Corpus,
    groups: dict[str, Groups],
    n_best: int,
    n_sample: int,
) -> Summary:
    """Walk over the documents of a corpus in the words of the model."""
    n_topics = len(model.theta_)
    rng = np.random.default_rng(0)  # the same documents give the same page
    sample = rng.permutation(len(corpus))[:n_sample]
    sums = {kind: np.zeros((len(group.names), n_topics)) for kind, group in groups.items()}
    documents = np.zeros(n_topics, np.int64)
    good, seen = [], []
    with ProgressBar("reporting", len(corpus), "texts", model.verbose) as bar:
        for start in range(0, len(corpus), CHUNK):
            part = corpus[start : start + CHUNK]
            shares = model._shares(part)
            main = shares.argmax(axis=1)
            documents += np.bincount(main, minlength=n_topics)
            for kind, group in groups.items():
                add_up(group.place[start : start + CHUNK], shares, sums[kind])
            candidates = _candidates(part, shares, n_best)
            rows = np.union1d(
                candidates["place"], sample[sample // CHUNK == start // CHUNK] - start
            )
            good.append(candidates.with_columns(pl.col("place") + start))
            seen.append(_table(rows + start, main[rows], shares[rows, main[rows]]))
            bar.advance(len(part))
    more_than_by_chance = pl.col("probability") >= 1 / n_topics
    best = _best(pl.concat(good).filter(more_than_by_chance), corpus.texts, n_best)
    wanted = np.union1d(best["place"], sample)
    shown = pl.concat(seen).filter(pl.col("place").is_in(wanted))
    return Summary(documents, sums, best.select("topic", "place", "probability"), shown)


def _candidates(part: Corpus, shares: NDArray[np.float32], n: int) -> pl.DataFrame:
    """The documents of a part that stand best for each topic, and how well they do."""
    some, lengths = distinct_documents(part), count_distinct_words(part)
    best = some[representative(shares[some], lengths[some], n)]
    topic, place = np.repeat(np.arange(len(best)), best.shape[1]), best.ravel()
    probability = shares[place, topic]
    value = probability * trust(lengths[place])
    return _table(place, topic, probability).with_columns(value=pl.Series(value))


def _best(candidates: pl.DataFrame, texts: pl.Series | None, n: int) -> pl.DataFrame:
    """The n best of each topic; of those with the same text, one."""
    best = candidates.sort("topic", "value", descending=[False, True], maintain_order=True)
    if texts is not None:
        best = best.with_columns(text=texts.gather(best["place"]))
        best = best.unique(["topic", "text"], keep="first", maintain_order=True)
    return best.group_by("topic", maintain_order=True).head(n)


def _table(
    place: NDArray[np.int64], topic: NDArray[np.int64], probability: NDArray[np.float32]
) -> pl.DataFrame:
    return pl.DataFrame({"place": place, "topic": topic, "probability": probability})
