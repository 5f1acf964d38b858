"""Compare training on a cluster with training in threads, from files, on the same machine.

    python benchmarks/cluster.py titles.parquet --topics 100
    python benchmarks/cluster.py titles.parquet --parts 2 4 8 64
    python benchmarks/cluster.py titles.parquet --costs

By default: seconds of two local threads and of two workers on each engine, in turn, and the
megabytes of each round. With --parts: the held-out likelihood by the number of parts. With --costs:
the seconds of each step on one core, for an estimate of larger clusters. Results go to
benchmarks/cluster.json.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from bittern import BTM, cluster, read
from bittern.algorithms import SDM, DataSize
from bittern.cluster import work
from bittern.cluster.engines import open_engine
from bittern.cluster.partitions import Columns, find_partitions
from bittern.cluster.training import divide
from bittern.cluster.words import add_word_counts
from bittern.corpus.corpus import choose_words, random_split
from bittern.fitted import FitSettings
from bittern.text import TextOptions

RESULTS = Path(__file__).parent / "cluster.json"
ENGINES = ("local", "ray", "dask")
FEW_TEXTS = ["late train again", "dirty seats"] * 50


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def megabytes_per_round(folder: Path) -> list[float]:
    """What travels down to each worker: the combined changes of each round."""
    return [file.stat().st_size / 1e6 for file in sorted(folder.glob("round-*.safetensors"))]


def compare_engines(train: Path, args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"threads": []}
    engines = {}
    for name in args.engines:
        seconds, engines[name] = timed(lambda name=name: open_engine(f"{name}:{args.workers}"))
        warm, _ = timed(lambda name=name: cluster.fit(FEW_TEXTS, 2, engine=engines[name]))
        found[name] = {"start": seconds, "first fit": warm, "seconds": []}
    for run in range(args.runs):

        def in_threads() -> BTM:
            model = BTM(args.topics, random_state=0, n_jobs=args.workers)
            return model.fit(read(train, text="text"))

        seconds, model = timed(in_threads)
        found["threads"].append(seconds)
        whole = model.fitted_.state.rows.nbytes / 1e6
        for name, engine in engines.items():
            checkpoint = folder / f"{name}-{run}"
            seconds, _ = timed(
                lambda engine=engine, checkpoint=checkpoint: cluster.fit(
                    train, args.topics, engine=engine, random_state=0, checkpoint=checkpoint
                )
            )
            found[name]["seconds"].append(seconds)
            found[name]["megabytes"] = megabytes_per_round(checkpoint)
            found[name]["whole state"] = whole
        print({name: its if name == "threads" else its["seconds"] for name, its in found.items()})
    for engine in engines.values():
        engine.close()
    return found


def compare_parts(train: Path, test: Path, args: argparse.Namespace) -> dict[str, float]:
    model = BTM(args.topics, random_state=0, n_jobs=1).fit(read(train, text="text"))
    held_out = read(test, text="text", vocabulary=model.vocabulary_)
    found = {"one thread": model.score(held_out)}
    engine = open_engine(f"local:{args.workers}")
    for n_parts in args.parts:
        model = cluster.fit(train, args.topics, engine=engine, random_state=0, n_parts=n_parts)
        found[str(n_parts)] = model.score(held_out)
        print(found, flush=True)
    engine.close()
    return found


def measure_costs(train: Path, args: argparse.Namespace) -> dict[str, float]:
    """Time what one worker does with half of the texts, on one core; medians of some runs."""
    engine = open_engine("local:1")
    runs = []
    for _ in range(args.runs):
        parts = [list(part) for part in divide(partitions(train), 2)]
        job = work.Job("costs", parts, TextOptions.from_arguments({}), 15, None)
        call = partial(run_on, engine)
        read_seconds, counts = call(work.count_part, job, 0)
        other = call(work.count_part, job, 1)[1]
        merge_words, counts = timed(partial(add_word_counts, counts, other))
        words = pl.Series(choose_words(counts.table, job.options, counts.n_documents))
        encode, size = call(work.encode_part, job, words, 0)
        prior = FitSettings(args.topics, None, "auto", 15, 1, 0).prior(
            DataSize(float(size.n_biterms), float(size.n_tokens), len(words))
        )
        task = work.Task(words, size, SDM(sweeps=0, epochs=1), args.topics, prior, 0)
        n = size.n_biterms
        first = call(work.train_part, job, task, [], 0, 0, n // 2)[1]  # also shuffles
        train_seconds, second = call(work.train_part, job, task, [], 0, n // 2, n)
        combine, trained = timed(partial(work.combine_trained, first, second))
        state = work.first_state(task)
        apply, _ = timed(partial(work.apply_changes, task, state, trained.changes))
        millions = len(trained.changes.words) / 1e6
        runs.append(
            {
                "read, seconds per million texts": read_seconds / size.n_documents * 1e6,
                "encode, seconds per million texts": encode / size.n_documents * 1e6,
                "merge word counts, seconds per million words": merge_words / len(words) * 1e6,
                "train, seconds per 10 million biterms": train_seconds / (n // 2) * 1e7,
                "combine changes, seconds per million words": combine / millions,
                "apply changes, seconds per million words": apply / millions,
                "changes, megabytes per million words": trained.changes.nbytes / 1e6 / millions,
                "words": float(len(words)),
                "biterms per text": n / size.n_documents,
            }
        )
    engine.close()
    return {name: float(np.median([run[name] for run in runs])) for name in runs[0]}


def partitions(train: Path) -> list[Any]:
    return find_partitions(train, Columns("text"), None, 2)


def run_on(engine: Any, function: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    """Run a function on the only worker; return the seconds and the result."""
    [worker] = engine.workers()
    return timed(lambda: engine.get(engine.submit(worker, "", function, *args)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--engines", nargs="*", default=ENGINES)
    parser.add_argument("--parts", nargs="*", type=int, default=[])
    parser.add_argument("--costs", action="store_true")
    args = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    frame = pl.read_parquet(args.file, columns=["text"])
    train, test = random_split(len(frame), 0.1, np.random.default_rng(0))
    with TemporaryDirectory() as name:
        folder = Path(name)
        frame[np.sort(train)].write_parquet(folder / "train.parquet")
        frame[np.sort(test)].write_parquet(folder / "test.parquet")
        del frame
        key = f"{args.file.stem}, {args.topics} topics"
        if args.costs:
            results.setdefault("costs", {})[key] = measure_costs(folder / "train.parquet", args)
        elif args.parts:
            scores = compare_parts(folder / "train.parquet", folder / "test.parquet", args)
            results.setdefault("parts", {})[key] = scores
        else:
            results.setdefault("engines", {})[key] = compare_engines(
                folder / "train.parquet", args, folder
            )
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
