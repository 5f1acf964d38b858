"""Phrases: words that belong together, such as "new york", as single words ("new_york").

Two adjacent words are a phrase if their normalized pointwise mutual information (NPMI) is high: 1
if they only occur together, 0 if they are independent. A second round extends phrases by a word or
joins two of them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import GOLDEN_GAMMA, kernel
from bittern._core.threads import cpu_count, map_threads
from bittern.text.tokens import GAP, Tokens, word_indices

MIN_NPMI = 0.5
MIN_COUNT, DOCUMENTS_PER_COUNT = 5, 100_000  # a phrase occurs 5 times, plus 1 per 100,000 texts
SEPARATOR = "_"
SKETCH_BITS = 22  # of the counters for pairs; several pairs may share one
HASH_SHIFT = np.uint64(64 - SKETCH_BITS)
MAX_COUNTER = 255


class Trie(NamedTuple):
    """Phrases as paths from a root; the words in them are numbered as `parts`."""

    first: NDArray[np.int32]  # node of each part at the beginning of a phrase, or -1
    keys: NDArray[np.int64]  # hash table of edges: node * number of parts + part, or -1
    nodes: NDArray[np.int32]  # the node that each edge leads to
    phrases: NDArray[np.int32]  # the phrase that ends at each node, or -1


class PhraseIndex(NamedTuple):
    """Phrases, indexed by their words."""

    names: pl.Series  # of the words that phrases become
    parts: pl.Series  # the words of phrases
    trie: Trie


class Chunk(NamedTuple):
    """Documents whose words are numbers of frequent words."""

    tokens: Tokens
    numbers: NDArray[np.int32]  # of each word; -1 if it is rare


class Pairs(NamedTuple):
    """Pairs of units, which are words or phrases, by frequency."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]


def find_phrases(chunks: Sequence[Tokens]) -> list[list[str]]:
    """Find the phrases of documents, each as a list of words in lower case.

    Words on both sides of a gap are not adjacent. Some phrases may only occur in longer ones.
    """
    minimum = MIN_COUNT + sum(len(chunk.lengths) for chunk in chunks) // DOCUMENTS_PER_COUNT
    n_threads = cpu_count()
    counted = _count(chunks, n_threads)
    total = int(counted["count"].cast(pl.Int64).sum())
    counted = counted.filter(pl.col("count") >= minimum).sort("word")
    words, counts = counted["word"], counted["count"].cast(pl.Int64).to_numpy()
    numbered = _number_words(chunks, words)
    pairs = _find_pairs(numbered, counts, total, minimum, n_threads)
    names = words.gather(pairs.first) + " " + words.gather(pairs.second)
    longer = _find_longer(numbered, pairs, counts, total, minimum, n_threads)
    units = pl.concat([words, names])
    longer_names = units.gather(longer.first) + " " + units.gather(longer.second)
    found = pl.concat([names, longer_names]).str.to_lowercase().unique(maintain_order=True)
    return [phrase.split(" ") for phrase in found]


def index_phrases(phrases: Sequence[Sequence[str]]) -> PhraseIndex:
    """Index phrases, which are lists of words in lower case; those of one word are left out."""
    phrases = [words for words in phrases if len(words) > 1]
    flat = pl.Series([part for phrase in phrases for part in phrase], dtype=pl.String)
    parts = flat.unique(maintain_order=True)
    bounds = np.cumsum([len(phrase) for phrase in phrases], dtype=np.int64)[:-1]
    numbers = np.split(word_indices(flat, parts), bounds) if phrases else []
    names = pl.Series([SEPARATOR.join(phrase) for phrase in phrases], dtype=pl.String)
    return PhraseIndex(names, parts, _make_trie(numbers, len(parts)))


def merge_phrases(tokens: Tokens, index: PhraseIndex) -> Tokens:
    """Return the tokens with phrases as single words: the longest that starts at each word.

    Phrases become the last words of the tokens.
    """
    part_of_word = word_indices(tokens.words.str.to_lowercase(), index.parts)
    known = np.full(len(index.names), -1, np.int32)  # words that are written like a phrase
    similar = tokens.words.str.contains(SEPARATOR, literal=True).arg_true()
    named = word_indices(tokens.words.gather(similar), index.names)
    known[named[named >= 0]] = similar.to_numpy()[named >= 0]
    new = known < 0
    phrase_codes = np.where(new, len(tokens.words) - 1 + np.cumsum(new), known).astype(np.int32)
    lengths, codes = _merge(tokens.lengths, tokens.codes, part_of_word, phrase_codes, index.trie)
    words = pl.concat([tokens.words, index.names.filter(new)])
    return tokens._replace(lengths=lengths, codes=codes, words=words)


