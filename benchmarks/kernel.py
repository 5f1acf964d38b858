"""Measure biterms per second on one core: bittern's kernels, C++ and bitermplus.

    pip install "bittern[bench]"
    python benchmarks/kernel.py snippets.parquet --topics 20,100
    python benchmarks/kernel.py snippets.parquet --topics 100 --all

The SDM pass and its C++ version alternate: in every round one directly follows the other, and the
order is swapped from round to round, because a core may change its clock after other work. Gibbs
and bitermplus are measured separately. C++ needs g++, and bitermplus is optional. With --all, one
step of every registered algorithm is measured instead; duplicate biterms count even where an
algorithm merges them.
"""

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import bittern
from bittern.algorithms import (
    ALGORITHMS,
    SDM,
    Algorithm,
    Gibbs,
    Prior,
    copy_state,
    make_algorithm,
)
from bittern.algorithms._word_rows import step_sizes
from bittern.biterms import Biterms, arrange, extract_biterms, next_pass
from bittern.errors import InputError

PASS_ROUNDS = 15
SWEEP_ROUNDS = 5
BITERMPLUS_SWEEPS = 5
COMPILE = "g++ -O3 -march=native -ffast-math -shared -fPIC"
SDM_PASS, CPP_PASS = "bittern, SDM pass", "C++, SDM pass"
GIBBS_SWEEP, BITERMPLUS_SWEEP = "bittern, Gibbs sweep", "bitermplus, Gibbs sweep"

Rates = dict[str, np.ndarray]  # biterms per second, round by round


class Measured(Protocol):
    def rate(self) -> float:
        """Return the biterms per second of one pass."""
        ...


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class StepOfAlgorithm:
    """One step over all biterms, without arranging them and without the initial state."""

    def __init__(self, algorithm: Algorithm[Any], biterms: Biterms, n_topics: int) -> None:
        self.algorithm, self.prior = algorithm, Prior(50 / n_topics, 0.01)
        self.rng = np.random.default_rng(0)
        arranged = arrange(biterms, algorithm.order, self.rng)
        self.block = next(next_pass(arranged, algorithm.order, self.rng).blocks(len(biterms)))
        self.start = algorithm.init(arranged, n_topics, self.prior, self.rng)
        self.state = copy_state(self.start)
        self.one_pass = algorithm.epochs == 1
        self.rate()  # compiles

    def rate(self) -> float:
        """Restart algorithms with one pass; others continue with their next sweep."""
        if self.one_pass:
            self.state = copy_state(self.start, self.state)
        return self.block.total / seconds(self.step)

    def step(self) -> None:
        self.state, _ = self.algorithm.step(self.state, self.block, self.prior, self.rng)


