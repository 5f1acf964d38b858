from typing import TYPE_CHECKING

from bittern.cli.options import Quiet
from bittern.cli.output import print_message
from bittern.cli.panels import Panel

if TYPE_CHECKING:
    from bittern.corpus import Corpus

PANEL = Panel.SETUP
EXAMPLE = "bittern compile"

N_TEXTS, N_WORDS, N_TOPICS = 3_000, 300, 3  # enough for every kind of training


def compile(quiet: Quiet = False) -> None:
    """Compile the inner loops of all commands now, instead of when each first runs.

    Run it when you build a container image: programs then start at full speed, even if they cannot
    write any files. The compiled code is saved beside the installed package or, if that is not
    possible, in the user's cache directory. To choose another directory, set NUMBA_CACHE_DIR.
    """
    import warnings

    from numba.core import event

    from bittern._core.kernel_cache import save_directory

    place = save_directory()
    warnings.simplefilter("ignore")  # about texts that are nobody's
    corpus = _texts_of_all_kinds()
    if not quiet:
        print_message("Compiling, which takes up to two minutes ...")
    with event.install_recorder("numba:compile") as recorder:
        _find_words()
        _train(corpus)
        _apply(corpus)
        _choose(corpus)
    n_compiled = sum(found.is_end for _, found in recorder.buffer)
    if not quiet:
        print_message(
            f"Compiled {n_compiled:,} inner loops, and saved them in {place}."
            if n_compiled
            else "All inner loops had been compiled before."
        )


def _texts_of_all_kinds() -> "Corpus":
    """Return texts with addresses, accents, times and labels."""
    from datetime import date, timedelta

    from bittern import Corpus
    from bittern.corpus import synthetic_texts

    texts = list(synthetic_texts(N_TEXTS, N_TOPICS, N_WORDS))
    texts[:2] = ["@name: see https://example.org", "Straße café"]
    days = [date(2024, 1, 1) + timedelta(days=i % 100) for i in range(N_TEXTS)]
    labels = [i % 3 for i in range(N_TEXTS)]
    return Corpus.from_texts(texts, times=days, labels=labels, keep_texts=True, ngrams=2, min_df=2)


def _find_words() -> None:
    """Split texts into words with options that have inner loops of their own."""
    from bittern import Corpus

    texts = [f"{word} new york 😀" for word in ("red", "green", "blue")] * 10
    found = Corpus.from_texts(texts, phrases=True)
    Corpus.from_texts(texts, phrases=["new york"], emoji=True)
    found.drop_duplicates()


def _train(corpus: "Corpus") -> None:
    """Train with every algorithm, on texts and on counts, with and without threads."""
    from itertools import product

    from bittern import BTM, Corpus
    from bittern.algorithms import ALGORITHMS, SDM, Growable, make_algorithm

    small = corpus[:200]
    counts = Corpus.from_counts([[1, 2, 0], [0, 1, 1], [2, 0, 1]]).drop_duplicates()
    for name in ALGORITHMS:
        for n_jobs in (1, 2):
            model = BTM(N_TOPICS, name, n_jobs=n_jobs).fit(corpus)
        BTM(N_TOPICS, name).fit(counts)
        if isinstance(make_algorithm(name), Growable):
            model.partial_fit(small)
    options = product((0, 2), (0.0, 0.1), (None, {"a": corpus.vocabulary[:1]}), (None, "1MB"))
    for sweeps, background, seed_words, memory in options:
        algorithm = SDM(sweeps=sweeps, background=background, seed_words=seed_words)
        BTM(N_TOPICS, algorithm, memory=memory, n_jobs=2).fit(corpus)


def _apply(corpus: "Corpus") -> None:
    """Call every method that works on texts or on a model."""
    from bittern import BTM, Corpus
    from bittern.analysis.coherence import COHERENCE
    from bittern.analysis.documents import INFERENCE_METHODS

    model = BTM(N_TOPICS).fit(corpus)
    counts = Corpus.from_counts([[1] * len(corpus.vocabulary)], corpus.vocabulary)
    for documents in (corpus, counts):
        for by in INFERENCE_METHODS:
            model.document_info(documents, by)
        model.score(documents)
        model.quality(documents, labels=range(len(documents)))
        model.representative(documents)
        model.documents_with(documents, *corpus.vocabulary[:2])
        for measure in COHERENCE:
            model.coherence(documents, measure)
    model.timeline(corpus)
    model.word_shifts(corpus)
    model.explain(corpus[2:3])
    model.topic_info()


def _choose(corpus: "Corpus") -> None:
    """Compare numbers of topics."""
    from bittern.selection import choose

    choose(corpus[:300], [2, 3], n_repeats=2)
