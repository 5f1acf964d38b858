from collections import Counter
from dataclasses import asdict
from itertools import pairwise
from math import log

import numpy as np
import polars as pl
import pytest

import bittern.text.phrases
from bittern import BTM, Corpus
from bittern.corpus import read_batches
from bittern.errors import InputError
from bittern.text.phrases import MIN_COUNT, MIN_NPMI, find_phrases, index_phrases, merge_phrases
from bittern.text.tokens import GAP, WORD_LISTS, encode

PLACES = ["big", "far", "cold", "noisy", "green", "grey", "old", "huge", "full", "loud"]
TEXTS = [
    *(f"new york is {place}, not {other}" for place in PLACES for other in PLACES),
    *(f"a new {place} coat for {other} days" for place in PLACES for other in PLACES),
    *["york people love new york"] * 3,
]


def tokens_of(documents):
    """Documents as tokens; None is a gap."""
    lists = [[word or "|" for word in words] for words in documents]
    tokens = encode(pl.Series(lists, dtype=WORD_LISTS))
    gaps = (tokens.words == "|").to_numpy()[tokens.codes]
    return tokens._replace(codes=np.where(gaps, GAP, tokens.codes).astype(np.int32))


def decode(tokens):
    names = tokens.words.to_list()
    words = [None if code == GAP else names[code] for code in tokens.codes]
    ends = np.cumsum(tokens.lengths)
    return [words[end - n : end] for n, end in zip(tokens.lengths, ends, strict=True)]


def pairs_of(documents, minimum):
    """Pairs of adjacent words with a high NPMI, by their definition."""
    counts = Counter(w for words in documents for w in words if w)
    total = sum(counts.values())
    together = Counter(p for words in documents for p in pairwise(words) if all(p))
    return {
        (a, b): n
        for (a, b), n in together.items()
        if a != b and n >= minimum
        and log(n * total / (counts[a] * counts[b])) / log(total / n) >= MIN_NPMI
    }  # fmt: skip


def merged(words, phrases):
    """Words with the longest phrase joined at each position."""
    done = []
    while words:
        sizes = [len(p) for p in phrases if tuple(words[: len(p)]) == p]
        n = max(sizes, default=1)
        done.append("_".join(words[:n]) if sizes else words[0])
        words = words[n:]
    return done


def random_documents(rng, n):
    """Texts with planted phrases of two and three words, and gaps."""
    words = np.array([f"w{i}" for i in range(60)])
    documents = []
    for _ in range(n):
        words_of = [[w] for w in rng.choice(words, rng.integers(8))]
        planted = [["new", "york"], ["new", "york", "times"], ["los", "angeles"], [None], ["new"]]
        words_of += [planted[i] for i in rng.integers(len(planted), size=rng.integers(4))]
        order = rng.permutation(len(words_of))
        documents.append([w for i in order for w in words_of[i]])
    return documents


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_chunks", [1, 4])
def test_phrases_are_found_and_joined_as_by_their_definition(seed, n_chunks):
    rng = np.random.default_rng(seed)
    documents = random_documents(rng, 3000)
    chunks = [tokens_of(documents[i::n_chunks]) for i in range(n_chunks)]
    found = find_phrases(chunks)
    pairs = set(pairs_of(documents, MIN_COUNT))
    assert {("los", "angeles"), ("new", "york")} <= pairs
    phrases = set(map(tuple, found))
    assert {phrase for phrase in phrases if len(phrase) == 2} <= pairs
    assert ("new", "york", "times") in phrases
    for i, chunk in enumerate(chunks):
        expected = [merged(d, phrases) for d in documents[i::n_chunks]]
        assert decode(merge_phrases(chunk, index_phrases(found))) == expected


def test_pairs_that_are_never_joined_are_left_out():
    rest = [f"w{i} text" for i in range(50)]
    corpus = Corpus.from_texts(["neil degrasse tyson"] * 50 + rest, phrases=True)
    assert corpus.options.phrases == ("neil degrasse tyson",)


def test_words_around_a_gap_are_no_phrase():
    rest = [[f"w{i}"] for i in range(50)]
    assert find_phrases([tokens_of([["ham", None, "eggs"]] * 50 + rest)]) == []
    assert find_phrases([tokens_of([["ham", "eggs"]] * 50 + rest)]) == [["ham", "eggs"]]


@pytest.mark.parametrize("documents", [[], [[]], [["a"]], [["a", "a"]] * 20, [["a", "b"]] * 20])
def test_tiny_corpora(documents):
    tokens = tokens_of(documents)
    merged_tokens = merge_phrases(tokens, index_phrases(find_phrases([tokens])))
    assert len(merged_tokens.lengths) == len(documents)
    assert find_phrases([]) == []


