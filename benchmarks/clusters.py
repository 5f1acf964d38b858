"""Measure topics as clusters: the agreement of the topics of texts with their labels.

There are as many topics as labels, and a text belongs to the cluster of its most probable topic.
Texts are split at whitespace. Scores are means over seeds.

    python benchmarks/clusters.py stackoverflow.parquet tweets.parquet
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

from bittern import BTM, Corpus
from bittern.algorithms import SDM, Gibbs
from bittern.analysis.clustering import cluster_scores
from report import DOCS, fill
from report import table as as_table

RUNS = {
    "SDM, one epoch": {"algorithm": SDM(epochs=1)},
    "SDM": {},
    "SDM, best of five starts": {"n_init": 5},
    "SDM, background 0.2": {"algorithm": SDM(background=0.2)},
    'SDM, word prior "auto"': {"word_prior": "auto"},
    "Gibbs, 200 sweeps": {"algorithm": Gibbs(sweeps=200)},
}
MEASURES = ("purity", "nmi")
METHODS = ("biterms", "words", "informative")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", nargs="+", type=Path, help="Parquet files with columns `text` and `label`."
    )
    parser.add_argument("--seeds", type=int, default=10, help="Number of seeds. Default: 10.")
    parser.add_argument("--write", action="store_true", help="Write the table into the docs.")
    parser.add_argument("--only", default="", help="Run only algorithms whose name contains this.")
    args = parser.parse_args()
    rows = []
    for path in args.files:
        table = pl.read_parquet(path)
        labels = table["label"].to_numpy()
        corpus = Corpus.from_tokens([text.split() for text in table["text"]])
        n_topics = len(np.unique(labels))
        for name, parameters in RUNS.items():
            if args.only not in name:
                continue
            scores = {by: [] for by in METHODS}
            for seed in range(args.seeds):
                model = BTM(n_topics, random_state=seed, **parameters).fit(corpus)
                for by, found in scores.items():
                    topics = model.document_info(corpus, by)["topic"]
                    found.append(cluster_scores(labels, topics))
            means = [
                f"{np.mean([score[m] for score in found]):.3f}"
                for found in scores.values()
                for m in MEASURES
            ]
            rows.append([path.stem, name, *means])
            print(*rows[-1], sep="  ", flush=True)
    head = ["corpus", "", *(f"{m} by {by}" for by in METHODS for m in MEASURES)]
    if args.write:
        fill(DOCS / "understanding.md", {"clusters": as_table(head, rows)})


if __name__ == "__main__":
    main()
