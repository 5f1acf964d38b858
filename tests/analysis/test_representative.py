"""Representative documents."""

import numpy as np
import polars as pl
import pytest

from bittern import BTM, Corpus
from bittern.analysis.representative import (
    choose_representative,
    count_top_words,
    find_candidates,
    median_length,
)
from bittern.errors import InputError
from known import blocks

TEXTS, TOPICS = blocks()


@pytest.fixture(scope="module")
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def test_representative_documents_belong_to_their_topic(fitted):
    best = fitted.representative(TEXTS, 3)
    assert best.shape == (12, 5)
    assert best["rank"].to_list() == [0, 1, 2] * 4
    shares = fitted.transform(TEXTS)
    np.testing.assert_array_equal(best["probability"], shares[best["id"], best["topic"]])
    assert (best["probability"] > 0.9).all()
    labels = best.with_columns(label=pl.Series(TOPICS).gather(best["id"]))
    assert labels.select("topic", "label").n_unique() == 4
    with pytest.raises(InputError, match="no documents"):
        fitted.representative([], 3)


def chosen(rows, n):
    """The documents chosen from (topic, document, score, is_short, tier, words)."""
    columns = ("topic", "document", "score", "is_short", "tier", "words")
    candidates = pl.DataFrame(rows, columns, orient="row")
    words = {row[1]: row[-1] for row in rows}
    corpus = Corpus.from_tokens([list(words[i]) for i in range(len(words))])
    return choose_representative(candidates, corpus, n)["document"].to_list()


def test_long_and_short_documents_take_turns():
    rows = [(0, i, 0.9 - i / 100, i >= 5, 2, str(i)) for i in range(9)]
    assert chosen(rows, 1) == [0]
    assert chosen(rows, 6) == [0, 5, 1, 6, 2, 7]
    only_short = [(*row[:3], True, *row[4:]) for row in rows]
    assert chosen(only_short, 4) == [0, 1, 2, 3]


def test_documents_with_top_words_come_alone():
    rows = [(0, 0, 0.9, False, 0, "a"), (0, 1, 0.5, False, 2, "b"), (0, 2, 0.4, False, 2, "c")]
    assert chosen(rows, 3) == [1, 2]
    assert chosen(rows[:1], 3) == [0]  # better than none


def test_documents_with_the_same_words_are_used_once():
    rows = [(topic, i, 0.9, False, 2, "ab") for topic, i in ((0, 0), (0, 1), (1, 1))]
    assert chosen(rows, 3) == [0, 1]
    texts = ["Late train!", "late TRAIN", "train late", "dirty seats carriage", "dirty seats"]
    model = BTM(2, random_state=0).fit(texts * 10)
    table = model.representative(texts * 10, 5)
    assert table.group_by("topic").len()["len"].sort().to_list() == [1, 2]


def test_near_copies_are_used_once():
    story = "court blocks new data law after long appeal"  # eight words with a meaning or fewer
    copies = [f"RT @user{i}: {story}" for i in range(300)]  # more than the best that are examined
    others = ["court hears data case", "judge blocks law", "appeal fails", "late train"]
    corpus = Corpus.from_texts([story, *copies, *others * 10], keep_texts=True)
    model = BTM(1, random_state=0).fit(corpus)
    table = model.representative(corpus, 3)
    assert sum("long appeal" in text for text in table["text"]) == 1
    rows = [
        (0, 0, 0.9, False, 2, "abcd"),
        (0, 1, 0.8, False, 2, "abc"),  # three quarters of the words of both
        (0, 2, 0.7, False, 2, "abce"),  # of five words, three are in both
        (0, 3, 0.6, True, 2, "cdf"),
    ]
    assert chosen(rows, 4) == [0, 3, 2]


def test_documents_of_other_topics_do_not_crowd_out(fitted):
    """A document without a fair share of a topic is no candidate, however many top words it has."""
    words = fitted.top_words(20, relevance=0.6)
    mine, others = words[0], [word for other in words[1:] for word in other[:10]]
    corpus = Corpus.from_texts(
        [*(f"{mine[i]} {mine[i + 1]} {' '.join(others)}" for i in range(18)), mine[0]],
        vocabulary=fitted.vocabulary_,
    )
    shares = np.array([[0.2, 0.4, 0.2, 0.2]] * 18 + [[1.0, 0.0, 0.0, 0.0]], np.float32)
    found = find_candidates(fitted.fitted_, corpus, shares, 3)
    assert found.filter(pl.col("topic") == 0)["document"].to_list() == [18]


def test_each_shows_two_top_words(fitted):
    rng = np.random.default_rng(0)
    rare = [f"rare{i}" for i in range(600)]
    texts = [f"{text} {' '.join(rng.choice(rare, 4))}" for text in TEXTS] + [
        " ".join(rng.choice(rare, 9)) for _ in range(300)
    ]
    model = BTM(4, random_state=0).fit(texts)
    top = model.top_words(20, relevance=0.6)
    table = model.representative(texts, 5)
    shown = [len(set(row["text"].split()) & set(top[row["topic"]])) for row in table.to_dicts()]
    assert min(shown) >= 2


def test_top_words_are_counted_once():
    corpus = Corpus.from_tokens([["a", "b", "a"], [], ["c"]])
    top = np.array([[corpus.vocabulary.index(w) for w in words] for words in ("ab", "bc")])
    assert count_top_words(corpus, top).tolist() == [[2, 1], [0, 0], [0, 1]]


def test_chunks_give_the_same_documents(fitted):
    corpus = Corpus.from_texts(TEXTS).with_vocabulary(fitted.vocabulary_)
    shares = fitted.transform(corpus)
    whole = find_candidates(fitted.fitted_, corpus, shares, 3)
    parts = []
    for start in range(0, 400, 70):
        rows = slice(start, start + 70)
        part = find_candidates(fitted.fitted_, corpus[rows], shares[rows], 3, median_length(corpus))
        parts.append(part.with_columns(pl.col("document") + start))
    expected = choose_representative(whole, corpus, 3)
    assert choose_representative(pl.concat(parts), corpus, 3).equals(expected)
