"""All benchmarks in one run: bittern beside other tools, and how it grows.

    make bench
    python benchmarks/bench.py --data snippets.parquet titles.parquet

Without --data a corpus with the shape of Tweets2011 is drawn. Writes benchmarks/results.json, and
from it the tables and pictures of docs/benchmarks.md.
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
from kernel import measure, words_of

import bittern
import report
from bittern import Corpus
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms.biterms import extract_biterms
from bittern.biterms.lazy import LazyBiterms
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
PEERS = ["bittern", "bitermplus", "tomotopy", "gensim", "scikit-learn"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", type=Path, default=[], help="files that bittern reads")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--documents", type=int, default=20_000, help="at most, beside others")
    parser.add_argument("--largest", type=int, default=3_500_000, help="documents of bittern alone")
    parser.add_argument("--results", type=Path, default=HERE / "results.json")
    given = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    say("drawing texts with the shape of tweets")
    drawn = WORK / "drawn.txt"
    write(drawn, synthetic_texts(given.largest))
    data = given.data or [drawn]
    results = {
        "machine": machine(),
        "topics": given.topics,
        "text": [text_speed(path) for path in data],
        "kernel": [kernel_speed(path, given) for path in data],
        "peers": [row for path in data for row in peers(path, given)],
        "growth": growth(drawn, given),
    }
    given.results.write_text(json.dumps(results, indent=1) + "\n")
    report.write(results)


def say(message: str) -> None:
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
    """What tools.py prints, run in a process of its own."""
    command = [sys.executable, HERE / "tools.py", name, path, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed on {path}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def text_speed(path: Path) -> dict:
    """Texts per second, from the file to numbers: bittern and scikit-learn, in turn."""
    from sklearn.feature_extraction.text import CountVectorizer

    say(f"text: {path.name}")
    corpus = bittern.read(path)  # and what has to be compiled
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


def kernel_speed(path: Path, given) -> dict:
    """Biterms per second on one core."""
    say(f"kernels: {path.name}")
    corpus, _ = sample(path, given.documents)
    biterms = extract_biterms(corpus)
    rates = measure(words_of(corpus), biterms, given.topics)
    others = {"times bitermplus": rates["bitermplus, a Gibbs sweep"]}
    if "C++, the SDM pass" in rates:
        others["times C++"] = rates["C++, the SDM pass"]
    return {
        "corpus": path.stem,
        "words": len(biterms.vocabulary),
        "biterms": len(biterms),
        "rates": {
            name: {
                "median": float(np.median(its)),
                "best": float(its.max()),
                **{name: float(np.median(its / other)) for name, other in others.items()},
            }
            for name, its in rates.items()
        },
    }


def sample(path: Path, most: int) -> tuple[Corpus, Corpus]:
    """Documents to learn from and to test on, 9 to 1, at most so many in all."""
    if path.suffix == ".txt":
        with path.open(encoding="utf-8") as file:
            corpus = Corpus.from_texts(list(islice(file, most)), stop_words=None)
    else:
        corpus = bittern.read(path)
    rng = np.random.default_rng(0)
    return corpus[np.sort(rng.permutation(len(corpus))[:most])].split(0.1, rng)


def peers(path: Path, given) -> list[dict]:
    """The same lines through every tool, and bittern to the score of 50 sweeps of bitermplus."""
    corpus, test = sample(path, given.documents)
    size = {"texts": len(corpus), "biterms": len(LazyBiterms(corpus, 15))}
    lines = words_of(test)
    train, model = WORK / "train.txt", WORK / "model.npz"
    write(train, words_of(corpus))
    tool("bittern", train, "--topics", given.topics)  # compiles
    rows = []
    for name in PEERS:
        say(f"{path.name}: {name}")
        row = tool(name, train, "--topics", given.topics, "--save", model)
        rows.append(
            {"corpus": path.stem, "tool": name, **size, **row, "score": score(model, lines)}
        )
    goal = next(row for row in rows if row["tool"] == "bitermplus")
    for epochs in (1, 2, 4, 8, 16):
        settings = json.dumps({"epochs": epochs})
        options = ("--topics", given.topics, "--settings", settings, "--save", model)
        runs = [tool("bittern", train, *options) for _ in range(3)]
        row = sorted(runs, key=lambda run: sum(run["seconds"].values()))[1]
        found = score(model, lines)
        if found >= goal["score"] or epochs == 16:
            break
    took, needed = (sum(its["seconds"].values()) for its in (row, goal))
    name = f"bittern, {epochs} epoch{'s' * (epochs > 1)}"
    rows.insert(1, {"corpus": path.stem, "tool": name, **size, **row, "score": found,
                    "to the score of bitermplus": needed / took})  # fmt: skip
    return rows


def score(model: Path, lines: list[str]) -> float:
    """The mean log-likelihood of the biterms of texts that were not learned from."""
    saved = np.load(model)
    corpus = Corpus.from_texts(lines, vocabulary=saved["words"].tolist(), stop_words=None)
    return log_likelihood(saved["theta"], saved["phi"], extract_biterms(corpus))


def growth(drawn: Path, given) -> dict:
    """Time and memory of bittern with more documents, topics and threads, one epoch each."""
    sizes = [n for n in (10_000, 37_000, 100_000, 300_000, 1_000_000) if n < given.largest]
    files = {}
    for n in [*sizes, given.largest]:
        files[n] = WORK / f"drawn.{n}.txt"
        with drawn.open(encoding="utf-8") as file:
            write(files[n], (line.rstrip("\n") for line in islice(file, n)))
    middle, large = (n if n in files else given.largest for n in (300_000, 1_000_000))
    many = min(os.cpu_count() or 1, 8)

    def run(n: int, topics: int, jobs: int, **settings) -> dict:
        say(f"growth: {n:,} documents, {topics} topics, {jobs} threads")
        options = ["--topics", topics, "--jobs", jobs, "--settings", json.dumps({"epochs": 1})]
        if "memory" in settings:
            options += ["--memory", settings["memory"]]
        runs = [tool("bittern", files[n], *options) for _ in range(3 if n <= 1_000_000 else 1)]
        best = min(runs, key=lambda it: sum(it["seconds"].values()))
        return {"documents": n, "biterms": count(files[n]), "topics": topics, "jobs": jobs, **best,
                **settings}  # fmt: skip

    return {
        "documents": [run(n, given.topics, many) for n in files],
        "topics": [run(middle, k, many) for k in (20, 50, 100, 200, 500, 1000)],
        "threads": [run(large, given.topics, jobs) for jobs in range(1, many + 1)],
        "memory": [run(max(files), given.topics, many, memory="1GB")],
    }


def count(path: Path) -> int:
    return len(LazyBiterms(bittern.read(path, stop_words=None), 15))


if __name__ == "__main__":
    main()
