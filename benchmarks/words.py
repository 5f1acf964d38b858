"""Measure the words of topics: default preprocessing against all words, n-grams and phrases.

    python benchmarks/words.py --files titles.parquet tweets.parquet

For each way to find words: the share of junk among the ten top words of a topic, as shown and by
probability; the diversity of these words, their NPMI, and the log-likelihood of held-out texts,
per word that all ways have in common. Files are Parquet with a column `text`. --print lists the
topics. Results go to benchmarks/words.json; --write fills the table of docs/quality.md from it.
"""

import argparse
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bittern import BTM, Corpus, read
from bittern.analysis.coherence import coherence
from bittern.analysis.likelihood import document_log_likelihood
from bittern.analysis.quality import diversity
from report import DOCS, fill, table

RESULTS = Path(__file__).parent / "words.json"
ALL_WORDS: dict[str, Any] = {"numbers": True, "letters": True, "min_df": 1}
WAYS: dict[str, dict[str, Any]] = {
    "all words": ALL_WORDS,
    "default": {},
    "phrases": {"phrases": True},
    "n-grams": {"ngrams": 2},
}
JUNK = re.compile(
    r"""[\W\d_]+                                 # numbers, and what has no letter
    |[^\W\d_](?!\+\+|\#)\W*                      # single letters
    |x[0-9a-f]{2}|u[0-9a-f]{4}                   # escapes
    |n?bsp|amp|lt|gt|quot|apos|nbsp              # entities
    |html?|br|href|div|span|src|img              # tags and attributes
    |\w+'(?:s|m|re|ve|ll|d|t)                    # short forms and possessives
    |don|doesn|didn|isn|wasn|aren|ain|won|couldn|wouldn|shouldn|hasn|haven|ve|ll|re
    |dont|im|ive|cant|thats|youre|doesnt|didnt|isnt|whats
    |pic|pics|vid|deleted|removed                # markers
    |https?|www|com|rt                           # remains of addresses
    |\d+(?:st|nd|rd|th|am|pm|yo|k|m|x)           # numbers with a unit
    """,
    re.VERBOSE,
)
"""What no reader wants to see, written down before the results were."""


def is_junk(word: str) -> bool:
    """Return whether a word, or a part of a phrase, is junk."""
    return any(JUNK.fullmatch(part) for part in re.split("[ _]", word))


def read_all(path: Path, ways: list[str]) -> dict[str, Corpus]:
    """Read a file in each way; print how long it takes."""
    corpora = {}
    for way in ways:
        start = time.perf_counter()
        corpora[way] = read(path, text="text", **WAYS[way])
        print(f"{path.stem}, {way}: {time.perf_counter() - start:.1f} s", flush=True)
    return corpora


def measure(
    name: str, corpora: dict[str, Corpus], n_topics: int, is_printed: bool
) -> Iterator[dict[str, Any]]:
    """Fit topics on nine tenths of the texts for each way to find words."""
    common = sorted(set.intersection(*(set(corpus.vocabulary) for corpus in corpora.values())))
    n_texts = len(next(iter(corpora.values())))
    test, train = np.split(np.random.default_rng(0).permutation(n_texts), [n_texts // 10])
    for way, corpus in corpora.items():
        model = BTM(n_topics, random_state=0).fit(corpus[np.sort(train)])
        shown, probable = (model.top_words(10, relevance) for relevance in (0.6, 1))
        if is_printed:
            print(f"\n{name}, {n_topics} topics, {way}")
            print("\n".join(" ".join(words) for words in shown))
        yield {
            "corpus": name,
            "topics": n_topics,
            "way": way,
            "words": len(corpus.vocabulary),
            "junk": share_of_junk(shown),
            "junk, probable": share_of_junk(probable),
            "diversity": diversity(shown),
            "diversity, probable": diversity(probable),
            "npmi": float(np.mean(coherence(probable, corpus, "npmi"))),
            "held-out": held_out(model, common, corpus[test]),
        }


def share_of_junk(topics: list[list[str]]) -> float:
    """Return the share of junk among the top words."""
    return float(np.mean([is_junk(word) for words in topics for word in words]))


def held_out(model: BTM, common: list[str], texts: Corpus) -> float:
    """Return the log-likelihood of the common words of texts, per word, among the common words."""
    index = {word: i for i, word in enumerate(model.vocabulary_)}
    phi = model.fitted_.mixed_phi[:, [index[word] for word in common]]
    phi /= phi.sum(axis=1, keepdims=True)
    known = texts.with_vocabulary(common)
    return document_log_likelihood(model.theta_, phi, known, model.window, n_threads=2)


def write_page(rows: list[dict[str, Any]]) -> None:
    """Write the table of docs/quality.md."""
    head = ["corpus", "topics", "", "words", "junk", "diversity", "NPMI", "held-out words"]
    lines = [
        [
            row["corpus"],
            f"{row['topics']}",
            row["way"],
            f"{row['words']:,}",
            f"{row['junk']:.1%} ({row['junk, probable']:.1%})",
            f"{row['diversity']:.3f} ({row['diversity, probable']:.3f})",
            f"{row['npmi']:.3f}",
            f"{row['held-out']:.3f}",
        ]
        for row in rows
    ]
    fill(DOCS / "quality.md", {"words": table(head, lines)})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", nargs="*", type=Path, default=[])
    parser.add_argument("--topics", nargs="*", type=int, default=[20, 50])
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for path in args.files:
        corpora = read_all(path, args.ways)
        for n_topics in args.topics:
            for row in measure(path.stem, corpora, n_topics, args.print):
                print(row, flush=True)
                rows.append(row)
    if rows:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    if args.write:
        write_page(json.loads(RESULTS.read_text("utf-8")))


if __name__ == "__main__":
    main()
