"""Segmentation: spaces between the words of languages that are written without them.

The segmenters are optional packages. None of them works in several threads at a time: rjieba and
nlpo3 keep the interpreter lock, and a MeCab tagger is not safe. One thread segments while the
others scan.
"""

import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import NamedTuple

import polars as pl

from bittern.errors import InputError
from bittern.text.languages import language_code, language_name

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
THAI = "\u0e01-\u0e3a\u0e40-\u0e5b"
KEPT = r"https?://[!-~]+|www\.[!-~]+|@[A-Za-z0-9._-]+|@\w+|[#＃][\w.]+[#＃]?"
"""What stays as it is: URLs, mentions, and hashtags, which may have a # on both sides."""

THAI_DICTIONARY = "bittern-thai"  # what nlpo3 calls the dictionary
Segment = Callable[[str], str]
"""A function that puts spaces between the words of a run of letters."""


class Segmenter(NamedTuple):
    """How to segment a language."""

    letters: str
    """The letters of its script, as the inside of a character class."""
    load: Callable[[], Segment]


_lock = Lock()


def segment_texts(texts: pl.Series, code: str) -> pl.Series:
    """Put spaces between the words of a language that is written without them.

    Runs of letters of other scripts, URLs, mentions and hashtags stay as they are.

    Parameters
    ----------
    texts : polars.Series
        The texts; nulls stay null.
    code : str
        One of the codes in `SEGMENTERS`.

    Returns
    -------
    polars.Series
        The texts, with spaces between words.

    Raises
    ------
    InputError
        If the package for the language is not installed.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.text.segmentation import segment_texts
    >>> segment_texts(pl.Series(["我昨天在北京吃面条"]), "zh").to_list()
    [' 我 昨天 在 北京 吃 面条 ']
    """
    letters = SEGMENTERS[code].letters
    has_letters = texts.str.contains(f"[{letters}]").fill_null(False)
    if not has_letters.any():
        return texts
    pattern = re.compile(f"{KEPT}|([{letters}]+)")
    with _lock:
        segment = load_segmenter(code)

        def replace(match: re.Match[str]) -> str:
            run = match[1]
            return f" {segment(run)} " if run else match[0]

        segmented = [pattern.sub(replace, text) for text in texts.filter(has_letters)]
    return texts.clone().scatter(has_letters.arg_true(), segmented)


def check_segment(language: object) -> str:
    """Return the code of a language that can be segmented, given by its code or name."""
    code = language_code("segment", language)
    if code not in SEGMENTERS:
        known = ", ".join(f"{known} ({language_name(known)})" for known in SEGMENTERS)
        raise InputError(
            f"no segmenter for {language_name(code)}; choose from {known}, or pass a tokenizer "
            "of your own"
        )
    return code


@cache
def load_segmenter(code: str) -> Segment:
    """Load a segmenter; called by one thread at a time."""
    try:
        return SEGMENTERS[code].load()
    except ImportError:
        raise InputError(
            f"words of {language_name(code)} require a segmenter; run: "
            f'pip install "bittern[{code}]"'
        ) from None


def _load_chinese() -> Segment:
    from rjieba import cut

    return lambda run: " ".join(cut(run))


def _load_japanese() -> Segment:
    import ipadic
    from fugashi import GenericTagger

    parse: Segment = GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati").parse
    return parse


def _load_thai() -> Segment:
    from nlpo3 import load_dict, segment
    from pythainlp.corpus import thai_words

    file, path = tempfile.mkstemp(".txt", "bittern-")
    try:
        with os.fdopen(file, "w", encoding="utf-8") as words:
            words.write("\n".join(sorted(thai_words())))
        load_dict(path, THAI_DICTIONARY)
    finally:
        os.remove(path)
    # safe: no text takes exponential time
    return lambda run: " ".join(segment(run, THAI_DICTIONARY, safe=True))


SEGMENTERS = {
    "zh": Segmenter(HAN, _load_chinese),
    "ja": Segmenter(HAN + KANA, _load_japanese),
    "th": Segmenter(THAI, _load_thai),
}
