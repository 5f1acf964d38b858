"""Train one topic model on a file with one text per line, words separated by spaces.

    python benchmarks/tools.py bittern train.txt --topics 100 --save model.npz

Prints JSON: seconds of each stage (after imports) and peak memory. With --save, also writes theta,
phi and the words. bench.py runs each tool in its own process.
"""

import argparse
import json
import re
import resource
import time
from pathlib import Path

import numpy as np


class StageTimer:
    """The seconds of each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._last = now - self._last, now


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def run_bittern(args):
    from bittern import BTM, read
    from bittern.algorithms import make_algorithm

    settings = json.loads(args.settings)
    timer = StageTimer()
    corpus = read(args.file, stop_words=None)
    timer.stop("text")
    model = BTM(
        args.topics,
        algorithm=make_algorithm("sdm", settings),
        random_state=args.seed,
        n_jobs=args.jobs,
        memory=args.memory,
    ).fit(corpus)
    theta, phi = model.theta_, model.phi_
    timer.stop("learning")
    return timer, theta, phi, corpus.vocabulary


def run_bitermplus(args):
    import bitermplus as btm

    timer = StageTimer()
    texts = lines(args.file)
    counts, words, _ = btm.get_words_freqs(texts, token_pattern=r"\S+", lowercase=False)
    docs = btm.get_vectorized_docs(texts, words, analyzer=str.split)
    timer.stop("text")
    pairs = btm.get_biterms(docs, win=15)
    k = args.topics
    model = btm.BTM(counts, words, T=k, alpha=50 / k, beta=0.01, seed=args.seed, win=15)
    model.fit(pairs, iterations=args.sweeps, verbose=False)
    timer.stop("learning")
    return timer, model.theta_, model.matrix_topics_words_, list(words)


def run_tomotopy(args):
    import tomotopy as tp

    timer = StageTimer()
    model = tp.LDAModel(k=args.topics, eta=0.01, seed=args.seed)
    for text in lines(args.file):
        model.add_doc(text.split())
    timer.stop("text")
    model.train(100, workers=args.jobs)
    phi = np.array([model.get_topic_word_dist(k) for k in range(args.topics)])
    timer.stop("learning")
    return timer, np.array(model.get_count_by_topics(), float), phi, list(model.used_vocabs)


def run_gensim(args):
    from gensim.corpora import Dictionary
    from gensim.models import LdaMulticore

    timer = StageTimer()
    texts = [text.split() for text in lines(args.file)]
    dictionary = Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    timer.stop("text")
    model = LdaMulticore(
        bags, args.topics, dictionary, eta=0.01, passes=10, workers=args.jobs,
        random_state=args.seed,
    )  # fmt: skip
    weights = model.state.get_lambda()
    timer.stop("learning")
    words = [dictionary[i] for i in range(len(dictionary))]
    return timer, weights.sum(axis=1), weights, words


def run_sklearn(args):
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    timer = StageTimer()
    vectorizer = CountVectorizer(token_pattern=r"\S+", lowercase=False)
    counts = vectorizer.fit_transform(lines(args.file))
    timer.stop("text")
    model = LatentDirichletAllocation(  # one core: its processes copy the topics in each batch
        args.topics, topic_word_prior=0.01, learning_method="online", max_iter=10,
        random_state=args.seed,
    ).fit(counts)  # fmt: skip
    timer.stop("learning")
    weights = model.components_
    return timer, weights.sum(axis=1), weights, list(vectorizer.get_feature_names_out())


def peak_memory() -> int:
    """Return the peak in bytes; getrusage may report that of the parent process."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


TOOLS = {
    "bittern": run_bittern,
    "bitermplus": run_bitermplus,
    "tomotopy": run_tomotopy,
    "gensim": run_gensim,
    "scikit-learn": run_sklearn,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("file", type=Path)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=50, help="Sweeps of bitermplus. Default: 50.")
    parser.add_argument("--settings", default="{}", help="Settings of bittern's SDM, as JSON.")
    parser.add_argument("--memory", default=None, help="Memory budget of bittern.")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    timer, theta, phi, words = TOOLS[args.tool](args)
    peak = peak_memory()
    if args.save:
        theta, phi = np.asarray(theta, float), np.asarray(phi, np.float32)
        phi = np.maximum(phi / phi.sum(axis=1, keepdims=True), 1e-12)
        np.savez(args.save, theta=theta / theta.sum(), phi=phi, words=np.array(words))
    print(json.dumps({"seconds": timer.seconds, "peak": peak}))


if __name__ == "__main__":
    main()
