"""The training loop: reports, slices, starts, clock."""

import time

import numpy as np
import pytest

from bittern import BTM, Corpus
from bittern.algorithms import SDM, Gibbs, OnlineBTM, Prior, Trainer, counts_after, driver, estimate
from bittern.algorithms.driver import Record, Stopwatch, late_likelihood
from bittern.biterms import extract_biterms, time_slices
from known import blocks
from skeleton import Skeleton

TEXTS, _ = blocks()
BITERMS = extract_biterms(Corpus.from_texts(TEXTS))
PRIOR = Prior(0.5, 0.01)


def trainer(algorithm, **settings):
    return Trainer(algorithm, 4, PRIOR, np.random.default_rng(0), **settings)


def test_every_block_is_reported():
    seen = []
    trained = trainer(SDM(epochs=3, sweeps=0), on_block=seen.append).fit([("", BITERMS)])
    assert [progress.record for progress in seen] == list(trained.history)
    assert sum(progress.n_biterms for progress in seen) == 3 * len(BITERMS)
    assert [progress.slice_finished for progress in seen] == [False, False, True]
    seconds = [progress.seconds for progress in seen]
    assert seconds == sorted(seconds)
    assert trained.history[-1].epoch == 2


def test_every_sweep_is_reported():
    seen = []
    trained = trainer(SDM(epochs=2, sweeps=3), on_block=seen.append).fit([("", BITERMS)])
    assert [progress.record for progress in seen] == list(trained.history)
    assert [record.stage for record in trained.history] == ["pass"] * 2 + ["sweep"] * 3
    assert [record.epoch for record in trained.history] == [0, 1, 2, 3, 4]
    assert sum(progress.n_biterms for progress in seen) == 5 * len(BITERMS)
    assert seen[-1].slice_finished


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
    algorithm = SDM(epochs=3, sweeps=0)
    trained = trainer(algorithm, on_block=seen.append).fit([("", BITERMS)], n_init=4)
    starts = [p.record for p in seen if p.record.epoch == 0]
    assert len(starts) == 4
    assert trained.history[0] == max(starts, key=lambda record: record.log_likelihood)
    assert [record.epoch for record in trained.history] == [0, 1, 2]
    alone = trainer(SDM.paper()).fit([("", BITERMS)], n_init=2)  # one pass is all there is
    assert len(alone.history) == 1


def test_the_start_with_the_best_sweeps_continues():
    seen = []
    algorithm = SDM(sweeps=6)
    trained = trainer(algorithm, on_block=seen.append).fit([("", BITERMS)], n_init=3)
    trials = [p.record for p in seen if p.record.epoch == driver.TRIAL_SWEEPS][:3]
    assert trained.history[4] == max(trials, key=lambda record: record.log_likelihood)
    assert [record.stage for record in trained.history] == ["pass"] + ["sweep"] * 6
    assert sum(progress.n_biterms for progress in seen) == (3 * 5 + 2) * len(BITERMS)
    assert [progress.slice_finished for progress in seen] == [False] * 16 + [True]


def test_a_trained_state_can_be_updated():
    it = trainer(SDM.paper())
    trained = it.update(it.fit([("", BITERMS)]), BITERMS)
    assert [record.epoch for record in trained.history] == [0, 1]
    assert trained.history[-1].biterms == 2 * len(BITERMS)
    theta, _ = estimate(SDM.paper().topics(trained.state, PRIOR), PRIOR)
    assert theta.sum() == pytest.approx(1)


def test_the_clock_stops_in_callbacks():
    it = trainer(Gibbs(sweeps=3), on_block=lambda progress: time.sleep(0.2))
    start = time.perf_counter()
    it.fit([("", BITERMS)])
    assert time.perf_counter() - start - it.clock.seconds > 0.5


def test_the_clock_excludes_the_initial_state(monkeypatch):
    init = SDM.init

    def slow_init(self, *arguments):
        time.sleep(0.3)
        return init(self, *arguments)

    monkeypatch.setattr(SDM, "init", slow_init)
    it = trainer(SDM.paper())
    start = time.perf_counter()
    it.fit([("", BITERMS)], n_init=2)
    assert time.perf_counter() - start - it.clock.seconds > 0.5


def test_one_thread_trains_alone_before_the_rounds(monkeypatch):
    monkeypatch.setattr(driver, "MIN_ROUND", 400)
    monkeypatch.setattr(driver, "MIN_BLOCK", 100)
    step, steps = SDM.step, []

    def record(self, state, block, *rest):
        steps.append((id(state.rows), len(block.first)))
        return step(self, state, block, *rest)

    monkeypatch.setattr(SDM, "step", record)
    trained = trainer(SDM.paper(), n_threads=2).fit([("", BITERMS)])
    alone = 0
    for rows, n in steps:
        if rows != steps[0][0]:
            break
        alone += n
    assert alone == 400
    assert len({rows for rows, _ in steps}) == 3  # the first state and two copies
    assert sum(n for _, n in steps) == trained.history[-1].biterms == len(BITERMS)


def test_a_changed_decay_is_remembered_by_the_slice_it_was_used_on():
    texts = [TEXTS[i : i + 100] for i in range(0, 300, 100)]
    model = BTM(3, algorithm=OnlineBTM(decay=1.0), random_state=0).partial_fit(texts[0])
    model.partial_fit(texts[1])
    model.set_params(algorithm=OnlineBTM(decay=0.1)).partial_fit(texts[2])
    assert [piece.carry for piece in model.slices_] == [1.0, 0.1, 0.1]
    theta, phi = model.slice_topics(-1)
    np.testing.assert_allclose(theta, model.theta_, rtol=1e-6)
    np.testing.assert_allclose(phi, model.phi_, rtol=1e-4)


class ParallelOnly(Skeleton):
    parallel = True


class SlicedOnly(Skeleton):
    slices = 3


@pytest.mark.parametrize(
    ("kind", "message"),
    [(ParallelOnly, "parallel but has no method merge"), (SlicedOnly, "slices but no method grow")],
)
def test_algorithms_without_a_needed_method_are_rejected(kind, message):
    with pytest.raises(TypeError, match=message):
        trainer(kind())


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
