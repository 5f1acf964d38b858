"""Runs functions on the parts of a corpus, each where its data is, in spite of lost workers."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from bittern.cluster.engines import ClusterLostError, Engine, WorkerLostError

Result = TypeVar("Result")
MAX_LOSSES = 20  # workers, before something other than bad luck must be the cause


class Scheduler:
    """Gives each part a worker, and another one if the first is lost."""

    def __init__(self, engine: Engine, n_parts: int) -> None:
        self.engine = engine
        self._n_losses = 0
        self._homes: list[str] = []
        self._n_parts = n_parts
        self._settle()

    def _settle(self) -> None:
        """Keep the parts whose workers are alive where they are; spread the others."""
        workers = self.engine.workers()
        homes = [home if home in workers else "" for home in self._homes or [""] * self._n_parts]
        for part, home in enumerate(homes):
            if not home:
                homes[part] = min(workers, key=homes.count)
        self._homes = homes

    def map(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        on_result: Callable[[], None] = lambda: None,
    ) -> list[Any]:
        """Return function(*arguments[part]) for each part; results from lost workers are kept."""
        results: dict[int, Any] = {}

        def run() -> list[Any]:
            missing = [part for part in range(len(arguments)) if part not in results]
            tasks = self._submit(name, function, arguments, missing)
            for part, (_, task) in zip(missing, tasks, strict=True):
                results[part] = self.engine.get(task)
                on_result()
            return [results[part] for part in range(len(arguments))]

        return self._retry(run)

    def map_reduce(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        combine: Callable[[Any, Any], Any],
    ) -> Any:
        """Return the combination of function(*arguments[part]) over all parts, made in a tree."""

        def run() -> Any:
            tasks = self._submit(name, function, arguments)
            while len(tasks) > 1:
                pairs = zip(tasks[::2], tasks[1::2], strict=False)
                combined = [
                    (home, self.engine.submit(home, f"combine {name}", combine, left, right))
                    for (home, left), (_, right) in pairs
                ]
                tasks = combined + tasks[2 * len(combined) :]
            return self.engine.get(tasks[0][1])

        return self._retry(run)

    def gather(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        finish: Callable[..., Any],
        *args: Any,
    ) -> Any:
        """Return finish(*args, results), where results are function(*arguments[part])."""

        def run() -> Any:
            tasks = [task for _, task in self._submit(name, function, arguments)]
            return self.engine.get(self.engine.submit(self._homes[0], name, finish, *args, tasks))

        return self._retry(run)

    def run(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a function, on the worker of the first part."""
        submit = self.engine.submit
        return self._retry(lambda: self.engine.get(submit(self._homes[0], name, function, *args)))

    def each_worker(self, name: str, function: Callable[..., Any], *args: Any) -> None:
        """Call a function on every worker that has a part."""
        tasks = [
            self.engine.submit(home, name, function, *args) for home in dict.fromkeys(self._homes)
        ]
        for task in tasks:
            with suppress(WorkerLostError):
                self.engine.get(task)

    def _submit(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: Sequence[tuple[Any, ...]],
        parts: Sequence[int] | None = None,
    ) -> list[tuple[str, Any]]:
        """Start a task for each part, or some of them; return the worker and the task."""
        parts = range(len(arguments)) if parts is None else parts
        return [
            (
                self._homes[part],
                self.engine.submit(
                    self._homes[part], f"{name}, part {part}", function, *arguments[part]
                ),
            )
            for part in parts
        ]

    def _retry(self, work: Callable[[], Result]) -> Result:
        """Do work again, elsewhere, if a worker is lost: the result is the same."""
        while True:
            try:
                return work()
            except WorkerLostError:
                self._n_losses += 1
                if self._n_losses > MAX_LOSSES:
                    raise ClusterLostError(
                        f"{self._n_losses} workers died; look at their logs, they may lack memory"
                    ) from None
                self._settle()
