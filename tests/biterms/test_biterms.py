from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import chisquare

import bittern.biterms.biterms
import reference
from bittern import Corpus
from bittern.biterms.biterms import Biterms, Block, extract_biterms
from bittern.biterms.lazy import LazyBiterms
from bittern.biterms.validation import check_biterms
from bittern.errors import InputError


def as_pairs(biterms):
    return list(zip(biterms.first.tolist(), biterms.second.tolist(), strict=True))


def heavy():
    return Biterms.from_words(["a"] * 50_000, ["b"] * 50_000, weight=np.full(50_000, 1e9))


def random_corpus(rng, n_documents=50, n_words=8):
    documents = [
        rng.integers(n_words, size=rng.integers(0, 9)).tolist() for _ in range(n_documents)
    ]
    words = [str(i) for i in range(n_words)]
    corpus = Corpus.from_tokens([[words[w] for w in d] for d in documents], vocabulary=words)
    return documents, corpus


@pytest.mark.parametrize("window", [2, 3, 15])
@pytest.mark.parametrize("equal", [False, True])
def test_pairs_equal_the_reference(window, equal):
    documents, corpus = random_corpus(np.random.default_rng(0))
    biterms = extract_biterms(corpus, window, equal)
    assert as_pairs(biterms) == reference.pairs(documents, window, equal)


def test_no_window_pairs_all_words():
    corpus = Corpus.from_tokens([[str(i) for i in range(40)]])
    assert len(extract_biterms(corpus)) < len(extract_biterms(corpus, window=None)) == 40 * 39 / 2


def test_counts_are_pairs_weighted_by_products():
    corpus = Corpus.from_counts(csr_array([[2.0, 0.0, 1.5, 1.0], [0, 0, 3, 0], [0, 0, 0, 0]]))
    biterms = extract_biterms(corpus)
    assert as_pairs(biterms) == [(0, 2), (0, 3), (2, 3)]
    assert biterms.weight.tolist() == [3.0, 2.0, 1.5]
    assert biterms.total == 6.5
    assert biterms.counts().tolist() == [5.0, 0.0, 4.5, 3.5]


def test_whole_counts_are_the_pairs_of_the_tokens():
    counts = np.random.default_rng(1).integers(0, 3, size=(30, 6))
    documents = [np.repeat([str(i) for i in range(6)], row).tolist() for row in counts]
    ordered = extract_biterms(Corpus.from_tokens(documents, vocabulary=list("012345")), window=None)
    weighted = extract_biterms(Corpus.from_counts(counts))
    expanded = Counter()
    for pair, weight in zip(as_pairs(weighted), weighted.weight, strict=True):
        expanded[pair] += int(weight)
    assert Counter(as_pairs(ordered)) == expanded


def test_shuffling_keeps_every_biterm(monkeypatch):
    monkeypatch.setattr(bittern.biterms.biterms, "BUCKET_SIZE", 16)  # many buckets
    _, corpus = random_corpus(np.random.default_rng(2), n_documents=200)
    biterms = extract_biterms(corpus)
    shuffled = biterms.shuffled(np.random.default_rng(0))
    assert Counter(as_pairs(shuffled)) == Counter(as_pairs(biterms))
    assert as_pairs(shuffled) != as_pairs(biterms)
    again = biterms.shuffled(np.random.default_rng(0))
    assert as_pairs(again) == as_pairs(shuffled)
    assert as_pairs(biterms.shuffled(np.random.default_rng(1))) != as_pairs(shuffled)


@pytest.mark.parametrize("window", [3, None])
@pytest.mark.parametrize("memory", [None, 8 * 100, 8])
def test_biterms_made_when_needed_are_those_of_the_corpus(monkeypatch, window, memory):
    monkeypatch.setattr(bittern.biterms.biterms, "BUCKET_SIZE", 16)  # many buckets
    _, corpus = random_corpus(np.random.default_rng(2), n_documents=200)
    kept, made = extract_biterms(corpus, window), LazyBiterms(corpus, window, memory)
    assert len(made) == made.total == len(kept)
    assert made.counts().tolist() == kept.counts().tolist()
    assert as_pairs(made.materialize()) == as_pairs(kept)
    blocks = [Block(*map(np.copy, b[:2]), b.start) for b in first_pass(made).blocks(30)]
    largest = max(len(block.first) for block in blocks)
    assert largest <= 30
    assert [b.start for b in blocks] == np.cumsum([0, *(len(b.first) for b in blocks)])[
        :-1
    ].tolist()
    pairs = [
        pair for block in blocks for pair in zip(*map(np.ndarray.tolist, block[:2]), strict=True)
    ]
    assert Counter(pairs) == Counter(as_pairs(kept))
    assert pairs != as_pairs(kept)
    for n_threads in (1, 3):
        again = [
            pair
            for b in first_pass(LazyBiterms(corpus, window, memory, n_threads)).blocks(30)
            for pair in zip(*map(np.ndarray.tolist, b[:2]), strict=True)
        ]
        assert again == pairs


def first_pass(biterms):
    return biterms.shuffled(np.random.default_rng(0))


@pytest.mark.parametrize("memory", [None, 8])
@pytest.mark.parametrize("bucket", [1 << 16, 1])
def test_every_order_of_a_corpus_is_equally_likely(monkeypatch, bucket, memory):
    monkeypatch.setattr(bittern.biterms.biterms, "BUCKET_SIZE", bucket)
    made = LazyBiterms(Corpus.from_tokens([["a", "b"], ["c", "d"], ["e", "f"]]), 15, memory)
    rng = np.random.default_rng(0)
    seen = Counter(
        tuple(w for block in made.shuffled(rng).blocks(2) for w in block.first.tolist())
        for _ in range(3000)
    )
    assert len(seen) == 6
    assert chisquare(list(seen.values())).pvalue > 1e-3


