"""Training: from a corpus or biterms to fitted topics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bittern._core.memory import parse_size
from bittern._core.progress import ProgressBar
from bittern._core.threads import resolve_n_jobs
from bittern._core.validation import MAX_REPEATS, check_integer, check_number, shorten
from bittern.algorithms import (
    ALGORITHMS,
    Algorithm,
    DataSize,
    Growable,
    Progress,
    Resources,
    Trained,
    Trainer,
    algorithm_effort,
    check_state_memory,
    count_updates,
    make_algorithm,
    plan_resources,
    resolve_starts,
)
from bittern.biterms import (
    Biterms,
    BitermSource,
    LazyBiterms,
    check_biterms,
    check_window,
    extract_biterms,
    time_slices,
)
from bittern.corpus import Corpus
from bittern.errors import InputError
from bittern.fitted import Duplicates, FitSettings, FittedTopics, RandomState, check_duplicates
from bittern.text import TextOptions

Slices = Iterable[tuple[str, BitermSource]]
"""Time slices: a name and the biterms of each."""


class Training(NamedTuple):
    """The checked parameters of training; `check_training` creates it."""

    algorithm: Algorithm[Any]
    settings: FitSettings
    rng: np.random.Generator
    n_threads: int
    memory: str | int | None
    verbose: int


def check_training(
    settings: FitSettings,
    algorithm: str | Algorithm[Any] = "sdm",
    n_jobs: int | None = -1,
    memory: str | int | None = None,
    verbose: int = 0,
) -> Training:
    """Check the parameters of training before any work is done.

    Parameters
    ----------
    settings : FitSettings
        The number of topics, the priors, the window, the number of starts, the seed, and how
        often texts with the same words count.
    algorithm : str or Algorithm
        Inference algorithm: a name or settings.
    n_jobs : int or None
        Number of threads; -1 uses all cores.
    memory : str, int or None
        Approximate memory limit, such as "1GB".
    verbose : int
        1 shows progress bars.

    Returns
    -------
    Training

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    check_integer("n_topics", settings.n_topics, 1)
    if not _is_auto(settings.n_init):
        check_integer("n_init", settings.n_init, 1, 'or "auto"', MAX_REPEATS)
    check_window(settings.window)
    if memory is not None:
        parse_size(memory)
    if settings.topic_prior is not None:
        check_number("topic_prior", settings.topic_prior, 1e-9, 1e6)
    if not _is_auto(settings.word_prior):
        check_number("word_prior", settings.word_prior, 1e-9, 1e3)
    check_duplicates(settings.duplicates)
    if isinstance(algorithm, str):
        algorithm = make_algorithm(algorithm)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm must be a name or settings, not {shorten(algorithm)}")
    n_threads = resolve_n_jobs(n_jobs)
    if not isinstance(verbose, int | np.integer):
        raise InputError(f"verbose must be an integer, not {shorten(verbose)}")
    rng = _generator(settings.random_state)
    return Training(algorithm, settings, rng, n_threads, memory, int(verbose))


def fit_topics(data: Corpus | Biterms, training: Training) -> FittedTopics:
    """Find topics in a corpus or in biterms.

    Parameters
    ----------
    data : Corpus or Biterms
        Data to train on; a corpus with times may be trained in time slices.
    training : Training
        The parameters.

    Returns
    -------
    FittedTopics

    Examples
    --------
    >>> from bittern import Corpus
    >>> from bittern.fitted import FitSettings
    >>> from bittern.training import check_training, fit_topics
    >>> corpus = Corpus.from_texts(["red apple pie", "late fast train"] * 20)
    >>> fit_topics(corpus, check_training(FitSettings(n_topics=2, random_state=0))).n_topics
    2
    """
    data = _drop_duplicates(data, training.settings.duplicates)
    resources = _resources(data, training)
    parts = time_slices(data, training.algorithm.slices)
    if len(parts) == 1:
        return _fit_at_once(data, training, resources, parts[0][0])
    slices, sizes = _slices(data, training, resources, parts)
    return _fit_slices(data, training, resources, slices, sizes)


