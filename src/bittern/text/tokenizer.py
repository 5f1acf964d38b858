"""The tokenizer: one pass over the bytes of texts.

A word consists of letters, marks and digits of any script, joined by single apostrophes, hyphens
and underscores. A single letter from A to Z may have a "#" or "++" (C#, C++), or be the first of
several initials (U.S., R&B). URLs, email addresses and @mentions are not words.
"""

from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.text.tokens import Tokens

# Classes of characters, as bits.
WORD_START, WORD_PART, JOINER = 1, 2, 4
ADDRESS_PART, HANDLE_PART = 8, 16  # before and after the @ of an email address or a mention
CONTINUATION_BYTE = 32  # a byte of a character other than its first
LANGUAGE_NAME = 64  # a capital letter that alone is the name of a programming language
CLASS_PATTERNS = {
    WORD_START: r"[\p{L}\p{N}]",
    WORD_PART: r"[\p{L}\p{M}\p{N}--[\x{FE00}-\x{FE0F}\x{20E3}]]",  # no emoji modifiers
    JOINER: r"['’‘´_\-\x{2010}\x{2011}\x{200C}\x{200D}]",
    ADDRESS_PART: r"[A-Za-z0-9.+_\-]",
    HANDLE_PART: r"[A-Za-z0-9._\-]",
    LANGUAGE_NAME: r"[CR]",
}
PICTOGRAPH = r"[[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{RI}]--[\x{00}-\x{2049}™ℹ↔-↪]]"
"""Emoji, their colors, and the letters that flags are made of."""

CODE_POINTS = [*range(0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xE1000)]
"""Code points that may be letters, marks or digits; the others are for private use."""

CODE_POINT_LIMITS = {0x80: 0x80, 0xE3: 0x3000, 0x100: 0x110000}
"""If all bytes are below the key, all code points are below the value."""

INITIAL_TABLE_SIZE = 1 << 17  # entries of the hash table of words: 1 MB stays in the cache
INITIAL_WORD_BYTES = 1 << 20
NEWLINE, SPACE, DOT, SLASH, COLON, AT = b"\n ./:@"
AMPERSAND, HASH, PLUS = b"&#+"
H, P, S, T, W = b"hpstw"
CAPITAL_A, CAPITAL_Z, SMALL_A, SMALL_Z = b"AZaz"
CASE_OFFSET = SMALL_A - CAPITAL_A
CAPITAL_MASK = 0xFF - CASE_OFFSET
FIRST_PRINTABLE, LAST_PRINTABLE = b"!~"  # the range of characters in a URL
CODE_BITS, CODE_MASK = np.uint64(32), np.uint64(0xFFFFFFFF)  # word code in a table entry
FNV_OFFSET, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a hash


def find_words(texts: pl.Series, emoji: bool = False) -> Tokens:
    """Find the words of texts, and emoji if desired; a null text has no words.

    A to Z are converted to lower case, except for C and R that are words of their own.
    """
    data = np.frombuffer(texts.str.join("").cast(pl.Binary).item(), np.uint8).copy()
    ends = np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), dtype=np.int64)
    highest = data.max(initial=0)
    limit = next(point for byte, point in CODE_POINT_LIMITS.items() if highest < byte)
    lengths = np.empty(len(ends), np.int64)
    codes, word_bytes = _scan(data, ends, _character_classes(limit, emoji), lengths)
    words = pl.Series([word_bytes.tobytes()]).cast(pl.String).str.split("\n").explode()
    return Tokens(lengths, codes, words.head(len(words) - 1))  # a newline ends the last word


@cache
def _character_classes(limit: int, emoji: bool) -> NDArray[np.uint8]:
    """Return the classes of each code point below the limit, as a sum of bits."""
    points = np.array([point for point in CODE_POINTS if point < limit])
    characters = pl.Series([chr(point) for point in points.tolist()])
    classes = np.zeros(limit, np.uint8)
    for bit, pattern in CLASS_PATTERNS.items():
        classes[points[characters.str.contains(f"^(?:{pattern})$").to_numpy()]] |= bit
    if emoji:
        is_emoji = characters.str.contains(f"^{PICTOGRAPH}$").to_numpy()
        classes[points[is_emoji]] |= WORD_START | WORD_PART
    return classes