class CppPass(StepOfAlgorithm):
    """The SDM pass in C++, on the same biterms and from the same state."""

    def __init__(self, biterms: Biterms, n_topics: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "sdm.so"
            source = Path(__file__).with_name("sdm.cpp")
            subprocess.run([*COMPILE.split(), str(source), "-o", str(library)], check=True)
            self.function = ctypes.CDLL(str(library)).learn
        self.function.restype = ctypes.c_double
        super().__init__(SDM.paper(), biterms, n_topics)

    def step(self) -> None:
        state, kappa = self.state, self.algorithm.kappa
        mass, sizes = state.mass, step_sizes(kappa)
        arrays = (state.rows, mass, state.totals, state.updates, state.cooling, sizes)
        n_words, n_topics = state.rows.shape
        self.function(
            *(ctypes.c_void_p(x.ctypes.data) for x in (self.block.first, self.block.second)),
            ctypes.c_int64(len(self.block.first)),
            *(ctypes.c_void_p(x.ctypes.data) for x in arrays),
            ctypes.c_int64(len(sizes)),
            ctypes.c_double(kappa),
            ctypes.c_int64(n_words),
            ctypes.c_int64(n_topics),
            ctypes.c_float(self.prior.topic),
            ctypes.c_float(self.prior.word),
        )


class BitermplusSweep:
    """The difference between six sweeps and one, so that the set-up does not count."""

    def __init__(self, texts: list[str], n_topics: int) -> None:
        import bitermplus

        counts, words, _ = bitermplus.get_words_freqs(texts, token_pattern=r"\S+", lowercase=False)
        docs = bitermplus.get_vectorized_docs(texts, words, analyzer=str.split)
        self.pairs = bitermplus.get_biterms(docs, win=15)
        self.make = lambda: bitermplus.BTM(
            counts, words, T=n_topics, alpha=50 / n_topics, beta=0.01, seed=0, win=15
        )

    def rate(self) -> float:
        one, more = (seconds(partial(self.fit, sweeps)) for sweeps in (1, 1 + BITERMPLUS_SWEEPS))
        return BITERMPLUS_SWEEPS * sum(map(len, self.pairs)) / (more - one)

    def fit(self, sweeps: int) -> None:
        self.make().fit(self.pairs, iterations=sweeps, verbose=False)


def alternate(measured: Mapping[str, Measured], n_rounds: int) -> Rates:
    """Measure all in every round, in an order that is reversed from round to round."""
    rates: dict[str, list[float]] = {name: [] for name in measured}
    names = list(measured)
    for number in range(n_rounds):
        for name in names if number % 2 == 0 else reversed(names):
            rates[name].append(measured[name].rate())
    return {name: np.array(found) for name, found in rates.items()}


def measure_passes(biterms: Biterms, n_topics: int) -> Rates:
    """Measure the SDM pass of bittern and, where g++ is installed, in C++."""
    measured: dict[str, Measured] = {SDM_PASS: StepOfAlgorithm(SDM.paper(), biterms, n_topics)}
    if shutil.which("g++"):
        measured[CPP_PASS] = CppPass(biterms, n_topics)
    return alternate(measured, PASS_ROUNDS)


def measure_sweeps(texts: list[str], biterms: Biterms, n_topics: int) -> Rates:
    """Measure a Gibbs sweep of bittern and, where it is installed, of bitermplus."""
    gibbs = Gibbs(sweeps=SWEEP_ROUNDS + 1)
    measured: dict[str, Measured] = {GIBBS_SWEEP: StepOfAlgorithm(gibbs, biterms, n_topics)}
    if find_spec("bitermplus"):
        measured[BITERMPLUS_SWEEP] = BitermplusSweep(texts, n_topics)
    return alternate(measured, SWEEP_ROUNDS)


def join_words(corpus: bittern.Corpus) -> list[str]:
    """Return the words of each document, separated by spaces."""
    words = [corpus.vocabulary[token] for token in corpus.tokens]
    return [" ".join(words[start:end]) for start, end in pairwise(corpus.indptr.tolist())]


def print_rates(rates: Rates) -> None:
    for name, found in rates.items():
        low, median, high = np.quantile(found, (0, 0.5, 1)) / 1e6
        print(
            f"  {name:<25}{median:>7.2f} million biterms/s, median of {len(found)} rounds "
            f"({low:.2f} to {high:.2f})",
            flush=True,
        )


def print_comparison(texts: list[str], biterms: Biterms, n_topics: int) -> None:
    passes = measure_passes(biterms, n_topics)
    print_rates(passes)
    if CPP_PASS in passes:
        ratios = passes[SDM_PASS] / passes[CPP_PASS]
        print(
            f"  SDM / C++: {np.median(ratios):.2f}, median of the ratios of {len(ratios)} rounds "
            f"({ratios.min():.2f} to {ratios.max():.2f})"
        )
    else:
        print("  C++ skipped: g++ is not installed")
    sweeps = measure_sweeps(texts, biterms, n_topics)
    print_rates(sweeps)
    if BITERMPLUS_SWEEP in sweeps:
        other = np.median(sweeps[BITERMPLUS_SWEEP])
        for name, found in ((SDM_PASS, passes[SDM_PASS]), (GIBBS_SWEEP, sweeps[GIBBS_SWEEP])):
            print(f"  {name} / {BITERMPLUS_SWEEP}: {np.median(found) / other:.1f}")
    else:
        print('  bitermplus skipped: install it with pip install "bittern[bench]"')


def print_all_algorithms(biterms: Biterms, n_topics: int) -> None:
    for name, kind in ALGORITHMS.items():
        one_epoch = {"epochs": 1} if "epochs" in [field.name for field in fields(kind)] else {}
        try:
            step = StepOfAlgorithm(make_algorithm(name, one_epoch), biterms, n_topics)
        except InputError as refusal:
            print(f"  {name:<25} skipped: {refusal}")
            continue
        print_rates(alternate({name: step}, SWEEP_ROUNDS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="Texts in any format that bittern reads.")
    parser.add_argument("--topics", default="20,100", help="Numbers of topics. Default: 20,100.")
    parser.add_argument("--all", action="store_true", help="Measure every registered algorithm.")
    args = parser.parse_args()
    corpus = bittern.read(args.file, stop_words=None)
    biterms = extract_biterms(corpus)
    for n_topics in map(int, args.topics.split(",")):
        print(f"K={n_topics}, {len(biterms):,} biterms, {len(biterms.vocabulary):,} words:")
        if args.all:
            print_all_algorithms(biterms, n_topics)
        else:
            print_comparison(join_words(corpus), biterms, n_topics)


if __name__ == "__main__":
    main()
