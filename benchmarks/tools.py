"""One topic model on one file of texts, a text per line with blanks between its words.

    python benchmarks/tools.py bittern train.txt --topics 100 --save model.npz

Prints JSON: seconds of its stages (after the import), peak memory, numbers of texts and biterms.
With --save, also writes theta, phi and the words. bench.py runs it, each tool in its own process.
"""

import argparse
import json
import re
import resource
import time
from pathlib import Path

import numpy as np


class Watch:
    """Seconds of one stage after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._last = now - self._last, now


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def run_bittern(given):
    from bittern import BTM, read
    from bittern.algorithms import make

    settings = json.loads(given.settings)
    watch = Watch()
    corpus = read(given.file, stop_words=None)
    watch.stop("text")
    model = BTM(
        given.topics,
        algorithm=make("sdm", settings),
        random_state=given.seed,
        n_jobs=given.jobs,
        memory=given.memory,
    ).fit(corpus)
    theta, phi = model.theta_, model.phi_
    watch.stop("learning")
    return watch, theta, phi, corpus.vocabulary


def run_bitermplus(given):
    import bitermplus as btm

    watch = Watch()
    texts = lines(given.file)
    counts, words, _ = btm.get_words_freqs(texts, token_pattern=r"\S+", lowercase=False)
    docs = btm.get_vectorized_docs(texts, words, analyzer=str.split)
    watch.stop("text")
    pairs = btm.get_biterms(docs, win=15)
    k = given.topics
    model = btm.BTM(counts, words, T=k, alpha=50 / k, beta=0.01, seed=given.seed, win=15)
    model.fit(pairs, iterations=given.sweeps, verbose=False)
    watch.stop("learning")
    return watch, model.theta_, model.matrix_topics_words_, list(words)


def run_tomotopy(given):
    import tomotopy as tp

    watch = Watch()
    model = tp.LDAModel(k=given.topics, eta=0.01, seed=given.seed)
    for text in lines(given.file):
        model.add_doc(text.split())
    watch.stop("text")
    model.train(100, workers=given.jobs)
    phi = np.array([model.get_topic_word_dist(k) for k in range(given.topics)])
    watch.stop("learning")
    return watch, np.array(model.get_count_by_topics(), float), phi, list(model.used_vocabs)


def run_gensim(given):
    from gensim.corpora import Dictionary
    from gensim.models import LdaMulticore

    watch = Watch()
    texts = [text.split() for text in lines(given.file)]
    dictionary = Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    watch.stop("text")
    model = LdaMulticore(
        bags, given.topics, dictionary, eta=0.01, passes=10, workers=given.jobs,
        random_state=given.seed,
    )  # fmt: skip
    weights = model.state.get_lambda()
    watch.stop("learning")
    words = [dictionary[i] for i in range(len(dictionary))]
    return watch, weights.sum(axis=1), weights, words


def run_sklearn(given):
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    watch = Watch()
    vectorizer = CountVectorizer(token_pattern=r"\S+", lowercase=False)
    counts = vectorizer.fit_transform(lines(given.file))
    watch.stop("text")
    model = LatentDirichletAllocation(  # on one core: its processes copy the topics at each batch
        given.topics, topic_word_prior=0.01, learning_method="online", max_iter=10,
        random_state=given.seed,
    ).fit(counts)  # fmt: skip
    watch.stop("learning")
    weights = model.components_
    return watch, weights.sum(axis=1), weights, list(vectorizer.get_feature_names_out())


def peak_memory() -> int:
    """Bytes; what getrusage says may be of the process that started this one."""
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
    parser.add_argument("--sweeps", type=int, default=50, help="of bitermplus")
    parser.add_argument("--settings", default="{}", help="of bittern's SDM, as JSON")
    parser.add_argument("--memory", default=None, help="of bittern")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    watch, theta, phi, words = TOOLS[given.tool](given)
    peak = peak_memory()
    if given.save:
        theta, phi = np.asarray(theta, float), np.asarray(phi, np.float32)
        phi = np.maximum(phi / phi.sum(axis=1, keepdims=True), 1e-12)
        np.savez(given.save, theta=theta / theta.sum(), phi=phi, words=np.array(words))
    print(json.dumps({"seconds": watch.seconds, "peak": peak}))


if __name__ == "__main__":
    main()
