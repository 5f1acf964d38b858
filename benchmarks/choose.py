"""Measure the recommended numbers of topics on random samples of files.

    python benchmarks/choose.py snippets.parquet tweets.parquet --samples 5
    python benchmarks/choose.py questions.parquet --size 0 --samples 1

Files are Parquet with a column `text`; the distinct values of a column `label` are the number to
compare with. Without files, samples are synthetic corpora with 5, 12 and 30 topics. The table has a
row for each file, and in its columns the values of each sample. "within" counts the samples whose
recommended number is at most three times as large or as small as the number of labels.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl

from bittern import Corpus
from bittern.corpus import synthetic_corpus
from bittern.selection import choose
from report import table

SYNTHETIC = (5, 12, 30)
N_WORDS = 3_000  # of synthetic corpora
MAX_RATIO = 3  # of the recommended number and the number of labels


class Sample(NamedTuple):
    """Some texts, and the number of topics that they should have, if it is known."""

    name: str
    corpus: Corpus
    n_labels: int | None


class Row(NamedTuple):
    """What is recommended for a sample."""

    sample: Sample
    recommended: int
    span: str
    confidence: str
    seconds: float

    @property
    def is_within(self) -> bool | None:
        """Whether the number is within a factor of three of the number of labels."""
        if self.sample.n_labels is None:
            return None
        return 1 / MAX_RATIO <= self.recommended / self.sample.n_labels <= MAX_RATIO


def file_samples(path: Path, size: int, seeds: range) -> Iterator[Sample]:
    """Yield random samples of a file; size 0 is the whole file."""
    frame = pl.read_parquet(path)
    for seed in seeds:
        n = min(size or len(frame), len(frame))
        rows = frame[np.sort(np.random.default_rng(seed).permutation(len(frame))[:n])]
        n_labels = rows["label"].n_unique() if "label" in rows.columns else None
        yield Sample(path.stem, Corpus.from_texts(rows["text"]), n_labels)


def synthetic_samples(size: int, seeds: range) -> Iterator[Sample]:
    """Yield synthetic corpora with known numbers of topics."""
    for n_topics in SYNTHETIC:
        for seed in seeds:
            corpus = synthetic_corpus(size, n_topics, N_WORDS, seed)
            yield Sample(f"synthetic, {n_topics} topics", corpus, n_topics)


def measure(sample: Sample) -> Row:
    """Choose the number of topics of a sample."""
    start = time.perf_counter()
    choice = choose(sample.corpus)
    seconds = time.perf_counter() - start
    span = f"{choice.low}–{choice.high}"
    return Row(sample, choice.recommended, span, choice.confidence, seconds)


def summarize(rows: list[Row]) -> list[str]:
    """Return the row of a file."""
    first = rows[0].sample
    within = [row.is_within for row in rows if row.is_within is not None]
    return [
        first.name,
        f"{len(first.corpus):,}",
        f"{first.n_labels or ''}",
        ", ".join(str(row.recommended) for row in rows),
        ", ".join(row.span for row in rows),
        ", ".join(row.confidence for row in rows),
        f"{sum(within)} of {len(within)}" if within else "",
        f"{median(row.seconds for row in rows):.0f}",
    ]


def main() -> None:
    """Print what is measured, and the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--size", type=int, default=3_000)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    args = parser.parse_args()
    seeds = range(args.first_seed, args.first_seed + args.samples)
    samples = [sample for path in args.files for sample in file_samples(path, args.size, seeds)]
    rows: dict[str, list[Row]] = {}
    for sample in samples or synthetic_samples(args.size, seeds):
        row = measure(sample)
        rows.setdefault(sample.name, []).append(row)
        print(sample.name, row[1:], flush=True)
    names = ["texts from", "number", "labels", "recommended", "range", "confidence", "within"]
    print(table([*names, "seconds"], [summarize(found) for found in rows.values()]))


if __name__ == "__main__":
    main()
