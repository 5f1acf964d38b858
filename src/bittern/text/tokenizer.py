"""Finding words in texts: one pass over their bytes.

A word is letters, marks and digits of any script, joined by single apostrophes, hyphens and
underscores. Web addresses, mail addresses and @mentions are no words.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.numba import kernel

STARTS, GOES_ON, JOINS = 1, 2, 4  # what a character can do in a word
IN_ADDRESS, IN_NAME = 8, 16  # what it can do before and after the @ of a mention
TRAILS = 32  # a byte that goes on with the character before it
CLASSES = {
    STARTS: r"[\p{L}\p{N}]",
    GOES_ON: r"[\p{L}\p{M}\p{N}--[\x{FE00}-\x{FE0F}\x{20E3}]]",  # not what makes signs into emoji
    JOINS: r"['’_\-\x{200C}\x{200D}]",
    IN_ADDRESS: r"[A-Za-z0-9.+_\-]",
    IN_NAME: r"[A-Za-z0-9._\-]",
}
ASSIGNED = [*range(0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xE1000)]
"""Code points that may be letters, marks or digits; those beyond are for private use."""

LIMITS = {0x80: 0x80, 0xE3: 0x3000, 0x100: 0x110000}
"""Texts with all bytes below the first have all code points below the second."""

FEW = 1 << 17  # slots of the table of words at first: a megabyte, it stays in the cache
LINE_END, SPACE, DOT, SLASH, COLON, AT = b"\n ./:@"
H, P, S, T, W = b"hpstw"
CAPITAL_A, CAPITAL_Z, LOWER = ord("A"), ord("Z"), ord("a") - ord("A")
FIRST_SIGN, LAST_SIGN = b"!~"  # of those that a web address may have
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
FNV_START, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # a hash: FNV-1a


class Tokens(NamedTuple):
    """The words of some documents: their numbers, one document after the other."""

    lengths: NDArray[np.int64]  # words in each document
    codes: NDArray[np.int32]  # the words, as places in `words`
    words: pl.Series


def find_words(texts: pl.Series) -> Tokens:
    """The words of texts, A to Z in lower case, all else as it is; a null has none."""
    joined: bytes = texts.str.join("").cast(pl.Binary).item()
    data = np.frombuffer(joined, np.uint8).copy()
    ends = np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), dtype=np.int64)
    highest = data.max(initial=0)
    limit = next(point for byte, point in LIMITS.items() if highest < byte)
    lengths = np.empty(len(ends), np.int64)
    codes, letters = _find(data, ends, _classes(limit), lengths)
    words = pl.Series([letters.tobytes()]).cast(pl.String).str.split("\n").explode()
    return Tokens(lengths, codes, words.head(len(words) - 1))  # the last has a line end, too


@cache
def _classes(limit: int) -> NDArray[np.uint8]:
    """For each code point below the limit what it can do: a sum of STARTS, GOES_ON, ..."""
    points = np.array([point for point in ASSIGNED if point < limit])
    characters = pl.Series([chr(point) for point in points.tolist()])
    classes = np.zeros(limit, np.uint8)
    for bit, pattern in CLASSES.items():
        classes[points[characters.str.contains(f"^(?:{pattern})$").to_numpy()]] |= bit
    return classes


@kernel
def _find(data: Any, ends: Any, classes: Any, lengths: Any) -> Any:
    """The number of each word in its order, and all different words, each with a line end.

    Fills `lengths`; changes `data`: A to Z become lower case.
    """
    kinds = _classify(data, classes)
    _strike_web_addresses(data, ends, kinds)
    _strike_mentions(data, ends, kinds)
    most = len(data) // 2 + len(ends)  # a word and what ends it are two bytes
    codes = np.empty(most, np.int32)
    letters = np.empty(len(data) + most, np.uint8)
    begins = np.empty(most + 1, np.int64)
    begins[0] = 0
    hashes = np.empty(most, np.uint64)
    slots = np.zeros(FEW, np.uint64)
    text, n_words, n_tokens = 0, 0, 0
    while text < len(ends):
        text, n_words, n_tokens = _number(
            data,
            kinds,
            ends,
            text,
            lengths,
            codes,
            n_tokens,
            letters,
            begins,
            hashes,
            n_words,
            slots,
        )
        if text < len(ends):
            longest = ends[text] - (ends[text - 1] if text > 0 else 0)
            slots = _more_slots(hashes, n_words, 4 * max(len(slots), longest))
    return codes[:n_tokens].copy(), letters[: begins[n_words]].copy()


@kernel
def _number(
    data: Any,
    kinds: Any,
    ends: Any,
    text: int,
    lengths: Any,
    codes: Any,
    n_tokens: int,
    letters: Any,
    begins: Any,
    hashes: Any,
    n_words: int,
    slots: Any,
) -> Any:
    """Number the words of texts from `text` on, as long as the table of words has room.

    The n-th word that differs from all before begins at begins[n] in `letters`. Of the table,
    `slots`, each entry is half of a hash and a number plus one; 0 is free. Gives the text that it
    came to, and how many different words and words it has then.
    """
    mask = np.uint64(len(slots) - 1)
    i = ends[text - 1] if text > 0 else 0
    while text < len(ends):
        end, before = ends[text], n_tokens
        if 2 * n_words + (end - i) >= len(slots):
            break
        while i < end:
            if not kinds[i] & STARTS:
                i += 1
                continue
            begin, stop = i, i
            value = code = FNV_START
            needed = STARTS
            while i < end:
                kind = kinds[i]
                if kind & needed:
                    needed = GOES_ON
                elif kind & JOINS and needed == GOES_ON:
                    needed = STARTS  # a sign that joins is in the word if a letter follows
                elif kind != TRAILS:
                    break
                value = (value ^ np.uint64(data[i])) * FNV_PRIME
                i += 1
                if needed == GOES_ON:
                    stop, code = i, value
            i = stop
            code ^= code >> HALF
            slot = code & mask
            found = slots[slot]
            while found != 0:
                if (found ^ code) >> HALF == 0:
                    word = np.int64(found & LOW) - 1
                    known, j = begins[word], begin
                    while j < stop and letters[known] == data[j]:
                        known += 1
                        j += 1
                    if j == stop and letters[known] == LINE_END:
                        break
                slot = (slot + np.uint64(1)) & mask
                found = slots[slot]
            if found == 0:
                word = np.int64(n_words)
                n_words += 1
                slots[slot] = (code & ~LOW) | np.uint64(n_words)
                hashes[word] = code
                known = begins[word]
                for j in range(begin, stop):
                    letters[known] = data[j]
                    known += 1
                letters[known] = LINE_END
                begins[n_words] = known + 1
            codes[n_tokens] = word
            n_tokens += 1
        lengths[text] = n_tokens - before
        text += 1
    return text, n_words, n_tokens


@kernel
def _classify(data: Any, classes: Any) -> Any:
    """What each character can do; its bytes after the first trail. Makes A to Z lower case."""
    kinds = np.empty(len(data), np.uint8)
    for i in range(len(data)):
        byte = np.int64(data[i])
        if byte < 0x80:
            kinds[i] = classes[byte]
            data[i] += np.uint8(LOWER * (CAPITAL_A <= byte <= CAPITAL_Z))
        elif byte < 0xC0:
            kinds[i] = TRAILS
        else:  # UTF-8: the first byte says how many follow
            width = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            point = byte & (0x7F >> width)
            for j in range(i + 1, i + width):
                point = (point << 6) | (np.int64(data[j]) & 0x3F)
            kinds[i] = classes[point]
    return kinds


@kernel
def _strike_web_addresses(data: Any, ends: Any, kinds: Any) -> None:
    """Take from words what matches (https?://|www[.])[!-~]+."""
    for i in range(len(data) - 4):
        size = 0
        if data[i] == H and data[i + 1] == T and data[i + 2] == T and data[i + 3] == P:
            size = 8 if data[i + 4] == S else 7
            for j, sign in enumerate((COLON, SLASH, SLASH)):
                if i + size >= len(data) or data[i + size - 3 + j] != sign:
                    size = 0
        elif data[i] == W and data[i + 1] == W and data[i + 2] == W and data[i + 3] == DOT:
            size = 4
        if size > 0:
            end = ends[np.searchsorted(ends, i, "right")]
            if i + size < end and FIRST_SIGN <= data[i + size] <= LAST_SIGN:
                j = i
                while j < end and FIRST_SIGN <= data[j] <= LAST_SIGN:
                    data[j] = SPACE
                    kinds[j] = 0
                    j += 1


@kernel
def _strike_mentions(data: Any, ends: Any, kinds: Any) -> None:
    """Take from words what matches [a-z0-9.+_-]*@[a-z0-9._-]+, mentions and mail addresses."""
    for at in range(len(data) - 1):
        if data[at] == AT and kinds[at + 1] & IN_NAME:
            text = np.searchsorted(ends, at, "right")
            start, end = ends[text - 1] if text > 0 else 0, ends[text]
            if at + 1 < end:
                i = at - 1
                while i >= start and kinds[i] & IN_ADDRESS:
                    kinds[i] = 0
                    i -= 1
                i = at + 1
                while i < end and kinds[i] & IN_NAME:
                    kinds[i] = 0
                    i += 1


@kernel
def _more_slots(hashes: Any, n_words: int, least: int) -> Any:
    """A larger table of the same words."""
    n_slots = FEW
    while n_slots < least:
        n_slots *= 2
    slots = np.zeros(n_slots, np.uint64)
    mask = np.uint64(n_slots - 1)
    for word in range(n_words):
        slot = hashes[word] & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = (hashes[word] & ~LOW) | np.uint64(word + 1)
    return slots
