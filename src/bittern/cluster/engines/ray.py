"""Workers on a Ray cluster."""

from collections.abc import Callable
from itertools import count
from typing import Any

import ray
from ray import exceptions

from bittern.cluster.engines.contract import ClusterLostError, WorkerLostError, resolve

LOST = (exceptions.ActorDiedError, exceptions.ActorUnavailableError, exceptions.ObjectLostError)
CORES = 0.5  # that an actor reserves, so that a Ray Dataset can be computed meanwhile
PATIENCE = 2.0  # seconds until an actor that does not answer counts as busy


class RayEngine:
    """An actor for each core of a Ray cluster.

    Parameters
    ----------
    address : str or None
        Address such as "ray://head:10001" or "head:6379"; None starts Ray on this machine.
    n_workers : int or None
        Number of actors; None is one for each core of the cluster.
    """

    def __init__(self, address: str | None = None, n_workers: int | None = None) -> None:
        self._started = not ray.is_initialized()
        if self._started:
            try:
                ray.init(address or "local", num_cpus=None if address else n_workers, **QUIET)
            except (ConnectionError, OSError, RuntimeError, ValueError) as error:
                raise ClusterLostError(_unreachable(address, error)) from None
        self._n_workers = n_workers or max(int(ray.cluster_resources().get("CPU", 1)), 1)
        self._numbers = count(1)
        self._actors: dict[str, Any] = {}
        self._start(self._n_workers)

    def _start(self, n_workers: int) -> None:
        slot: Any = ray.remote(num_cpus=CORES, max_concurrency=1)(_Slot)
        for _ in range(n_workers):
            name = f"worker {next(self._numbers)}"
            self._actors[name] = slot.remote()

    def workers(self) -> list[str]:
        """Return the names of the actors; one that died is replaced if a core is free for it."""
        try:
            missing = self._n_workers - len(self._actors)
            if missing > 0:
                free = int(ray.available_resources().get("CPU", 0) / CORES)
                self._start(max(min(missing, free), int(not self._actors)))
        except (ConnectionError, exceptions.RayError) as error:
            raise ClusterLostError(_gone(error)) from None
        return list(self._actors)

    def put(self, value: Any) -> Any:
        """Store a value in the object store."""
        try:
            return ray.put(value)
        except (ConnectionError, exceptions.RayError) as error:
            raise ClusterLostError(_gone(error)) from None

    def submit(self, worker: str, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call the actor."""
        try:
            return self._actors[worker].run.options(name=name).remote(function, *args)
        except (ConnectionError, exceptions.RayError) as error:
            raise ClusterLostError(_gone(error)) from None

    def get(self, task: Any) -> Any:
        """Wait for the result."""
        try:
            return ray.get(task)
        except LOST:
            self._drop_lost()
            raise WorkerLostError from None
        except exceptions.RayTaskError as error:
            raise error.cause from None
        except (ConnectionError, exceptions.RayError) as error:
            raise ClusterLostError(_gone(error)) from None

    def _drop_lost(self) -> None:
        """Forget the actors that are dead; those that do not answer at once are busy."""
        answers = {actor.answer.remote(): name for name, actor in self._actors.items()}
        ready, _ = ray.wait(list(answers), num_returns=len(answers), timeout=PATIENCE)
        for reference in ready:
            try:
                ray.get(reference)
            except LOST:
                del self._actors[answers[reference]]

    def close(self) -> None:
        """End the actors, and Ray itself if it was started here."""
        for actor in self._actors.values():
            ray.kill(actor)
        if self._started:
            ray.shutdown()


QUIET = {"logging_level": "ERROR", "log_to_driver": False, "ignore_reinit_error": True}


class _Slot:
    """An actor that runs any function."""

    def answer(self) -> None:
        """Show that the actor is alive."""

    def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call the function with the values of all references."""

        def find(arg: Any) -> Any:
            return ray.get(arg) if isinstance(arg, ray.ObjectRef) else arg

        return function(*(resolve(arg, find) for arg in args))


def _unreachable(address: str | None, error: Exception) -> str:
    return f"cannot reach Ray at {address or 'this machine'}: {str(error).splitlines()[0]}"


def _gone(error: Exception) -> str:
    return f"the Ray cluster no longer answers ({type(error).__name__})"
