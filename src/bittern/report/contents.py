"""What is on a report, as plain numbers and texts: what the page's script shows."""

import json
from bisect import bisect_right
from datetime import date
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from unicodedata import normalize
from warnings import warn

import numpy as np
import polars as pl

from bittern._core.threads import imap_threads, resolve_n_jobs
from bittern.analysis.coherence import coherence
from bittern.analysis.documents import texts_of
from bittern.analysis.quality import exclusivity
from bittern.analysis.timeline import Timeline, from_counts, period_index
from bittern.analysis.topic_map import distances
from bittern.charts.charts import map_rows
from bittern.corpus.corpus import Corpus
from bittern.fitted.topics import NAME_RELEVANCE, top_words
from bittern.report.card import card
from bittern.report.summary import (
    LONGEST_LABEL,
    Groups,
    Summary,
    label_groups,
    shortened,
    summarize,
)

if TYPE_CHECKING:
    from bittern._fitted_mixin import FittedTopics

WORDS = 20  # shown of a topic
RELEVANCES = np.linspace(0, 1, 11).round(1)  # where the slider stops
FOUND_WORDS = 3_000  # the most frequent, which the search knows beside those of topics
BEST, SAMPLE = 8, 2_000  # texts of each topic, and of all
LONGEST, LONGEST_WORD = 500, 60  # bytes of a text, and of a word or a name
LABELS = 12  # shown of a topic
SCORED = 100_000  # texts, at most, for the scores of the model card
NEAR = 3  # neighbours
MOST_YEARS = 120  # between texts: more are a wrong date


def collect(model: "FittedTopics", corpus: Corpus, title: str) -> dict[str, Any]:
    """All that the page of a model and a corpus in its words shows."""
    groups = _groups(corpus)
    if "label" not in groups:
        corpus = corpus.with_labels(None)
    summary = summarize(model, corpus, groups, BEST, SAMPLE)
    time = None
    if "time" in groups:
        time = from_counts(groups["time"].names, summary.sums["time"], groups["time"].documents)
    some = _scored(corpus)
    texts, numbers = _texts(corpus, summary)
    return {
        "title": title,
        "made": date.today().isoformat(),
        "documents": len(corpus),
        "topics": _topics(model, some, summary, time),
        **_words(model),
        "texts": texts,
        "best": numbers,
        "periods": None if time is None else _periods(time, len(model.theta_)),
        "labels": _labels(groups["label"], summary) if "label" in groups else None,
        "card": card(model, corpus, some),
        "start": RELEVANCES.tolist().index(NAME_RELEVANCE),
    }


def _groups(corpus: Corpus) -> dict[str, Groups]:
    """The documents by period, where they have times, and by label, where they have labels."""
    groups = {}
    time = None if corpus.times is None else _time_groups(corpus.times)
    if time is not None:
        groups["time"] = time
    if corpus.labels is not None and corpus.labels.null_count() < len(corpus):
        groups["label"] = label_groups(corpus.labels)
    return groups


def _time_groups(times: pl.Series) -> Groups | None:
    """The documents by period; nothing where there is but one, or far too many."""
    days = times.drop_nulls().dt.date()
    if days.n_unique() < 2:
        return None
    first, last = days.sort()[[0, -1]]
    if last.year - first.year > MOST_YEARS:
        warn(f"the times are left out: from {first} to {last} a date must be wrong", stacklevel=7)
        return None
    groups = Groups(*period_index(times, "auto"))
    return groups if len(groups.names) > 1 else None


def _scored(corpus: Corpus) -> Corpus:
    """The documents that the model is scored on: of many with words, some at random."""
    if len(corpus) <= SCORED:
        return corpus
    there = np.flatnonzero(np.diff(corpus.indptr) > 0)
    rng = np.random.default_rng(0)
    some = corpus[np.sort(rng.permutation(there)[:SCORED])]
    known = some.labels is not None and some.labels.null_count() < len(some)
    return some if known else some.with_labels(None)


def _topics(
    model: "FittedTopics", some: Corpus, summary: Summary, time: Timeline | None
) -> list[dict[str, Any]]:
    """A row for each topic: its place on the map, and what the table of topics has of it."""
    apart = distances(model.theta_, model.phi_)
    near = np.argsort(apart + np.diag(np.full(len(apart), np.inf)), axis=1, kind="stable")
    columns: dict[str, Any] = {
        "documents": summary.documents,
        "coherence": coherence(model.top_words(10), some),
        "exclusivity": exclusivity(model.phi_),
        "near": near[:, : min(NEAR, len(apart) - 1)],
    }
    if time is not None:
        columns["trend"] = time.trends["trend"]
    rows = map_rows(model, apart)
    for k, row in enumerate(rows):
        row |= {name: _plain(values[k]) for name, values in columns.items()}
        row["name"], row["words"] = _cut(row["name"]), _cut(row["words"], LONGEST)
    return rows


