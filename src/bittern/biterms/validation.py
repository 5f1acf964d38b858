"""Reasons why data cannot be trained on or scored."""

from bittern.biterms.biterms import Biterms
from bittern.biterms.source import BitermSource
from bittern.corpus import Corpus
from bittern.errors import InputError

MAX_TOTAL = 1e12  # products of three counts stay within float32, as CVB0 needs it


def check_biterms(data: Corpus | Biterms, biterms: BitermSource) -> None:
    """Reject data without biterms, and explain why there are none."""
    if biterms.total > MAX_TOTAL:
        raise InputError(
            f"the weights of the biterms add up to {biterms.total:.3g}; "
            f"scale the weights, or the word counts, so that they add up to {MAX_TOTAL:.0e} or less"
        )
    if biterms.total > 0:
        if biterms.counts().max() < 1:
            raise InputError(
                "the weights are too small; multiply them so that they are about as large as "
                "counts: a weight is how often a biterm, or a word, counts"
            )
        return
    if isinstance(data, Biterms):
        raise InputError("there are no biterms with a positive weight")
    if len(data) == 0:
        raise InputError("there are no documents")
    if len(data.tokens) == 0:
        raise InputError(
            "no words are left after preprocessing; check stop_words, min_df, max_df and language "
            "(a fitted model knows only the words it was fitted on)"
        )
    raise InputError(
        "there are no biterms: every document has fewer than two different words; "
        "use longer texts, a lower min_df, or another text column"
    )
