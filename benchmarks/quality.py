"""Measure the quality of topics with default settings.

    python benchmarks/quality.py held-out in-use --files titles.parquet tweets.parquet
    python benchmarks/quality.py clusters small --labeled snippets.parquet

held-out: the likelihood of held-out texts, against fixed word priors and numbers of epochs.
small:    samples of 60 to 2,000 labeled texts, against the fixed word prior 0.01.
clusters: the agreement of topics with labels, on all texts; coherence and seconds.
methods:  the same, by the way in which the topics of texts are inferred.
tools:    the same as clusters for other tools, with default settings of bittern.
in-use:   how many topics are in use, with 20 topics and 5,000 texts.

Files are Parquet with a column `text`, and a column `label` if they are labeled. Results go to
benchmarks/quality.json; --write fills the tables of docs/quality.md from it.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from kernel import join_words
from tools import TOOLS

from bittern import BTM, Corpus, read
from bittern.algorithms import SDM
from bittern.analysis.clustering import cluster_scores
from bittern.analysis.coherence import coherence
from bittern.analysis.documents import INFERENCE_METHODS
from bittern.analysis.likelihood import log_likelihood, score_words
from bittern.biterms import LazyBiterms, extract_biterms
from bittern.corpus.corpus import random_split
from report import DOCS, fill, table

RESULTS = Path(__file__).parent / "quality.json"
SPLIT = ("search_snippets", "stackoverflow_titles", "trec_tweets")  # cleaned and space-separated
SIZES = (5_000, 20_000, None)  # of samples for held-out; None is all texts
SMALL_SIZES = (60, 200, 600, 2_000)
PRIORS, EPOCHS = (0.005, 0.01, 0.02, 0.05), (1, 3, 10)
MAX_FIXED_UPDATES = 1.5e8  # settings with fixed priors that need more are left out
PAPER: dict[str, Any] = {"word_prior": 0.01, "n_init": 1}
BEFORE = PAPER | {"algorithm": SDM.paper(cooldown=0.3, epochs=10)}  # the default of version 0.1.0
Row = dict[str, Any]


@cache
def load(path: Path) -> tuple[Corpus, np.ndarray | None]:
    """Return the texts of a file and their labels."""
    frame = pl.read_parquet(path)
    labels = frame["label"].to_numpy() if "label" in frame.columns else None
    if path.stem in SPLIT:
        return Corpus.from_tokens([text.split() for text in frame["text"]]), labels
    return read(path, text="text"), labels


def sample(path: Path, n: int | None, seed: int) -> tuple[Corpus, np.ndarray | None]:
    """Return a random sample of a file with only the words that occur in it."""
    corpus, labels = load(path)
    if n is None or n >= len(corpus):
        return corpus, labels
    chosen = np.sort(np.random.default_rng([n, seed]).permutation(len(corpus))[:n])
    return corpus[chosen].drop_unused_words(), None if labels is None else labels[chosen]


def hold_out(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    """Split off a tenth of the texts; the rest has only the words that occur in it."""
    train, test = corpus.split(0.1, np.random.default_rng(seed))
    train = train.drop_unused_words()
    return train, test.with_vocabulary(train.vocabulary)


def measure_held_out(args: argparse.Namespace) -> Iterator[Row]:
    """Compare the default with the best of twelve fixed settings on held-out texts."""
    for path in args.files:
        for size in SIZES:
            if size is not None and size >= len(load(path)[0]):
                continue
            for n_topics in (20, 100):
                for seed in range(args.seeds):
                    train, test = hold_out(sample(path, size, seed)[0], seed)
                    total = LazyBiterms(train, 15).total
                    fixed = {}
                    for prior in PRIORS:
                        for epochs in EPOCHS:
                            if epochs * total <= MAX_FIXED_UPDATES:
                                algorithm = SDM.paper(cooldown=0.3, epochs=epochs)
                                model = BTM(
                                    n_topics, algorithm, word_prior=prior, n_init=1,
                                    random_state=seed, n_jobs=-1,
                                ).fit(train)  # fmt: skip
                                fixed[f"{prior}, {epochs}"] = model.score(test)
                    start = time.perf_counter()
                    model = BTM(n_topics, random_state=seed, n_jobs=-1).fit(train)
                    seconds = time.perf_counter() - start
                    yield {
                        "corpus": path.stem,
                        "texts": len(train) + len(test),
                        "sample": size,
                        "topics": n_topics,
                        "seed": seed,
                        "fixed": fixed,
                        "default": model.score(test),
                        "words": score_words(model.fitted_, test),
                        "in_use": float(model.fitted_.in_use.mean()),
                        "seconds": seconds,
                    }


def measure_small(args: argparse.Namespace) -> Iterator[Row]:
    """Compare the default with version 0.1.0 on samples of a few labeled texts."""
    for path in args.labeled:
        for size in SMALL_SIZES:
            for n_topics in (5, 20):
                for seed in range(args.small_seeds):
                    corpus, labels = sample(path, size, seed)
                    train, test = hold_out(corpus, seed)
                    every = corpus.with_vocabulary(train.vocabulary)
                    row: Row = {"corpus": path.stem, "texts": size, "topics": n_topics}
                    for name, settings in (("fixed", BEFORE), ("default", {})):
                        model = BTM(n_topics, random_state=seed, **settings).fit(train)
                        found = model.document_info(every)["topic"]
                        row[f"{name}_nmi"] = cluster_scores(labels, found)["nmi"]
                        known = LazyBiterms(test, 15).total > 0
                        row[f"{name}_held_out"] = model.score(test) if known else None
                    yield row | {"seed": seed}


def measure_clusters(args: argparse.Namespace) -> Iterator[Row]:
    """Compare topics with labels: the paper's algorithm, version 0.1.0, and the default."""
    settings = {
        "paper": PAPER | {"algorithm": SDM.paper()},
        "version 0.1.0": BEFORE,
        "default": {},
    }
    for path in args.labeled:
        corpus, labels = load(path)
        for n_topics in dict.fromkeys((len(np.unique(labels)), 50, 100)):
            for name, parameters in settings.items():
                for seed in range(args.seeds):
                    start = time.perf_counter()
                    model = BTM(n_topics, random_state=seed, n_jobs=-1, **parameters).fit(corpus)
                    seconds = time.perf_counter() - start
                    by = "biterms" if name == "version 0.1.0" else "informative"
                    found = model.document_info(corpus, by)["topic"]
                    yield {
                        "corpus": path.stem,
                        "topics": n_topics,
                        "tool": f"bittern, {name}",
                        "seed": seed,
                        **{m: cluster_scores(labels, found)[m] for m in ("purity", "nmi")},
                        "npmi": float(model.coherence(corpus).mean()),
                        "c_v": float(model.coherence(corpus, "c_v").mean()),
                        "seconds": seconds,
                    }


