"""The dense and the sparse Gibbs sampler: seconds per sweep and held-out score, in one run.

python benchmarks/samplers.py snippets.parquet --topics 1000 --sweeps 50
"""

import argparse
import time
from pathlib import Path

import numpy as np
from heldout import biterms

from bittern.algorithms import Gibbs, Prior, estimate
from bittern.analysis.likelihood import log_likelihood


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="a Parquet file with a column `text`")
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--sweeps", type=int, default=50)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    train, test = biterms(given.file).split(0.2, rng)
    prior = Prior(50 / given.topics, 0.01)
    runs = {}
    for sampler in ("dense", "sparse"):
        algorithm = Gibbs(given.sweeps, sampler=sampler)
        arranged = algorithm.arrange(train, given.topics, rng)
        runs[sampler] = [
            algorithm,
            arranged,
            algorithm.init(arranged, given.topics, prior, rng),
            [],
        ]
    for _ in range(given.sweeps):  # in turn, so that both see the same machine
        for run in runs.values():
            algorithm, arranged, state, seconds = run
            start = time.perf_counter()
            run[2], _ = algorithm.step(state, next(arranged.blocks(len(arranged))), prior, rng)
            seconds.append(time.perf_counter() - start)
    for name, (algorithm, _, state, seconds) in runs.items():
        theta, phi = estimate(algorithm.topics(state, prior), prior)
        score = log_likelihood(theta, phi.T, test)
        print(
            f"{name:<7} {np.median(seconds):.3f} s per sweep (the first {seconds[0]:.2f}, the last "
            f"{seconds[-1]:.3f}), {sum(seconds[1:]):.1f} s after the first, score {score:.3f}"
        )
    dense, sparse = (np.array(run[3][1:]) for run in runs.values())
    print(f"sparse is {np.median(dense) / np.median(sparse):.1f} times as fast")


if __name__ == "__main__":
    main()
