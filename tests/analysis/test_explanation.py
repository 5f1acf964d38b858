"""Explanations of topics by words and biterms."""

import numpy as np
import pytest

import reference
from bittern import BTM, Corpus
from bittern.analysis.explanation import documents_with
from bittern.errors import InputError
from known import blocks

TEXTS, TOPICS = blocks()
WORDS = list("abcdefghi")


@pytest.fixture(scope="module")
def fitted():
    return BTM(4, random_state=1).fit(TEXTS)


def random_documents(rng, n=50):
    return [list(rng.choice(WORDS, size=rng.integers(0, 9))) for _ in range(n)]


@pytest.mark.parametrize("by", ["informative", "words", "biterms"])
def test_explanation_adds_up_to_the_topic_share(fitted, by):
    text = "topic0word1 topic0word2 topic1word3 topic0word1"
    table = fitted.explain(text, by=by)
    topic = fitted.transform([text]).argmax()
    assert table["topic"].unique().to_list() == [topic]
    assert table["share"].sum() == pytest.approx(1)
    assert table["weight"].sum() == pytest.approx(1)
    assert table["share"].is_sorted(descending=True)
    shares = fitted.document_info([text], by, shares=True)
    parts = table["weight"] * table["probability"]
    assert parts.sum() == pytest.approx(shares[f"topic_{topic}"][0], rel=1e-4)
    assert (parts / parts.sum()).to_list() == pytest.approx(table["share"].to_list())
    first = {"topic0word1", "topic0word2"} if by == "biterms" else {"topic0word1"}
    assert set(table.row(0)) >= first
    other = fitted.explain(text, topic=(topic + 1) % 4)
    assert other["topic"].unique().to_list() == [(topic + 1) % 4]


def test_explain_rejects_several_texts_and_unknown_topics(fitted):
    with pytest.raises(InputError, match="one text"):
        fitted.explain(TEXTS[:2])
    with pytest.raises(InputError, match="0 to 3"):
        fitted.explain(TEXTS[0], topic=4)
    with pytest.raises(InputError, match='by "mix"; choose from informative, words, biterms'):
        fitted.explain(TEXTS[0], by="mix")
    assert fitted.explain("nothing known").height == 0
    assert fitted.explain("topic0word1", by="biterms").height == 0


@pytest.mark.parametrize("window", [2, 3, None])
def test_documents_with_a_biterm_match_the_reference_implementation(window):
    texts = random_documents(np.random.default_rng(3), 200)
    corpus = Corpus.from_tokens(texts, vocabulary=WORDS)
    expected = [
        d
        for d, text in enumerate(texts)
        if any(set(pair) == {"b", "e"} for pair in reference.pairs([text], window or 99, False))
    ]
    assert documents_with(corpus, "b", "e", window).tolist() == expected
    assert documents_with(corpus, "e", "b", window).tolist() == expected


def test_documents_with_a_biterm_of_the_model(fitted):
    table = fitted.documents_with(TEXTS, "topic0word1", "topic0word2")
    assert len(table) > 0
    assert all("topic0word1" in text and "topic0word2" in text for text in table["text"])
    with pytest.raises(InputError, match='"nope" is not in the vocabulary'):
        fitted.documents_with(TEXTS, "nope", "topic0word2")
    with pytest.raises(InputError, match="two different"):
        fitted.documents_with(TEXTS, "topic0word2", "topic0word2")
