from threading import Event

import joblib
import pytest

from bittern._core.threads import imap_threads, map_slices, map_threads, resolve_n_jobs
from bittern.errors import InputError


@pytest.mark.parametrize(
    ("n_jobs", "expected"), [(None, 1), (1, 1), (3, 3), (-1, 8), (-2, 7), (-20, 1)]
)
def test_n_jobs_counts_cores_as_scikit_learn_does(monkeypatch, n_jobs, expected):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 8)
    assert resolve_n_jobs(n_jobs) == expected


def test_zero_jobs_are_refused():
    with pytest.raises(InputError, match="n_jobs must not be 0; use a number of threads, or -1"):
        resolve_n_jobs(0)


@pytest.mark.parametrize("n_jobs", [100_000, 10**30, "2", 2.5, True])
def test_other_numbers_of_threads_are_refused(n_jobs):
    with pytest.raises(InputError, match="n_jobs must be an integer up to 1024, or None, not"):
        resolve_n_jobs(n_jobs)


def test_no_item_starts_after_an_interrupt():
    started = []

    def work(item):
        started.append(item)
        raise KeyboardInterrupt

    for n_threads in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            map_threads(work, range(1000), n_threads)
        assert len(started) <= n_threads
        started.clear()


def test_results_come_in_order():
    assert map_threads(str, range(9), 2) == [*"012345678"]
    assert map_threads(str, [3, 1, 2]) == ["3", "1", "2"]
    assert map_slices(lambda part: list(range(10))[part], 10, 3) == [
        [0, 1, 2], [3, 4, 5], [6, 7, 8, 9],
    ]  # fmt: skip
    assert list(imap_threads(str, range(50), 3)) == [str(i) for i in range(50)]


def test_imap_threads_consumes_only_a_few_items_ahead():
    consumed = []

    def items():
        for i in range(100):
            consumed.append(i)
            yield i

    results = imap_threads(str, items(), 2)
    next(results)
    assert len(consumed) == 3
    results.close()
    assert len(consumed) == 3


def test_an_error_stops_work_that_has_not_started():
    started = []

    def work(i):
        started.append(i)
        if i == 0:
            raise InputError("the first item is bad")

    with pytest.raises(InputError, match="first item"):
        list(imap_threads(work, range(100), 1))
    assert len(started) <= 2


def test_abandoned_work_is_not_waited_for():
    """Waiting in a generator that is collected while a thread starts would last forever."""
    started, goes_on, finished = Event(), Event(), Event()

    def work(i):
        if i > 0:
            started.set()
            goes_on.wait(3)
            finished.set()

    results = imap_threads(work, range(100), 1)
    next(results)
    started.wait()
    results.close()
    assert not finished.is_set()
    goes_on.set()
