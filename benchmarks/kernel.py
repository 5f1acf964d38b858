"""Biterms per second: an SDM pass and a Gibbs sweep of bittern, a Gibbs sweep of bitermplus.

pip install bitermplus
python benchmarks/kernel.py snippets.parquet --topics 100
"""

import argparse
import time
from functools import partial
from pathlib import Path

import bitermplus as btm
import numpy as np
import polars as pl
from heldout import biterms

from bittern.algorithms import SDM, Gibbs, Prior

ROUNDS = 7  # in each of which all are measured, one after the other: the machine may be noisy


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class OfBittern:
    """One core, the kernel alone."""

    def __init__(self, algorithm, all_biterms, n_topics: int) -> None:
        self.algorithm, self.prior = algorithm, Prior(50 / n_topics, 0.01)
        self.rng, self.n_topics = np.random.default_rng(0), n_topics
        self.arranged = algorithm.arrange(all_biterms, n_topics, self.rng)
        ordered = algorithm.order(self.arranged, self.rng)
        self.block = next(ordered.blocks(len(all_biterms)))
        self.state = self._start()
        self.rate()  # compiles

    def _start(self):
        return self.algorithm.init(self.arranged, self.n_topics, self.prior, self.rng)

    def rate(self) -> float:
        """Biterms per second of a pass over them."""
        if isinstance(self.algorithm, SDM):  # each pass the first one; sweeps go on
            self.state = self._start()
        step = self.algorithm.step
        work = lambda: step(self.state, self.block, self.prior, self.rng)  # noqa: E731
        return len(self.block.first) / seconds(work)


class OfBitermplus:
    """The difference of six sweeps and one: what comes before the first does not count."""

    def __init__(self, path: Path, n_topics: int) -> None:
        texts = pl.read_parquet(path)["text"].to_list()
        counts, words, _ = btm.get_words_freqs(texts, token_pattern=r"\S+", lowercase=False)
        docs = btm.get_vectorized_docs(texts, words, analyzer=str.split)
        self.pairs = btm.get_biterms(docs, win=15)
        self.make = lambda: btm.BTM(
            counts, words, T=n_topics, alpha=50 / n_topics, beta=0.01, seed=0, win=15
        )

    def rate(self) -> float:
        """Biterms per second of a Gibbs sweep."""
        fit = lambda sweeps: self.make().fit(self.pairs, iterations=sweeps, verbose=False)  # noqa: E731
        one, six = (seconds(partial(fit, sweeps)) for sweeps in (1, 6))
        return 5 * sum(map(len, self.pairs)) / (six - one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="a Parquet file with a column `text`")
    parser.add_argument("--topics", default="20,100")
    given = parser.parse_args()
    all_biterms = biterms(given.file)
    for n_topics in map(int, given.topics.split(",")):
        measured = {
            "SDM": OfBittern(SDM(epochs=1), all_biterms, n_topics),
            "Gibbs": OfBittern(Gibbs(sweeps=ROUNDS + 1), all_biterms, n_topics),
            "bitermplus": OfBitermplus(given.file, n_topics),
        }
        rates = np.array([[it.rate() for it in measured.values()] for _ in range(ROUNDS)])
        ratios = rates / rates[:, -1:]
        print(f"K={n_topics}, medians of {ROUNDS} rounds:")
        for i, name in enumerate(measured):
            print(
                f"  {name:<11}{np.median(rates[:, i]) / 1e6:>6.2f} million biterms per second, "
                f"{np.median(ratios[:, i]):.1f} times bitermplus "
                f"({ratios[:, i].min():.1f} to {ratios[:, i].max():.1f})"
            )


if __name__ == "__main__":
    main()