def measure_methods(args: argparse.Namespace) -> Iterator[Row]:
    """Compare the ways to infer the topics of texts, with as many topics as labels."""
    for path in args.labeled:
        corpus, labels = load(path)
        for seed in range(args.seeds):
            model = BTM(len(np.unique(labels)), random_state=seed, n_jobs=-1).fit(corpus)
            for by in INFERENCE_METHODS:
                scores = cluster_scores(labels, model.document_info(corpus, by)["topic"])
                row = {"corpus": path.stem, "by": by, "seed": seed}
                yield row | {name: scores[name] for name in ("purity", "nmi")}


def measure_tools(args: argparse.Namespace) -> Iterator[Row]:
    """Compare with other tools: all get the same words and run in a process of their own."""
    with TemporaryDirectory() as folder:
        every, part, model = (Path(folder) / name for name in ("all.txt", "part.txt", "model.npz"))
        for path in args.labeled:
            corpus, labels = load(path)
            lines = np.array(join_words(corpus))
            every.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            train, test = random_split(len(lines), 0.1, np.random.default_rng(0))
            part.write_text("".join(f"{line}\n" for line in lines[train]), "utf-8")
            for n_topics in dict.fromkeys((len(np.unique(labels)), 50, 100)):
                for name in args.tools:
                    for seed in range(args.seeds):
                        row = {"corpus": path.stem, "topics": n_topics, "tool": name, "seed": seed}
                        if tuple(row.values()) in args.done:
                            continue
                        if seed == 0 and name in WITH_LIKELIHOOD:
                            run_tool(args, name, part, n_topics, seed, model)
                            row["held_out"] = score_lines(model, lines[test].tolist())
                        row |= run_tool(args, name, every, n_topics, seed, model)
                        yield row | score_topics(model, corpus, labels)


def score_lines(model: Path, lines: list[str]) -> float:
    """Return the mean log-likelihood per biterm of texts under a saved model."""
    saved = np.load(model)
    corpus = Corpus.from_tokens([line.split() for line in lines])
    corpus = corpus.with_vocabulary(saved["words"].tolist())
    return log_likelihood(saved["theta"], saved["phi"], extract_biterms(corpus))


def score_topics(model: Path, corpus: Corpus, labels: np.ndarray) -> Row:
    """Return the agreement with labels and the coherence of a saved model."""
    saved = np.load(model)
    words = saved["words"][np.argsort(-saved["phi"], axis=1)[:, :10]].tolist()
    scores = cluster_scores(labels, saved["topics"])
    row = {name: scores[name] for name in ("purity", "nmi")}
    return row | {name: float(coherence(words, corpus, name).mean()) for name in ("npmi", "c_v")}


