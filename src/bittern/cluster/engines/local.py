"""Worker processes on this machine."""

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from threading import current_thread, main_thread
from typing import Any
from weakref import finalize

from bittern._core.threads import cpu_count
from bittern.cluster.engines.contract import ClusterLostError, WorkerLostError, resolve


@dataclass(frozen=True)
class Handle:
    """A shared value, by its number; the value is dropped everywhere with its handle."""

    number: int


class LocalEngine:
    """Processes that are started for this engine, each with its own pipe.

    Parameters
    ----------
    n_workers : int or None
        Number of processes; None is one for each core.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        n_workers = n_workers or cpu_count()
        self._threads = max(cpu_count() // n_workers, 1)
        self._values: dict[int, bytes] = {}
        self._numbers = count()
        self._processes = {
            f"worker {i + 1}": _WorkerProcess(self._threads) for i in range(n_workers)
        }

    def workers(self) -> list[str]:
        """Return the names of all processes; those that died are replaced."""
        for name, process in self._processes.items():
            if not process.is_alive():
                process.close()
                self._processes[name] = _WorkerProcess(self._threads)
        return list(self._processes)

    def put(self, value: Any) -> Handle:
        """Keep a value; it is sent to each worker that needs it, once."""
        handle = Handle(next(self._numbers))
        self._values[handle.number] = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        finalize(handle, self._values.pop, handle.number)
        return handle

    def submit(
        self, worker: str, name: str, function: Callable[..., Any], *args: Any
    ) -> Future[Any]:
        """Send a function to a process."""
        process = self._processes[worker]
        return process.thread.submit(process.call, self._values, function, args)

    def get(self, task: Future[Any]) -> Any:
        """Wait for the result."""
        return task.result()

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.close()


class _WorkerProcess:
    """A process, and a thread that talks to it."""

    def __init__(self, n_threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(n_threads)))  # read at import
        try:
            with _ignored_interrupts():
                self._process.start()
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
        theirs.close()
        self._sent: set[int] = set()
        self._is_ready = self._is_lost = False
        self.thread = ThreadPoolExecutor(1)

    def is_alive(self) -> bool:
        """Return whether the process runs; it may take a moment to end after its pipe."""
        return not self._is_lost and self._process.is_alive()

    def call(
        self, values: dict[int, bytes], function: Callable[..., Any], args: tuple[Any, ...]
    ) -> Any:
        """Run a function in the process and wait for its result."""
        args = tuple(resolve(arg, _result) for arg in args)
        if self._is_lost:
            raise WorkerLostError
        self._wait_until_ready()
        handles = [arg for arg in _flatten(args) if isinstance(arg, Handle)]
        missing = {h.number: values[h.number] for h in handles if h.number not in self._sent}
        try:
            dropped = {number for number in self._sent if number not in values}
            _send(self._pipe, (missing, dropped, function, args))
            self._sent.difference_update(dropped)
            self._sent.update(missing)
            succeeded, result = _receive(self._pipe)
        except (EOFError, OSError):
            self._is_lost = True
            raise WorkerLostError from None
        if not succeeded:
            raise result
        return result

    def _wait_until_ready(self) -> None:
        """Wait for the first message of the process."""
        if self._is_ready:
            return
        try:
            self._is_ready = _receive(self._pipe)
        except (EOFError, OSError):
            raise ClusterLostError(
                "a worker process ended before it was ready; in a script, put the calls under "
                'if __name__ == "__main__":, and check that there is enough memory'
            ) from None

    def close(self) -> None:
        """End the process and, when it has noticed that, the thread.

        Only the thread touches the pipe: if another one closed it meanwhile, a new pipe could get
        the same file descriptor, and the thread would take part in another conversation.
        """
        self._is_lost = True
        self._process.kill()
        self._process.join()
        self.thread.submit(self._pipe.close)
        self.thread.shutdown(wait=False)


THREAD_VARIABLES = ("POLARS_MAX_THREADS", "LOKY_MAX_CPU_COUNT")
"""Environment variables that limit the threads of a worker."""


@contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Start processes that leave Ctrl-C to this one; only the main thread may say so."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _result(arg: Any) -> Any:
    return arg.result() if isinstance(arg, Future) else arg


def _flatten(args: tuple[Any, ...]) -> list[Any]:
    return [item for arg in args for item in (arg if isinstance(arg, list) else [arg])]


def _send(pipe: Connection, value: Any) -> None:
    """Send a value, its arrays without copies."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, 5, buffer_callback=buffers.append)
    arrays = [buffer.raw() for buffer in buffers]
    pipe.send((data, [array.nbytes for array in arrays]))
    for array in arrays:
        if array.nbytes:
            pipe.send_bytes(array)


def _receive(pipe: Connection) -> Any:
    """Receive a value that `_send` has sent."""
    data, sizes = pipe.recv()
    arrays = [bytearray(size) for size in sizes]
    for array in arrays:
        if array:
            pipe.recv_bytes_into(array)
    return pickle.loads(data, buffers=arrays)


def _serve(pipe: Connection) -> None:
    """Run functions until the other end is closed."""
    values: dict[int, Any] = {}

    def find(arg: Any) -> Any:
        return values[arg.number] if isinstance(arg, Handle) else arg

    _send(pipe, True)  # ready
    while True:
        try:
            missing, dropped, function, args = _receive(pipe)
        except EOFError:
            return
        for number in dropped:
            del values[number]
        values.update({number: pickle.loads(data) for number, data in missing.items()})
        try:
            answer = True, function(*(resolve(arg, find) for arg in args))
        except Exception as error:
            answer = False, error
        _send(pipe, answer)
