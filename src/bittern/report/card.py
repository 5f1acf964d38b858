"""The model card: what was learned from what, how, and how well."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from bittern._core.validation import is_integer
from bittern.corpus.corpus import Corpus
from bittern.text.preprocessing import TextOptions

if TYPE_CHECKING:
    from bittern._fitted_mixin import FittedTopics

SCORES = {
    "log_likelihood": "log-likelihood of a biterm",
    "word_log_likelihood": "log-likelihood of a word, given half of its text",
    "npmi": "coherence (NPMI)",
    "c_v": "coherence (C_v)",
    "umass": "coherence (UMass)",
    "diversity": "different words among the top ten",
    "exclusivity": "exclusivity of the top ten",
    "redundancy": "likeness to the nearest topic",
    "purity": "purity, by the labels",
    "nmi": "normalised mutual information with the labels",
    "ari": "adjusted Rand index with the labels",
    "v_measure": "V-measure with the labels",
}

TEXT = {
    "stop_words": "stop words",
    "ngrams": "words in a row taken as one, up to",
    "language": "texts only in",
    "tokenizer": "words found by",
    "min_df": "texts that a word is in, at least",
    "max_df": "texts that a word is in, at most",
    "max_features": "words, at most",
}


def card(
    model: "FittedTopics", corpus: Corpus, some: Corpus
) -> list[tuple[str, list[tuple[str, str]]]]:
    """The parts of the card; the scores are on `some` of the documents."""
    scores = [(SCORES[name], f"{value:.3f}") for name, value in model.quality(some).items()]
    on = "" if len(some) == len(corpus) else f", on {len(some):,} of the texts, at random"
    return [
        ("Texts", _texts(corpus)),
        ("Model", _model(model)),
        (f"Scores{on}", scores),
    ]


def _texts(corpus: Corpus) -> list[tuple[str, str]]:
    n_words = len(corpus.tokens) if corpus.counts is None else corpus.counts.sum()
    empty = (np.diff(corpus.indptr) == 0).sum()
    rows = [
        ("texts", f"{len(corpus):,}"),
        ("words in a text, on average", f"{n_words / len(corpus):.1f}"),
        ("texts without a word that the model knows", f"{empty:,}"),
    ]
    if corpus.times is not None and corpus.times.null_count() < len(corpus):
        rows.append(("from", f"{corpus.times.min()!s:.10} to {corpus.times.max()!s:.10}"))
    if corpus.labels is not None:
        rows.append(("different labels", f"{corpus.labels.drop_nulls().n_unique():,}"))
    return rows


def _model(model: "FittedTopics") -> list[tuple[str, str]]:
    from bittern import __version__

    algorithm, prior = model._how.algorithm, model._how.prior
    settings = asdict(algorithm)
    if not settings.get("seed_words"):
        settings.pop("seed_share", None)
    rows = [
        ("topics", f"{len(model.theta_)}"),
        ("words", f"{len(model.vocabulary_):,}"),
        ("algorithm", type(algorithm).__name__),
        *((name.replace("_", " "), _said(value)) for name, value in settings.items()),
        ("prior of a topic (gamma)", f"{prior.topic:.4g}"),
        ("prior of a word (beta)", f"{prior.word:.4g}"),
        ("window", "the whole text" if model.window is None else f"{model.window} words"),
        ("starts tried", f"{model.n_init}"),
    ]
    if is_integer(model.random_state):
        rows.append(("seed", f"{model.random_state}"))
    if not model.history_.is_empty():
        rows.append(("biterms learned, over all passes", f"{model.history_['biterms'][-1]:,}"))
    if model.options_ is not None:
        rows += [(TEXT[name], _said(value)) for name, value in _changed(model.options_)]
    rows.append(("made by", f"bittern {__version__}"))
    return [(name, value) for name, value in rows if value]


def _changed(options: TextOptions) -> list[tuple[str, Any]]:
    """The stop words, and what else was asked for when texts became words."""
    plain = TextOptions()
    values = {name: getattr(options, name) for name in TEXT}
    return [
        (name, value)
        for name, value in values.items()
        if name == "stop_words" or value != getattr(plain, name)
    ]


def _said(value: Any) -> str:
    """A setting as people would write it; nothing where there is none."""
    if callable(value):
        return getattr(value, "__name__", "your own")
    if isinstance(value, tuple):
        return ", ".join(value[:10]) + (", …" if len(value) > 10 else "")
    if isinstance(value, dict):
        return "; ".join(f"{name}: {', '.join(words)}" for name, words in value.items())
    return "" if value is None else str(value)