def _count(chunks: Sequence[Tokens], n_threads: int) -> pl.DataFrame:
    """Return how often each word occurs."""

    def count(chunk: Tokens) -> pl.DataFrame:
        counts = _count_words(chunk.codes, len(chunk.words))
        return pl.DataFrame({"word": chunk.words, "count": counts})

    counted = [pl.DataFrame(schema={"word": pl.String, "count": pl.UInt32})]
    counted += map_threads(count, chunks, n_threads)
    return pl.concat(counted).lazy().group_by("word").agg(pl.col("count").sum()).collect()


def _number_words(chunks: Sequence[Tokens], words: pl.Series) -> list[Chunk]:
    """Return chunks with the number of each of their words."""
    if not chunks:
        return []
    numbers = word_indices(pl.concat(chunk.words for chunk in chunks), words)
    bounds = np.cumsum([len(chunk.words) for chunk in chunks])[:-1]
    return [Chunk(*both) for both in zip(chunks, np.split(numbers, bounds), strict=True)]


def _find_pairs(
    chunks: list[Chunk], counts: NDArray[np.int64], total: int, minimum: int, n_threads: int
) -> Pairs:
    """Return the pairs of adjacent words with a high NPMI."""
    n = len(counts)

    def sketch(group: Sequence[Chunk]) -> NDArray[np.uint8]:
        counters = np.zeros(1 << SKETCH_BITS, np.uint8)
        for tokens, numbers in group:
            _sketch_pairs(tokens.lengths, tokens.codes, numbers, n, counters)
        return counters

    counters = np.zeros(1 << SKETCH_BITS, np.uint16)
    for part in map_threads(sketch, [chunks[i::n_threads] for i in range(n_threads)]):
        counters += part
    threshold = min(minimum, MAX_COUNTER)

    def collect(chunk: Chunk) -> NDArray[np.int64]:
        tokens, numbers = chunk
        keys = _collect_pairs(tokens.lengths, tokens.codes, numbers, n, counters, threshold)
        return np.asarray(keys)

    return _select_pairs(map_threads(collect, chunks, n_threads), counts, total, minimum)


