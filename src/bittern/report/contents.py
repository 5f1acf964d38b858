"""The contents of a report as plain numbers and texts, which the page's script displays."""

import json
from bisect import bisect_right
from collections.abc import Iterable
from datetime import date
from itertools import accumulate
from typing import Any
from unicodedata import normalize
from warnings import warn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.threads import imap_threads
from bittern.analysis.documents import (
    corpus_chunks,
    infer_topics,
    main_topics,
    texts_of,
)
from bittern.analysis.groups import Groups
from bittern.analysis.periods import name_periods, period_groups
from bittern.analysis.quality import CorpusEvaluation
from bittern.analysis.timeline import Timeline, timeline_from_sums
from bittern.analysis.topic_map import map_positions, topic_distances
from bittern.analysis.tree import cut_tree, topic_tree
from bittern.analysis.word_shifts import overused_words
from bittern.corpus import Corpus
from bittern.fitted import DEFAULT_RELEVANCE, NAME_WORDS, FittedTopics, telling_words, top_words
from bittern.report.card import model_card
from bittern.report.summary import (
    MAX_LABEL_LENGTH,
    Summary,
    label_groups,
    single_lines,
    summarize,
)
from bittern.report.wording import time_span

JsonObject = dict[str, Any]
"""Values by name, which become a JavaScript object."""

N_WORDS = 20  # of each topic
RELEVANCES = np.linspace(0, 1, 11).round(1)  # the steps of the slider
MAX_FREQUENT_WORDS = 3_000  # that the search knows, beside the top words of topics
WORD_TOPICS = 3  # main topics of a word, in search results
N_REPRESENTATIVE, N_SAMPLE = 8, 2_000  # texts of each topic, and of all
MAX_TEXT_BYTES, MAX_WORD_BYTES = 500, 60
MAX_TOPIC_LABELS = 12  # of each topic
MAX_SCORED = 100_000  # texts for the scores of the model card
N_NEAREST = 4  # similar topics
MIN_BRANCHED_TOPICS = 12  # fewer topics fall into branches of one, which tell nothing
MAX_BRANCHES = 6  # that readers can tell apart by color
NAME_TOPICS = 3  # that a branch is named by
N_BURST_WORDS = 3
TRENDS = {"rises": "rising", "falls": "falling", "": ""}
MAX_YEARS = 120  # from the first to the last text; if there are more, a date is wrong


def report_contents(
    fitted: FittedTopics, corpus: Corpus, title: str, n_threads: int, verbose: int
) -> JsonObject:
    """Return everything that the report of a model and of documents shows."""
    documents, with_words = corpus, corpus.drop_empty()
    corpus = _drop_set_aside(fitted, with_words, n_threads)
    groups = _groups(corpus)
    if "label" not in groups:
        corpus = corpus.with_labels(None)
    summary = summarize(fitted, corpus, groups, N_REPRESENTATIVE, N_SAMPLE, n_threads, verbose)
    evaluation = _evaluation(fitted, corpus, summary, n_threads)
    texts, representative = _texts(corpus, summary)
    distances = topic_distances(fitted.theta, fitted.phi)
    branches, branch_names = _branches(fitted, distances, summary)
    return {
        "title": title,
        "created": date.today().isoformat(),
        "documents": len(documents),
        "without_words": len(documents) - len(with_words),
        "set_aside": len(with_words) - len(corpus),
        "span": _span(groups, corpus),
        "topics": _topics(evaluation, summary, distances, branches),
        "order": _order(fitted, summary),
        "branches": branch_names,
        **_words(fitted, n_threads),
        "texts": texts,
        "representative": representative,
        "periods": _periods(fitted, corpus, groups["time"], summary) if "time" in groups else None,
        "labels": _labels(corpus, groups["label"], summary) if "label" in groups else None,
        "card": model_card(evaluation, documents, len(evaluation.corpus) < len(corpus)),
        "initial_relevance": RELEVANCES.tolist().index(DEFAULT_RELEVANCE),
    }


