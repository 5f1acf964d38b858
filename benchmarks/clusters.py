"""Topics as clusters: how well the topics of texts agree with their labels.

As many topics as there are labels; a text is in the cluster of its most probable topic. Texts are
split on white space. Means over seeds.

    python benchmarks/clusters.py stackoverflow.parquet tweets.parquet
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl

from bittern import BTM, Corpus
from bittern.algorithms import SDM, Gibbs
from bittern.quality import cluster_scores

RUNS = {
    "SDM, one epoch": (SDM(epochs=1), 1),
    "SDM": (SDM(), 1),
    "SDM, best of five starts": (SDM(), 5),
    "SDM, background 0.2": (SDM(background=0.2), 1),
    "Gibbs, 200 sweeps": (Gibbs(sweeps=200), 1),
}
MEASURES = ("purity", "nmi", "ari", "v_measure")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="Parquet files: `text` and `label`")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="algorithms whose name contains this")
    given = parser.parse_args()
    print(f"{'corpus':<24}{'algorithm':<28}" + "".join(f"{name:>10}" for name in MEASURES))
    for path in given.files:
        table = pl.read_parquet(path)
        labels = table["label"].to_numpy()
        corpus = Corpus.from_tokens([text.split() for text in table["text"]])
        n_topics = len(np.unique(labels))
        for name, (algorithm, n_init) in RUNS.items():
            if given.only not in name:
                continue
            scores = []
            for seed in range(given.seeds):
                model = BTM(n_topics, algorithm=algorithm, n_init=n_init, random_state=seed)
                found = model.fit(corpus).transform(corpus).argmax(axis=1)
                scores.append(cluster_scores(labels, found))
            means = [np.mean([score[measure] for score in scores]) for measure in MEASURES]
            print(f"{path.stem:<24}{name:<28}" + "".join(f"{x:>10.3f}" for x in means), flush=True)


if __name__ == "__main__":
    main()