def _find_longer(
    chunks: list[Chunk],
    pairs: Pairs,
    counts: NDArray[np.int64],
    total: int,
    minimum: int,
    n_threads: int,
) -> Pairs:
    """Join pairs, and return pairs of a joined pair and a word, or of two joined pairs."""
    n, n_pairs = len(counts), len(pairs.first)
    table = _make_table(pairs.first * n + pairs.second)

    def collect(chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        tokens, numbers = chunk
        joined = np.zeros(n_pairs, np.int64)
        keys = _collect_longer(tokens.lengths, tokens.codes, numbers, n, *table, joined)
        return np.asarray(keys), joined

    found = map_threads(collect, chunks, n_threads)
    joined = np.zeros(n_pairs, np.int64) + sum(joined for _, joined in found)
    left = counts - np.bincount(pairs.first, joined, n) - np.bincount(pairs.second, joined, n)
    unit_counts = np.concatenate([left.astype(np.int64), joined])
    keys = [keys for keys, _ in found]
    return _select_pairs(keys, unit_counts, total - int(joined.sum()), minimum)


def _select_pairs(
    keys: list[NDArray[np.int64]], counts: NDArray[np.int64], total: int, minimum: int
) -> Pairs:
    """Return the pairs that are frequent and have a high NPMI; a key is first * n + second."""
    every = pl.Series("key", np.concatenate([np.empty(0, np.int64), *keys]))
    counted = every.value_counts(sort=False)
    first, second = np.divmod(counted["key"].to_numpy(), max(len(counts), 1))
    together = counted["count"].to_numpy().astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = counts[first] * counts[second].astype(float)
        npmi = np.log(together * total / apart) / np.log(total / together)
    kept = np.flatnonzero((together >= minimum) & (npmi >= MIN_NPMI))
    order = kept[np.lexsort((second[kept], first[kept], -together[kept]))]
    return Pairs(first[order], second[order])


def _make_table(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return a hash table from keys to their indices."""
    size = 1 << (4 * len(keys)).bit_length()
    table, values = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    for index, key in enumerate(keys.tolist()):
        _add_entry(table, values, np.int64(key), np.int32(index))
    return table, values


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
            _add_entry(keys, nodes, np.int64(node) * n_parts + part, np.int32(target))
    return Trie(first, keys, nodes, np.array(ends, np.int32))


@kernel
def _hash(key: Any) -> Any:
    """Return a hash of 64 bits; the upper ones are the best."""
    mixed = np.uint64(key) * GOLDEN_GAMMA
    return (mixed ^ (mixed >> np.uint64(32))) * GOLDEN_GAMMA


@kernel
def _add_entry(keys: Any, values: Any, key: int, value: Any) -> None:
    """Add a key, which is not there yet, to a hash table."""
    mask = np.uint64(len(keys) - 1)
    slot = (_hash(key) >> np.uint64(32)) & mask
    while keys[slot] != -1:
        slot = (slot + np.uint64(1)) & mask
    keys[slot] = key
    values[slot] = value


@kernel
def _look_up(keys: Any, values: Any, key: int) -> Any:
    """Return the value of a key in a hash table; -1 if it is not there."""
    mask = np.uint64(len(keys) - 1)
    slot = (_hash(key) >> np.uint64(32)) & mask
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + np.uint64(1)) & mask
    return values[slot] if keys[slot] == key else np.int32(-1)


@kernel
def _merge(lengths: Any, codes: Any, part_of_word: Any, phrase_codes: Any, trie: Any) -> Any:
    """Return the lengths and codes of documents, with phrases joined."""
    first, keys, nodes, phrases = trie
    out_lengths, out_codes = np.empty_like(lengths), np.empty_like(codes)
    i, n = 0, 0
    for document in range(len(lengths)):
        end, n_before = i + lengths[document], n
        while i < end:
            code, next_i = codes[i], i + 1
            part = part_of_word[code] if code != GAP else -1
            node = first[part] if part >= 0 else -1
            j = i + 1
            while node > 0 and j < end and codes[j] != GAP:
                part = part_of_word[codes[j]]
                if part < 0:
                    break
                node = _look_up(keys, nodes, np.int64(node) * len(first) + part)
                j += 1
                if node > 0 and phrases[node] >= 0:
                    code, next_i = phrase_codes[phrases[node]], j
            out_codes[n] = code
            n += 1
            i = next_i
        out_lengths[document] = n - n_before
    return out_lengths, out_codes[:n]


@kernel
def _count_words(codes: Any, n_words: int) -> Any:
    """Count how often each word occurs."""
    counts = np.zeros(n_words, np.uint32)
    for code in codes:
        if code != GAP:
            counts[code] += 1
    return counts


@kernel
def _number(codes: Any, i: int, numbers: Any) -> Any:
    """Return the number of a word; -1 if it is rare, or a gap."""
    return np.int64(numbers[codes[i]]) if codes[i] != GAP else np.int64(-1)


@kernel
def _sketch_pairs(lengths: Any, codes: Any, numbers: Any, n: int, counters: Any) -> None:
    """Count adjacent pairs; several pairs may share a counter."""
    i = 0
    for document in range(len(lengths)):
        end = i + lengths[document]
        first = np.int64(-1)
        while i < end:
            second = _number(codes, i, numbers)
            if first >= 0 and second >= 0 and first != second:
                slot = _hash(first * n + second) >> HASH_SHIFT
                counters[slot] += counters[slot] < np.uint8(MAX_COUNTER)
            first = second
            i += 1


@kernel
def _collect_pairs(
    lengths: Any, codes: Any, numbers: Any, n: int, counters: Any, threshold: int
) -> Any:
    """Return the keys of the adjacent pairs whose counters reach a threshold."""
    keys = np.empty(len(codes), np.int64)
    i, n_keys = 0, 0
    for document in range(len(lengths)):
        end = i + lengths[document]
        first = np.int64(-1)
        while i < end:
            second = _number(codes, i, numbers)
            if first >= 0 and second >= 0 and first != second:
                key = first * n + second
                if counters[_hash(key) >> HASH_SHIFT] >= threshold:
                    keys[n_keys] = key
                    n_keys += 1
            first = second
            i += 1
    return keys[:n_keys].copy()


@kernel
def _collect_longer(
    lengths: Any, codes: Any, numbers: Any, n: int, keys: Any, values: Any, joined: Any
) -> Any:
    """Return the keys of adjacent units one of which is a joined pair; count joins in `joined`.

    Pairs are joined from left to right. Pair p is unit n + p.
    """
    found = np.empty(len(codes), np.int64)
    n_units = n + len(joined)
    i, n_found = 0, 0
    for document in range(len(lengths)):
        end = i + lengths[document]
        before = np.int64(-1)
        while i < end:
            unit = _number(codes, i, numbers)
            i += 1
            if unit >= 0 and i < end:
                second = _number(codes, i, numbers)
                pair = _look_up(keys, values, unit * n + second) if second >= 0 else -1
                if pair >= 0:
                    joined[pair] += 1
                    unit = np.int64(n + pair)
                    i += 1
            if before >= 0 and unit >= 0 and before != unit and max(before, unit) >= n:
                found[n_found] = before * n_units + unit
                n_found += 1
            before = unit
    return found[:n_found].copy()
