"""One repeat: the biterms to learn and those held out, and the runs on them."""

from collections.abc import Callable
from dataclasses import astuple
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bittern._core.numba import kernel
from bittern.algorithms import SDM, Prior, Progress, Trainer, estimate, resolve_epochs
from bittern.analysis.likelihood import log_likelihood
from bittern.biterms import Biterms, Order, time_slices
from bittern.biterms.biterms import window_span
from bittern.corpus.corpus import Corpus, random_split
from bittern.errors import InputError
from bittern.study.measures import count_error, leave_one_out, residual
from bittern.study.plan import Run
from bittern.study.protocol import ORDERS, Protocol

SAMPLE = 200_000  # biterms to look at midway


class SequentialSDM(SDM):
    """SDM that trains on the biterms in the order in which they are given."""

    order: ClassVar[Order] = "sequential"


class Repeat:
    """All biterms, shuffled and split by a seed of its own."""

    def __init__(self, protocol: Protocol, corpus: Corpus, biterms: Biterms, number: int) -> None:
        self.protocol, self.corpus, self.number = protocol, corpus, number
        self._biterms = biterms
        rng = np.random.default_rng([protocol.seed, number])
        self._places, test = random_split(len(biterms), protocol.test_size, rng)
        self.train, self.test = biterms[self._places], biterms[test]

    def do(self, run: Run, advance: Callable[[float], None]) -> dict[str, Any]:
        """Learn, and measure what has been learned; every run has the same random numbers."""
        rng = np.random.default_rng([self.protocol.seed, self.number, 1])
        prior = self.protocol.prior(run.n_topics)
        algorithm, train = run.algorithm, self.train
        if run.order != ORDERS[0]:
            algorithm, train = SequentialSDM(*astuple(algorithm)), self._ordered(run.order)
        if run.n_biterms is not None:
            train = train[: run.n_biterms]
        slices = time_slices(train, algorithm.slices)
        n_passes = resolve_epochs(algorithm.epochs, train.total)
        every_block = n_passes == 1 and len(slices) == 1
        curve: list[dict[str, float]] = []

        def on_block(progress: Progress) -> None:
            advance(progress.n_biterms)
            if run.watched and (every_block or progress.slice_finished):
                scores = self._scores(algorithm, progress.state, prior, self.test[:SAMPLE])
                point = {
                    "share": progress.record.biterms / (n_passes * train.total),
                    "seconds": progress.seconds,
                    "running": progress.record.log_likelihood,
                }
                curve.append(point | scores)

        trainer = Trainer(algorithm, run.n_topics, prior, rng, on_block=on_block)
        try:
            state = trainer.fit(slices).state
        except InputError as refused:  # a batch algorithm says that it would need too much memory
            return {"left_out": str(refused), "curve": []}
        result: dict[str, Any] = self._scores(algorithm, state, prior, self.test)
        result |= {"seconds": trainer.clock.seconds, "biterms": len(train), "curve": curve}
        if run.watched:
            result["count_error"] = count_error(algorithm.topics(state, prior), train)
        if isinstance(algorithm, SDM) and run.n_topics == self.protocol.focus:
            result["residual"] = residual(state, train, prior)
        return result

    def _scores(self, algorithm: Any, state: Any, prior: Prior, test: Biterms) -> dict[str, float]:
        topics = algorithm.topics(state, prior)
        learned = leave_one_out(topics, self.train[:SAMPLE], prior)
        theta, phi = estimate(topics, prior)
        return {"held_out": log_likelihood(theta, phi.T, test), "leave_one_out": learned}

    def _ordered(self, order: str) -> Biterms:
        """The training biterms document by document."""
        in_file = np.sort(self._places)
        if order == ORDERS[2]:
            return self._biterms[in_file]
        rng = np.random.default_rng([self.protocol.seed, self.number, 2])
        rank = rng.permutation(len(self.corpus)).astype(np.int32)
        documents = documents_of(self.corpus, self.protocol.window, len(self._biterms))
        return self._biterms[in_file[np.argsort(rank[documents[in_file]], kind="stable")]]


def documents_of(corpus: Corpus, window: int | None, n_biterms: int) -> NDArray[np.int32]:
    """The document that each biterm of a corpus comes from."""
    documents = np.empty(n_biterms, np.int32)
    _documents_of(corpus.indptr, corpus.tokens, window_span(window), documents)
    return documents


@kernel
def _documents_of(indptr: Any, tokens: Any, window: int, documents: Any) -> None:
    n = 0
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            for j in range(i + 1, min(indptr[d + 1], i + window)):
                if tokens[i] != tokens[j]:
                    documents[n] = d
                    n += 1