def _drop_set_aside(fitted: FittedTopics, corpus: Corpus, n_threads: int) -> Corpus:
    """Return the documents whose topic is not set aside."""
    if not fitted.set_aside:
        return corpus
    main = [
        main_topics(fitted, part, infer_topics(fitted, part, n_threads=n_threads))
        for _, part in corpus_chunks(corpus)
    ]
    return corpus[np.concatenate([np.empty(0, np.int64), *main]) >= 0]


def _groups(corpus: Corpus) -> dict[str, Groups]:
    """Group documents by period, if they have times, and by label, if they have labels."""
    groups = {}
    periods = None if corpus.times is None else _periods_of(corpus.times)
    if periods is not None:
        groups["time"] = periods
    if corpus.labels is not None and corpus.labels.null_count() < len(corpus):
        groups["label"] = label_groups(corpus.labels)
    return groups


def _periods_of(times: pl.Series) -> Groups | None:
    """Group documents by period; None if there is only one, or far too many."""
    days = times.drop_nulls().dt.date()
    if days.n_unique() < 2:
        return None
    first, last = days.sort()[[0, -1]]
    if last.year - first.year > MAX_YEARS:
        warn(
            f"the report leaves out times: dates from {first} to {last} span more than "
            f"{MAX_YEARS} years; check for wrong dates",
            stacklevel=6,
        )
        return None
    groups = period_groups(times)
    return groups if len(groups.names) > 1 else None


def _span(groups: dict[str, Groups], corpus: Corpus) -> str:
    """Return the time of the documents in words; an empty string if they have no times."""
    if "time" not in groups or corpus.times is None:
        return ""
    days = corpus.times.dt.date()
    first, last = days.min(), days.max()
    assert isinstance(first, date)
    assert isinstance(last, date)
    return time_span(first, last)


def _evaluation(
    fitted: FittedTopics, corpus: Corpus, summary: Summary, n_threads: int
) -> CorpusEvaluation:
    """Prepare the scores; of many documents with words, use a random sample."""
    main_topics = summary.main_topics
    if len(corpus) > MAX_SCORED:
        with_words = np.flatnonzero(np.diff(corpus.indptr) > 0)
        sample = np.sort(np.random.default_rng(0).permutation(with_words)[:MAX_SCORED])
        corpus, main_topics = corpus[sample], main_topics[sample]
    labels = corpus.labels
    if labels is not None and labels.null_count() == len(labels):
        labels = None
    return CorpusEvaluation(
        fitted, corpus=corpus, labels=labels, n_threads=n_threads, main_topics=main_topics
    )


def _order(fitted: FittedTopics, summary: Summary) -> list[int]:
    """Return the topics that are not set aside: those in use first, by their documents."""
    order = np.lexsort((-summary.documents, ~fitted.in_use))
    return [topic for topic in order.tolist() if topic not in fitted.set_aside]


def _branches(
    fitted: FittedTopics, distances: NDArray[np.float64], summary: Summary
) -> tuple[list[int | None], list[str]]:
    """Return the branch of each topic, None if it is not in use, and the name of each branch.

    Branches are numbered by the number of documents. Few topics have no branches.
    """
    used = np.flatnonzero(fitted.is_shown)
    branches: list[int | None] = [None] * fitted.n_topics
    if len(used) < MIN_BRANCHED_TOPICS:
        return branches, []
    n_branches = min(MAX_BRANCHES, round(len(used) ** 0.5))
    found = cut_tree(topic_tree(distances[np.ix_(used, used)]), n_branches)
    documents = np.bincount(found, weights=summary.documents[used])
    ranks = np.argsort(np.argsort(-documents, kind="stable"))[found]
    largest: list[list[str]] = [[] for _ in range(n_branches)]
    for i in np.argsort(-summary.documents[used], kind="stable"):
        topic, branch = int(used[i]), int(ranks[i])
        branches[topic] = branch
        name = fitted.topic_names[topic]
        largest[branch].append(name if topic in fitted.given_names else name.split(", ")[0])
    return branches, [truncate(", ".join(telling_words(names, NAME_TOPICS))) for names in largest]


