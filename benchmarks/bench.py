"""Run all benchmarks: bittern compared with other tools, and its scaling.

    make bench
    python benchmarks/bench.py --data snippets.parquet titles.parquet

Without --data, it uses synthetic texts with the statistics of Tweets2011. Writes
benchmarks/results.json, and from it the tables and images of docs/benchmarks.md.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np
from kernel import BITERMPLUS_SWEEP, CPP_PASS, SDM_PASS, join_words, measure_passes, measure_sweeps

import bittern
import report
from bittern import Corpus
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import LazyBiterms, extract_biterms
from bittern.corpus.synthetic import synthetic_texts

HERE = Path(__file__).parent
WORK = Path("build/bench")
PACKAGES = [
    "bittern",
    "bitermplus",
    "tomotopy",
    "gensim",
    "scikit-learn",
    "numba",
    "numpy",
    "polars",
]
ONE_PASS = {"epochs": 1, "sweeps": 0, "n_init": 1}  # instead of all that the defaults afford
PEERS = ["bittern", "bitermplus", "tomotopy", "gensim", "scikit-learn"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", nargs="*", type=Path, default=[], help="Files in any format that bittern reads."
    )
    parser.add_argument("--topics", type=int, default=100, help="Default: 100.")
    parser.add_argument(
        "--documents", type=int, default=20_000, help="Maximum when comparing with other tools."
    )
    parser.add_argument(
        "--largest", type=int, default=3_500_000, help="Documents of the largest bittern run."
    )
    parser.add_argument("--results", type=Path, default=HERE / "results.json")
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    log("generating synthetic texts")
    synthetic = WORK / "synthetic.txt"
    write(synthetic, synthetic_texts(args.largest))
    data = args.data or [synthetic]
    results = {
        "machine": machine(),
        "topics": args.topics,
        "text": [text_speed(path) for path in data],
        "kernel": [kernel_speed(path, args) for path in data],
        "peers": [row for path in data for row in peers(path, args)],
        "growth": growth(synthetic, args),
    }
    args.results.write_text(json.dumps(results, indent=1) + "\n")
    report.write(results)


def log(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def machine() -> dict[str, object]:
    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        names = [x for x in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in x]
        model = names[0].split(":")[1].strip() if names else model
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def write(path: Path, texts) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in texts)


def tool(name: str, path: Path, *options: object) -> dict:
    """Run tools.py in its own process and return its output."""
    command = [sys.executable, HERE / "tools.py", name, path, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed on {path}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def text_speed(path: Path) -> dict:
    """Measure texts per second from file to tokens: bittern and scikit-learn, alternating."""
    from sklearn.feature_extraction.text import CountVectorizer

    log(f"text: {path.name}")
    corpus = bittern.read(path)  # compiles
    rates = []
    for _ in range(3):
        start = time.perf_counter()
        bittern.read(path)
        ours = time.perf_counter() - start
        start = time.perf_counter()
        CountVectorizer(stop_words="english").fit_transform(texts_of(path))
        rates.append((len(corpus) / ours, len(corpus) / (time.perf_counter() - start)))
    ours, theirs = np.array(rates).T
    return {
        "corpus": path.stem,
        "texts": len(corpus),
        "bittern": float(np.median(ours)),
        "scikit-learn": float(np.median(theirs)),
        "ratio": float(np.median(ours / theirs)),
    }


def texts_of(path: Path) -> list[str]:
    import polars as pl

    if path.suffix == ".parquet":
        return pl.read_parquet(path, columns=["text"])["text"].fill_null("").to_list()
    return path.read_text(encoding="utf-8").splitlines()


def kernel_speed(path: Path, args) -> dict:
    """Measure biterms per second on one core."""
    log(f"kernels: {path.name}")
    corpus, _ = sample(path, args.documents)
    biterms = extract_biterms(corpus)
    passes = measure_passes(biterms, args.topics)
    rates = passes | measure_sweeps(join_words(corpus), biterms, args.topics)
    rows = {
        name: {"median": float(np.median(found)), "best": float(found.max())}
        for name, found in rates.items()
    }
    if BITERMPLUS_SWEEP in rows:
        for row in rows.values():
            row["times bitermplus"] = row["median"] / rows[BITERMPLUS_SWEEP]["median"]
    if CPP_PASS in passes:  # measured in the same rounds
        for name in (SDM_PASS, CPP_PASS):
            rows[name]["times C++"] = float(np.median(passes[name] / passes[CPP_PASS]))
    return {
        "corpus": path.stem,
        "words": len(biterms.vocabulary),
        "biterms": len(biterms),
        "rates": rows,
    }


def sample(path: Path, max_documents: int) -> tuple[Corpus, Corpus]:
    """Return training and test documents, 9 to 1, at most `max_documents` in total."""
    if path.suffix == ".txt":
        with path.open(encoding="utf-8") as file:
            corpus = Corpus.from_texts(list(islice(file, max_documents)), stop_words=None)
    else:
        corpus = bittern.read(path)
    rng = np.random.default_rng(0)
    return corpus[np.sort(rng.permutation(len(corpus))[:max_documents])].split(0.1, rng)


def peers(path: Path, args) -> list[dict]:
    """Run every tool on the same texts, and bittern until it matches 50 sweeps of bitermplus."""
    corpus, test = sample(path, args.documents)
    size = {"texts": len(corpus), "biterms": len(LazyBiterms(corpus, 15))}
    lines = join_words(test)
    train, model = WORK / "train.txt", WORK / "model.npz"
    write(train, join_words(corpus))
    tool("bittern", train, "--topics", args.topics)  # compiles
    rows = []
    for name in PEERS:
        log(f"{path.name}: {name}")
        row = tool(name, train, "--topics", args.topics, "--save", model)
        rows.append(
            {"corpus": path.stem, "tool": name, **size, **row, "score": score(model, lines)}
        )
    goal = next(row for row in rows if row["tool"] == "bitermplus")
    for epochs in (1, 2, 4, 8, 16):
        settings = json.dumps(ONE_PASS | {"epochs": epochs})
        options = ("--topics", args.topics, "--settings", settings, "--save", model)
        runs = [tool("bittern", train, *options) for _ in range(3)]
        row = sorted(runs, key=lambda run: sum(run["seconds"].values()))[1]
        found = score(model, lines)
        if found >= goal["score"] or epochs == 16:
            break
    took, needed = (sum(its["seconds"].values()) for its in (row, goal))
    name = f"bittern, {epochs} pass{'es' * (epochs > 1)}"
    rows.insert(1, {"corpus": path.stem, "tool": name, **size, **row, "score": found,
                    "to the score of bitermplus": needed / took})  # fmt: skip
    return rows


def score(model: Path, lines: list[str]) -> float:
    """Return the mean log-likelihood per biterm of held-out texts."""
    saved = np.load(model)
    corpus = Corpus.from_texts(lines, vocabulary=saved["words"].tolist(), stop_words=None)
    return log_likelihood(saved["theta"], saved["phi"], extract_biterms(corpus))


def growth(synthetic: Path, args) -> dict:
    """Measure time and memory of bittern by documents, topics and threads, one pass each."""
    sizes = [n for n in (10_000, 37_000, 100_000, 300_000, 1_000_000) if n < args.largest]
    files = {}
    for n in [*sizes, args.largest]:
        files[n] = WORK / f"synthetic.{n}.txt"
        with synthetic.open(encoding="utf-8") as file:
            write(files[n], (line.rstrip("\n") for line in islice(file, n)))
    middle, large = (n if n in files else args.largest for n in (300_000, 1_000_000))
    many = min(os.cpu_count() or 1, 8)

    def run(n: int, topics: int, jobs: int, **settings) -> dict:
        log(f"growth: {n:,} documents, {topics} topics, {jobs} threads")
        options = ["--topics", topics, "--jobs", jobs, "--settings", json.dumps(ONE_PASS)]
        if "memory" in settings:
            options += ["--memory", settings["memory"]]
        runs = [tool("bittern", files[n], *options) for _ in range(3 if n <= 1_000_000 else 1)]
        best = min(runs, key=lambda it: sum(it["seconds"].values()))
        return {"documents": n, "biterms": count(files[n]), "topics": topics, "jobs": jobs, **best,
                **settings}  # fmt: skip

    return {
        "documents": [run(n, args.topics, many) for n in files],
        "topics": [run(middle, k, many) for k in (20, 50, 100, 200, 500, 1000)],
        "threads": [run(large, args.topics, jobs) for jobs in range(1, many + 1)],
        "memory": [run(max(files), args.topics, many, memory="1GB")],
    }


def count(path: Path) -> int:
    return len(LazyBiterms(bittern.read(path, stop_words=None), 15))


if __name__ == "__main__":
    main()
