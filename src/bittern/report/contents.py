"""What is on a report, as plain numbers and texts: what the page's script shows."""

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from bittern.charts import map_rows
from bittern.coherence import coherence
from bittern.corpus import Corpus
from bittern.documents import texts_of
from bittern.layout import distances
from bittern.parallel import count_threads, map_in_threads
from bittern.quality import exclusivity
from bittern.report.card import card
from bittern.report.summary import Groups, Summary, label_groups, summarize
from bittern.timeline import Timeline, from_counts, periods
from bittern.topics import top_words

if TYPE_CHECKING:
    from bittern.fitted import FittedTopics

WORDS = 20  # shown of a topic
RELEVANCES = np.linspace(0, 1, 11)  # where the slider stops
FOUND_WORDS = 5_000  # the most frequent, which the search knows with all of their topics
BEST, SAMPLE = 8, 2_000  # texts of each topic, and of all
LONGEST = 280  # letters of a text
LABELS = 12  # shown of a topic
SCORED = 100_000  # texts, at most, for the scores of the model card
NEAR = 3  # neighbours


def collect(model: "FittedTopics", corpus: Corpus, title: str, verbose: int = 0) -> dict[str, Any]:
    """All that the page of a model and a corpus in its words shows."""
    groups = _groups(corpus)
    summary = summarize(model, corpus, groups, BEST, SAMPLE, verbose)
    time = None
    if "time" in groups:
        time = from_counts(groups["time"].names, summary.sums["time"], groups["time"].documents)
    some = corpus
    if len(corpus) > SCORED:
        rng = np.random.default_rng(0)
        some = corpus[np.sort(rng.permutation(len(corpus))[:SCORED])]
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
    }


def _groups(corpus: Corpus) -> dict[str, Groups]:
    """The documents by period, where they have times, and by label, where they have labels."""
    groups = {}
    if corpus.times is not None and corpus.times.n_unique() > 1:
        known = corpus.times.is_not_null().to_numpy()
        starts, place = periods(corpus.times.filter(pl.Series(known)), "auto")
        everywhere = np.full(len(corpus), -1)
        everywhere[known] = place
        groups["time"] = Groups(starts, everywhere)
    if corpus.labels is not None and corpus.labels.null_count() < len(corpus):
        groups["label"] = label_groups(corpus.labels)
    return groups


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
    return [
        row | {name: _plain(values[k]) for name, values in columns.items()}
        for k, row in enumerate(map_rows(model, apart))
    ]


def _words(model: "FittedTopics") -> dict[str, Any]:
    """The words that the page knows, and which of them each topic has at each relevance.

    `terms` are the words, `overall` how probable they are, `of` their main topics with their shares
    in a hundred; `words` are, for each topic, the numbers of its `terms`, how probable they are
    `inside`, and for each relevance their `order`.
    """
    theta, phi = model.theta_, model.phi_
    threads = count_threads(model.n_jobs)
    tops = map_in_threads(lambda r: top_words(theta, phi, WORDS, float(r)), RELEVANCES, threads)
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
        "terms": [model.vocabulary_[word] for word in terms],
        "overall": _short(overall[terms]),
        "of": np.stack([main, share], axis=2).tolist(),
        "words": words,
        "relevances": [round(float(r), 2) for r in RELEVANCES],
    }


def _texts(corpus: Corpus, summary: Summary) -> tuple[list[dict[str, Any]], list[Any]]:
    """The texts on the page, and for each topic the numbers of its best, with its share in them."""
    shown = summary.shown
    some = corpus[shown["place"].to_numpy()]
    rows = shown.select("topic", pl.col("probability").round(3)).to_dicts()
    for row, text in zip(rows, texts_of(some), strict=True):
        row["text"] = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    for name, column in (("time", some.times), ("label", some.labels)):
        if column is not None:
            for row, value in zip(rows, column.cast(pl.String), strict=True):
                row[name] = value
    number = {place: i for i, place in enumerate(shown["place"])}
    best: list[list[Any]] = [[] for _ in summary.documents]
    for topic, place, probability in summary.best.rows():
        best[topic].append([number[place], round(probability, 3)])
    return rows, best


def _periods(time: Timeline, n_topics: int) -> dict[str, Any]:
    """The shares of each topic over time, and its bursts."""
    table = time.shares.with_columns(pl.col("period").cast(pl.String).str.slice(0, 10))
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
    sums = summary.sums["label"]
    inside = sums / np.maximum(sums.sum(axis=0), 1e-12)
    overall = group.documents / group.documents.sum()
    order = np.argsort(-inside, axis=0, kind="stable")[:LABELS].T
    return {
        "names": group.names.to_list(),
        "overall": _short(overall),
        "order": order.tolist(),
        "inside": [_short(inside[labels, k]) for k, labels in enumerate(order)],
    }


def _short(values: Any) -> list[float | None]:
    """Numbers with few digits: a page has many of them."""
    return [None if v is None or v != v else float(f"{v:.4g}") for v in values]


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}")
    return value.item() if isinstance(value, np.generic) else value
