"""Held-out score of the algorithms: mean log-likelihood per test biterm, higher is better.

The protocol of the paper: window 15, pairs of equal words dropped, biterms shuffled and split
80/20, gamma = 50/K, beta = 0.01. Texts are split on white space.

    python benchmarks/heldout.py snippets.parquet tweets.parquet --topics 20,100
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

from bittern import Corpus
from bittern.algorithms import (
    CVB0,
    SCVB0,
    SDM,
    AlphaSDM,
    Gibbs,
    IncrementalBTM,
    OnlineBTM,
    Prior,
    estimate,
)
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms.biterms import Biterms, extract_biterms
from bittern.study.learning import learn

RUNS = {
    "oBTM, 10 slices, 10 sweeps": OnlineBTM(sweeps=10, slices=10),
    "iBTM, R=10": IncrementalBTM(rejuvenation=10),
    "SCVB0": SCVB0(),
    "SDM, the paper's": SDM(cooldown=0, epochs=1),
    "SDM, cool-down, one epoch": SDM(epochs=1),
    "SDM": SDM(),
    "Gibbs, 50 sweeps": Gibbs(sweeps=50),
    "Gibbs, mean of the last 10": Gibbs(sweeps=50, samples=10),
    "CVB0, 30 sweeps": CVB0(sweeps=30),
    **{
        f"AlphaSDM, one epoch, alpha {a:g}": AlphaSDM(alpha=a, epochs=1)
        for a in (-1, 0, 0.5, 1, 1.5, 2)
    },
}


def biterms(path: Path) -> Biterms:
    texts = pl.read_parquet(path)["text"]
    return extract_biterms(Corpus.from_tokens([text.split() for text in texts]))


def score(algorithm, all_biterms: Biterms, n_topics: int, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    train, test = all_biterms.split(0.2, rng)
    prior = Prior(50 / n_topics, 0.01)
    state, seconds = learn(algorithm, train, n_topics, prior, rng)
    theta, phi = estimate(algorithm.topics(state, prior), prior)
    return log_likelihood(theta, phi.T, test), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="Parquet files with a column `text`")
    parser.add_argument("--topics", default="20,100")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="algorithms whose name contains this")
    given = parser.parse_args()
    print(f"{'corpus':<24}{'K':>5}  {'algorithm':<34}{'score':>9}{'± sd':>8}{'seconds':>9}")
    for path in given.files:
        corpus = biterms(path)
        for n_topics in map(int, given.topics.split(",")):
            for name, algorithm in RUNS.items():
                if given.only not in name:
                    continue
                runs = [score(algorithm, corpus, n_topics, seed) for seed in range(given.seeds)]
                scores, seconds = np.array(runs).T
                print(
                    f"{path.stem:<24}{n_topics:>5}  {name:<34}{scores.mean():>9.3f}"
                    f"{scores.std(ddof=min(1, len(scores) - 1)):>8.3f}{seconds.mean():>9.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
