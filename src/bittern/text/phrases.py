"""Phrases: words that belong together, such as "new york", as single words ("new_york").

Two adjacent words are a phrase if their normalized pointwise mutual information (NPMI) is high: 1
if they only occur together, 0 if they are independent. A second round extends phrases by a word or
joins two of them.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import GOLDEN_GAMMA, kernel
from bittern._core.threads import cpu_count, map_slices
from bittern.text.tokens import GAP, Tokens, word_indices

MIN_NPMI = 0.5
MIN_COUNT, DOCUMENTS_PER_COUNT = 5, 100_000  # a phrase occurs 5 times, plus 1 per 100,000 texts
SEPARATOR = "_"
SKETCH_BITS = 22  # of the counters for pairs; several pairs may share one
LARGE = 500_000  # words: fewer are not worth a second thread
HASH_SHIFT = np.uint64(64 - SKETCH_BITS)


class Trie(NamedTuple):
    """Phrases as paths from a root; the words in them are numbered as `parts`."""

    first: NDArray[np.int32]  # node of each part at the beginning of a phrase, or -1
    keys: NDArray[np.int64]  # hash table of edges: node * number of parts + part, or -1
    nodes: NDArray[np.int32]  # the node that each edge leads to
    phrases: NDArray[np.int32]  # the phrase that ends at each node, or -1


def find_phrases(tokens: Tokens) -> list[list[str]]:
    """Find the phrases of documents, each as a list of words.

    Words on both sides of a gap are not adjacent. Some phrases may only occur in longer ones.
    """
    minimum = MIN_COUNT + len(tokens.lengths) // DOCUMENTS_PER_COUNT
    n_words = len(tokens.words)
    pairs = _find_pairs(tokens, _count(tokens), minimum)
    joined = _merge(tokens, pairs, " ")
    has_phrase = _documents_with(joined.lengths, joined.codes, n_words)
    longer = _find_pairs(_select(joined, has_phrase), _count(joined), minimum, n_words)
    found = dict.fromkeys(" ".join(pair) for pair in [*pairs, *longer])
    return [phrase.split(" ") for phrase in found]


def merge_phrases(tokens: Tokens, phrases: Sequence[Sequence[str]]) -> Tokens:
    """Return the tokens with phrases as single words: the longest that starts at each word.

    The words of phrases are in lower case. Phrases become the last words of the tokens.
    """
    return _merge(tokens, [words for words in phrases if len(words) > 1], SEPARATOR)


def _find_pairs(
    tokens: Tokens, counts: NDArray[np.int64], minimum: int, first_joined: int = 0
) -> list[tuple[str, str]]:
    """Return pairs of adjacent words with a high NPMI, one of them numbered `first_joined` or more.

    `counts` is how often each word occurs in all documents. Pairs are in lower case.
    """
    frequent = np.flatnonzero(counts >= minimum)
    numbers = np.full(len(counts), -1, np.int64)
    numbers[frequent] = np.arange(len(frequent))
    boundary = np.searchsorted(frequent, first_joined)
    arguments = (tokens.lengths, tokens.codes, _starts(tokens), numbers, boundary, len(frequent))
    sketch = np.sum(_in_threads(_sketch_pairs, *arguments), axis=0, dtype=np.uint32)
    keys = _in_threads(_collect_pairs, *arguments, sketch, minimum)
    counted = pl.Series("key", np.concatenate(keys)).value_counts(sort=False)
    first, second = np.divmod(counted["key"].to_numpy(), max(len(frequent), 1))
    together = counted["count"].to_numpy().astype(float)
    total = counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = counts[frequent[first]] * counts[frequent[second]].astype(float)
        npmi = np.log(together * total / apart) / np.log(total / together)
    kept = np.flatnonzero((together >= minimum) & (npmi >= MIN_NPMI))
    order = kept[np.lexsort((second[kept], first[kept], -together[kept]))]
    sides = [tokens.words.gather(frequent[side[order]]) for side in (first, second)]
    lowered = [side.str.to_lowercase().to_list() for side in sides]
    return list(dict.fromkeys(zip(*lowered, strict=True)))


def _merge(tokens: Tokens, phrases: Sequence[Sequence[str]], separator: str) -> Tokens:
    """Return the tokens with phrases as words."""
    if not phrases:
        return tokens
    flat = pl.Series([part for phrase in phrases for part in phrase], dtype=pl.String)
    parts = flat.unique(maintain_order=True)
    bounds = np.cumsum([len(phrase) for phrase in phrases])[:-1]
    trie = _make_trie(np.split(word_indices(flat, parts), bounds), len(parts))
    part_of_word = word_indices(tokens.words.str.to_lowercase(), parts)
    names = pl.Series([separator.join(phrase) for phrase in phrases])
    known = word_indices(names, tokens.words)  # words that are written like a phrase
    new = known < 0
    phrase_codes = np.where(new, len(tokens.words) - 1 + np.cumsum(new), known).astype(np.int32)
    arguments = (_starts(tokens), part_of_word, phrase_codes, trie)
    merged = _in_threads(_merge_part, tokens.lengths, tokens.codes, *arguments)
    return tokens._replace(
        lengths=np.concatenate([lengths for lengths, _ in merged]),
        codes=np.concatenate([codes for _, codes in merged]),
        words=pl.concat([tokens.words, names.filter(new)]),
    )


def _in_threads(
    function: Any, lengths: NDArray[np.int64], codes: NDArray[np.int32], *arguments: Any
) -> list[Any]:
    """Call a kernel for slices of the documents, of about as many words as there are cores."""
    run = partial(_call, function, lengths, codes, arguments)
    return map_slices(run, len(lengths), cpu_count() if len(codes) > LARGE else 1)


def _call(function: Any, lengths: Any, codes: Any, arguments: Any, part: slice) -> Any:
    """Call a kernel for a slice of the documents."""
    return function(lengths, codes, part.start, part.stop, *arguments)


def _starts(tokens: Tokens) -> NDArray[np.int64]:
    """Return where each document starts in the codes."""
    return np.cumsum(tokens.lengths) - tokens.lengths


def _count(tokens: Tokens) -> NDArray[np.int64]:
    """Return how often each word occurs."""
    return np.asarray(_count_words(tokens.codes, len(tokens.words)))


def _select(tokens: Tokens, documents: NDArray[np.bool_]) -> Tokens:
    """Return some of the documents."""
    codes = tokens.codes[np.repeat(documents, tokens.lengths)]
    return tokens._replace(lengths=tokens.lengths[documents], codes=codes)


def _make_trie(phrases: Sequence[NDArray[np.int32]], n_parts: int) -> Trie:
    """Return the trie of phrases that are given as numbers of parts."""
    edges: dict[tuple[int, int], int] = {}
    first = np.full(n_parts, -1, np.int32)
    ends = [-1]
    for number, phrase in enumerate(phrases):
        node = 0
        for part in phrase.tolist():
            key = (node, part)
            if key not in edges:
                edges[key] = len(ends)
                ends.append(-1)
            node = edges[key]
        ends[node] = number
    size = 1 << (4 * len(edges)).bit_length()
    keys, nodes = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    for (node, part), target in edges.items():
        if node == 0:
            first[part] = target
        else:
            _add_edge(keys, nodes, np.int64(node) * n_parts + part, np.int32(target))
    return Trie(first, keys, nodes, np.array(ends, np.int32))


@kernel
def _hash(key: Any) -> Any:
    """Return a hash of 64 bits; the upper ones are the best."""
    mixed = np.uint64(key) * GOLDEN_GAMMA
    return (mixed ^ (mixed >> np.uint64(32))) * GOLDEN_GAMMA


@kernel
def _add_edge(keys: Any, nodes: Any, key: int, node: Any) -> None:
    """Add an edge to the hash table of a trie."""
    mask = np.uint64(len(keys) - 1)
    slot = (_hash(key) >> np.uint64(32)) & mask
    while keys[slot] != -1:
        slot = (slot + np.uint64(1)) & mask
    keys[slot] = key
    nodes[slot] = node


@kernel
def _merge_part(
    lengths: Any,
    codes: Any,
    start: int,
    stop: int,
    starts: Any,
    part_of_word: Any,
    phrase_codes: Any,
    trie: Any,
) -> Any:
    """Return the lengths and codes of documents start to stop, with phrases joined."""
    first, keys, nodes, phrases = trie
    out_lengths = np.empty(stop - start, np.int64)
    size = starts[stop - 1] + lengths[stop - 1] - starts[start] if stop > start else 0
    out_codes = np.empty(size, np.int32)
    mask = np.uint64(len(keys) - 1)
    n = 0
    for document in range(start, stop):
        i, end, n_before = starts[document], starts[document] + lengths[document], n
        while i < end:
            code, next_i = codes[i], i + 1
            part = part_of_word[code] if code != GAP else -1
            node = first[part] if part >= 0 else -1
            j = i + 1
            while node > 0 and j < end and codes[j] != GAP:
                part = part_of_word[codes[j]]
                if part < 0:
                    break
                key = np.int64(node) * len(first) + part
                slot = (_hash(key) >> np.uint64(32)) & mask
                while keys[slot] != key and keys[slot] != -1:
                    slot = (slot + np.uint64(1)) & mask
                node = nodes[slot] if keys[slot] == key else -1
                j += 1
                if node > 0 and phrases[node] >= 0:
                    code, next_i = phrase_codes[phrases[node]], j
            out_codes[n] = code
            n += 1
            i = next_i
        out_lengths[document - start] = n - n_before
    return out_lengths, out_codes[:n].copy()


@kernel
def _count_words(codes: Any, n_words: int) -> Any:
    """Count how often each word occurs."""
    counts = np.zeros(n_words, np.int64)
    for code in codes:
        if code != GAP:
            counts[code] += 1
    return counts


@kernel
def _documents_with(lengths: Any, codes: Any, lowest: int) -> Any:
    """Return which documents have a word that is numbered `lowest` or more."""
    found = np.zeros(len(lengths), np.bool_)
    i = 0
    for document in range(len(lengths)):
        for _ in range(lengths[document]):
            found[document] |= codes[i] >= lowest
            i += 1
    return found


@kernel
def _pair(codes: Any, i: int, numbers: Any, boundary: int, n: int) -> Any:
    """Return the key of the words at i and i + 1, or -1 if they cannot be a phrase."""
    if codes[i] == GAP or codes[i + 1] == GAP:
        return -1
    first, second = numbers[codes[i]], numbers[codes[i + 1]]
    if first < 0 or second < 0 or first == second or max(first, second) < boundary:
        return -1
    return first * n + second


@kernel
def _sketch_pairs(
    lengths: Any,
    codes: Any,
    start: int,
    stop: int,
    starts: Any,
    numbers: Any,
    boundary: int,
    n: int,
) -> Any:
    """Count the adjacent pairs of documents start to stop; several pairs may share a counter."""
    counters = np.zeros(1 << SKETCH_BITS, np.uint16)
    for document in range(start, stop):
        for i in range(starts[document], starts[document] + lengths[document] - 1):
            key = _pair(codes, i, numbers, boundary, n)
            if key >= 0:
                slot = _hash(key) >> HASH_SHIFT
                counters[slot] += counters[slot] < np.uint16(0xFFFF)
    return counters


@kernel
def _collect_pairs(
    lengths: Any,
    codes: Any,
    start: int,
    stop: int,
    starts: Any,
    numbers: Any,
    boundary: int,
    n: int,
    sketch: Any,
    minimum: int,
) -> Any:
    """Return the keys of the adjacent pairs whose counters reach the minimum."""
    size = starts[stop - 1] + lengths[stop - 1] - starts[start] if stop > start else 0
    keys = np.empty(size, np.int64)
    n_keys = 0
    for document in range(start, stop):
        for i in range(starts[document], starts[document] + lengths[document] - 1):
            key = _pair(codes, i, numbers, boundary, n)
            if key >= 0 and sketch[_hash(key) >> HASH_SHIFT] >= minimum:
                keys[n_keys] = key
                n_keys += 1
    return keys[:n_keys].copy()
