"""The contract of engines: where functions run, and how values reach them."""

from collections.abc import Callable
from typing import Any, Protocol

from bittern.errors import InputError


class WorkerLostError(Exception):
    """A worker has died; what it was doing can be done by another one."""


class ClusterLostError(InputError):
    """The cluster no longer answers."""


class Engine(Protocol):
    """Runs functions on workers.

    A worker is a process that runs one function at a time and lives as long as the engine, so that
    functions can keep data there. Values that are put once can be passed to many functions, as can
    the results of other tasks, directly or in lists; a function receives the values themselves.
    """

    def workers(self) -> list[str]:
        """Return the names of the workers that are alive; waits until there is one."""
        ...

    def put(self, value: Any) -> Any:
        """Share a value with all workers; return a handle to pass to `submit`."""
        ...

    def submit(self, worker: str, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Start a function on a worker; return a task. `name` is for the engine's dashboard."""
        ...

    def get(self, task: Any) -> Any:
        """Return the result of a task, or raise its exception.

        Raises WorkerLostError if its worker died, ClusterLostError if the cluster is gone.
        """
        ...

    def close(self) -> None:
        """Stop what was started for this engine; a cluster that was there before goes on."""
        ...


def resolve(value: Any, find: Callable[[Any], Any]) -> Any:
    """Return a value, or find(value) for each item if it is a list."""
    return [find(item) for item in value] if isinstance(value, list) else find(value)
