import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import bittern.text.tokenizer
import reference
from bittern.text.tokenizer import find_words

PIECES = [
    *"aZ09 '-_.:/@+#!~,\n\tüßж中’\u200d\u0301\ufe0f\u20e3🙂ⅷ٣",
    *("C", "R", "u.s.", "&", "c#", "c++", "´", "\u2011"),
    *("http://", "HTTPS://", "https:/", "www.", "WWW", "x@y.z", "don't", "é", "\U000e0100"),
]


def texts_of(lists):
    return pl.Series(lists, dtype=pl.String)


def found(texts):
    tokens = find_words(texts)
    flat = tokens.words.gather(tokens.codes).to_list()
    ends = np.cumsum(tokens.lengths)
    assert tokens.words.n_unique() == len(tokens.words)
    return [flat[end - n : end] for n, end in zip(tokens.lengths, ends, strict=True)]


@pytest.mark.parametrize("seed", range(5))
def test_the_scan_finds_the_same_words_as_regular_expressions(seed):
    rng = np.random.default_rng(seed)
    lists = ["".join(rng.choice(PIECES, size=rng.integers(25))) for _ in range(4000)]
    texts = texts_of([*lists, None, "", *lists[:50]])
    assert found(texts) == reference.words(texts)


@pytest.mark.slow
def test_every_character_is_classified_as_by_regular_expressions():
    points = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    texts = texts_of([f"{chr(c)} a{chr(c)}b" for c in points])
    assert found(texts) == reference.words(texts)


def test_the_hash_table_grows():
    many = [" ".join(f"w{i}" for i in range(j, j + 50)) for j in range(0, 200_000, 50)]
    long = " ".join(f"x{i % 999}" for i in range(300_000))
    texts = texts_of([*many, long, *many[:9]])
    assert find_words(texts).words.len() > bittern.text.tokenizer.INITIAL_TABLE_SIZE
    assert found(texts) == reference.words(texts)


def test_the_hash_table_grows_within_a_text():
    many = " ".join(f"w{i}" for i in range(400_000))
    wide = " ".join("x" * n for n in (3_000_000, 1, 2_000_000, 3_000_000))
    texts = texts_of(["w1 w2", many, wide, f"{many} last"])
    assert found(texts) == reference.words(texts)


def test_memory_follows_the_vocabulary_of_a_long_text():
    code = """
import resource, polars as pl
from bittern.text.tokenizer import find_words
find_words(pl.Series(["a b"]))
text = "a late train was dirty again " * 1_000_000
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
find_words(pl.Series([text]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(text))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 12  # bytes per byte of the text; it was 34


@pytest.mark.parametrize(
    "texts", [[], [None], [""], [None, "", "a"], ["a", "@b"], ["http://", "x"]]
)
def test_empty_and_very_short_texts(texts):
    assert found(texts_of(texts)) == reference.words(texts_of(texts))
