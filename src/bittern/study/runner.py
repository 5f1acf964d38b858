"""Execute the runs of a study that are not finished yet."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np

from bittern._core.progress import ProgressBar
from bittern.algorithms import Trainer
from bittern.biterms import Biterms, time_slices
from bittern.corpus.corpus import Corpus
from bittern.study.costs import Cost, measure_costs
from bittern.study.folder import Folder
from bittern.study.plan import Run, plan_runs
from bittern.study.protocol import COMPARED_ALGORITHMS, Protocol
from bittern.study.repeat import Repeat
from bittern.study.underflow import N_TOPICS, UnderflowPoint, trace_underflow


def execute_runs(
    protocol: Protocol,
    corpus: Corpus,
    biterms: Biterms,
    folder: Folder,
    n_threads: int,
    verbose: int,
) -> None:
    """Execute all runs that are not in the folder yet."""
    if not (folder.has("costs") and folder.has("underflow")):
        _measure_once(Repeat(protocol, corpus, biterms, 0), folder, verbose)
    n_train = len(biterms) - protocol.n_held_out(len(biterms))
    pending = [
        [run for run in plan_runs(protocol, repeat, n_train) if not _is_finished(run, folder)]
        for repeat in range(protocol.repeats)
    ]
    total = sum(run.cost(n_train) for runs in pending for run in runs)
    if total == 0:
        return
    with ProgressBar("training", total, "steps", verbose) as bar:
        for number, runs in enumerate(pending):
            if not runs:
                continue
            repeat = Repeat(protocol, corpus, biterms, number)
            note = f"repeat {number + 1} of {protocol.repeats}"
            _execute(repeat, runs, folder, n_threads, _RunProgress(bar, note, n_train))


def _is_finished(run: Run, folder: Folder) -> bool:
    """Whether its result is there, with a learning curve if it is to be watched."""
    if not folder.has(run.name):
        return False
    result = folder.load(run.name)
    return not run.watched or "left_out" in result or result["curve"] != []


def _measure_once(repeat: Repeat, folder: Folder, verbose: int) -> None:
    """Measure costs and underflow, which need no repeats."""
    protocol, prior = repeat.protocol, repeat.protocol.prior(N_TOPICS)
    measurements: dict[str, Iterator[Cost] | Iterator[UnderflowPoint]] = {
        "costs": measure_costs(protocol, repeat.train),
        "underflow": trace_underflow(repeat.train, repeat.test, prior, protocol.seed),
    }
    for name, rows in measurements.items():
        found = []
        with ProgressBar(name, None, "measurements", verbose) as bar:
            for row in rows:
                found.append(row._asdict())
                bar.advance(1)
        folder.save(name, found)


def _execute(
    repeat: Repeat, runs: list[Run], folder: Folder, n_threads: int, progress: "_RunProgress"
) -> None:
    """Execute the runs of a repeat: watched ones one at a time, the others in threads."""

    def execute(run: Run) -> None:
        folder.save(run.name, repeat.execute(run, progress.advancer(run)))

    watched = [run for run in runs if run.watched]
    if watched:
        _warm_up(repeat)
    for run in watched:
        execute(run)
    others = [run for run in runs if not run.watched]
    with ThreadPoolExecutor(n_threads) as pool:
        longest_first = sorted(others, key=lambda run: -run.cost(len(repeat.train)))
        futures = [pool.submit(execute, run) for run in longest_first]
        try:
            for future in futures:
                future.result()
        except BaseException:
            progress.stop()
            pool.shutdown(cancel_futures=True)
            raise


def _warm_up(repeat: Repeat) -> None:
    """Compile all kernels before anything is timed."""
    for algorithm in COMPARED_ALGORITHMS.values():
        prior, rng = repeat.protocol.prior(2), np.random.default_rng(0)
        slices = time_slices(repeat.train[:100], algorithm.slices)
        Trainer(algorithm, 2, prior, rng).fit(slices)


class _RunProgress:
    """Advances the progress bar from any thread, and can interrupt all runs."""

    def __init__(self, bar: ProgressBar, note: str, n_train: int) -> None:
        self._bar, self._note, self._n_train = bar, note, n_train
        self._lock, self._stopped = Lock(), False

    def stop(self) -> None:
        """Interrupt every run at its next block."""
        self._stopped = True

    def advancer(self, run: Run) -> Callable[[float], None]:
        """Return a function that reports a number of finished updates of a run."""
        cost = run.cost(self._n_train) / run.n_updates(self._n_train)

        def advance(n_updates: float) -> None:
            if self._stopped:
                raise KeyboardInterrupt
            with self._lock:
                self._bar.advance(cost * n_updates, self._note)

        return advance
