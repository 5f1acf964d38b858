"""A warning if a few texts that were copied many times make up much of a corpus."""

from typing import NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bittern._core.validation import quote
from bittern.corpus.corpus import Corpus
from bittern.errors import CopiesWarning

MIN_WORDS = 3  # of a text; people write shorter ones more than once
MIN_COPIES, MIN_FREQUENCY = 5, 0.001  # of a text, and of the documents with words
MAX_TEXTS = 10  # that are "a few"
MIN_DISTINCT = 100  # texts; fewer are an example
MIN_SHARE = 0.03  # of the texts with words; it is up to 0.013 in collections of posts and titles
MAX_NAMED = 3  # texts in the message
SAMPLE = 1 << 17  # documents of a larger corpus that are looked at first


class Copies(NamedTuple):
    """The texts that occur most often."""

    rows: NDArray[np.int64]
    """The first document with each text, the most frequent text first."""
    counts: NDArray[np.int64]
    """How often each text occurs."""
    share: float
    """Their share of the documents with words."""


def find_copies(corpus: Corpus) -> Copies | None:
    """Return the texts of which many copies make up much of a corpus; None if there are none.

    Parameters
    ----------
    corpus : Corpus
        Documents.

    Returns
    -------
    Copies or None
        Up to ten texts of three or more words. Each occurs five times or more and is 0.1% or more
        of the documents with words, and together they are 3% or more. A set of fewer than a
        hundred distinct texts is an example, and not checked.

    Examples
    --------
    >>> from bittern import Corpus
    >>> from bittern.corpus.copies import find_copies
    >>> texts = [f"train re{number} was late" for number in range(100)]
    >>> corpus = Corpus.from_texts([*texts, *["cheap new phones online"] * 20], min_df=1)
    >>> find_copies(corpus).counts.tolist()
    [20]
    """
    if len(corpus) >= 2 * SAMPLE and _find(_sample(corpus), MIN_SHARE / 2) is None:
        return None
    return _find(corpus, MIN_SHARE)


def _sample(corpus: Corpus) -> Corpus:
    """Return a random document of each of many portions of equal length."""
    bounds = np.linspace(0, len(corpus), SAMPLE + 1).astype(np.int64)
    return corpus[np.random.default_rng(0).integers(bounds[:-1], bounds[1:])]


def _find(corpus: Corpus, min_share: float) -> Copies | None:
    """Return the texts of which many copies are at least this share of a corpus."""
    lengths = np.diff(corpus.indptr)
    if np.count_nonzero(lengths >= MIN_WORDS) < MIN_DISTINCT:
        return None
    copies = np.bincount(corpus.first_copies(), minlength=len(corpus))
    copies[lengths < MIN_WORDS] = 0
    n_documents = np.count_nonzero(lengths)
    rows = np.flatnonzero(copies >= max(MIN_COPIES, MIN_FREQUENCY * n_documents))
    rows = rows[np.argsort(-copies[rows], kind="stable")][:MAX_TEXTS]
    share = float(copies[rows].sum() / n_documents)
    if np.count_nonzero(copies) < MIN_DISTINCT or share < min_share:
        return None
    return Copies(rows, copies[rows], share)


def warn_about_copies(corpus: Corpus, stacklevel: int) -> None:
    """Warn if a few texts make up much of the documents to train on, and name them.

    Parameters
    ----------
    corpus : Corpus
        Documents to train on.
    stacklevel : int
        As for `warnings.warn`, counted from the caller.
    """
    found = find_copies(corpus)
    if found is None:
        return
    named = [
        f"{quote(_text(corpus, row))} ({count:,} times)"
        for row, count in zip(found.rows[:MAX_NAMED].tolist(), found.counts.tolist(), strict=False)
    ]
    if len(found.rows) > MAX_NAMED:
        named.append(f"{len(found.rows) - MAX_NAMED} more")
    warn(
        f"copies of a few texts make up {found.share:.0%} of the texts and may become topics of "
        f'their own: {", ".join(named)}; duplicates="once" (--duplicates once) counts each text '
        "once",
        CopiesWarning,
        stacklevel=stacklevel + 1,
    )


def _text(corpus: Corpus, row: int) -> str:
    """Return the text of a document or, if it was not kept, its words."""
    if corpus.texts is not None:
        return str(corpus.texts[row])
    words = corpus.tokens[corpus.indptr[row] : corpus.indptr[row + 1]].tolist()
    return " ".join(corpus.vocabulary[word] for word in words)
