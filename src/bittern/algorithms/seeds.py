"""Seed words: words that belong to a topic from the start."""

from collections import Counter
from collections.abc import Mapping, Sequence
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bittern.errors import InputError

SeedWords = Mapping[str, Sequence[str]]


def parse_seeds(given: SeedWords | str | None) -> SeedWords | None:
    """Check seed words, and parse "sports=game,team;politics=vote"."""
    if given is None:
        return None
    if isinstance(given, str):
        parts = [part.partition("=") for part in given.split(";") if part.strip()]
        given = {name.strip(): words.replace(" ", "").split(",") for name, _, words in parts}
    if not isinstance(given, Mapping):
        raise InputError('seed_words must be a dict such as {"sports": ["game", "team"]}')
    seeds: dict[str, list[str]] = {}
    for name, words in given.items():
        if isinstance(words, str) or not words or not all(words):
            raise InputError(f'the seed words of topic "{name}" must be a non-empty list of words')
        seeds[str(name)] = [str(word) for word in words]
    for word, n in Counter(word for words in seeds.values() for word in words).items():
        if n > 1:
            raise InputError(f'seed word "{word}" is listed {n} times; use it for one topic only')
    return seeds


def seed_topics(seed_words: SeedWords | None, vocabulary: list[str]) -> NDArray[np.int32]:
    """Return 1 + the topic that each word is a seed of, 0 for none; empty without seed words."""
    if not seed_words:
        return np.empty(0, np.int32)
    topics = {word: topic for topic, words in enumerate(seed_words.values()) for word in words}
    return np.array([topics.get(word, -1) + 1 for word in vocabulary], np.int32)


def warn_unknown_seeds(seed_words: SeedWords | None, vocabulary: list[str]) -> None:
    """Warn about seed words that do not occur in the texts."""
    seeds = {word for words in (seed_words or {}).values() for word in words}
    unknown = sorted(seeds - set(vocabulary))
    if unknown:
        warn(f"seed words that do not occur in the texts: {', '.join(unknown)}", stacklevel=2)
