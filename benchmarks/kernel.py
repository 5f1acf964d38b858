"""Biterms per second: an SDM pass and a Gibbs sweep of bittern, a Gibbs sweep of bitermplus.

pip install bitermplus
python benchmarks/kernel.py snippets.parquet --topics 100
"""

import argparse
import time
from pathlib import Path

import bitermplus as btm
import numpy as np
import polars as pl
from heldout import biterms

from bittern.algorithms import SDM, Gibbs, Prior


def sdm_rate(all_biterms, n_topics: int) -> float:
    """One core, the kernel alone."""
    prior, rng = Prior(50 / n_topics, 0.01), np.random.default_rng(0)
    algorithm = SDM(epochs=1)
    block = next(all_biterms.shuffled(rng).blocks(len(all_biterms)))
    best = 0.0
    for _ in range(6):
        state = algorithm.init(all_biterms, n_topics, prior, rng)
        start = time.perf_counter()
        algorithm.step(state, block, prior, rng)
        best = max(best, len(all_biterms) / (time.perf_counter() - start))
    return best


def gibbs_rate(all_biterms, n_topics: int, sweeps: int = 11) -> float:
    """One core, the mean of ten sweeps after the first."""
    prior, rng = Prior(50 / n_topics, 0.01), np.random.default_rng(0)
    algorithm = Gibbs(sweeps=sweeps)
    arranged = algorithm.arrange(all_biterms, n_topics, rng)
    state = algorithm.init(arranged, n_topics, prior, rng)
    block = next(arranged.blocks(len(arranged)))
    state, _ = algorithm.step(state, block, prior, rng)
    start = time.perf_counter()
    for _ in range(sweeps - 1):
        state, _ = algorithm.step(state, block, prior, rng)
    return (sweeps - 1) * len(arranged) / (time.perf_counter() - start)


def bitermplus_rate(path: Path, n_topics: int) -> float:
    """The difference of 11 sweeps and 1: what comes before the first sweep does not count."""
    texts = pl.read_parquet(path)["text"].to_list()
    counts, words, _ = btm.get_words_freqs(texts, token_pattern=r"\S+", lowercase=False)
    docs = btm.get_vectorized_docs(texts, words, analyzer=str.split)
    pairs = btm.get_biterms(docs, win=15)
    n = sum(map(len, pairs))
    seconds = {}
    for sweeps in (1, 11):
        model = btm.BTM(counts, words, T=n_topics, alpha=50 / n_topics, beta=0.01, seed=0, win=15)
        start = time.perf_counter()
        model.fit(pairs, iterations=sweeps, verbose=False)
        seconds[sweeps] = time.perf_counter() - start
    return 10 * n / (seconds[11] - seconds[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="a Parquet file with a column `text`")
    parser.add_argument("--topics", default="20,100")
    given = parser.parse_args()
    all_biterms = biterms(given.file)
    for n_topics in map(int, given.topics.split(",")):
        ours = sdm_rate(all_biterms, n_topics)
        gibbs = gibbs_rate(all_biterms, n_topics)
        theirs = bitermplus_rate(given.file, n_topics)
        print(
            f"K={n_topics}, million biterms per second: SDM {ours / 1e6:.1f} "
            f"({ours / theirs:.1f} times bitermplus), Gibbs {gibbs / 1e6:.1f} "
            f"({gibbs / theirs:.1f} times), bitermplus {theirs / 1e6:.2f}"
        )


if __name__ == "__main__":
    main()
