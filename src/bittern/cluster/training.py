"""Training on a cluster: count, encode, warm up, then rounds."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar
from uuid import uuid4

import numpy as np
import polars as pl

from bittern._core.memory import parse_size
from bittern._core.progress import ProgressBar
from bittern._core.validation import MAX_SEED, check_integer
from bittern.algorithms import (
    Algorithm,
    Auto,
    Changes,
    DataSize,
    Distributable,
    Record,
    algorithm_effort,
    check_state_memory,
    make_algorithm,
)
from bittern.algorithms import Trained as Training
from bittern.algorithms.driver import MIN_ROUND, ROUND_PER_WORD
from bittern.algorithms.effort import MAX_UPDATES, MIN_SWEEPS
from bittern.cluster import work
from bittern.cluster.checkpoints import Checkpoint
from bittern.cluster.engines import ClusterLostError, Engine, open_engine
from bittern.cluster.partitions import Columns, find_partitions
from bittern.cluster.scheduler import Scheduler
from bittern.cluster.words import PartSize, add_sizes, add_word_counts
from bittern.corpus.corpus import choose_words
from bittern.corpus.formats import FileOptions
from bittern.errors import InputError
from bittern.estimator import BTM
from bittern.fitted import Duplicates, FitSettings, FittedTopics
from bittern.text import TextOptions
from bittern.text.detection import adapt_options
from bittern.text.options import AUTO
from bittern.training import check_training

Item = TypeVar("Item")
WARM_UP_PER_PART, MAX_WARM_UP = 0.02, 0.15  # of the first pass: more parts need clearer topics
MAX_WARM_UP_BITERMS = 1 << 24
FIRST_ROUND, LONGEST_ROUND = 0.3, 0.7  # of a pass, at most
GROWTH = 2.0  # of each round over the one before: topics settle


def fit(
    source: Any,
    n_topics: int = 20,
    *,
    engine: str | Engine = "local",
    algorithm: str | Algorithm[Any] = "sdm",
    topic_prior: float | None = None,
    word_prior: float | Literal["auto"] = "auto",
    window: int | None = 15,
    n_init: Auto = "auto",
    random_state: int | None = None,
    duplicates: Duplicates = "keep",
    text: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    n_parts: int | None = None,
    memory: str | int | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    verbose: int = 0,
    **options: Any,
) -> BTM:
    """Find topics in texts that are spread over a cluster.

    Each worker reads its part of the texts once and keeps it. A corpus that is small enough to be
    trained text by text on one machine is trained by one worker, as by `BTM.fit`.

    Parameters
    ----------
    source : object
        Files, directories and patterns that all workers can read; a Ray Dataset; a Dask bag,
        DataFrame, Series or array; a DataFrame; or texts.
    n_topics : int
        Number of topics (K).
    engine : str or Engine
        A cluster as for `open_engine`, such as "local:4", "ray" or "dask tcp://head:8786".
    algorithm : str or Algorithm
        "sdm" or "alpha-sdm", or their settings; the others cannot be trained in parts.
    topic_prior : float or None
        As for `BTM`.
    word_prior : float or "auto"
        As for `BTM`.
    window : int or None
        As for `BTM`.
    n_init : int or "auto"
        As for `BTM`, where one worker trains alone; otherwise there is one start.
    random_state : int or None
        Seed. The same seed and number of parts give the same topics on every engine.
    duplicates : {"keep", "once"}
        Only "keep": no worker sees all texts, so copies of them cannot be found.
    text : str or None
        Column with the texts.
    format : str or None
        Format of the files, if it cannot be inferred from their names.
    separator, encoding, sheet : str or None
        As for `bittern.read`.
    n_parts : int or None
        Number of parts that are trained at the same time; None is one for each worker.
    memory : str, int or None
        Memory for texts and biterms of each worker, such as "2GB"; what does not fit is kept in
        temporary files or generated again.
    checkpoint : str, Path or None
        Directory for the state after each round; None keeps nothing.
    resume : bool
        Continue from the checkpoint.
    verbose : int
        1 shows progress bars.
    **options
        Options of `bittern.text.TextOptions`, such as `stop_words` and `min_df`; `min_df`,
        `max_df` and `max_features` apply to the texts of all workers together.

    Returns
    -------
    BTM
        A fitted model, as from `BTM.fit`.

    Raises
    ------
    InputError
        If something is wrong with the texts or parameters.
    ClusterLostError
        If the cluster no longer answers; the checkpoint has all finished rounds.

    Examples
    --------
    >>> from bittern.cluster import fit
    >>> texts = ["late train again", "train was late", "dirty seats", "seats are dirty"] * 20
    >>> model = fit(texts, 2, engine="local:2", random_state=0)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [['dirty', 'seats'], ['late', 'train']]
    """
    if isinstance(algorithm, str):
        algorithm = make_algorithm(algorithm)
    if not isinstance(algorithm, Distributable):
        raise InputError(
            f'algorithm "{algorithm.name}" cannot be trained in parts; use sdm or alpha-sdm'
        )
    if random_state is not None:
        check_integer("random_state", random_state, 0, maximum=MAX_SEED)
    settings = FitSettings(
        n_topics, topic_prior, word_prior, window, n_init, random_state, duplicates
    )
    check_training(settings, algorithm)
    text_options = TextOptions.from_arguments(options)
    text_options.check_separable()
    if duplicates == "once":
        raise InputError(
            'duplicates="once" needs all texts in one place; remove duplicates from the files '
            "first, or train without a cluster"
        )
    if n_parts is not None:
        check_integer("n_parts", n_parts, 1)
    saved = Checkpoint(checkpoint, resume)
    seed = saved.seed if random_state is None else random_state
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    with opened_engine(engine) as opened:
        n_parts = n_parts or saved.n_parts or len(opened.workers())
        files = FileOptions(format, separator, encoding, sheet)
        partitions = find_partitions(source, Columns(text), files, n_parts, verbose)
        parts = divide(partitions, n_parts)
        scheduler = Scheduler(opened, len(parts))
        try:
            if text_options.language == AUTO:
                samples = scheduler.map("sample", work.sample_part, [(part,) for part in parts])
                text_options = adapt_options(text_options, pl.concat(samples), verbose)
            job = work.Job(
                uuid4().hex,
                parts,
                text_options,
                window,
                None if memory is None else parse_size(memory),
            )
            return _Fit(scheduler, job, settings, algorithm, seed, saved, verbose).run()
        except ClusterLostError as error:
            hint = "" if checkpoint is None else f"; resume from {checkpoint}"
            raise ClusterLostError(f"{error}{hint}") from None


class _Fit:
    """One fit, from texts to topics."""

    def __init__(
        self,
        scheduler: Scheduler,
        job: work.Job,
        settings: FitSettings,
        algorithm: Any,
        seed: int,
        checkpoint: Checkpoint,
        verbose: int,
    ) -> None:
        self._scheduler, self._settings, self._algorithm = scheduler, settings, algorithm
        self._seed, self._checkpoint, self._verbose = seed, checkpoint, verbose
        self._options, self._session, self._n_parts = job.options, job.session, len(job.parts)
        self._put = scheduler.engine.put
        self._job = self._put(job)

    def run(self) -> BTM:
        """Return the fitted model."""
        with ProgressBar("reading", 2 * self._n_parts, "parts", self._verbose) as bar:
            vocabulary = self._choose_vocabulary()
            bar.advance(self._n_parts)
            shared = self._put(pl.Series(vocabulary))
            sizes = self._map("encode", work.encode_part, self._job, shared)
            bar.advance(self._n_parts)
        size = sizes[0]
        for other in sizes[1:]:
            size = add_sizes(size, other)
        if size.n_biterms == 0:
            raise InputError("no two known words occur together in any text; check the texts")
        check_state_memory(self._settings.n_topics, len(vocabulary))
        if self._n_parts == 1 or self._is_small(size):
            fitted = self._train_alone(shared)
        else:
            fitted = self._train_in_rounds(vocabulary, sizes, size)
        self._scheduler.each_worker("forget", work.forget, self._session)
        return BTM.from_fitted(fitted)

    def _map(self, name: str, function: Any, *args: Any) -> list[Any]:
        """Return function(*args, part) for each part."""
        return self._scheduler.map(name, function, [(*args, part) for part in range(self._n_parts)])

    def _choose_vocabulary(self) -> list[str]:
        arguments = [(self._job, part) for part in range(self._n_parts)]
        counts = self._scheduler.map_reduce(
            "count words", work.count_part, arguments, add_word_counts
        )
        return choose_words(counts.table, self._options, counts.n_documents)

    def _is_small(self, size: PartSize) -> bool:
        """Whether one machine would sweep over the texts, which needs them all."""
        sweeps = getattr(self._algorithm, "sweeps", 0)
        return sweeps != 0 and size.n_biterms * (MIN_SWEEPS + 1) <= MAX_UPDATES

    def _train_alone(self, shared: Any) -> FittedTopics:
        settings = self._settings._replace(random_state=self._seed)
        fitted = self._scheduler.gather(
            "train",
            work.send_corpus,
            [(self._job, shared, part) for part in range(self._n_parts)],
            work.fit_alone,
            *(self._job, shared, settings, self._algorithm),
        )
        assert isinstance(fitted, FittedTopics)
        return fitted

    def _train_in_rounds(
        self, vocabulary: list[str], sizes: list[PartSize], size: PartSize
    ) -> FittedTopics:
        n_words = int(np.count_nonzero(size.counts))
        data_size = DataSize(float(size.n_biterms), float(size.n_tokens), n_words)
        prior = self._settings.prior(data_size)
        self._checkpoint.begin(
            {
                "n_parts": self._n_parts,
                "seed": self._seed,
                "settings": self._settings._asdict(),
                "algorithm": [self._algorithm.name, self._algorithm.settings()],
                "vocabulary": _digest(vocabulary),
                "biterms": [part.n_biterms for part in sizes],
            }
        )
        words, n_topics = pl.Series(vocabulary), self._settings.n_topics
        task = work.Task(words, size, self._algorithm, n_topics, prior, self._seed)
        counted = work.CountedBiterms(vocabulary, size)
        effort = algorithm_effort(self._algorithm, counted, n_topics)
        ends = plan_rounds(size.n_biterms, len(vocabulary), self._n_parts, effort.epochs)
        shared_task = self._put(task)
        n_matrices = len(self._algorithm.matrices())
        done, records = self._checkpoint.load(len(vocabulary), n_topics, n_matrices)
        history = [self._put(changes) for changes in done]
        n_biterms = [part.n_biterms for part in sizes]
        total = effort.epochs * size.n_biterms
        with (
            ThreadPoolExecutor(1) as background,
            ProgressBar("training", total, "biterms", self._verbose) as bar,
        ):
            state = background.submit(work.replay, task, done)
            bar.advance(records[-1].biterms if records else 0)
            for number in range(len(done), len(ends)):
                if number == 0:
                    trained = self._warm_up(shared_task, n_biterms, ends[0])
                else:
                    spans = [
                        (round(ends[number - 1] * n), round(ends[number] * n)) for n in n_biterms
                    ]
                    trained = self._scheduler.map_reduce(
                        f"round {number}",
                        work.train_part,
                        [
                            (self._job, shared_task, history, part, *span)
                            for part, span in enumerate(spans)
                        ],
                        work.combine_trained,
                    )
                history.append(self._put(trained.changes))
                state = background.submit(_continue, task, state, trained.changes)
                seen = (records[-1].biterms if records else 0) + trained.n_biterms
                mean = trained.log_likelihood / max(trained.n_biterms, 1)
                records.append(Record(int(np.ceil(ends[number])) - 1, seen, mean))
                self._checkpoint.save(number, trained.changes, records[-1])
                note = f"round {number + 1} of {len(ends)}, log-likelihood {mean:.3f}"
                bar.advance(trained.n_biterms, note)
        return FittedTopics.from_training(
            self._algorithm,
            prior,
            Training(state.result(), tuple(records)),
            np.random.default_rng(self._seed),
            size=data_size,
            settings=self._settings,
            vocabulary=vocabulary,
            text_options=self._options,
            given_names=self._algorithm.topic_names,
        )

    def _warm_up(self, task: Any, n_biterms: list[int], end: float) -> work.Trained:
        """One worker trains a new state on the first biterms of all parts."""
        trained = self._scheduler.gather(
            "warm up",
            work.first_biterms,
            [(self._job, task, part, round(end * n)) for part, n in enumerate(n_biterms)],
            work.warm_up,
            *(self._job, task),
        )
        assert isinstance(trained, work.Trained)
        return trained


def plan_rounds(n_biterms: int, n_words: int, n_parts: int, epochs: int) -> list[float]:
    """Return the end of the warm-up and of each round, as fractions of a pass over the biterms.

    Parameters
    ----------
    n_biterms : int
        Number of biterms.
    n_words : int
        Number of words, on which the cost of a merge depends.
    n_parts : int
        Number of parts.
    epochs : int
        Number of passes.

    Returns
    -------
    list of float
        Ascending; the last one is `epochs`.
    """
    warm_up = min(WARM_UP_PER_PART * n_parts, MAX_WARM_UP)
    ends = [min(max(warm_up, MIN_ROUND / n_biterms), MAX_WARM_UP_BITERMS / n_biterms, 1.0)]
    share = max(MIN_ROUND, ROUND_PER_WORD * n_words)
    length = min(share * n_parts / n_biterms, FIRST_ROUND)
    while ends[-1] < epochs:
        rest = epochs - ends[-1]
        ends.append(ends[-1] + (rest if rest < GROWTH * length else length))
        length = min(GROWTH * length, LONGEST_ROUND)
    ends[-1] = float(epochs)
    return ends


def divide(partitions: list[Item], n_parts: int) -> list[list[Item]]:
    """Deal the partitions out to the parts in turn, so that all parts are of all times."""
    n_parts = min(n_parts, len(partitions))
    return [partitions[i::n_parts] for i in range(n_parts)]


def _continue(task: work.Task, before: Future[Any], changes: Changes) -> Any:
    """Return the state after one more round."""
    return work.apply_changes(task, before.result(), changes)


def _digest(words: list[str]) -> str:
    return hashlib.blake2b("\n".join(words).encode(), digest_size=8).hexdigest()


@contextmanager
def opened_engine(engine: str | Engine) -> Iterator[Engine]:
    """Open an engine by name and close it afterward; leave one that is given open."""
    if not isinstance(engine, str):
        yield engine
        return
    opened = open_engine(engine)
    try:
        yield opened
    finally:
        opened.close()
