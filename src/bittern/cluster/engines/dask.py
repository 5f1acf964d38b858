"""Workers on a Dask cluster."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from distributed import Client as DaskClient
from distributed import wait as wait_for
from distributed.client import FutureCancelledError, FuturesCancelledError
from distributed.comm.core import CommClosedError
from distributed.core import Status

from bittern.cluster.engines.contract import ClusterLostError, WorkerLostError, resolve

POLL = 1.0  # seconds between looks at whether a worker is alive
PATIENCE = 60  # seconds to wait for a worker
LOST = (CommClosedError, OSError, FutureCancelledError, FuturesCancelledError)


@dataclass
class Shared:
    """A value in one piece: Dask would look for tasks in every item of a list."""

    value: Any


@dataclass
class Handle:
    """A shared value; it is kept here, too, in case the workers that have it die."""

    shared: Shared
    future: Any = None


class DaskEngine:
    """The workers of a Dask cluster; each runs one function at a time.

    Parameters
    ----------
    address : str or None
        Address of the scheduler, such as "tcp://head:8786"; None starts workers on this machine.
    n_workers : int or None
        Number of workers to start; None is one for each core.
    """

    def __init__(self, address: str | None = None, n_workers: int | None = None) -> None:
        Client: Any = DaskClient
        try:
            if address is None:
                self._client = Client(
                    n_workers=n_workers, threads_per_worker=1, dashboard_address=None
                )
            else:
                self._client = Client(address, timeout=10)
        except (OSError, TimeoutError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise ClusterLostError(f"cannot reach the Dask scheduler: {reason}") from None
        self._homes: dict[str, str] = {}  # the worker of each task

    def workers(self) -> list[str]:
        """Return the addresses of the workers."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = sorted(self._alive())
            if found:
                return found
            time.sleep(POLL)
        raise ClusterLostError("the Dask cluster has no workers")

    def put(self, value: Any) -> Handle:
        """Keep a value; it is sent to all workers with the first task that needs it."""
        return Handle(Shared(value))

    def submit(self, worker: str, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Submit to one worker."""

        def find(arg: Any) -> Any:
            if not isinstance(arg, Handle):
                return arg
            if arg.future is None or arg.future.status != "finished":
                arg.future = self._scatter(arg.shared)
            return arg.future

        key = f"{name.replace(' ', '-')}-{uuid4().hex}"
        args = tuple(resolve(arg, find) for arg in args)
        self._homes[key] = worker
        return self._client.submit(_call, function, *args, key=key, workers=[worker], pure=False)

    def get(self, task: Any) -> Any:
        """Wait for the result, and look now and then whether the worker is alive."""
        try:
            while True:
                with suppress(TimeoutError):
                    wait_for([task], timeout=POLL)  # type: ignore[no-untyped-call]
                if task.done():
                    self._homes.pop(task.key, None)
                    return task.result()
                lost = set(self._homes.values()).difference(self._alive())
                if lost:  # also if it is the worker of a task that this one waits for
                    self._homes.clear()
                    task.cancel()
                    raise WorkerLostError
        except LOST as error:
            self._homes.clear()
            self._check(error)
            raise WorkerLostError from None

    def close(self) -> None:
        """Disconnect; workers that were started here end."""
        self._client.close(timeout=10)

    def _scatter(self, value: Shared) -> Any:
        try:
            [future] = self._client.scatter([value], broadcast=True, hash=False)
        except (*LOST, TimeoutError) as error:
            self._check(error)
            raise WorkerLostError from None
        return future

    def _alive(self) -> list[str]:
        try:
            return list(self._client.scheduler_info(n_workers=-1)["workers"])
        except (*LOST, TimeoutError) as error:
            raise ClusterLostError(_gone(error)) from None

    def _check(self, error: Exception) -> None:
        """Raise ClusterLostError if the scheduler is gone."""
        if self._client.status != Status.running.name:
            raise ClusterLostError(_gone(error)) from None
        self._alive()


def _call(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function with the values that are shared."""

    def find(arg: Any) -> Any:
        return arg.value if isinstance(arg, Shared) else arg

    return function(*(resolve(arg, find) for arg in args))


def _gone(error: Exception) -> str:
    return f"the Dask scheduler no longer answers ({type(error).__name__})"