def run_tool(
    args: argparse.Namespace, name: str, file: Path, n_topics: int, seed: int, model: Path
) -> Row:
    """Run tools.py in its own process; return the seconds that training took."""
    python = args.neural_python if name in NEURAL else sys.executable
    script = Path(__file__).with_name("tools.py")
    options = ["--topics", n_topics, "--seed", seed, "--save", model]
    command = [python, script, name, file, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed on {file}:\n{done.stderr}")
    return {"seconds": sum(json.loads(done.stdout.splitlines()[-1])["seconds"].values())}


def measure_in_use(args: argparse.Namespace) -> Iterator[Row]:
    """Count the topics in use with 20 topics and 5,000 texts."""
    for path in args.files:
        for seed in range(args.seeds):
            model = BTM(20, random_state=seed).fit(sample(path, 5_000, seed)[0])
            yield {"corpus": path.stem, "seed": seed, "in_use": int(model.fitted_.in_use.sum())}


WITH_LIKELIHOOD = ("bittern", "bitermplus", "tomotopy", "tomotopy-pt", "gensim", "scikit-learn")
NEURAL = ("minilm", "fastopic")
MEASUREMENTS: dict[str, Callable[[argparse.Namespace], Iterable[Row]]] = {
    "held-out": measure_held_out,
    "small": measure_small,
    "clusters": measure_clusters,
    "methods": measure_methods,
    "tools": measure_tools,
    "in-use": measure_in_use,
}


def held_out_table(rows: list[Row]) -> str:
    """One line per corpus, sample and number of topics: means over seeds."""
    lines = []
    for key in dict.fromkeys((r["corpus"], r["texts"], r["topics"]) for r in rows):
        runs = [r for r in rows if (r["corpus"], r["texts"], r["topics"]) == key]
        means = {s: np.mean([r["fixed"][s] for r in runs]) for s in runs[0]["fixed"]}
        best = max(means, key=lambda s: means[s])
        default = np.mean([r["default"] for r in runs])
        lines.append(
            [
                key[0],
                f"{key[1]:,}",
                str(key[2]),
                f"{means[best]:.3f} ({best})",
                f"{means.get('0.01, 10', np.nan):.3f}".replace("nan", ""),
                f"{default:.3f}",
                f"{default - means[best]:+.3f}",
                f"{np.mean([r['in_use'] for r in runs]):.0%}",
                f"{np.mean([r['seconds'] for r in runs]):.1f}",
            ]
        )
    gains = [float(line[6]) for line in lines]
    lines.append(["mean", "", "", "", "", "", f"**{np.mean(gains):+.3f}**", "", ""])
    head = ["corpus", "texts", "topics", "best fixed (prior, epochs)", "0.01, 10 epochs"]
    return table([*head, "default", "gain", "in use", "seconds"], lines)


def small_table(rows: list[Row]) -> str:
    """One line per size: means over corpora, numbers of topics and seeds."""
    lines = []
    for size in SMALL_SIZES:
        runs = pl.DataFrame([r for r in rows if r["texts"] == size])
        means = runs.mean().row(0, named=True)
        lines.append(
            [
                f"{size:,}",
                *(f"{means[f'{name}_nmi']:.3f}" for name in ("fixed", "default")),
                *(f"{means[f'{name}_held_out']:.2f}" for name in ("fixed", "default")),
            ]
        )
    head = ["texts", "NMI, 0.1.0", "NMI, default", "held-out texts, 0.1.0"]
    return table([*head, "held-out texts, default"], lines)


def clusters_table(rows: list[Row]) -> str:
    """One line per corpus, number of topics and tool: means over seeds."""
    means = (
        pl.DataFrame(rows)
        .group_by("corpus", "topics", "tool", maintain_order=True)
        .agg(pl.col("purity", "nmi", "npmi", "c_v", "seconds").mean())
    )
    lines = [
        [
            row["corpus"],
            str(row["topics"]),
            row["tool"],
            *("" if row[m] is None else f"{row[m]:.3f}" for m in ("purity", "nmi", "npmi", "c_v")),
            f"{row['seconds']:.1f}",
        ]
        for row in means.sort("corpus", "topics", maintain_order=True).to_dicts()
    ]
    return table(["corpus", "topics", "tool", "purity", "NMI", "NPMI", "C_v", "seconds"], lines)


def tools_table(rows: list[Row]) -> str:
    """A table per corpus: one line per number of topics and tool, the best values in bold."""
    means = (
        pl.DataFrame(rows, infer_schema_length=None)
        .group_by("corpus", "topics", "tool")
        .agg(pl.col(*MEASURES, "seconds").mean())
    )
    order = pl.col("tool").replace_strict(list(TOOLS), range(len(TOOLS)), return_dtype=pl.Int64)
    parts = []
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        lines = []
        of_corpus = means.filter(pl.col("corpus") == corpus).sort("topics", order)
        for (n_topics,), group in of_corpus.group_by("topics", maintain_order=True):
            best = group.select(pl.col(*MEASURES).max()).row(0, named=True)
            for row in group.to_dicts():
                cells = [_cell(row[name], best[name]) for name in MEASURES]
                lines.append(
                    [str(n_topics), TOOL_NAMES[row["tool"]], *cells, f"{row['seconds']:.1f}"]
                )
            for name, scores in PUBLISHED.get((corpus, n_topics), {}).items():
                lines.append([str(n_topics), f"*{name}, published*", *scores, "", "", "", ""])
        head = ["topics", "tool", "purity", "NMI", "NPMI", "C_v", "held-out texts", "seconds"]
        parts.append(f"### {corpus}\n\n{table(head, lines)}")
    return "\n\n".join(parts)


def _cell(value: float | None, best: float | None) -> str:
    if value is None:
        return ""
    return f"**{value:.3f}**" if value == best else f"{value:.3f}"


def methods_table(rows: list[Row]) -> str:
    """One line per way, one column per corpus: means over seeds."""
    means = pl.DataFrame(rows).group_by("by", "corpus", maintain_order=True).mean()
    corpora = means["corpus"].unique(maintain_order=True).to_list()
    found = {(by, corpus): f"{p:.3f} / {n:.3f}" for by, corpus, _, p, n in means.rows()}
    lines = [[by, *(found[by, corpus] for corpus in corpora)] for by in INFERENCE_METHODS]
    return table(["by", *corpora], lines)


def in_use_table(rows: list[Row]) -> str:
    """One line per corpus: topics in use, for each seed."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["corpus"], []).append(str(row["in_use"]))
    return table(["corpus", "topics in use of 20"], [[c, ", ".join(n)] for c, n in found.items()])


MEASURES = ("purity", "nmi", "npmi", "c_v", "held_out")
TOOL_NAMES = {
    "bittern": "bittern",
    "bitermplus": "bitermplus",
    "tomotopy": "tomotopy, LDA",
    "tomotopy-pt": "tomotopy, PT",
    "gensim": "gensim, LDA",
    "scikit-learn": "scikit-learn, LDA",
    "scikit-learn-nmf": "scikit-learn, NMF",
    "gsdmm": "GSDMM",
    "minilm": "MiniLM, k-means",
    "fastopic": "FASTopic",
}
PUBLISHED = {
    ("search_snippets", 50): {
        "HiCOT": ("0.818", "0.478"),
        "FASTopic": ("0.793", "0.497"),
        "NeuroMax": ("0.743", "0.427"),
        "ECRTM": ("0.711", "0.419"),
    },
    ("search_snippets", 100): {
        "HiCOT": ("0.857", "0.480"),
        "FASTopic": ("0.801", "0.466"),
        "NeuroMax": ("0.854", "0.472"),
        "ECRTM": ("0.789", "0.443"),
    },
}
"""Purity and NMI as published in 2025, with the authors' preprocessing."""
TABLES = {
    "held-out": held_out_table,
    "small": small_table,
    "clusters": clusters_table,
    "tools": tools_table,
    "methods": methods_table,
    "in-use": in_use_table,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measurements", nargs="*", choices=[*MEASUREMENTS, []])
    parser.add_argument("--files", nargs="+", type=Path, default=[], help="Parquet files.")
    parser.add_argument("--labeled", nargs="+", type=Path, default=[], help="With labels.")
    parser.add_argument("--seeds", type=int, default=3, help="Default: 3.")
    parser.add_argument("--small-seeds", type=int, default=10, help="For small. Default: 10.")
    parser.add_argument("--tools", nargs="+", default=[*TOOLS], help="For tools. Default: all.")
    parser.add_argument(
        "--neural-python", default=sys.executable, help="Interpreter for minilm and fastopic."
    )
    parser.add_argument("--write", action="store_true", help="Write the tables into the docs.")
    args = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    args.done = {tuple(row.values())[:4] for row in results.get("tools", [])}
    for name in args.measurements:
        rows = results["tools"] if name == "tools" and args.done else []  # it takes hours
        for row in MEASUREMENTS[name](args):
            rows.append(row)
            results[name] = rows
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
            print(
                {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, flush=True
            )
    if args.write:
        parts = {name: make(results[name]) for name, make in TABLES.items() if name in results}
        fill(DOCS / "quality.md", parts)


if __name__ == "__main__":
    main()