def test_a_corpus_joins_phrases_and_remembers_them():
    corpus = Corpus.from_texts(TEXTS, phrases=True)
    assert corpus.options.phrases == ("new york",)
    assert {"new_york", "coat", "york", "new"} <= set(corpus.vocabulary)
    words = [corpus.vocabulary[i] for i in corpus[-1:].tokens]
    assert words == ["york", "people", "love", "new_york"]


def test_a_word_that_is_written_like_a_phrase_is_the_same_word():
    corpus = Corpus.from_texts([*TEXTS, "new_york"], phrases=True)
    assert corpus.vocabulary.count("new_york") == 1
    assert corpus.vocabulary[corpus.tokens[-1]] == "new_york"


def test_a_model_joins_the_phrases_it_was_fitted_with(tmp_path):
    model = BTM(2, random_state=0, phrases=True).fit(TEXTS)
    assert model.fitted_.text_options.phrases == ("new york",)
    model.save(tmp_path / "model")
    again = bittern.load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(["new york"]), model.transform(["new york"]))
    assert again.fitted_.text_options.phrases == ("new york",)


def test_phrases_cannot_be_found_batch_by_batch(tmp_path):
    (tmp_path / "t.txt").write_text("new york\n")
    with pytest.raises(InputError, match="list them in Python"):
        list(read_batches(tmp_path / "t.txt", vocabulary=["new_york"], phrases=True))


def test_ngrams_of_phrases():
    corpus = Corpus.from_texts(TEXTS, phrases=True, ngrams=2)
    assert "new_york big" in corpus.vocabulary


def words_of(corpus):
    words = [corpus.vocabulary[token] for token in corpus.tokens]
    return [words[a:b] for a, b in pairwise(corpus.indptr)]


@pytest.mark.parametrize(
    ("texts", "phrase", "options"),
    [
        (["vitamin C", "vitamin c"], "vitamin c", {}),
        (["plan B", "plan b"], "plan b", {}),
        (["the U.S. Army"], "u.s. army", {}),
        (["New York", "new york"], "new york", {"tokenizer": str.split, "stop_words": None}),
        (["running shoes", "a running shoe"], "run shoe", {"lemmas": "en"}),
        (["#ClimateChange", "climate change"], "climate change", {"hashtags": "split"}),
        (["\u2764\ufe0f\U0001f525"], "\u2764 \U0001f525", {"emoji": True}),
        (["the dog's breakfast"], "dog breakfast", {"letters": True}),
    ],
)
def test_a_model_joins_the_phrases_of_its_texts_in_the_same_texts(texts, phrase, options):
    rng = np.random.default_rng(0)
    others = [" ".join(rng.choice(PLACES, 5)) for _ in range(300)]
    texts = [f"{other} {text} {other}" for other in others[:50] for text in texts] + others
    corpus = Corpus.from_texts(texts, phrases=True, **options)
    assert corpus.options.phrases == (phrase,)
    again = Corpus.from_texts(texts, vocabulary=corpus.vocabulary, **asdict(corpus.options))
    assert words_of(again) == words_of(corpus)
    assert phrase.replace(" ", "_") in corpus.vocabulary


@pytest.mark.parametrize(
    ("phrase", "text", "words", "options"),
    [
        ("running shoes", "My running shoes!", ["run_shoe"], {"lemmas": "en"}),
        ("run shoe", "Running shoe", ["run_shoe"], {"lemmas": "en"}),
        ("AT&T store", "the AT&T store", ["at_t_store"], {}),
        ("C++ code", "c++ CODE", ["c++_code"], {}),
        ("R package", "an r package, an R package", ["r_package", "r_package"], {}),
        ("don\u2019t know", "They don't know him", ["don't_know"], {}),
        ("U.S. Army", "U.S Army", ["u.s._army"], {}),
        ("state of the art", "State-of-the-art, state of the art", None, {}),
        ("9 11", "after 9/11", ["9_11"], {}),
        ("plan b", "Plan B or b", ["plan_b"], {}),
        ("\u2764\ufe0f love", "\u2764\ufe0f love", ["\u2764_love"], {"emoji": True}),
        ("New York", "in New York", ["in", "new_york"], {"tokenizer": str.split}),
        ("- , -", "late train", ["late", "train"], {}),
    ],
)
def test_given_phrases_are_split_as_texts_are(phrase, text, words, options):
    options = {"stop_words": None} | options if "tokenizer" in options else options
    corpus = Corpus.from_texts([text], phrases=[phrase], min_df=1, **options)
    expected = words or ["state-of-the-art", "state_of_the_art"]
    assert words_of(corpus) == [expected]


def test_a_phrase_may_be_a_stop_word():
    corpus = Corpus.from_texts(
        ["new york trains"], phrases=["new york"], stop_words=["new_york"], min_df=1
    )
    assert corpus.vocabulary == ["trains"]


def test_no_phrases():
    assert Corpus.from_texts(["late train"], phrases=[], min_df=1).vocabulary == ["late", "train"]
