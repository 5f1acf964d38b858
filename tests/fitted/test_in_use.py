"""Topics that hold next to nothing are marked, and their words are not shown."""

import json
import re

import numpy as np
import pytest

from bittern import BTM, load
from bittern.cli.output import print_topics
from known import blocks, sample_corpus, sample_topics

TEXTS, _ = blocks()


@pytest.fixture(scope="module")
def model():
    return BTM(20, word_prior=1.0, random_state=0).fit(TEXTS)  # a prior that starves topics


def test_only_the_four_topics_of_the_texts_are_in_use(model):
    in_use = model.fitted_.in_use
    assert in_use.sum() == 4
    np.testing.assert_allclose(model.theta_[in_use], 0.25, atol=0.02)
    assert BTM(4, random_state=0).fit(TEXTS).fitted_.in_use.all()


def test_default_settings_leave_topics_empty_that_the_texts_do_not_support():
    rng = np.random.default_rng(0)
    corpus = sample_corpus(rng, *sample_topics(rng, n_words=300))
    used = BTM(20, random_state=0).fit(corpus).fitted_.in_use.sum()
    assert 5 <= used < 15  # five topics


def test_a_few_texts_support_few_topics():
    rng = np.random.default_rng(0)
    corpus = sample_corpus(rng, *sample_topics(rng, n_words=60), n_documents=60)
    few, many = (BTM(k, random_state=0).fit(corpus).fitted_.in_use for k in (5, 40))
    assert few.all()
    assert 5 <= many.sum() < 20
    assert BTM(2, random_state=0).fit(["red apple", "late train"] * 3).fitted_.in_use.all()


def test_topic_info_has_no_words_for_them(model):
    info = model.topic_info(n=3)
    assert info["in_use"].to_list() == model.fitted_.in_use.tolist()
    for name, words, in_use in info.select("name", "words", "in_use").rows():
        assert len(words.split(", ")) == (3 if in_use else 1)
        assert (words == "") == (not in_use)
        assert (name == "(hardly used)") == (not in_use)


def test_given_names_and_saving_keep_the_mark(model, tmp_path):
    unused = int(np.flatnonzero(~model.fitted_.in_use)[0])
    model.save(tmp_path / "model")
    named = load(tmp_path / "model").name_topics({unused: "rest"})
    assert named.topic_names_[unused] == "rest"
    assert named.fitted_.in_use.tolist() == model.fitted_.in_use.tolist()
    named.remove_topics(*np.flatnonzero(~model.fitted_.in_use).tolist())
    assert named.fitted_.in_use.tolist() == [True] * 4


def test_command_line_says_how_many_are_in_use(model, capsys):
    print_topics(model.fitted_, words=3, relevance=1.0)
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert len(lines) == 5
    assert all("topic" in line for line in lines)
    assert err == (
        "Only 4 of 20 topics are in use; the others are not listed. Fit with fewer topics; "
        "bittern choose recommends a number.\n"
    )
    assert model.summary(n=3) == f"{out}{err}".strip()
    unused = int(np.flatnonzero(~model.fitted_.in_use)[0])
    named = model.fitted_.with_names({unused: "rest"})
    print_topics(named, words=3, relevance=1.0, quiet=True)
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].endswith("rest: (hardly used)")
    assert err == ""


def test_report_marks_them(model):
    html = model.report(TEXTS).html
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.S)[1])
    assert sum(topic["in_use"] for topic in data["topics"]) == 4
    for topic, words in zip(data["topics"], data["words"], strict=True):
        assert (len(words["terms"]) > 0) == topic["in_use"]
    assert "16 topics hardly used" in html
    assert "<dt>topics</dt><dd>20, 4 in use</dd>" in html
