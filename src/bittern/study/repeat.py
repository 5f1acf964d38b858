"""One repeat: what is held out, and the runs on the rest."""

import time
from collections.abc import Callable
from dataclasses import astuple
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.algorithms import (
    SDM,
    Prior,
    Progress,
    TopicCounts,
    Trainer,
    estimate,
)
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import Biterms, Order, time_slices
from bittern.biterms.texts import window_span
from bittern.corpus.corpus import Corpus, random_split
from bittern.errors import InputError
from bittern.estimator import BTM
from bittern.study.measures import count_error, leave_one_out, residual
from bittern.study.plan import Run
from bittern.study.protocol import ADAPTIVE, FILE_ORDER, SHUFFLED_BITERMS, Protocol

SAMPLE_SIZE = 200_000  # biterms that are scored during training


class SequentialSDM(SDM):
    """SDM that trains on the biterms in the order in which they are given."""

    order: ClassVar[Order] = "sequential"


class Repeat:
    """All biterms, split into training and held-out biterms by a seed of its own."""

    def __init__(self, protocol: Protocol, corpus: Corpus, biterms: Biterms, number: int) -> None:
        self.protocol, self.corpus, self.number = protocol, corpus, number
        self._biterms = biterms
        rng = np.random.default_rng([protocol.seed, number])
        self._train_indices, test_indices = random_split(len(biterms), protocol.test_size, rng)
        self.train, self.test = biterms[self._train_indices], biterms[test_indices]

    def execute(self, run: Run, advance: Callable[[float], None]) -> dict[str, Any]:
        """Train and score; all runs of a repeat use the same random numbers.

        `advance` is called with the number of updates after every block.
        """
        if run.word_prior is not None:
            return self._execute_on_texts(run, advance)
        rng = np.random.default_rng([self.protocol.seed, self.number, 1])
        prior = self.protocol.prior(run.n_topics)
        algorithm, train = run.algorithm, self.train
        if run.order != SHUFFLED_BITERMS:
            assert isinstance(algorithm, SDM)
            algorithm, train = SequentialSDM(*astuple(algorithm)), self.ordered(run.order)
        if run.n_biterms is not None:
            train = train[: run.n_biterms]
        slices = time_slices(train, algorithm.slices)
        n_passes = int(algorithm.epochs)
        every_block = n_passes == 1 and len(slices) == 1
        curve: list[dict[str, float]] = []

        def on_block(progress: Progress[Any]) -> None:
            advance(progress.n_biterms)
            if run.watched and (every_block or progress.slice_finished):
                counts = algorithm.topics(progress.state, prior)
                point = {
                    "share": progress.record.biterms / (n_passes * train.total),
                    "seconds": progress.seconds,
                    "running": progress.record.log_likelihood,
                }
                curve.append(point | self.score(counts, prior, self.test[:SAMPLE_SIZE]))

        trainer = Trainer(algorithm, run.n_topics, prior, rng, on_block=on_block)
        try:
            state = trainer.fit(slices).state
        except InputError as refusal:  # a batch algorithm would need too much memory
            return {"left_out": str(refusal), "curve": []}
        counts = algorithm.topics(state, prior)
        result: dict[str, Any] = {
            "seconds": trainer.clock.seconds,
            "biterms": len(train),
            "curve": curve,
        }
        if run.watched:
            result["count_error"] = count_error(counts, train)
        if isinstance(algorithm, SDM) and run.n_topics == self.protocol.focus:
            result["residual"] = residual(state, train, prior)
        return self.score(counts, prior, self.test) | result

    def _execute_on_texts(self, run: Run, advance: Callable[[float], None]) -> dict[str, Any]:
        """Train on texts in random order, and score the held-out texts."""
        protocol, rng = self.protocol, np.random.default_rng([self.protocol.seed, self.number, 3])
        train, test = self.corpus[rng.permutation(len(self.corpus))].split(protocol.test_texts, rng)
        train = train.drop_unused_words()
        model = BTM(
            run.n_topics,
            run.algorithm,
            word_prior="auto" if run.word_prior == ADAPTIVE else protocol.word_prior,
            window=protocol.window,
            random_state=rng,
        )
        start = time.perf_counter()
        try:
            model.fit(train)
        except InputError as refusal:  # a batch algorithm would need too much memory
            return {"left_out": str(refusal), "curve": []}
        seconds = time.perf_counter() - start
        advance(run.n_updates(len(self.train)))
        held_out = model.score(test.with_vocabulary(train.vocabulary))
        return {"seconds": seconds, "held_out": held_out, "curve": []}

    def score(self, counts: TopicCounts, prior: Prior, test: Biterms) -> dict[str, float]:
        """Return the held-out and the leave-one-out likelihood; overwrites the counts."""
        learned = leave_one_out(counts, self.train[:SAMPLE_SIZE], prior)
        theta, phi = estimate(counts, prior)
        return {"held_out": log_likelihood(theta, phi.T, test), "leave_one_out": learned}

    def ordered(self, order: str) -> Biterms:
        """Return the training biterms document by document."""
        in_file = np.sort(self._train_indices)
        if order == FILE_ORDER:
            return self._biterms[in_file]
        rng = np.random.default_rng([self.protocol.seed, self.number, 2])
        rank = rng.permutation(len(self.corpus)).astype(np.int32)
        documents = biterm_documents(self.corpus, self.protocol.window, len(self._biterms))
        return self._biterms[in_file[np.argsort(rank[documents[in_file]], kind="stable")]]


def biterm_documents(corpus: Corpus, window: int | None, n_biterms: int) -> NDArray[np.int32]:
    """Return the index of the document that each biterm of a corpus comes from."""
    documents = np.empty(n_biterms, np.int32)
    _fill_documents(corpus.indptr, corpus.tokens, window_span(window), documents)
    return documents


@kernel
def _fill_documents(indptr: Any, tokens: Any, window: int, documents: Any) -> None:
    """Write the document of each biterm, in the order of `extract_biterms`."""
    n = 0
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if tokens[i] != tokens[j]:
                    documents[n] = d
                    n += 1
