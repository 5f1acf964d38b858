"""The orders in which algorithms see biterms, and time slices."""

from collections import Counter
from datetime import date
from itertools import pairwise

import numpy as np
import pytest

from bittern import BTM, Corpus
from bittern.algorithms import SDM
from bittern.biterms import (
    Biterms,
    LazyBiterms,
    arrange,
    extract_biterms,
    next_pass,
    texts,
    time_slices,
)
from bittern.errors import InputError

CORPUS = Corpus.from_texts([f"w{i % 7} w{i % 5} w{i % 3}" for i in range(60)], stop_words=None)


def pairs(biterms, ordered=True):
    blocks = list(biterms.blocks(50))
    found = [
        pair
        for block in blocks
        for pair in zip(block.first.tolist(), block.second.tolist(), strict=True)
    ]
    return found if ordered else Counter(tuple(sorted(pair)) for pair in found)


def test_long_texts_are_split_for_sweeps(monkeypatch):
    """Memory for a text grows with its words and topics, so it must not grow with the longest."""
    monkeypatch.setattr(texts, "MAX_LENGTH", 100)
    rng = np.random.default_rng(0)
    lengths = np.array([0, 100, 101, 7, 950, 0, 200])
    tokens = rng.integers(0, 20, lengths.sum()).astype(np.int32)
    corpus = Corpus.from_indices([str(i) for i in range(20)], lengths, tokens)
    for source in (LazyBiterms(corpus, 15), extract_biterms(corpus, 15)):
        pieces = np.diff(source.texts.indptr).tolist()
        assert pieces == [0, 100, 100, 1, 7, *[100] * 9, 50, 0, 100, 100]
        assert source.texts.tokens is corpus.tokens
        assert source.n_tokens == len(tokens)
    assert LazyBiterms(corpus, None).texts.indptr is corpus.indptr
    model = BTM(2, algorithm=SDM(sweeps=4), random_state=0).fit(corpus)
    assert model.history_["stage"][-1] == "sweep"
    np.testing.assert_allclose(model.phi_.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("order", ["reshuffled", "shuffled", "grouped", "sequential"])
@pytest.mark.parametrize("lazy", [False, True])
def test_every_order_has_all_biterms_in_every_pass(order, lazy):
    biterms = extract_biterms(CORPUS)
    source = LazyBiterms(CORPUS, 15) if lazy else biterms
    rng = np.random.default_rng(0)
    arranged = arrange(source, order, rng)
    first, second = (next_pass(arranged, order, rng) for _ in range(2))
    assert pairs(first, ordered=False) == pairs(biterms, ordered=False)
    assert pairs(second, ordered=False) == pairs(biterms, ordered=False)
    assert (pairs(first) == pairs(second)) == (order != "reshuffled")
    assert (pairs(first) == pairs(biterms)) == (order == "sequential")


def test_grouped_biterms_of_a_word_follow_each_other():
    grouped = arrange(extract_biterms(CORPUS), "grouped", np.random.default_rng(0))
    words = [first for first, _ in pairs(next_pass(grouped, "grouped", None))]
    changes = sum(a != b for a, b in pairwise(words))
    assert changes == len(set(words)) - 1


def test_merged_biterms_keep_their_total():
    biterms = Biterms.from_words("aabb", "bbac", weight=[1, 2, 3, 0.5])
    merged = arrange(biterms, "merged", np.random.default_rng(0)).materialize()
    assert len(merged) == 2
    assert merged.total == biterms.total == 6.5
    np.testing.assert_allclose(merged.counts(), biterms.counts())


def test_without_slices_the_data_is_whole():
    ((name, data),) = time_slices(CORPUS, None)
    assert name == ""
    assert data is CORPUS


def test_slices_follow_times():
    days = [date(2024, 1, 1 + i % 28) for i in range(60)]
    first, *_, last = time_slices(CORPUS.with_times(days), 4)
    assert (first[0], last[0]) == ("0", "3")
    assert first[1].times.max() <= last[1].times.min()
    weeks = time_slices(CORPUS.with_times(days), "week")
    assert [name for name, _ in weeks] == ["2024-01-01", "2024-01-08", "2024-01-15", "2024-01-22"]
    assert sum(len(part) for _, part in weeks) == 60


def test_slices_of_periods_need_times():
    with pytest.raises(InputError, match="needs documents with times; pass times="):
        time_slices(CORPUS, "day")
