"""Measure the held-out score of the algorithms: mean log-likelihood per test biterm.

Higher is better. Protocol: window 15, no biterms of equal words, biterms shuffled and split 80/20,
gamma = 50/K, beta = 0.01. Texts are split at whitespace.

    python benchmarks/heldout.py snippets.parquet tweets.parquet --topics 20,100
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bittern import Corpus
from bittern.algorithms import (
    CVB0,
    SCVB0,
    SDM,
    Algorithm,
    AlphaSDM,
    Gibbs,
    IncrementalBTM,
    OnlineBTM,
    Prior,
    Trainer,
    estimate,
)
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import Biterms, extract_biterms, time_slices

RUNS = {
    "oBTM, 10 slices, 10 sweeps": OnlineBTM(sweeps=10, slices=10),
    "iBTM, R=10": IncrementalBTM(rejuvenation=10),
    "SCVB0": SCVB0(),
    "SDM of the paper": SDM.paper(),
    "SDM, cool-down, one epoch": SDM.paper(cooldown=0.3),
    "SDM, cool-down, ten epochs": SDM.paper(cooldown=0.3, epochs=10),
    "Gibbs, 50 sweeps": Gibbs(sweeps=50),
    "Gibbs, mean of last 10 sweeps": Gibbs(sweeps=50, samples=10),
    "CVB0, 30 sweeps": CVB0(sweeps=30),
    **{
        f"AlphaSDM, one epoch, alpha {a:g}": AlphaSDM(alpha=a, epochs=1)
        for a in (-1, 0, 0.5, 1, 1.5, 2)
    },
}


def read_biterms(path: Path) -> Biterms:
    texts = pl.read_parquet(path)["text"]
    return extract_biterms(Corpus.from_tokens([text.split() for text in texts]))


def score(
    algorithm: Algorithm[Any], biterms: Biterms, n_topics: int, seed: int
) -> tuple[float, float]:
    """Return the held-out score and the training time in seconds."""
    rng = np.random.default_rng(seed)
    train, test = biterms.split(0.2, rng)
    prior = Prior(50 / n_topics, 0.01)
    trainer = Trainer(algorithm, n_topics, prior, rng)
    state = trainer.fit(time_slices(train, algorithm.slices)).state
    theta, phi = estimate(algorithm.topics(state, prior), prior)
    return log_likelihood(theta, phi.T, test), trainer.clock.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="Parquet files with a column `text`.")
    parser.add_argument("--topics", default="20,100", help="Numbers of topics. Default: 20,100.")
    parser.add_argument("--seeds", type=int, default=3, help="Number of seeds. Default: 3.")
    parser.add_argument("--only", default="", help="Run only algorithms whose name contains this.")
    args = parser.parse_args()
    print(f"{'corpus':<24}{'K':>5}  {'algorithm':<34}{'score':>9}{'± sd':>8}{'seconds':>9}")
    for path in args.files:
        biterms = read_biterms(path)
        for n_topics in map(int, args.topics.split(",")):
            for name, algorithm in RUNS.items():
                if args.only not in name:
                    continue
                runs = [score(algorithm, biterms, n_topics, seed) for seed in range(args.seeds)]
                scores, seconds = np.array(runs).T
                print(
                    f"{path.stem:<24}{n_topics:>5}  {name:<34}{scores.mean():>9.3f}"
                    f"{scores.std(ddof=min(1, len(scores) - 1)):>8.3f}{seconds.mean():>9.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
