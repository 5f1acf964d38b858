"""What workers do: read their parts, keep them, and train on them.

Every function is determined by its arguments. What a worker keeps only saves time: if it is lost
with the worker, another one makes it again.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial, reduce
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern.algorithms import (
    Algorithm,
    Changes,
    Distributable,
    Prior,
    combine_changes,
    copy_state,
)
from bittern.algorithms.changes import copy_words
from bittern.biterms import Biterms, Block, LazyBiterms
from bittern.cluster.partitions import Partition
from bittern.cluster.words import PartSize, WordCounts
from bittern.corpus import Corpus
from bittern.corpus.corpus import assemble
from bittern.errors import InputError
from bittern.fitted import FitSettings, FittedTopics
from bittern.text import TextOptions
from bittern.text.detection import sample_texts
from bittern.text.preprocessing import tokenize
from bittern.text.tokens import Tokens
from bittern.training import check_training, fit_topics

BLOCK = 1 << 20  # biterms that are trained on at a time


class Job(NamedTuple):
    """What is known before the texts are read."""

    session: str
    parts: list[list[Partition]]
    options: TextOptions
    window: int | None
    memory: int | None  # bytes for texts and biterms, for each worker


class Task(NamedTuple):
    """What is known when all texts have been read."""

    vocabulary: pl.Series  # travels faster than a list
    size: PartSize
    algorithm: Algorithm[Any]
    n_topics: int
    prior: Prior
    seed: int


class Trained(NamedTuple):
    """What a part has learned in a round: to be combined with the other parts."""

    changes: Changes
    log_likelihood: float
    n_biterms: int


@dataclass
class CountedBiterms:
    """Biterms that are somewhere else: enough to start an algorithm with."""

    vocabulary: list[str]
    size: PartSize
    texts: None = None

    @property
    def total(self) -> float:
        """The number of biterms."""
        return float(self.size.n_biterms)

    @property
    def n_tokens(self) -> float:
        """The number of tokens."""
        return float(self.size.n_tokens)

    def counts(self) -> NDArray[np.float64]:
        """Return how often each word is in a biterm."""
        return self.size.counts.astype(np.float64)

    def materialize(self) -> Biterms:
        """Fail: the biterms are not here."""
        raise InputError("the biterms are on other machines")

    def shuffled(self, rng: np.random.Generator) -> Biterms:
        """Fail: the biterms are not here."""
        return self.materialize()


@dataclass
class _Kept:
    """What a worker keeps for a session."""

    session: str
    chunks: dict[int, list[Tokens]] = field(default_factory=dict)
    corpora: dict[int, Corpus] = field(default_factory=dict)
    passes: dict[int, "_Pass"] = field(default_factory=dict)
    n_bytes: int = 0
    version: int = -1  # number of changes that the state has seen; -1 is none
    base: Any = None
    work: Any = None
    folder: tempfile.TemporaryDirectory[str] | None = None


_kept = _Kept("")
_lock = Lock()  # some engines call from several threads


def forget(session: str) -> None:
    """Free what was kept for a session."""
    with _lock:
        if _kept.session == session:
            _begin("")


def sample_part(partitions: list[Partition]) -> pl.Series:
    """Return texts from the start of a part, to find their language."""
    chunks = (rows["text"] for partition in partitions for rows in partition.read("text"))
    return sample_texts(next(chunks, pl.Series(dtype=pl.String)))


def count_part(job: Job, part: int) -> WordCounts:
    """Read the texts of a part, and count their words."""
    with _lock:
        _begin(job.session)
        chunks = list(_tokenize(job, part))
        n_bytes = sum(chunk.codes.nbytes + chunk.lengths.nbytes for chunk in chunks)
        if job.memory is None or _kept.n_bytes + n_bytes <= job.memory:
            _kept.n_bytes += n_bytes
            _kept.chunks[part] = chunks
        return WordCounts.of(chunks)


def encode_part(job: Job, vocabulary: pl.Series, part: int) -> PartSize:
    """Keep the texts of a part as indices into the vocabulary."""
    with _lock:
        _begin(job.session)
        corpus = _corpus(job, vocabulary, part)
        biterms = _biterms(job, corpus)
        counts = biterms.counts().astype(np.int64)
        return PartSize(len(corpus), len(corpus.tokens), len(biterms), counts)


def send_corpus(job: Job, vocabulary: pl.Series, part: int) -> tuple[Any, Any]:
    """Return the texts of a part, for a corpus that is small enough for one worker."""
    with _lock:
        _begin(job.session)
        corpus = _corpus(job, vocabulary, part)
        return corpus.indptr, corpus.tokens


def fit_alone(
    job: Job,
    vocabulary: pl.Series,
    settings: FitSettings,
    algorithm: Algorithm[Any],
    texts: list[tuple[Any, Any]],
) -> FittedTopics:
    """Train on all texts in this process, as without a cluster."""
    lengths = np.concatenate([np.diff(indptr) for indptr, _ in texts])
    tokens = np.concatenate([tokens for _, tokens in texts])
    corpus = Corpus(
        vocabulary.to_list(),
        np.concatenate([[0], np.cumsum(lengths)]),
        tokens,
        None,
        np.arange(len(lengths)),
        options=job.options,
    )
    return fit_topics(corpus, check_training(settings, algorithm, n_jobs=1, memory=job.memory))


def first_biterms(job: Job, task: Task, part: int, n: int) -> Block:
    """Return the first biterms of a part, in the order of its pass, and prepare to train."""
    with _lock:
        _begin(job.session)
        _bring_to(task, [])
        blocks = list(_take(job, task, part, 0, n))
        empty = np.empty(0, np.int32)
        first = np.concatenate([empty, *(block.first for block in blocks)])
        return Block(first, np.concatenate([empty, *(block.second for block in blocks)]), 0)


def warm_up(job: Job, task: Task, blocks: list[Block]) -> Trained:
    """Train a new state on the first biterms of all parts."""
    with _lock:
        _begin(job.session)
        _bring_to(task, [])
        first, second = (np.concatenate([block[i] for block in blocks]) for i in range(2))
        order = np.random.default_rng([task.seed, 1]).permutation(len(first))
        return _train(task, iter([Block(first[order], second[order], 0)]))


def train_part(
    job: Job, task: Task, history: list[Changes], part: int, begin: int, end: int
) -> Trained:
    """Continue from the changes so far, on some biterms of a part."""
    with _lock:
        _begin(job.session)
        _bring_to(task, history)
        return _train(task, _take(job, task, part, begin, end))


def first_state(task: Task) -> Any:
    """Return the state before the first biterm: the same on every machine."""
    rng = np.random.default_rng([task.seed, 0])
    source = CountedBiterms(task.vocabulary.to_list(), task.size)
    return task.algorithm.init(source, task.n_topics, task.prior, rng)


def apply_changes(task: Task, state: Any, changes: Changes) -> Any:
    """Return the state after more changes, in its own arrays."""
    assert isinstance(task.algorithm, Distributable)
    return task.algorithm.with_changes(state, changes)


def replay(task: Task, history: list[Changes]) -> Any:
    """Return the state after all changes."""
    return reduce(partial(apply_changes, task), history, first_state(task))


def combine_trained(first: Trained, second: Trained) -> Trained:
    """Return what two parts have learned."""
    return Trained(
        combine_changes(first.changes, second.changes),
        first.log_likelihood + second.log_likelihood,
        first.n_biterms + second.n_biterms,
    )


def _begin(session: str) -> None:
    """Forget what belongs to another session."""
    global _kept
    if _kept.session != session:
        if _kept.folder is not None:
            _kept.folder.cleanup()
        _kept = _Kept(session)


def _tokenize(job: Job, part: int) -> Iterator[Tokens]:
    for partition in job.parts[part]:
        for rows in partition.read("text"):
            yield tokenize(rows["text"], options=job.options)


def _corpus(job: Job, vocabulary: pl.Series, part: int) -> Corpus:
    if part not in _kept.corpora:
        chunks = _kept.chunks.pop(part, None)
        if chunks is None:
            chunks = list(_tokenize(job, part))
        else:
            _kept.n_bytes -= sum(chunk.codes.nbytes + chunk.lengths.nbytes for chunk in chunks)
        corpus = assemble(chunks, job.options, vocabulary.to_list())
        _kept.corpora[part] = _spill(corpus, part, job.memory)
    return _kept.corpora[part]


def _spill(corpus: Corpus, part: int, memory: int | None) -> Corpus:
    """Keep a corpus in memory if there is room, otherwise in a temporary file."""
    n_bytes = corpus.tokens.nbytes + corpus.indptr.nbytes
    if memory is None or _kept.n_bytes + n_bytes <= memory / 2:  # the rest is for biterms
        _kept.n_bytes += n_bytes
        return corpus
    if _kept.folder is None:
        _kept.folder = tempfile.TemporaryDirectory(prefix="bittern-")
    path = Path(_kept.folder.name) / f"{part}.npy"
    np.save(path, corpus.tokens)
    tokens = np.asarray(np.load(path, mmap_mode="r"))
    return Corpus(
        corpus.vocabulary, corpus.indptr, tokens, None, corpus.ids, options=corpus.options
    )


def _biterms(job: Job, corpus: Corpus) -> LazyBiterms:
    return LazyBiterms(corpus, job.window, None if job.memory is None else job.memory // 2)


class _Pass:
    """The biterms of a part in the order of training, pass after pass."""

    def __init__(self, biterms: LazyBiterms, seed: int, part: int) -> None:
        self._biterms, self._seed, self._part = biterms, seed, part
        self._rewind()

    def _rewind(self) -> None:
        self._position, self._rest = 0, Block(np.empty(0, np.int32), np.empty(0, np.int32), 0)
        self._blocks = self._all_blocks()

    def _all_blocks(self) -> Iterator[Block]:
        epoch = 0
        while len(self._biterms) > 0:
            rng = np.random.default_rng([self._seed, 2, self._part, epoch])
            yield from self._biterms.shuffled(rng).blocks(BLOCK)
            epoch += 1

    def take(self, begin: int, end: int) -> Iterator[Block]:
        """Yield the biterms from `begin` to `end`; those before are skipped."""
        if begin < self._position:
            self._rewind()
        while self._position < end:
            if len(self._rest.first) == 0:
                self._rest = next(self._blocks)
            skipped = max(begin - self._position, 0)
            n = min(len(self._rest.first), skipped or end - self._position)
            block = self._rest.part(0, n)
            self._rest = self._rest.part(n, len(self._rest.first))
            self._position += n
            if not skipped:
                yield block


def _take(job: Job, task: Task, part: int, begin: int, end: int) -> Iterator[Block]:
    if part not in _kept.passes:
        biterms = _biterms(job, _corpus(job, task.vocabulary, part))
        _kept.passes[part] = _Pass(biterms, task.seed, part)
    return _kept.passes[part].take(begin, end)


def _bring_to(task: Task, history: list[Changes]) -> None:
    """Apply the changes that the state has not seen; both states are equal then."""
    if _kept.version < 0 or _kept.version > len(history):
        _kept.base = first_state(task)
        _kept.work = copy_state(_kept.base)
        _kept.version = 0
    for changes in history[_kept.version :]:
        _kept.base = apply_changes(task, _kept.base, changes)
        _kept.work = copy_words(_kept.base, _kept.work, changes.words)
        _kept.version += 1


def _train(task: Task, blocks: Iterator[Block]) -> Trained:
    """Train on blocks, and go back to the state before."""
    assert isinstance(task.algorithm, Distributable)
    rng, log_likelihood, n = np.random.default_rng(0), 0.0, 0
    version, _kept.version = _kept.version, -1  # until the states are equal again
    for block in blocks:
        _kept.work, total = task.algorithm.step(_kept.work, block, task.prior, rng)
        log_likelihood += total
        n += len(block.first)
    changes = task.algorithm.changes(_kept.base, _kept.work)
    _kept.work = copy_words(_kept.base, _kept.work, changes.words)
    _kept.version = version
    return Trained(changes, log_likelihood, n)
