"""How many threads train, and how much memory biterms may take."""

from typing import NamedTuple

from bittern._core.memory import check_memory, parse_size, resident_memory
from bittern.corpus import Corpus

PROGRAM_BYTES = 350_000_000  # of Python and its libraries
MIN_BITERM_BYTES = 1 << 26  # for biterms, however small the limit


class Resources(NamedTuple):
    """Threads that train, and bytes for biterms; None means no limit."""

    n_threads: int
    biterm_bytes: int | None


def plan_resources(
    corpus: Corpus, n_topics: int, memory: str | int | None, n_threads: int
) -> Resources:
    """Split a memory limit between the corpus, the states of the threads, and biterms."""
    if memory is None:
        return Resources(n_threads, None)
    state_bytes = 4 * n_topics * len(corpus.vocabulary)
    left = parse_size(memory) - PROGRAM_BYTES - corpus.nbytes - state_bytes
    if left - n_threads * state_bytes < MIN_BITERM_BYTES:  # each thread has its own state
        n_threads = 1
    room = left - (n_threads * state_bytes if n_threads > 1 else 0)
    return Resources(n_threads, max(room, MIN_BITERM_BYTES))


def check_state_memory(n_topics: int, n_words: int) -> None:
    """Reject numbers of topics and words whose state does not fit into memory."""
    check_memory(
        4 * n_topics * n_words,
        f"{n_topics:,} topics of {n_words:,} words",
        "fewer topics, or fewer words with min_df or max_features",
        used=resident_memory(),
    )
