"""The contract of engines, on each of them."""

import numpy as np
import pytest

import remote
from bittern.cluster import ClusterLostError, WorkerLostError, open_engine
from bittern.cluster.scheduler import Scheduler
from bittern.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore")


def call(engine, worker, function, *args):
    return engine.get(engine.submit(worker, "test", function, *args))


def test_functions_run_on_their_worker(engine):
    first, second = engine.workers()[:2]
    mine, other = (call(engine, worker, remote.process_id) for worker in (first, second))
    assert mine != other
    assert call(engine, first, remote.process_id) == mine


def test_workers_keep_what_functions_keep(engine):
    worker = engine.workers()[0]
    name = f"kept by {id(engine)}"
    assert [call(engine, worker, remote.remember, name) for _ in range(3)] == [1, 2, 3]


def test_values_and_results_are_passed_on_also_in_lists(engine):
    first, second = engine.workers()[:2]
    one, two = engine.put(1), engine.submit(second, "test", remote.add, 1, 1)
    assert call(engine, first, remote.add, one, two, [one, two, 5], 10) == 21


def test_large_values_arrive_whole(engine):
    words = [f"word{i}" for i in range(50_000)]
    array = np.arange(300_000.0)
    worker = engine.workers()[0]
    assert call(engine, worker, remote.length, engine.put(words)) == 50_000
    assert call(engine, worker, remote.add, engine.put(array.tolist())) == array.sum()
    np.testing.assert_array_equal(
        call(engine, worker, np.multiply, engine.put(array), 2), 2 * array
    )


def test_values_are_dropped_with_their_handles():
    engine = open_engine("local:1")
    [worker] = engine.workers()
    handles = [engine.put(remote.Tracked()) for _ in range(3)]
    assert call(engine, worker, remote.count_tracked, *handles) == 3
    del handles[1:]
    assert call(engine, worker, remote.count_tracked) == 1
    assert call(engine, worker, remote.count_tracked, *handles) == 1
    engine.close()


def test_exceptions_come_back(engine):
    with pytest.raises(InputError, match=r"posts\.csv: line 3 is not valid"):
        call(engine, engine.workers()[0], remote.fail, "posts.csv: line 3 is not valid")
    assert call(engine, engine.workers()[0], remote.add, 1, 2) == 3


def test_a_lost_worker_is_reported_and_the_others_go_on(engine):
    first, second = engine.workers()[:2]
    shared = engine.put(4)
    with pytest.raises(WorkerLostError):
        call(engine, first, remote.die)
    assert call(engine, second, remote.add, shared, 3) == 7
    workers = engine.workers()
    assert workers
    assert [call(engine, worker, remote.add, shared, 3) for worker in workers] == [7] * len(workers)


@pytest.mark.parametrize("mortal", [0, 1, 4])
def test_a_worker_lost_while_others_wait_for_it_is_replaced(engine, mortal, tmp_path):
    scheduler = Scheduler(engine, 5)
    arguments = [(str(tmp_path / "died"), part, mortal) for part in range(5)]
    assert scheduler.map_reduce("test", remote.die_once, arguments, remote.add) == 10
    assert (tmp_path / "died").exists()
    assert scheduler.map("test", remote.add, [(part, 1) for part in range(5)]) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "name", ["", "local:0", "local:two", "spark", "local tcp://head:1", "ray:2 head:6379"]
)
def test_unknown_clusters_are_refused(name):
    with pytest.raises(InputError, match=r"unknown cluster .*; use local:4, ray"):
        open_engine(name)


def test_a_cluster_that_is_not_there_is_an_error_in_one_line():
    pytest.importorskip("distributed")
    with pytest.raises(ClusterLostError, match="cannot reach the Dask scheduler") as caught:
        open_engine("dask tcp://127.0.0.1:1")
    assert "\n" not in str(caught.value)


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    monkeypatch.delitem(__import__("sys").modules, "bittern.cluster.engines.ray", raising=False)
    with pytest.raises(InputError, match=r"pip install 'bittern\[ray\]'"):
        open_engine("ray")
