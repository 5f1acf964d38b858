import numpy as np
import pytest

from bittern import Corpus
from bittern.algorithms import CVB0, SDM, Gibbs
from bittern.algorithms.effort import (
    MAX_UPDATES,
    Effort,
    algorithm_effort,
    count_updates,
    plan_effort,
    resolve_starts,
    starts_at_once,
)
from bittern.algorithms.priors import DataSize, adaptive_word_prior, left_out_fraction
from bittern.biterms import Biterms, LazyBiterms, Texts, extract_biterms
from bittern.errors import InputError


class Source:
    """As many biterms as told, from texts with this many tokens."""

    def __init__(self, total, n_tokens=1000, max_bytes=None):
        empty = np.empty(0, np.float32)
        tokens = np.broadcast_to(np.int32(0), n_tokens)
        self.total = float(total)
        self.texts = Texts(np.array([0, n_tokens]), tokens, empty, 15, max_bytes)


@pytest.mark.parametrize(
    ("total", "effort", "starts"),
    [
        (0, Effort(1, 16), 8),
        (100_000, Effort(1, 16), 8),
        (1_200_000, Effort(1, 16), 5),
        (2_900_000, Effort(1, 16), 1),
        (5_000_000, Effort(1, 9), 1),
        (11_000_000, Effort(2, 0), 1),
        (40_000_000, Effort(1, 0), 1),
    ],
)
def test_auto_keeps_the_work_within_bounds(total, effort, starts):
    assert plan_effort("auto", "auto", Source(total), 100) == effort
    assert resolve_starts("auto", effort, Source(total), 100) == starts
    assert count_updates(effort, total, starts) <= max(MAX_UPDATES, total)


def test_passes_take_the_place_of_sweeps_without_texts_or_memory():
    biterms = Biterms.from_words("ab", "bc")
    assert plan_effort("auto", "auto", biterms, 5) == Effort(10, 0)
    assert plan_effort("auto", 7, biterms, 5) == Effort(10, 0)
    assert plan_effort("auto", "auto", Source(4e6, n_tokens=10**7), 100) == Effort(5, 0)
    assert plan_effort("auto", "auto", Source(1e6, 10**6, max_bytes=10**8), 100) == Effort(10, 0)
    assert plan_effort("auto", "auto", Source(1e6, 10**6, max_bytes=10**9), 100) == Effort(1, 16)


def test_what_is_asked_for_is_done():
    assert plan_effort(3, 30, Source(4e7), 100) == Effort(3, 30)
    assert plan_effort(3, 0, Source(100), 100) == Effort(3, 0)
    assert resolve_starts(4, Effort(1, 0), Source(1e9), 100) == 4
    assert algorithm_effort(Gibbs(sweeps=7), Source(100), 5) == Effort(7, 0)
    assert algorithm_effort(CVB0(sweeps=9), Source(100), 5) == Effort(9, 0)
    assert algorithm_effort(SDM.paper(), Source(100), 5) == Effort(1, 0)
    with pytest.raises(InputError, match="sweeps=0"):
        plan_effort("auto", 5, Source(4e7, n_tokens=10**12), 100)


def test_updates_are_counted():
    assert count_updates(Effort(3, 0), 100, 1) == 300
    assert count_updates(Effort(3, 0), 100, 4) == 600  # a pass for each start, then two more
    assert count_updates(Effort(1, 12), 100, 1) == 1300
    assert count_updates(Effort(1, 12), 100, 4) == 100 * (4 * 5 + 8)
    assert count_updates(Effort(1, 2), 100, 4) == 100 * (4 * 3)


def test_one_start_is_made_where_several_have_no_room():
    wide = Source(1e5, n_tokens=2 * 10**6)  # 0.8 GB of evidence
    assert plan_effort("auto", "auto", wide, 100) == Effort(1, 16)
    assert resolve_starts("auto", Effort(1, 16), wide, 100) == 1
    assert starts_at_once(Source(1e5, n_tokens=10**6), 25) == 8


def test_data_is_measured():
    corpus = Corpus.from_tokens([["a", "b", "c"], ["a", "a", "b"], []], vocabulary=list("abcd"))
    size = DataSize.of(LazyBiterms(corpus, 15))
    assert size == DataSize(5, 6, 3)
    assert size == DataSize.of(extract_biterms(corpus))
    assert size.biterms_per_token == pytest.approx(10 / 6)
    assert size.repeats == 1
    pairs = DataSize.of(Biterms.from_words("ab", "bc"))
    assert pairs == DataSize(2, 4, 3)
    assert pairs.biterms_per_token == 1
    assert DataSize.joint([size, pairs], 4) == DataSize(7, 10, 4)
    counted = DataSize.of(extract_biterms(Corpus.from_counts([[2, 1, 0], [0, 1, 1]])))
    assert counted == DataSize(3, 5, 3)


def test_word_prior_is_worth_less_in_tiny_and_in_huge_corpora():
    assert adaptive_word_prior(DataSize(300, 100, 10), 5) == pytest.approx(0.4 * 6 / 5)
    assert adaptive_word_prior(DataSize(300, 100, 50), 5) == pytest.approx(0.2 * 6 / 5)
    assert adaptive_word_prior(DataSize(300, 100, 100), 5) == pytest.approx(0.008 * 6 / 5)
    assert adaptive_word_prior(DataSize(1.2e7, 4e6, 100), 5) == pytest.approx(0.2 * 6 / 5)
    assert adaptive_word_prior(DataSize(0, 0, 0), 5) == 0


def test_less_of_a_text_is_left_out_in_tiny_corpora():
    fractions = [left_out_fraction(DataSize(300, 100, n_words)) for n_words in (100, 80, 60, 10)]
    assert fractions == pytest.approx([0, 0.5, 1, 1])
