import numpy as np
import polars as pl
import pytest

from bittern.errors import InputError
from bittern.text.tokens import (
    GAP,
    WORD_LISTS,
    add_ngrams,
    document_frequency,
    drop_words,
    encode,
    leave_gaps,
    rename_words,
    renumber,
    word_indices,
)

DOCUMENTS = [["b", "a", "b"], None, [], ["c"], ["a", "c", "a", "a"]]


def tokens_of(documents):
    return encode(pl.Series(documents, dtype=WORD_LISTS))


def decode(tokens):
    flat = tokens.words.gather(tokens.codes).to_list()
    return [list(part) for part in np.split(flat, np.cumsum(tokens.lengths)[:-1])]


def test_encode_keeps_the_order_of_documents_and_words():
    tokens = tokens_of(DOCUMENTS)
    assert decode(tokens) == [document or [] for document in DOCUMENTS]
    assert sorted(tokens.words) == ["a", "b", "c"]


def test_a_null_word_is_refused():
    with pytest.raises(InputError, match="a document contains a null word; words must be strings"):
        tokens_of([["a"], ["b", None]])


def test_word_indices_are_negative_for_unknown_words():
    words = ["b", "a"]
    assert word_indices(pl.Series(["a", "x", "b", None, "a"]), words).tolist() == [1, -1, 0, -1, 1]
    assert word_indices(pl.Series(["a"]), []).tolist() == [-1]


def test_document_frequency_counts_each_document_once():
    tokens = tokens_of(DOCUMENTS)
    frequency = dict(zip(tokens.words, document_frequency(tokens).tolist(), strict=True))
    assert frequency == {"a": 2, "b": 1, "c": 2}


def test_renumber_drops_negative_codes():
    tokens = tokens_of(DOCUMENTS)
    lengths, codes = renumber(tokens, word_indices(tokens.words, ["c", "b"]))
    assert lengths.tolist() == [2, 0, 0, 1, 1]
    assert codes.tolist() == [1, 1, 0, 0]


def test_drop_words():
    tokens = tokens_of(DOCUMENTS)
    left = drop_words(tokens, (tokens.words == "a").to_numpy())
    assert decode(left) == [["b", "b"], [], [], ["c"], ["c"]]


def test_gaps_stand_for_runs_of_words():
    tokens = tokens_of([["a", "b", "b", "a"], None, ["b"], ["c", "b", "c"]])
    gapped = leave_gaps(tokens, (tokens.words == "b").to_numpy())
    assert gapped.lengths.tolist() == [3, 0, 1, 3]
    assert [code == GAP for code in gapped.codes] == [False, True, False, True, False, True, False]
    again = leave_gaps(gapped, (tokens.words == "a").to_numpy())
    assert again.lengths.tolist() == [1, 0, 1, 3]
    none, is_a = np.zeros(len(tokens.words), bool), (tokens.words == "a").to_numpy()
    assert decode(drop_words(gapped, none)) == [["a", "a"], [], [], ["c", "c"]]
    assert decode(drop_words(gapped, is_a)) == [[], [], [], ["c", "c"]]


def test_words_with_the_same_new_name_are_merged():
    tokens = tokens_of(DOCUMENTS)
    renamed = rename_words(tokens, tokens.words.replace({"c": "a"}))
    assert decode(renamed) == [["b", "a", "b"], [], [], ["a"], ["a", "a", "a", "a"]]
    assert sorted(renamed.words) == ["a", "b"]
    assert sorted(rename_words(tokens, tokens.words + "x").words) == ["ax", "bx", "cx"]


def test_ngrams_follow_their_first_word():
    assert decode(add_ngrams(tokens_of(DOCUMENTS), 3)) == [
        ["b", "b a", "b a b", "a", "a b", "b"], [], [], ["c"],
        ["a", "a c", "a c a", "c", "c a", "c a a", "a", "a a", "a"],
    ]  # fmt: skip
