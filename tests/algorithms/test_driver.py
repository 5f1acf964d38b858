"""The training loop: reports, slices, starts, clock."""

import time

import numpy as np
import pytest

from bittern import Corpus
from bittern.algorithms import SDM, Gibbs, OnlineBTM, Prior, Trainer, counts_after, estimate
from bittern.algorithms.driver import Record, Stopwatch, late_likelihood
from bittern.biterms import extract_biterms, time_slices
from known import blocks

TEXTS, _ = blocks()
BITERMS = extract_biterms(Corpus.from_texts(TEXTS))
PRIOR = Prior(0.5, 0.01)


def trainer(algorithm, **settings):
    return Trainer(algorithm, 4, PRIOR, np.random.default_rng(0), **settings)


def test_every_block_is_reported():
    seen = []
    trained = trainer(SDM(epochs=3), on_block=seen.append).fit([("", BITERMS)])
    assert [progress.record for progress in seen] == list(trained.history)
    assert sum(progress.n_biterms for progress in seen) == 3 * len(BITERMS)
    assert [progress.slice_finished for progress in seen] == [False, False, True]
    seconds = [progress.seconds for progress in seen]
    assert seconds == sorted(seconds)
    assert trained.history[-1].epoch == 2


def test_slices_are_trained_one_after_the_other():
    seen = []
    algorithm = OnlineBTM(sweeps=2, slices=3, decay=0.5)
    slices = time_slices(BITERMS, algorithm.slices)
    trained = trainer(algorithm, on_block=seen.append).fit(slices)
    assert [piece.name for piece in trained.slices] == ["0", "1", "2"]
    assert sum(progress.slice_finished for progress in seen) == 3
    assert [record.epoch for record in trained.history] == list(range(6))
    assert {piece.carry for piece in trained.slices} == {0.5}
    counts = algorithm.topics(trained.state, PRIOR)
    after = counts_after(trained.slices, 2)
    np.testing.assert_allclose(after.biterms, counts.biterms)
    np.testing.assert_allclose(after.words, counts.words, atol=1e-4)


def test_the_best_of_several_starts_continues():
    seen = []
    trained = trainer(SDM(epochs=3), on_block=seen.append).fit([("", BITERMS)], n_init=4)
    starts = [p.record for p in seen if p.record.epoch == 0]
    assert len(starts) == 4
    assert trained.history[0] == max(starts, key=lambda record: record.log_likelihood)
    assert [record.epoch for record in trained.history] == [0, 1, 2]
    alone = trainer(SDM(epochs=1)).fit([("", BITERMS)], n_init=2)  # one pass is all there is
    assert len(alone.history) == 1


def test_an_untrained_state_can_be_updated():
    it = trainer(SDM())
    empty = it.untrained(BITERMS.vocabulary)
    assert empty.history == ()
    trained = it.update(it.update(empty, BITERMS), BITERMS)
    assert [record.epoch for record in trained.history] == [0, 1]
    assert trained.history[-1].biterms == 2 * len(BITERMS)
    theta, _ = estimate(SDM().topics(trained.state, PRIOR), PRIOR)
    assert theta.sum() == pytest.approx(1)


def test_the_clock_stops_in_callbacks():
    it = trainer(Gibbs(sweeps=3), on_block=lambda progress: time.sleep(0.2))
    start = time.perf_counter()
    it.fit([("", BITERMS)])
    assert time.perf_counter() - start - it.clock.seconds > 0.5


def test_a_stopwatch_counts_only_while_it_runs():
    watch = Stopwatch()
    with watch.running():
        time.sleep(0.02)
    counted = watch.seconds
    time.sleep(0.02)
    assert watch.seconds == counted >= 0.02


def test_late_likelihood_is_that_of_the_end_of_the_pass():
    history = [Record(0, 50, -9.0), Record(0, 80, -5.0), Record(0, 100, -4.0)]
    assert late_likelihood(history) == pytest.approx((30 * -5 + 20 * -4) / 50)
