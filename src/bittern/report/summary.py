"""A summary of the documents of a report, made in chunks: memory stays bounded."""

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.progress import ProgressBar
from bittern.analysis.documents import CHUNK_SIZE, corpus_chunks, infer_topics
from bittern.analysis.groups import Groups, add_group_sums
from bittern.analysis.representative import (
    choose_representative,
    find_candidates,
    median_length,
)
from bittern.corpus import Corpus
from bittern.fitted import FittedTopics

MAX_LABELS = 1_000  # rarer labels are counted together
MAX_LABEL_LENGTH = 40  # characters


class Summary(NamedTuple):
    """What a report shows of the documents."""

    main_topics: NDArray[np.int32]
    """The main topic of each document."""
    documents: NDArray[np.int64]
    """The number of documents with each main topic, (K,)."""
    sums: dict[str, NDArray[np.float64]]
    """For each kind of groups, the sums of shares, (groups, K)."""
    representative: pl.DataFrame
    """The representative documents of each topic, without repeats: topic, document, probability."""
    shown: pl.DataFrame
    """These and a random sample, with their main topics: document, topic, probability."""


def label_groups(labels: pl.Series) -> Groups:
    """Group documents by label, in order of names; rare labels share a group without a name."""
    names = single_lines(labels.cast(pl.String), MAX_LABEL_LENGTH).alias("label")
    counts = names.drop_nulls().value_counts().sort("count", "label", descending=[True, False])
    kept = counts.head(MAX_LABELS)["label"].sort()
    numbers = pl.DataFrame({"label": kept}).with_row_index("code")
    found = names.to_frame().join(numbers, on="label", how="left", maintain_order="left")
    codes = found["code"].cast(pl.Int64).fill_null(-1).to_numpy(writable=True)
    if counts.height > len(kept):
        codes[(codes < 0) & names.is_not_null().to_numpy()] = len(kept)
        kept = kept.extend(pl.Series([None], dtype=pl.String))
    return Groups(kept, codes)


def single_lines(texts: pl.Series, max_length: int) -> pl.Series:
    """Put each text on a single line, and truncate it to this many characters."""
    lines = texts.str.replace_all(r"[\s\p{Cc}]+", " ").str.strip_chars()
    truncated = lines.str.head(max_length - 1) + "…"
    return lines.zip_with((lines.str.len_chars() <= max_length).fill_null(True), truncated)


def summarize(
    fitted: FittedTopics,
    corpus: Corpus,
    groups: dict[str, Groups],
    n_representative: int,
    n_sample: int,
    n_threads: int = 1,
    verbose: int = 0,
    chunk_size: int = CHUNK_SIZE,
) -> Summary:
    """Summarize documents over the vocabulary of the model."""
    n_topics = fitted.n_topics
    rng = np.random.default_rng(0)  # the same documents give the same page
    sample = rng.permutation(len(corpus))[:n_sample]
    sums = {kind: np.zeros((len(group.names), n_topics)) for kind, group in groups.items()}
    main_topics = np.empty(len(corpus), np.int32)
    candidates, seen = [], []
    typical_length = median_length(corpus)
    with ProgressBar("reporting", len(corpus), "texts", verbose) as bar:
        for start, part in corpus_chunks(corpus, chunk_size):
            shares = infer_topics(fitted, part, n_threads=n_threads)
            chunk = slice(start, start + len(part))
            main_topics[chunk] = main = shares.argmax(axis=1)
            for kind, group in groups.items():
                add_group_sums(group.codes[chunk], shares, sums[kind])
            found = find_candidates(fitted, part, shares, n_representative, typical_length)
            in_chunk = sample[(sample >= chunk.start) & (sample < chunk.stop)] - start
            rows = np.union1d(found["document"], in_chunk)
            candidates.append(found.with_columns(pl.col("document") + start))
            seen.append(_table(rows + start, main[rows], shares[rows, main[rows]]))
            bar.advance(len(part))
    shown = pl.concat(candidates).filter(~pl.col("topic").is_in(list(fitted.set_aside)))
    best = choose_representative(shown, corpus, n_representative)
    wanted = np.union1d(best["document"], sample)
    return Summary(
        main_topics,
        np.bincount(main_topics, minlength=n_topics),
        sums,
        best.select("topic", "document", "probability"),
        pl.concat(seen).filter(pl.col("document").is_in(wanted)),
    )


def _table(
    document: NDArray[np.int64], topic: NDArray[np.int64], probability: NDArray[np.float32]
) -> pl.DataFrame:
    """Return a table of documents, each with a topic and its probability."""
    return pl.DataFrame({"document": document, "topic": topic, "probability": probability})
