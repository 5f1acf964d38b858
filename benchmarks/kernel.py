"""Biterms per second on one core: bittern's kernels, C++ by hand, and a sweep of bitermplus.

    pip install "bittern[bench]"
    python benchmarks/kernel.py snippets.parquet --topics 20,100

C++ is measured where there is a g++.
"""

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import bitermplus as btm
import numpy as np

import bittern
from bittern.algorithms import SDM, Gibbs, Prior
from bittern.algorithms._rows import step_sizes
from bittern.biterms.biterms import Biterms, extract_biterms

ROUNDS = 7  # in each of which all are measured, one after the other: the machine may be noisy
COMPILE = "g++ -O3 -march=native -ffast-math -shared -fPIC"


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class OfBittern:
    """One core, the kernel alone."""

    def __init__(self, algorithm, biterms: Biterms, n_topics: int) -> None:
        self.algorithm, self.prior = algorithm, Prior(50 / n_topics, 0.01)
        self.rng, self.n_topics = np.random.default_rng(0), n_topics
        self.arranged = algorithm.arrange(biterms, n_topics, self.rng)
        ordered = algorithm.order(self.arranged, self.rng)
        self.block = next(ordered.blocks(len(biterms)))
        self.state = self._start()
        self.rate()  # compiles

    def _start(self):
        return self.algorithm.init(self.arranged, self.n_topics, self.prior, self.rng)

    def learn(self) -> None:
        self.algorithm.step(self.state, self.block, self.prior, self.rng)

    def rate(self) -> float:
        """Biterms per second of a pass over them."""
        if isinstance(self.algorithm, SDM):  # each pass the first one; sweeps go on
            self.state = self._start()
        return len(self.block.first) / seconds(self.learn)


class OfCpp(OfBittern):
    """The SDM pass in C++."""

    def __init__(self, biterms: Biterms, n_topics: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "sdm.so"
            source = Path(__file__).with_name("sdm.cpp")
            subprocess.run([*COMPILE.split(), str(source), "-o", str(library)], check=True)
            self.function = ctypes.CDLL(str(library)).learn
        self.function.restype = ctypes.c_double
        super().__init__(SDM(epochs=1), biterms, n_topics)

    def learn(self) -> None:
        state, rates = self.state, step_sizes(self.algorithm.kappa)
        mass = state.mass
        arrays = (state.rows, mass, state.totals, state.updates, state.cooling, rates)
        rows, *rest = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
        n_words, n_topics = state.rows.shape
        self.function(
            *(ctypes.c_void_p(x.ctypes.data) for x in (self.block.first, self.block.second)),
            ctypes.c_int64(len(self.block.first)),
            rows,
            *rest,
            ctypes.c_int64(len(rates)),
            ctypes.c_double(self.algorithm.kappa),
            ctypes.c_int64(n_words),
            ctypes.c_int64(n_topics),
            ctypes.c_float(self.prior.topic),
            ctypes.c_float(self.prior.word),
        )


class OfBitermplus:
    """The difference of six sweeps and one: what comes before the first does not count."""

    def __init__(self, texts: list[str], n_topics: int) -> None:
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


def words_of(corpus: bittern.Corpus) -> list[str]:
    """The words of each document, with blanks between them."""
    words = [corpus.vocabulary[token] for token in corpus.tokens]
    return [" ".join(words[start:end]) for start, end in pairwise(corpus.indptr.tolist())]


def measure(texts: list[str], biterms: Biterms, n_topics: int) -> dict[str, np.ndarray]:
    """Biterms per second of each, in several rounds."""
    measured = {
        "bittern, the SDM pass": OfBittern(SDM(epochs=1), biterms, n_topics),
        "bittern, a Gibbs sweep": OfBittern(Gibbs(sweeps=ROUNDS + 1), biterms, n_topics),
        "bitermplus, a Gibbs sweep": OfBitermplus(texts, n_topics),
    }
    if shutil.which("g++"):
        measured["C++, the SDM pass"] = OfCpp(biterms, n_topics)
    rates = np.array([[it.rate() for it in measured.values()] for _ in range(ROUNDS)])
    return dict(zip(measured, rates.T, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="anything that bittern reads")
    parser.add_argument("--topics", default="20,100")
    given = parser.parse_args()
    corpus = bittern.read(given.file, stop_words=None)
    texts, biterms = words_of(corpus), extract_biterms(corpus)
    for n_topics in map(int, given.topics.split(",")):
        rates = measure(texts, biterms, n_topics)
        print(f"K={n_topics}, medians of {ROUNDS} rounds:")
        for name, its in rates.items():
            ratios = its / rates["bitermplus, a Gibbs sweep"]
            print(
                f"  {name:<26}{np.median(its) / 1e6:>6.2f} million biterms per second, "
                f"{np.median(ratios):.1f} times bitermplus "
                f"({ratios.min():.1f} to {ratios.max():.1f})"
            )


if __name__ == "__main__":
    main()
