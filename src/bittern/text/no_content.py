"""Answers without content, such as "n/a" and "don't know": whole texts that say nothing."""

from functools import cache
from importlib import resources
from string import capwords

import numpy as np
import polars as pl
from numpy.typing import NDArray

PUNCTUATION = " \t\r\n.,;:!?…·-–—_*~/\\|\"'`´‘’“”„«»()[]{}<>=¿¡。、，！？・"
MAX_BYTES = 32  # of a text that may be such an answer


def find_no_content(texts: pl.Series) -> NDArray[np.int64]:
    """Return the rows of texts that are an answer without content, or punctuation only."""
    is_short = texts.str.len_bytes() <= MAX_BYTES
    is_found = texts.filter(is_short).str.strip_chars(PUNCTUATION).is_in(_answers())
    rows = is_short.arg_true().filter(is_found)
    return rows.cast(pl.Int64).to_numpy()


@cache
def _answers() -> pl.Series:
    """Return the answers as people write them, as a list for `is_in`."""
    file = resources.files("bittern.text").joinpath("no_content.txt")
    answers = {""}
    for line in file.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            answers |= {line, line.upper(), line.capitalize(), capwords(line)}
    answers |= {answer.replace("'", "’") for answer in answers}
    return pl.Series([sorted(answers)])