def _words(model: "FittedTopics") -> dict[str, Any]:
    """The words that the page knows, and which of them each topic has at each relevance.

    `terms` are the words, `overall` how probable they are, `of` their main topics with their shares
    in a hundred; `words` are, for each topic, the numbers of its `terms`, how probable they are
    `inside`, and for each relevance their `order`.
    """
    theta, phi = model.theta_, model.phi_
    threads = resolve_n_jobs(model.n_jobs)
    tops = imap_threads(lambda r: top_words(theta, phi, WORDS, float(r)), RELEVANCES, threads)
    orders = np.stack(list(tops), axis=1)  # (K, relevances, n)
    overall = theta @ phi
    frequent = np.argsort(-overall, kind="stable")[:FOUND_WORDS]
    terms = np.union1d(frequent, orders)
    of = theta[:, np.newaxis] * phi[:, terms] / overall[terms]
    main = np.argsort(-of, axis=0, kind="stable")[:NEAR].T
    share = np.rint(100 * np.take_along_axis(of, main.T, axis=0)).astype(int).T
    words = []
    for k, order in enumerate(orders):
        mine, places = np.unique(order, return_inverse=True)
        words.append(
            {
                "terms": np.searchsorted(terms, mine).tolist(),
                "inside": _short(phi[k, mine]),
                "order": places.reshape(order.shape).tolist(),
            }
        )
    return {
        "terms": [_cut(model.vocabulary_[word]) for word in terms],
        "overall": _short(overall[terms]),
        "of": np.stack([main, share], axis=2).tolist(),
        "words": words,
        "relevances": RELEVANCES.tolist(),
    }


def _texts(corpus: Corpus, summary: Summary) -> tuple[list[dict[str, Any]], list[Any]]:
    """The texts on the page, and for each topic the numbers of its best, with its share in them."""
    shown = summary.shown
    some = corpus[shown["place"].to_numpy()]
    lines = (" ".join(normalize("NFC", text).split()) for text in texts_of(some))  # as words are
    texts = [_cut(line, LONGEST) for line in lines]
    columns = {"text": pl.Series(texts, dtype=pl.String)}
    if some.times is not None:
        columns["time"] = some.times.cast(pl.String).str.head(10)
    if some.labels is not None:
        columns["label"] = shortened(some.labels.cast(pl.String), LONGEST_LABEL)
    share = shown["probability"].cast(pl.Float64).round(3)
    rows = pl.DataFrame({"topic": shown["topic"], "probability": share, **columns}).to_dicts()
    number = {place: i for i, place in enumerate(shown["place"])}
    best: list[list[Any]] = [[] for _ in summary.documents]
    for topic, place, probability in summary.best.rows():
        best[topic].append([number[place], round(probability, 3)])
    return rows, best


def _periods(time: Timeline, n_topics: int) -> dict[str, Any]:
    """The shares of each topic over time, and its bursts."""
    table = time.shares.with_columns(pl.col("period").cast(pl.String).str.head(10))
    first = table.filter(pl.col("topic") == 0)
    values = {
        name: [_short(part[name]) for part in table.partition_by("topic", maintain_order=True)]
        for name in ("share", "low", "high")
    }
    bursts: list[list[Any]] = [[] for _ in range(n_topics)]
    for row in time.bursts.to_dicts():
        when = [str(row["start"])[:10], str(row["end"])[:10]]
        bursts[row["topic"]].append([*when, round(row["times"], 1)])
    return {
        "starts": first["period"].to_list(),
        "documents": first["documents"].to_list(),
        "bursts": bursts,
        **values,
    }


def _labels(group: Groups, summary: Summary) -> dict[str, Any]:
    """The labels of each topic's texts, the most frequent first, beside those of all texts."""
    sums, named = summary.sums["label"], group.names.is_not_null().to_numpy()
    inside = sums / np.maximum(sums.sum(axis=0), 1e-12)
    overall = group.documents / group.documents.sum()
    order = np.argsort(-inside[named], axis=0, kind="stable")[:LABELS].T  # the nameless are last
    return {
        "names": group.names.to_list(),
        "overall": _short(overall),
        "order": order.tolist(),
        "inside": [_short(inside[labels, k]) for k, labels in enumerate(order)],
    }


def _short(values: Any) -> list[float | None]:
    """Numbers with few digits: a page has many of them."""
    return [None if v is None or v != v else float(f"{v:.4g}") for v in values]


def _cut(text: str, longest: int = LONGEST_WORD) -> str:
    """A text that takes so many bytes of the page at most, quotes and escapes included."""
    sizes = [len(json.dumps(letter, ensure_ascii=False).encode()) - 2 for letter in text[:longest]]
    if len(text) <= longest and sum(sizes) <= longest - 2:
        return text
    room = longest - 2 - len("…".encode())
    return text[: bisect_right(list(accumulate(sizes)), room)] + "…"


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}")
    return value.item() if isinstance(value, np.generic) else value
