"""The overview of a report: what is shown before any script runs."""

import re
from datetime import date, timedelta

import numpy as np
import pytest

from bittern import BTM, Corpus
from bittern.report import contents
from bittern.report.overview import (
    FEW_CARDS,
    arrange_topics,
    mark_words,
    sparkline,
    trend_in_words,
)
from known import blocks


def overview_of(n_topics, n_documents=3000):
    """The contents and the overview of a report on texts of known topics."""
    texts, _ = blocks(n_topics, n_documents=n_documents)
    days = [date(2024, 1, 1) + timedelta(days=i % 50) for i in range(len(texts))]
    model = BTM(n_topics, random_state=1).fit(texts)
    corpus = Corpus.from_texts(texts, times=days, keep_texts=True, vocabulary=model.vocabulary_)
    made = contents.report_contents(model.fitted_, corpus, "Topics", 1, 0)
    return made, arrange_topics(made)


@pytest.mark.parametrize(("n_topics", "n_cards"), [(1, 1), (7, 7), (12, 12), (13, FEW_CARDS)])
def test_few_topics_are_cards_and_many_are_listed(n_topics, n_cards):
    made, overview = overview_of(n_topics)
    assert [card["topic"] for card in overview.cards] == made["order"][:n_cards]
    sizes = [topic["documents"] for topic in overview.cards]
    assert sizes == sorted(sizes, reverse=True)
    assert overview.are_listed == (n_topics > n_cards)
    listed = sorted(topic["topic"] for branch in overview.branches for topic in branch["topics"])
    assert listed == ([] if n_topics < contents.MIN_BRANCHED_TOPICS else list(range(n_topics)))


def test_a_card_tells_what_its_topic_is_about():
    made, overview = overview_of(3)
    for card in overview.cards:
        block = card["name"][: len("topic0")]
        assert all(word.startswith(block) for word in card["words"][:3])
        assert not set(card["words"]) & set(card["name"].split(", "))
        text = "".join(part for part, _ in card["quote"])
        best = [made["texts"][row]["text"] for row, _ in made["representative"][card["topic"]]]
        assert text in best
        assert {part.startswith(block) for part, marked in card["quote"] if marked} == {True}
        assert card["size"] == "33% of texts"
        assert card["count"] == "1,000 texts"


def test_branches_have_the_sizes_of_their_topics_and_the_largest_comes_first():
    made, overview = overview_of(20)
    assert len(overview.branches) == 4
    documents = [sum(t["documents"] for t in branch["topics"]) for branch in overview.branches]
    assert documents == sorted(documents, reverse=True)
    assert sum(documents) == made["documents"]
    for branch in overview.branches:
        first = branch["topics"][0]
        assert first["branch"] == branch["branch"]
        assert branch["words"].split(", ")[0] == first["name"].split(", ")[0]
        assert branch["count"] == f"{len(branch['topics'])} topic" + "s" * (
            len(branch["topics"]) > 1
        )


def test_branches_are_named_by_given_names():
    texts, _ = blocks(9, n_documents=900)
    model = BTM(9, random_state=1).fit(texts).name_topics([f"name, {k}" for k in range(9)])
    made = contents.report_contents(model.fitted_, Corpus.from_texts(texts), "Topics", 1, 0)
    for name in made["branches"]:
        assert re.fullmatch(r"name, \d(, name, \d)*", name)


def test_hardly_used_topics_are_out_of_the_way():
    texts, _ = blocks()
    model = BTM(20, word_prior=1.0, random_state=0).fit(texts)  # a prior that starves topics
    in_use = model.fitted_.in_use
    assert not in_use.all()
    made = contents.report_contents(model.fitted_, Corpus.from_texts(texts), "Topics", 1, 0)
    overview = arrange_topics(made)
    hardly_used = {topic["topic"] for topic in overview.hardly_used}
    assert hardly_used == set(np.flatnonzero(~in_use).tolist())
    shown = [*overview.cards, *overview.without_texts]
    assert sorted(topic["topic"] for topic in shown) == np.flatnonzero(in_use).tolist()
    used_first = [made["topics"][k]["in_use"] for k in made["order"]]
    assert used_first == sorted(used_first, reverse=True)
    for topic in made["topics"]:
        assert not hardly_used & set(topic["nearest"])


def test_a_card_tells_when_its_topic_peaks_and_where_it_goes():
    starts = [f"2024-0{month}-01" for month in range(1, 6)]
    bursts = [{"peak": 1, "times": 2.0}, {"peak": 3, "times": 4.0}]
    periods = {"period": "month", "starts": starts, "trends": ["rising", "", ""]}
    periods["bursts"] = [bursts, bursts[:1], []]
    found = [trend_in_words(periods, k) for k in range(3)]
    assert found == ["↗ rising, peak in April 2024", "peak in February 2024", ""]


def test_words_are_marked_where_they_are_whole():
    parts = mark_words("The Train's train, trains (TRAIN) c++", ["train", "c++", "trains"])
    assert [part for part, marked in parts if marked] == [
        "Train",
        "train",
        "trains",
        "TRAIN",
        "c++",
    ]
    assert "".join(part for part, _ in parts) == "The Train's train, trains (TRAIN) c++"
    assert mark_words("late", []) == [("late", False)]


def test_phrases_and_words_without_spaces_are_marked():
    parts = mark_words("In New-York, new york and newyork", ["new_york"])
    assert [text for text, is_marked in parts if is_marked] == ["New-York", "new york"]
    parts = mark_words("北京的火车又晚点了", ["火车", "晚点"])
    assert [text for text, is_marked in parts if is_marked] == ["火车", "晚点"]


def test_a_sparkline_starts_at_zero_and_has_gaps():
    line, area = sparkline([0.0, 0.5, None, 0.25])
    assert line == "M0.0 36.0L66.7 1.0M200.0 18.5"
    assert area == "M0.0 36.0L66.7 1.0L66.7 36L0.0 36ZM200.0 18.5L200.0 36L200.0 36Z"
    assert sparkline([0.0, 0.0])[0] == "M0.0 36.0L200.0 36.0"
    assert sparkline([None, None]) == ("", "")