def _topics(
    evaluation: CorpusEvaluation,
    summary: Summary,
    distances: NDArray[np.float64],
    branches: list[int | None],
) -> list[JsonObject]:
    """Return a row for each topic: its name, size, scores, and position on the map."""
    fitted = evaluation.fitted
    used = np.flatnonzero(fitted.is_shown)
    positions = np.zeros((fitted.n_topics, 2))
    positions[used] = map_positions(distances[np.ix_(used, used)])
    others = distances + np.diag(np.full(len(distances), np.inf))
    others[:, ~fitted.is_shown] = np.inf
    order = np.argsort(others, axis=1, kind="stable")
    nearest = [row[np.isfinite(others[k, row])][:N_NEAREST] for k, row in enumerate(order)]
    columns: JsonObject = {
        "topic": list(range(fitted.n_topics)),
        "name": list(map(truncate, fitted.topic_names)),
        "in_use": fitted.is_shown.tolist(),
        "branch": branches,
        "documents": summary.documents.tolist(),
        "share": rounded(summary.documents / summary.documents.sum()),
        "biterms": rounded(fitted.theta),
        "coherence": rounded(evaluation.coherence("npmi")),
        "exclusivity": rounded(evaluation.exclusivity),
        "nearest": [row.tolist() for row in nearest],
        "x": positions[:, 0].round(4).tolist(),
        "y": positions[:, 1].round(4).tolist(),
    }
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def _words(fitted: FittedTopics, n_threads: int) -> JsonObject:
    """Return the words of the page, and the top words of each topic at each relevance.

    `terms` are the words, `overall` their probabilities, and `term_topics` their main topics with
    percentages. For each topic, `words` has the indices of its `terms`, their probabilities
    `inside` the topic, and for each relevance their `order`.
    """
    theta, phi = fitted.theta, fitted.phi
    tops = imap_threads(lambda r: top_words(theta, phi, N_WORDS, float(r)), RELEVANCES, n_threads)
    orders = np.stack(list(tops), axis=1)  # (K, relevances, n)
    overall = theta @ phi
    frequent = np.argsort(-overall, kind="stable")[:MAX_FREQUENT_WORDS]
    terms = np.union1d(frequent, orders)
    posterior = theta[:, np.newaxis] * phi[:, terms] / overall[terms]  # p(topic | word)
    posterior[fitted.is_set_aside] = 0
    main = np.argsort(-posterior, axis=0, kind="stable")[:WORD_TOPICS].T
    percent = np.rint(100 * np.take_along_axis(posterior, main.T, axis=0)).astype(int).T
    words = []
    for k, order in enumerate(orders):
        if not fitted.is_shown[k]:
            order = order[:, :0]
        own, positions = np.unique(order, return_inverse=True)
        words.append(
            {
                "terms": np.searchsorted(terms, own).tolist(),
                "inside": rounded(phi[k, own]),
                "order": positions.reshape(order.shape).tolist(),
            }
        )
    return {
        "terms": [truncate(fitted.vocabulary[word]) for word in terms],
        "overall": rounded(overall[terms]),
        "term_topics": np.stack([main, percent], axis=2).tolist(),
        "words": words,
        "relevances": RELEVANCES.tolist(),
    }


def _texts(
    corpus: Corpus, summary: Summary
) -> tuple[list[JsonObject], list[list[tuple[int, float]]]]:
    """Return the texts of the page, and the representative ones of each topic with its share."""
    shown = summary.shown
    part = corpus[shown["document"].to_numpy()]
    lines = (" ".join(normalize("NFC", text).split()) for text in texts_of(part))  # as words are
    texts = [truncate(line, MAX_TEXT_BYTES) for line in lines]
    columns = {"text": pl.Series(texts, dtype=pl.String)}
    if part.times is not None:
        columns["time"] = part.times.cast(pl.String).str.head(10)
    if part.labels is not None:
        columns["label"] = single_lines(part.labels.cast(pl.String), MAX_LABEL_LENGTH)
    share = shown["probability"].cast(pl.Float64).round(3)
    rows = pl.DataFrame({"topic": shown["topic"], "probability": share, **columns}).to_dicts()
    row_of = {document: row for row, document in enumerate(shown["document"])}
    representative: list[list[tuple[int, float]]] = [[] for _ in summary.documents]
    for topic, document, probability in summary.representative.rows():
        representative[topic].append((row_of[document], round(probability, 3)))
    return rows, representative


