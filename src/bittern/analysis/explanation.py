"""Explanations: what speaks for the topic of a document, and the documents behind a biterm."""

from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.forks import check_not_forked
from bittern._core.numba import kernel
from bittern._core.validation import check_text, quote
from bittern.analysis.documents import word_information
from bittern.biterms import Texts, extract_biterms
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import FittedTopics

ExplanationBasis = Literal["informative", "words", "biterms"]
EXPLANATION_BASES: tuple[ExplanationBasis, ...] = get_args(ExplanationBasis)


def explain(
    fitted: FittedTopics, document: Corpus, topic: int, by: ExplanationBasis = "informative"
) -> pl.DataFrame:
    """Explain the share of a topic in a document by its words or biterms.

    Parameters
    ----------
    fitted : FittedTopics
        A fitted model.
    document : Corpus
        A corpus of one document over the vocabulary of the model.
    topic : int
        Number of the topic.
    by : {"informative", "words", "biterms"}
        How the topics of the document are inferred; see `document_topics`.

    Returns
    -------
    polars.DataFrame
        A row for each distinct word or biterm, the strongest first: word, or first and second;
        topic; probability, which is p(topic | word) or p(topic | biterm); weight, its part in the
        document; and share, its part in the topic's share. The sum of weight times probability is
        the topic's share in the document.

    Raises
    ------
    InputError
        If `by` is something else.

    Examples
    --------
    >>> import bittern
    >>> from bittern.analysis.explanation import explain
    >>> model = bittern.BTM(2, random_state=0).fit(["cats purr", "dogs bark"] * 20)
    >>> document = bittern.Corpus.from_texts(["cats purr"], vocabulary=model.vocabulary_)
    >>> explain(model.fitted_, document, topic=0).columns
    ['word', 'topic', 'probability', 'weight', 'share']
    """
    if not isinstance(by, str) or by not in EXPLANATION_BASES:
        raise InputError(
            f"a text cannot be explained by {quote(by)}; choose from {', '.join(EXPLANATION_BASES)}"
        )
    check_not_forked()
    theta, phi, names = fitted.theta, fitted.phi, np.array(document.vocabulary, object)
    if by == "biterms":
        biterms = extract_biterms(document, fitted.window).merged()
        parts = {"first": biterms.first, "second": biterms.second}
        weight = np.asarray(biterms.weight, np.float64)
    else:
        words, indices = np.unique(document.tokens, return_inverse=True)
        parts = {"word": words}
        weight = np.bincount(indices, document.counts, len(words)).astype(np.float64)
        if by == "informative":
            weight = weight * word_information(theta, phi)[words]
    joint = theta[:, np.newaxis] * np.prod([phi[:, part] for part in parts.values()], axis=0)
    probability = joint[topic] / joint.sum(axis=0)
    part = probability * weight
    table = pl.DataFrame(
        {name: pl.Series(names[index], dtype=pl.String) for name, index in parts.items()}
        | {
            "topic": np.full(len(part), topic),
            "probability": probability,
            "weight": weight / weight.sum(),
            "share": part / part.sum(),
        }
    )
    return table.sort("share", descending=True, maintain_order=True)


def documents_with(
    corpus: Corpus, first: str, second: str, window: int | None = 15
) -> NDArray[np.int64]:
    """Find the documents that contain a biterm.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    first, second : str
        The two words, in either order.
    window : int or None
        Window of the biterms, in words; None is the whole document.

    Returns
    -------
    ndarray of shape (n_found,)
        Indices of documents.

    Raises
    ------
    InputError
        If a word is not in the vocabulary, or the two words are the same.

    Examples
    --------
    >>> from bittern import Corpus
    >>> from bittern.analysis.explanation import documents_with
    >>> corpus = Corpus.from_tokens([["cat", "purr"], ["dog", "bark"], ["purr", "cat"]])
    >>> documents_with(corpus, "cat", "purr")
    array([0, 2])
    """
    index = {word: i for i, word in enumerate(corpus.vocabulary)}
    for word in (first, second):
        check_text("a word", word)
    first, second = (word if word in index else word.lower() for word in (first, second))
    for word in (first, second):
        if word not in index:
            raise InputError(f'the word "{word}" is not in the vocabulary; check its spelling')
    if first == second:
        raise InputError(f'a biterm has two different words, not "{first}" twice')
    texts = Texts.from_corpus(corpus, window)
    found = _has_biterm(texts.indptr, texts.tokens, texts.window, index[first], index[second])
    return np.flatnonzero(found)


@kernel
def _has_biterm(indptr: Any, tokens: Any, window: int, v: int, w: int) -> Any:
    """Tell for each document whether v and w occur in it less than `window` apart."""
    has = np.zeros(len(indptr) - 1, np.bool_)
    for d in range(len(has)):
        last_v, last_w = -window, -window
        for i in range(indptr[d], indptr[d + 1]):
            at = i - indptr[d]
            if tokens[i] == v:
                has[d] |= at - last_w < window
                last_v = at
            if tokens[i] == w:
                has[d] |= at - last_v < window
                last_w = at
    return has