def update_topics(
    before: FittedTopics | None, data: Corpus | Biterms, training: Training
) -> FittedTopics:
    """Continue training on more data, whose new words are added to the vocabulary.

    Parameters
    ----------
    before : FittedTopics or None
        The topics so far, which do not change; None if this is the first data.
    data : Corpus or Biterms
        More data: the next time slice, if the algorithm trains in slices.
    training : Training
        The parameters.

    Returns
    -------
    FittedTopics

    Raises
    ------
    InputError
        If the algorithm cannot continue from these topics.
    """
    check_growable(training.algorithm)
    data = _drop_duplicates(data, training.settings.duplicates)
    if before is None:
        return _fit_at_once(data, training, _resources(data, training), "0")
    rng = _check_continues(before, training)
    vocabulary = list(dict.fromkeys([*before.vocabulary, *data.vocabulary]))
    data = data.with_vocabulary(vocabulary)
    resources = _resources(data, training)
    source = _source(data, training, resources)
    check_biterms(data, source)
    check_state_memory(before.n_topics, len(vocabulary))
    n_new = np.count_nonzero(source.counts()[len(before.vocabulary) :])
    size = DataSize.joint([before.size, DataSize.of(source)], before.size.n_words + int(n_new))
    training = training._replace(rng=deepcopy(rng))  # `rng` stays as it was
    total = training.algorithm.update_epochs * source.total
    with _trainer(training, size, resources, total) as trainer:
        trained = Trained(before.state, before.history, before.slices)
        trained = trainer.update(trained, source, str(len(trained.slices)))
    fitted = _outcome(training, trained, size, vocabulary, before.text_options, before.given_names)
    return replace(fitted, set_aside=before.set_aside)


def check_growable(algorithm: Algorithm[Any]) -> None:
    """Reject an algorithm that needs all data at once."""
    if not isinstance(algorithm, Growable):
        online = [name for name, kind in ALGORITHMS.items() if issubclass(kind, Growable)]
        raise InputError(
            f'algorithm "{algorithm.name}" needs all data at once; use fit, or an '
            f"algorithm that can continue: {', '.join(online)}"
        )


def _check_continues(before: FittedTopics, training: Training) -> np.random.Generator:
    """Reject parameters that do not fit the state of the last fit; return its generator."""
    algorithm, n_topics = training.algorithm, training.settings.n_topics
    if before.n_topics != n_topics:
        raise InputError(
            f"the model has {before.n_topics} topics, not {n_topics}; call fit() again"
        )
    if before.rng is None or not isinstance(before.state, algorithm.state_type):
        raise InputError(
            f'the model cannot continue with algorithm "{algorithm.name}"; call fit() again'
        )
    return before.rng


def _fit_slices(
    data: Corpus | Biterms,
    training: Training,
    resources: Resources,
    slices: Slices,
    sizes: Sequence[DataSize],
) -> FittedTopics:
    """Train on one slice after the other, from a new state."""
    check_state_memory(training.settings.n_topics, len(data.vocabulary))
    size = sizes[0]
    if len(sizes) > 1:
        size = DataSize.joint(sizes, _count_words(data))
    total = _count_updates(training, slices, sizes)
    with _trainer(training, size, resources, total) as trainer:
        trained = trainer.fit(slices, training.settings.n_init)
    options = data.options if isinstance(data, Corpus) else None
    names = training.algorithm.topic_names
    return _outcome(training, trained, size, data.vocabulary, options, names)


def _drop_duplicates(data: Corpus | Biterms, duplicates: Duplicates) -> Corpus | Biterms:
    """Return the data to train on: texts with the same words once, if that is wanted."""
    if duplicates == "keep":
        return data
    if isinstance(data, Biterms):
        raise InputError(
            'duplicates="once" needs texts, and biterms do not tell which text they are from; '
            "leave it out"
        )
    return data.drop_duplicates()


