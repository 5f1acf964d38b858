"""Work in threads: compiled kernels leave the interpreter free, so threads are enough."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from bittern.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


def resolve_n_jobs(n_jobs: int | None) -> int:
    """What scikit-learn's n_jobs stands for: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0: give a number of threads, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(cores() + 1 + n_jobs, 1)


def cores() -> int:
    """The number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_threads(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Do work(item) for each item in a thread of its own; the results in their order."""
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(len(items)) as pool:
        return list(pool.map(work, items))


def map_slices(work: Callable[[slice], Result], n: int, n_threads: int) -> list[Result]:
    """Do work(part) for contiguous parts of range(n); the results in the order of the parts."""
    bounds = [n * i // n_threads for i in range(n_threads + 1)]
    return map_threads(work, [slice(*ends) for ends in pairwise(bounds)])


def imap_threads(
    work: Callable[[Item], Result], items: Iterable[Item], n_threads: int | None = None
) -> Iterator[Result]:
    """Like map, on all cores; takes only a few more items than results have been asked for."""
    n_threads = n_threads or cores()
    with ThreadPoolExecutor(n_threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:  # after an error or an interrupt nothing more is begun
                future.cancel()
