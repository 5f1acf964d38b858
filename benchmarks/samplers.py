"""Compare the dense and the sparse Gibbs sampler: seconds per sweep and held-out score.

python benchmarks/samplers.py snippets.parquet --topics 1000 --sweeps 50
"""

import argparse
import time
from pathlib import Path

import numpy as np
from heldout import read_biterms

from bittern.algorithms import Gibbs, Prior, estimate
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import arrange, next_pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="Parquet file with a column `text`.")
    parser.add_argument("--topics", type=int, default=1000, help="Default: 1000.")
    parser.add_argument("--sweeps", type=int, default=50, help="Default: 50.")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    train, test = read_biterms(args.file).split(0.2, rng)
    prior = Prior(50 / args.topics, 0.01)
    runs = {}
    for sampler in ("dense", "sparse"):
        algorithm = Gibbs(args.sweeps, sampler=sampler)
        arranged = arrange(train, algorithm.order, rng)
        block = next(next_pass(arranged, algorithm.order, rng).blocks(len(train)))
        state = algorithm.init(arranged, args.topics, prior, rng)
        runs[sampler] = [algorithm, block, state, []]
    for _ in range(args.sweeps):  # in turn, so that both see the same machine
        for run in runs.values():
            algorithm, block, state, seconds = run
            start = time.perf_counter()
            run[2], _ = algorithm.step(state, block, prior, rng)
            seconds.append(time.perf_counter() - start)
    for name, (algorithm, _, state, seconds) in runs.items():
        theta, phi = estimate(algorithm.topics(state, prior), prior)
        score = log_likelihood(theta, phi.T, test)
        print(
            f"{name:<7} {np.median(seconds):.3f} s per sweep (first {seconds[0]:.2f}, last "
            f"{seconds[-1]:.3f}), {sum(seconds[1:]):.1f} s after the first, score {score:.3f}"
        )
    dense, sparse = (np.array(run[3][1:]) for run in runs.values())
    print(f"sparse is {np.median(dense) / np.median(sparse):.1f} times as fast as dense")


if __name__ == "__main__":
    main()
