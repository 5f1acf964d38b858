"""The model card: what the page says of the quality and the settings of the model."""

from dataclasses import fields
from importlib.metadata import version
from typing import Any, NamedTuple

from bittern._core.validation import is_integer
from bittern.analysis.quality import MEASURES, CorpusEvaluation, evaluate
from bittern.corpus import Corpus
from bittern.fitted import FittedTopics, tokenizer_name
from bittern.text import TextOptions

MAX_LISTED_WORDS = 10

TEXT_OPTIONS = {
    "numbers": "numbers as words",
    "letters": "single letters as words",
    "emoji": "emoji as words",
    "ngrams": "longest n-gram",
    "language": "language of texts",
    "segment": "segmented language",
    "lemmas": "languages of lemmas",
    "min_df": "minimum document frequency",
    "max_df": "maximum document frequency",
    "max_features": "maximum vocabulary size",
}
"""Labels of text options, where they differ from their names."""

MAIN_SCORES = ("npmi", "exclusivity", "diversity")
MEANINGS = {
    "npmi": "Do the ten top words of a topic occur in the same texts? 0 means no more often than "
    "by chance, 1 means always together.",
    "exclusivity": "Do the ten top words of a topic belong to it alone? 1 means that no other "
    "topic uses them.",
    "diversity": "Are the topics different? 1 means that no two topics share one of their ten top "
    "words.",
    "redundancy": "How similar is a topic to the one most like it? 0 means no word in common, 1 "
    "means identical.",
    "log_likelihood": "How well the model predicts pairs of words. Only compares models on the "
    "same texts; higher is better.",
    "word_log_likelihood": "How well the model predicts the words of a text from its other half. "
    "Only compares models on the same texts; higher is better.",
    "c_v": "Another measure of whether top words occur in the same texts, from 0 to 1.",
    "umass": "Another one, at most 0; closer to 0 is better.",
}
"""What measures mean to readers of the page; for others, their description is used."""

Rows = list[tuple[str, str]]


class Score(NamedTuple):
    """A quality measure of the topics."""

    label: str
    value: str
    meaning: str


class ModelCard(NamedTuple):
    """The sections of the card."""

    sample: int | None
    """Of how many random texts the scores are; None if of all."""
    main_scores: list[Score]
    more_scores: list[Score]
    agreement: list[Score]
    """Measures against the labels of texts."""
    texts: Rows
    settings: Rows


def model_card(evaluation: CorpusEvaluation, corpus: Corpus, is_sample: bool) -> ModelCard:
    """Return the card; the evaluation may be on a sample of the documents that have a topic."""
    n_scored = len(evaluation.corpus)
    scores = {
        name: Score(
            MEASURES[name].label,
            f"{value:.3f}".replace("-", "−"),
            MEANINGS.get(name, MEASURES[name].description),
        )
        for name, value in evaluate(evaluation).items()
    }
    others = [name for name in scores if name not in MAIN_SCORES]
    return ModelCard(
        n_scored if is_sample else None,
        [scores[name] for name in MAIN_SCORES],
        [scores[name] for name in others if not MEASURES[name].needs_labels],
        [scores[name] for name in others if MEASURES[name].needs_labels],
        _texts(corpus),
        _model(evaluation.fitted),
    )


def _texts(corpus: Corpus) -> Rows:
    """Describe the texts; all but their number is about those with known words."""
    n_texts, corpus = len(corpus), corpus.drop_empty()
    n_words = len(corpus.tokens) if corpus.counts is None else corpus.counts.sum()
    rows = [
        ("texts", f"{n_texts:,}"),
        ("mean words per text", f"{n_words / len(corpus):.1f}"),
        ("texts without known words", f"{n_texts - len(corpus):,}"),
    ]
    if corpus.times is not None and corpus.times.null_count() < len(corpus):
        rows.append(("dates", f"{corpus.times.min()!s:.10} to {corpus.times.max()!s:.10}"))
    if corpus.labels is not None:
        n_groups = corpus.labels.drop_nulls().n_unique()
        rows.append((corpus.labels.name or "groups", f"{n_groups:,} distinct values"))
    return rows


def _model(fitted: FittedTopics) -> Rows:
    """Describe the settings of the model."""
    algorithm = fitted.algorithm
    settings = {name: value for name, value in algorithm.settings().items() if value != "auto"}
    settings.pop("background", None)
    if not settings.get("seed_words"):
        settings.pop("seed_share", None)
    rows = [
        ("topics", _topics(fitted)),
        ("vocabulary", f"{len(fitted.vocabulary):,} words"),
        ("algorithm", type(algorithm).__name__),
        *((name.replace("_", " "), _format(value)) for name, value in settings.items()),
        ("topic prior (gamma)", f"{fitted.prior.topic:.4g}"),
        ("word prior (beta)", f"{fitted.prior.word:.4g}"),
        ("window", "whole text" if fitted.window is None else f"{fitted.window} words"),
        ("background", f"{fitted.background.probability:.4g}" if fitted.background else ""),
        ("random starts", f"{fitted.settings.n_init}"),
        ("duplicates", "counted once" if fitted.settings.duplicates == "once" else ""),
        ("passes over biterms", _count_epochs(fitted, "pass")),
        ("sweeps over texts", _count_epochs(fitted, "sweep")),
    ]
    if is_integer(fitted.settings.random_state):
        rows.append(("random seed", f"{fitted.settings.random_state}"))
    if fitted.history:
        rows.append(("biterms visited, all passes and sweeps", f"{fitted.history[-1].biterms:,}"))
    if fitted.text_options is not None:
        rows += _text_options(fitted.text_options)
    rows.append(("created with", f"bittern {version('bittern')}"))
    return [(name, value) for name, value in rows if value]


def _topics(fitted: FittedTopics) -> str:
    """Return the number of topics, and how many are in use if that is not all of them."""
    n_used = int(fitted.in_use.sum())
    return f"{fitted.n_topics}" + (f", {n_used} in use" if n_used < fitted.n_topics else "")


def _count_epochs(fitted: FittedTopics, stage: str) -> str:
    """Return the number of passes or sweeps, if it is known."""
    epochs = {record.epoch for record in fitted.history if record.stage == stage}
    return f"{len(epochs)}" if fitted.history else ""


def _text_options(options: TextOptions) -> Rows:
    """Describe the stop words, and other text options that differ from their defaults."""
    default = TextOptions()
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    return [
        (TEXT_OPTIONS.get(name, name.replace("_", " ")), _format(value))
        for name, value in values.items()
        if name == "stop_words" or value != getattr(default, name)
    ]


def _format(value: Any) -> str:
    """Format a setting for people; an empty string if there is none."""
    if callable(value):
        return tokenizer_name(value)
    if isinstance(value, tuple):
        listed = ", ".join(map(str, value[:MAX_LISTED_WORDS]))
        return listed + (", …" if len(value) > MAX_LISTED_WORDS else "")
    if isinstance(value, dict):
        return "; ".join(f"{name}: {', '.join(words)}" for name, words in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