@pytest.mark.parametrize("bucket", [1 << 16, 1])
def test_every_order_is_equally_likely(monkeypatch, bucket):
    monkeypatch.setattr(bittern.biterms.biterms, "BUCKET_SIZE", bucket)
    biterms = Biterms.from_words("abcd", "bcda")
    rng = np.random.default_rng(0)
    seen = Counter(tuple(biterms.shuffled(rng).first.tolist()) for _ in range(4800))
    assert set(seen) == set(permutations(range(4)))
    assert chisquare(list(seen.values())).pvalue > 1e-3


def test_weights_say_how_often_a_biterm_comes():
    biterms = Biterms.from_words(["a", "b", "c"], ["b", "c", "a"], weight=[3, 0.25, 0])
    rng = np.random.default_rng(0)
    times = [Counter(biterms.shuffled(rng).first.tolist()) for _ in range(2000)]
    assert {t[0] for t in times} == {3}
    assert {t[1] for t in times} == {0, 1}
    assert np.mean([t[1] for t in times]) == pytest.approx(0.25, abs=0.04)
    assert {t[2] for t in times} == {0}


def test_repeating_keeps_the_order():
    biterms = Biterms.from_words("abc", "bca", weight=[2, 0, 1.5])
    firsts = {tuple(biterms.repeated(np.random.default_rng(i)).first) for i in range(20)}
    assert firsts == {(0, 0, 2), (0, 0, 2, 2)}


def test_merging_adds_up_equal_biterms():
    biterms = Biterms.from_words("abcab", "bacba", weight=[1, 2, 4, 8, 16])
    merged = biterms.merged()
    assert as_pairs(merged) == [(0, 1), (2, 2)]
    assert merged.weight.tolist() == [27, 4]
    assert Biterms.from_words("ab", "ba").merged().weight.tolist() == [2]


def test_grouping_brings_the_biterms_of_frequent_words_together():
    biterms = Biterms.from_words("aabcadc", "bccdedd")
    grouped = biterms.grouped()
    counts = biterms.counts()
    assert (counts[grouped.first] >= counts[grouped.second]).all()
    assert (np.diff(grouped.first) != 0).sum() == len(set(grouped.first.tolist())) - 1
    unordered = [Counter(tuple(sorted(pair)) for pair in as_pairs(b)) for b in (biterms, grouped)]
    assert unordered[0] == unordered[1]


def test_blocks_are_the_whole_in_order():
    _, corpus = random_corpus(np.random.default_rng(3))
    biterms = extract_biterms(corpus)
    blocks = list(biterms.blocks(7))
    assert [block.start for block in blocks] == list(range(0, len(biterms), 7))
    assert np.concatenate([block.first for block in blocks]).tolist() == biterms.first.tolist()


def test_split_parts_the_biterms():
    _, corpus = random_corpus(np.random.default_rng(4))
    biterms = extract_biterms(corpus)
    train, test = biterms.split(0.2, np.random.default_rng(0))
    assert len(test) == round(0.2 * len(biterms))
    assert Counter(as_pairs(train)) + Counter(as_pairs(test)) == Counter(as_pairs(biterms))
    again, _ = biterms.split(0.2, np.random.default_rng(0))
    assert as_pairs(again) == as_pairs(train)


def test_with_another_vocabulary_only_its_words_are_left():
    biterms = Biterms.from_words(["a", "b", "c"], ["b", "c", "a"], weight=[1, 2, 3])
    other = biterms.with_vocabulary(["c", "x", "b"])
    assert as_pairs(other) == [(2, 0)]
    assert other.weight.tolist() == [2]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Biterms.from_words(["a"], ["b", "c"]), "1 first words but 2 second words"),
        (lambda: Biterms.from_words(["a"], ["b"], weight=[1, 2]), "1 biterms but weights"),
        (lambda: Biterms.from_words(["a"], ["b"], weight=[-1]), "non-negative"),
        (lambda: Biterms.from_words(["a"], ["b"], weight=[np.nan]), "finite"),
        (lambda: Biterms.from_words(["a"], ["b"], vocabulary=["a"]), "'b'"),
        (lambda: Biterms.from_words(["a"], ["b"], vocabulary=["a", "b", "a"]), "more than once"),
        (lambda: Biterms.from_words(["a"], ["b"], weight=[1e30]), "scale the weights down"),
        (lambda: extract_biterms(Corpus.from_counts([[1e6, 1e6]])), "product of two"),
        (lambda: check_biterms(heavy(), heavy()), r"add up to 5e\+13; .* add up to 1e\+12 or less"),
        (lambda: heavy().shuffled(np.random.default_rng()), r"biterms need .* of memory"),
        (lambda: extract_biterms(Corpus.from_tokens([["a", "b"]]), window=1), "window"),
        (lambda: extract_biterms(Corpus.from_counts(np.eye(2)), equal=True), "in order"),
        (lambda: Biterms.from_words("ab", "bc").split(1.5, np.random.default_rng()), "test_size"),
    ],
)
def test_invalid_biterms_are_rejected(make, says):
    with pytest.raises(InputError, match=says):
        make()
