"""Do the runs of a study that are not done yet."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np

from bittern._core.progress import ProgressBar
from bittern.algorithms import Trainer
from bittern.biterms import Biterms, time_slices
from bittern.corpus.corpus import Corpus
from bittern.study.costs import costs
from bittern.study.folder import Folder
from bittern.study.plan import Run, points
from bittern.study.protocol import COMPARED, Protocol
from bittern.study.repeats import Repeat
from bittern.study.underflow import N_TOPICS, trace


def run_all(
    protocol: Protocol,
    corpus: Corpus,
    biterms: Biterms,
    folder: Folder,
    n_threads: int,
    verbose: int,
) -> None:
    """Do all runs that are not in the folder yet."""
    if not (folder.has("costs") and folder.has("underflow")):
        _measure_once(Repeat(protocol, corpus, biterms, 0), folder, verbose)
    n_train = len(biterms) - round(protocol.test_size * len(biterms))
    todo = [
        [run for run in _runs(protocol, repeat, n_train) if not _is_done(run, folder)]
        for repeat in range(protocol.repeats)
    ]
    total = sum(run.cost(n_train) for runs in todo for run in runs)
    if total == 0:
        return
    with ProgressBar("studying", total, "steps", verbose) as bar:
        for number, runs in enumerate(todo):
            if not runs:
                continue
            repeat = Repeat(protocol, corpus, biterms, number)
            note = f"repeat {number + 1} of {protocol.repeats}"
            _do(repeat, runs, folder, n_threads, _Progress(bar, note, n_train))


def _runs(protocol: Protocol, repeat: int, n_train: int) -> list[Run]:
    """The different runs of a repeat."""
    different: dict[str, Run] = {}
    for point in points(protocol, repeat, n_train):
        different.setdefault(point.run.name, point.run)
    return list(different.values())


def _is_done(run: Run, folder: Folder) -> bool:
    """Whether its result is there, with looks midway if it is to be watched."""
    if not folder.has(run.name):
        return False
    result = folder.load(run.name)
    return not run.watched or "left_out" in result or result["curve"] != []


def _measure_once(repeat: Repeat, folder: Folder, verbose: int) -> None:
    """What needs no repeats: costs and underflow."""
    protocol, prior = repeat.protocol, repeat.protocol.prior(N_TOPICS)
    measures: dict[str, Iterator[Any]] = {
        "costs": costs(protocol, repeat.train),
        "underflow": trace(repeat.train, repeat.test, prior, protocol.seed),
    }
    for name, found in measures.items():
        rows = []
        with ProgressBar(name, None, "measurements", verbose) as bar:
            for row in found:
                rows.append(row._asdict())
                bar.advance(1)
        folder.save(name, rows)


def _do(
    repeat: Repeat, runs: list[Run], folder: Folder, n_threads: int, progress: "_Progress"
) -> None:
    """Do the runs of a repeat: those to be timed one by one, the others in threads."""

    def do(run: Run) -> None:
        folder.save(run.name, repeat.do(run, progress.of(run)))

    watched = [run for run in runs if run.watched]
    if watched:
        _warm_up(repeat)
    for run in watched:
        do(run)
    others = [run for run in runs if not run.watched]
    with ThreadPoolExecutor(n_threads) as pool:
        longest_first = sorted(others, key=lambda run: -run.cost(len(repeat.train)))
        waiting = [pool.submit(do, run) for run in longest_first]
        try:
            for future in waiting:
                future.result()
        except BaseException:
            progress.stop()
            pool.shutdown(cancel_futures=True)
            raise


def _warm_up(repeat: Repeat) -> None:
    """Compile before anything is timed."""
    for algorithm in COMPARED.values():
        prior, rng = repeat.protocol.prior(2), np.random.default_rng(0)
        slices = time_slices(repeat.train[:100], algorithm.slices)
        Trainer(algorithm, 2, prior, rng).fit(slices)


class _Progress:
    """Moves the bar of a study, from any thread; and can stop the runs that it is told of."""

    def __init__(self, bar: ProgressBar, note: str, n_train: int) -> None:
        self._bar, self._note, self._n_train = bar, note, n_train
        self._lock, self._stopped = Lock(), False

    def stop(self) -> None:
        """Whoever advances from here on is interrupted."""
        self._stopped = True

    def of(self, run: Run) -> Callable[[float], None]:
        """A function that takes a number of updates of a run."""
        cost = run.cost(self._n_train) / run.updates(self._n_train)

        def advance(updates: float) -> None:
            if self._stopped:
                raise KeyboardInterrupt
            with self._lock:
                self._bar.advance(cost * updates, self._note)

        return advance