def _periods(fitted: FittedTopics, corpus: Corpus, groups: Groups, summary: Summary) -> JsonObject:
    """Return the shares of each topic over time, its trend and its bursts."""
    timeline = timeline_from_sums(groups.names, summary.sums["time"], groups.documents)
    table = timeline.shares.with_columns(pl.col("period").cast(pl.String).str.head(10))
    first = table.filter(pl.col("topic") == 0)
    values = {
        name: [rounded(part[name]) for part in table.partition_by("topic", maintain_order=True)]
        for name in ("share", "low", "high")
    }
    return {
        "period": name_periods(groups.names),
        "starts": first["period"].to_list(),
        "documents": first["documents"].to_list(),
        "trends": [TRENDS[trend] for trend in timeline.trends["trend"]],
        "bursts": _bursts(fitted, corpus, groups, summary, timeline),
        **values,
    }


def _bursts(
    fitted: FittedTopics, corpus: Corpus, groups: Groups, summary: Summary, timeline: Timeline
) -> list[list[JsonObject]]:
    """Return the bursts of each topic in order of time, with the words that they are about.

    The words of its name are about the topic at any time.
    """
    bursts: list[list[JsonObject]] = [[] for _ in summary.documents]
    for (topic,), found in timeline.bursts.sort("start").group_by("topic", maintain_order=True):
        own = np.flatnonzero(summary.main_topics == topic)
        documents, codes = corpus[own], groups.codes[own]
        name = fitted.topic_names[topic].split(", ")
        for row in found.to_dicts():
            first, last, peak = (
                groups.names.search_sorted(row[name]) for name in ("start", "end", "peak")
            )
            inside = (codes >= first) & (codes <= last)
            words = overused_words(documents, inside, N_BURST_WORDS + NAME_WORDS)
            words = [word for word in words if word not in name][:N_BURST_WORDS]
            bursts[topic].append(
                {
                    "first": first,
                    "last": last,
                    "peak": peak,
                    "times": round(row["times"], 1),
                    "words": list(map(truncate, words)),
                }
            )
    return bursts


def _labels(corpus: Corpus, groups: Groups, summary: Summary) -> JsonObject:
    """Return the labels of each topic's texts, the most frequent first, and those of all texts."""
    sums, named = summary.sums["label"], groups.names.is_not_null().to_numpy()
    inside = sums / np.maximum(sums.sum(axis=0), 1e-12)
    overall = groups.documents / groups.documents.sum()
    order = np.argsort(-inside[named], axis=0, kind="stable")[:MAX_TOPIC_LABELS].T
    assert corpus.labels is not None
    return {
        "column": truncate(corpus.labels.name) or "Group",
        "names": groups.names.to_list(),
        "overall": rounded(overall),
        "order": order.tolist(),
        "inside": [rounded(inside[labels, k]) for k, labels in enumerate(order)],
    }


def rounded(values: Iterable[float | None]) -> list[float | None]:
    """Round numbers to four digits, since a page has many of them; NaN becomes None."""
    return [None if v is None or v != v else float(f"{v:.4g}") for v in values]


def truncate(text: str, max_bytes: int = MAX_WORD_BYTES) -> str:
    """Truncate a text so that its JSON has at most this many bytes, with quotes and escapes."""
    sizes = [
        len(json.dumps(character, ensure_ascii=False).encode()) - 2
        for character in text[:max_bytes]
    ]
    if len(text) <= max_bytes and sum(sizes) <= max_bytes - 2:
        return text
    available = max_bytes - 2 - len("…".encode())
    return text[: bisect_right(list(accumulate(sizes)), available)] + "…"