@kernel
def _scan(data: Any, ends: Any, classes: Any, lengths: Any) -> Any:
    """Return the code of each word in order, and the distinct words, each with a newline.

    Fills `lengths`. Converts A to Z in `data` to lower case.
    """
    kinds = _classify(data, classes)
    _mask_urls(data, ends, kinds)
    _mask_mentions(data, ends, kinds)
    # a word and its separator take two bytes or more; pages that are not written to cost nothing
    codes = np.empty(len(data) // 2 + len(ends), np.int32)
    word_bytes = np.empty(INITIAL_WORD_BYTES, np.uint8)
    word_starts = np.empty(INITIAL_TABLE_SIZE // 2 + 1, np.int64)
    word_starts[0] = 0
    hashes = np.empty(INITIAL_TABLE_SIZE // 2, np.uint64)
    table = np.zeros(INITIAL_TABLE_SIZE, np.uint64)
    lengths[:] = 0
    i, text, n_words, n_tokens = 0, 0, 0, 0
    while text < len(ends):
        i, text, n_words, n_tokens, needed = _scan_texts(
            data,
            kinds,
            ends,
            i,
            text,
            lengths,
            codes,
            n_tokens,
            word_bytes,
            word_starts,
            hashes,
            n_words,
            table,
        )
        if n_words == len(hashes):
            hashes = _enlarge(hashes, 4 * len(hashes))
            word_starts = _enlarge(word_starts, len(hashes) + 1)
            table = _enlarge_table(hashes, n_words, 4 * len(table))
        if needed > len(word_bytes):
            word_bytes = _enlarge(word_bytes, max(4 * len(word_bytes), needed))
    return codes[:n_tokens].copy(), word_bytes[: word_starts[n_words]].copy()


@kernel
def _scan_texts(
    data: Any,
    kinds: Any,
    ends: Any,
    i: int,
    text: int,
    lengths: Any,
    codes: Any,
    n_tokens: int,
    word_bytes: Any,
    word_starts: Any,
    hashes: Any,
    n_words: int,
    table: Any,
) -> Any:
    """Encode the words from byte i of text number `text` on, while there is room for new words.

    Distinct word number n starts at word_starts[n] in `word_bytes`. An entry of `table` holds the
    upper half of a word's hash and its code plus one; 0 is free. Adds to `lengths`. Returns the
    next byte and its text, the number of distinct words, the number of words, and the length that
    `word_bytes` must have for the next word.
    """
    mask = np.uint64(len(table) - 1)
    while text < len(ends):
        end = ends[text]
        while i < end:
            if not kinds[i] & WORD_START:
                i += 1
                continue
            start, stop = i, i
            running_hash = word_hash = FNV_OFFSET
            needed = WORD_START
            while i < end:
                kind = kinds[i]
                if kind & needed:
                    needed = WORD_PART
                elif kind & JOINER and needed == WORD_PART:
                    needed = WORD_START  # a joiner belongs to the word if a letter follows
                elif kind != CONTINUATION_BYTE:
                    break
                running_hash = (running_hash ^ np.uint64(data[i])) * FNV_PRIME
                i += 1
                if needed == WORD_PART:
                    stop, word_hash = i, running_hash
            if stop == start + 1:
                stop, word_hash = _read_letter(data, kinds, start, end, word_hash)
            i = stop
            word_hash ^= word_hash >> CODE_BITS
            slot = word_hash & mask
            entry = table[slot]
            while entry != 0:
                if (entry ^ word_hash) >> CODE_BITS == 0:
                    word = np.int64(entry & CODE_MASK) - 1
                    position, j = word_starts[word], start
                    while j < stop and word_bytes[position] == data[j]:
                        position += 1
                        j += 1
                    if j == stop and word_bytes[position] == NEWLINE:
                        break
                slot = (slot + np.uint64(1)) & mask
                entry = table[slot]
            if entry == 0:
                word = np.int64(n_words)
                position = word_starts[word]
                size = position + stop - start + 1
                if n_words == len(hashes) or size > len(word_bytes):
                    return start, text, n_words, n_tokens, size
                n_words += 1
                table[slot] = (word_hash & ~CODE_MASK) | np.uint64(n_words)
                hashes[word] = word_hash
                for j in range(start, stop):
                    word_bytes[position] = data[j]
                    position += 1
                word_bytes[position] = NEWLINE
                word_starts[n_words] = position + 1
            codes[n_tokens] = word
            n_tokens += 1
            lengths[text] += 1
        text += 1
    return i, text, n_words, n_tokens, 0


@kernel
def _read_letter(data: Any, kinds: Any, start: int, end: int, word_hash: Any) -> Any:
    """Return the end of a word that starts with a single byte, and its hash.

    A letter is read with its symbols or further initials, or as the name of a language.
    """
    stop = start + 1
    if not _is_letter(data[start]):
        return stop, word_hash
    if stop < end and data[stop] == HASH:
        if stop + 1 == end or not kinds[stop + 1] & WORD_PART:
            stop += 1
    elif stop + 1 < end and data[stop] == PLUS and data[stop + 1] == PLUS:
        if stop + 2 == end or not kinds[stop + 2] & WORD_PART:
            stop += 2
    else:
        while (
            stop + 1 < end
            and (data[stop] == DOT or data[stop] == AMPERSAND)
            and _is_letter(data[stop + 1])
            and kinds[stop + 1] & WORD_START
            and (stop + 2 == end or not kinds[stop + 2] & WORD_PART)
        ):
            stop += 2
    if stop == start + 1:
        if not kinds[start] & LANGUAGE_NAME:
            return stop, word_hash
        data[start] = np.uint8(data[start] & CAPITAL_MASK)
    word_hash = FNV_OFFSET
    for i in range(start, stop):
        word_hash = (word_hash ^ np.uint64(data[i])) * FNV_PRIME
    return stop, word_hash


@kernel
def _is_letter(byte: Any) -> Any:
    """Return whether a byte is a letter from A to Z, of either case."""
    return SMALL_A <= (byte | CASE_OFFSET) <= SMALL_Z


@kernel
def _classify(data: Any, classes: Any) -> Any:
    """Return the classes of each byte's character; convert A to Z in `data` to lower case."""
    kinds = np.empty(len(data), np.uint8)
    for i in range(len(data)):
        byte = np.int64(data[i])
        if byte < 0x80:
            kinds[i] = classes[byte]
            data[i] += np.uint8(CASE_OFFSET * (CAPITAL_A <= byte <= CAPITAL_Z))
        elif byte < 0xC0:
            kinds[i] = CONTINUATION_BYTE
        else:  # UTF-8: the first byte determines how many follow
            width = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            point = byte & (0x7F >> width)
            for j in range(i + 1, i + width):
                point = (point << 6) | (np.int64(data[j]) & 0x3F)
            kinds[i] = classes[point]
    return kinds


@kernel
def _mask_urls(data: Any, ends: Any, kinds: Any) -> None:
    """Clear the classes of what matches (https?://|www[.])[!-~]+."""
    for i in range(len(data) - 4):
        size = 0
        if data[i] == H and data[i + 1] == T and data[i + 2] == T and data[i + 3] == P:
            size = 8 if data[i + 4] == S else 7
            for j, character in enumerate((COLON, SLASH, SLASH)):
                if i + size >= len(data) or data[i + size - 3 + j] != character:
                    size = 0
        elif data[i] == W and data[i + 1] == W and data[i + 2] == W and data[i + 3] == DOT:
            size = 4
        if size > 0:
            end = ends[np.searchsorted(ends, i, "right")]
            if i + size < end and FIRST_PRINTABLE <= data[i + size] <= LAST_PRINTABLE:
                j = i
                while j < end and FIRST_PRINTABLE <= data[j] <= LAST_PRINTABLE:
                    data[j] = SPACE
                    kinds[j] = 0
                    j += 1


@kernel
def _mask_mentions(data: Any, ends: Any, kinds: Any) -> None:
    """Clear the classes of what matches [a-z0-9.+_-]*@[a-z0-9._-]+: mentions, email addresses."""
    for at in range(len(data) - 1):
        if data[at] == AT and kinds[at + 1] & HANDLE_PART:
            text = np.searchsorted(ends, at, "right")
            start, end = ends[text - 1] if text > 0 else 0, ends[text]
            if at + 1 < end:
                i = at - 1
                while i >= start and kinds[i] & ADDRESS_PART:
                    kinds[i] = 0
                    i -= 1
                i = at + 1
                while i < end and kinds[i] & HANDLE_PART:
                    kinds[i] = 0
                    i += 1


@kernel
def _enlarge(array: Any, size: int) -> Any:
    """Return a longer array that starts with this one."""
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def _enlarge_table(hashes: Any, n_words: int, table_size: int) -> Any:
    """Return a hash table of the same words with this many entries, a power of two."""
    table = np.zeros(table_size, np.uint64)
    mask = np.uint64(table_size - 1)
    for word in range(n_words):
        slot = hashes[word] & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = (hashes[word] & ~CODE_MASK) | np.uint64(word + 1)
    return table
