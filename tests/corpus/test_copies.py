"""Documents with the same words: which they are, and the warning about many of them."""

import warnings

import numpy as np
import pytest

import bittern.corpus.copies
from bittern import BTM, Corpus
from bittern.corpus.copies import find_copies, warn_about_copies
from bittern.errors import CopiesWarning

REPLIES = [f"reply number{i} about fares" for i in range(200)]
SPAM = "cheap new phones online"


def slow_first_copies(documents):
    """The first document that is equal to each, found by comparing all of them."""
    return [documents.index(document) for document in documents]


@pytest.mark.parametrize("n_words", [1, 2, 30])
def test_first_copies_are_those_of_a_slow_comparison(n_words):
    rng = np.random.default_rng(n_words)
    lengths = rng.integers(0, 5, size=500)
    documents = [rng.integers(n_words, size=length).tolist() for length in lengths]
    corpus = Corpus.from_indices(
        [f"word{i}" for i in range(n_words)], lengths, np.concatenate(documents).astype(int)
    )
    assert corpus.first_copies().tolist() == slow_first_copies(documents)


def test_order_and_counts_matter():
    assert Corpus.from_texts(["late train", "train late"]).first_copies().tolist() == [0, 1]
    counts = Corpus.from_counts([[1, 2], [2, 1], [1, 2], [0, 1], [1, 0]])
    assert counts.first_copies().tolist() == [0, 1, 0, 3, 4]


def test_hashes_that_collide_do_not_merge_documents():
    """Documents in a table of two or three times as many slots collide all the time."""
    n = 20_000
    corpus = Corpus.from_indices(
        [f"word{i}" for i in range(n)], np.ones(2 * n, int), np.tile(np.arange(n), 2)
    )
    assert corpus.first_copies().tolist() == 2 * list(range(n))


def test_documents_that_are_not_copies_keep_their_columns():
    texts = ["late train", "The late train!", "dirty seats"]
    corpus = Corpus.from_texts(texts, labels=[1, 2, 3], keep_texts=True).drop_duplicates()
    assert corpus.texts.to_list() == [texts[0], texts[2]]
    assert corpus.labels.to_list() == [1, 3]
    assert corpus.ids.tolist() == [0, 2]
    assert corpus.drop_duplicates() is corpus
    assert len(Corpus.from_texts([]).drop_duplicates()) == 0


def test_copies_of_a_few_texts_are_named_in_a_warning():
    texts = [*REPLIES, *[SPAM] * 20, *["Please CALL me, back now!"] * 6]
    kept = Corpus.from_texts(texts, keep_texts=True, stop_words=None, min_df=1)
    with pytest.warns(CopiesWarning) as caught:
        warn_about_copies(kept, stacklevel=1)
    assert str(caught[0].message) == (
        "copies of a few texts make up 12% of the texts and may become topics of their own: "
        f'"{SPAM}" (20 times), "Please CALL me, back now!" (6 times); duplicates="once" '
        "(--duplicates once) counts each text once"
    )
    assert caught[0].filename == __file__
    words = Corpus.from_texts(texts, stop_words=None, min_df=1)
    with pytest.warns(CopiesWarning, match=r'"please call me back now" \(6 times\)'):
        warn_about_copies(words, stacklevel=1)


@pytest.mark.parametrize(
    "texts",
    [
        REPLIES,
        [*REPLIES, *["late train"] * 100],  # people write short answers more than once
        [*REPLIES * 2, *[SPAM] * 10],  # all are frequent
        [*REPLIES[:50], *[SPAM] * 100],  # an example
        [*REPLIES, *["", "n/a", None] * 100, *[SPAM] * 4],
    ],
)
def test_ordinary_texts_get_no_warning(texts):
    assert find_copies(Corpus.from_texts(texts, min_df=1)) is None


def test_a_sample_tells_whether_a_large_corpus_has_copies(monkeypatch):
    monkeypatch.setattr(bittern.corpus.copies, "SAMPLE", 1 << 11)
    many = [f"reply number{i} about fares" for i in range(10_000)]
    assert find_copies(Corpus.from_texts(many, min_df=1)) is None
    found = find_copies(Corpus.from_texts([*many, *[SPAM] * 500], min_df=1))
    assert found.counts.tolist() == [500]
    assert found.rows.tolist() == [10_000]


def test_fit_warns_unless_each_text_counts_once():
    texts = [*REPLIES, *[SPAM] * 20]
    with pytest.warns(CopiesWarning) as caught:
        BTM(2, random_state=0, min_df=1).fit(texts)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BTM(2, random_state=0, min_df=1, duplicates="once").fit(texts)