def _resources(data: Corpus | Biterms, training: Training) -> Resources:
    """Return the threads to use, and the memory that biterms may take."""
    if isinstance(data, Biterms):
        return Resources(training.n_threads, None)
    return plan_resources(data, training.settings.n_topics, training.memory, training.n_threads)


def _fit_at_once(
    data: Corpus | Biterms, training: Training, resources: Resources, name: str
) -> FittedTopics:
    """Train on all data as one slice, from a new state."""
    source = _source(data, training, resources)
    check_biterms(data, source)
    return _fit_slices(data, training, resources, [(name, source)], [DataSize.of(source)])


def _slices(
    data: Corpus | Biterms,
    training: Training,
    resources: Resources,
    parts: Sequence[tuple[str, Any]],
) -> tuple[Slices, list[DataSize]]:
    """Return the biterms of each time slice that has any, and their sizes."""
    sizes, word_counts = [], np.zeros(len(data.vocabulary))
    for _, part in parts:  # one at a time: memory does not grow with the number of slices
        source = _source(part, training, resources)
        sizes.append(DataSize.of(source))
        word_counts += source.counts()
    if word_counts.max(initial=0) < 1:  # of one word in all slices
        check_biterms(data, _source(data, training, resources))
    slices = (
        (name, _source(part, training, resources))
        for (name, part), size in zip(parts, sizes, strict=True)
        if size.n_biterms > 0
    )
    return slices, [size for size in sizes if size.n_biterms > 0]


def _source(data: Corpus | Biterms, training: Training, resources: Resources) -> BitermSource:
    """Return the biterms of data."""
    if isinstance(data, Biterms):
        data.check()
        return data
    window = training.settings.window
    if data.counts is not None:
        return extract_biterms(data, window)
    return LazyBiterms(data, window, resources.biterm_bytes, resources.n_threads)


def _count_words(data: Corpus | Biterms) -> int:
    """Return the number of words of the vocabulary that occur in the data."""
    if isinstance(data, Biterms):
        return int(np.count_nonzero(data.counts()))
    return len(np.unique(data.tokens))


def _count_updates(training: Training, slices: Slices, sizes: Sequence[DataSize]) -> float:
    """Return the number of biterms that training visits, for the progress bar."""
    algorithm, settings = training.algorithm, training.settings
    first, *later = (size.n_biterms for size in sizes)
    if not isinstance(slices, list):  # they are made one at a time, and none is there yet
        return float(algorithm.epochs) * first + algorithm.update_epochs * sum(later)
    effort = algorithm_effort(algorithm, slices[0][1], settings.n_topics)
    n_starts = resolve_starts(settings.n_init, effort, slices[0][1], settings.n_topics)
    return count_updates(effort, first, n_starts)


@contextmanager
def _trainer(
    training: Training, size: DataSize, resources: Resources, total: float
) -> Iterator[Trainer[Any]]:
    """Return a trainer that shows its progress."""
    with ProgressBar("training", total, "biterms", training.verbose) as bar:

        def advance(progress: Progress[Any]) -> None:
            note = f"log-likelihood {progress.record.log_likelihood:.3f}"
            bar.advance(progress.n_biterms, note)

        settings, rng = training.settings, training.rng
        prior, n_threads = settings.prior(size), resources.n_threads
        yield Trainer(training.algorithm, settings.n_topics, prior, rng, n_threads, advance)


def _outcome(
    training: Training,
    trained: Trained[Any],
    size: DataSize,
    vocabulary: list[str],
    options: TextOptions | None,
    names: Mapping[int, str],
) -> FittedTopics:
    """Return the outcome of training."""
    return FittedTopics.from_training(
        training.algorithm,
        training.settings.prior(size),
        trained,
        training.rng,
        size=size,
        settings=training.settings,
        vocabulary=vocabulary,
        text_options=options,
        given_names=names,
    )


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"


def _generator(random_state: RandomState) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            "random_state must be a non-negative integer or a generator, "
            f"not {shorten(random_state)}"
        ) from None
