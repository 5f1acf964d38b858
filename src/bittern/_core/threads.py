"""Work in threads: compiled kernels release the interpreter lock, so threads suffice."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from itertools import pairwise
from threading import Event
from typing import TypeVar

from bittern._core.validation import is_integer, shorten
from bittern.errors import InputError

MAX_THREADS = 1024  # more than the cores of a machine; every thread has its own copy of the topics

Item = TypeVar("Item")
Result = TypeVar("Result")


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Return the number of threads for scikit-learn's n_jobs: None is 1, -1 all cores."""
    if n_jobs is None:
        return 1
    if not is_integer(n_jobs) or n_jobs > MAX_THREADS:
        raise InputError(
            f"n_jobs must be an integer up to {MAX_THREADS}, or None, not {shorten(n_jobs)}; "
            "-1 uses all cores"
        )
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0; use a number of threads, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(cpu_count() + 1 + n_jobs, 1)


def cpu_count() -> int:
    """Return the number of cores that affinity and container quotas let this process use."""
    import joblib

    return int(joblib.cpu_count())


def map_threads(
    function: Callable[[Item], Result], items: Sequence[Item], n_threads: int | None = None
) -> list[Result]:
    """Call function(item) for each item; return results in order.

    By default, each item has its own thread. After an exception, such as an interrupt, no further
    item starts.
    """
    n_threads = min(len(items), n_threads or len(items))
    if n_threads <= 1:
        return [function(item) for item in items]
    failed = Event()

    def call(item: Item) -> Result:
        if failed.is_set():
            raise CancelledError
        try:
            return function(item)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(call, items))


def map_slices(function: Callable[[slice], Result], n: int, n_threads: int) -> list[Result]:
    """Call function(part) for contiguous slices of range(n); return results in order."""
    bounds = [n * i // n_threads for i in range(n_threads + 1)]
    return map_threads(function, [slice(*ends) for ends in pairwise(bounds)])


def imap_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int | None = None
) -> Iterator[Result]:
    """Like map, but on all cores; consumes only a few items ahead of the results.

    It does not wait for unfinished work when it ends early: Python may collect an abandoned
    generator anywhere, even while a thread starts, when waiting for threads would last forever.
    """
    n_threads = n_threads or cpu_count()
    pool = ThreadPoolExecutor(n_threads)
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(function, item))
            if len(pending) > n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
