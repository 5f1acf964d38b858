"""Saved models are checked here, before any other code sees their numbers.

A model may come from anyone. Sizes are checked against the files before anything is allocated, and
values before kernels, which trust them, use them as counts and indices.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bittern._core.memory import check_memory
from bittern._core.tensors import Tensor, TensorFile
from bittern._core.validation import (
    MAX_INTEGER,
    MAX_REPEATS,
    MAX_SEED,
    are_indices,
    check_integer,
    check_number,
    is_integer,
)
from bittern.algorithms import Algorithm, DataSize, Field, Prior, Record, Slice
from bittern.errors import InputError
from bittern.fitted.fitted import HISTORY_SCHEMA, FitSettings, check_duplicates, check_name
from bittern.text import TextOptions

TOPIC_PRIOR, WORD_PRIOR = (1e-9, 1e6), (1e-12, 1e12)  # smallest and largest, adaptive ones too
SUM_TOLERANCE = 1e-3  # of probabilities
SLICE_PARTS = ("data", "indices", "indptr")


class Bits(NamedTuple):
    """The state of a random number generator: the numbers below 2 ** bits that it has."""

    numbers: Mapping[str, int] = {}
    vectors: Mapping[str, tuple[int, int]] = {}
    """Their length and bits."""


SMALL_NUMBERS = {"has_uint32": 1, "uinteger": 32}
GENERATORS = {
    "PCG64": (Bits({"state": 128, "inc": 128}), Bits(SMALL_NUMBERS)),
    "PCG64DXSM": (Bits({"state": 128, "inc": 128}), Bits(SMALL_NUMBERS)),
    "MT19937": (Bits({"pos": 10}, {"key": (624, 32)}), Bits()),
    "Philox": (
        Bits(vectors={"counter": (4, 64), "key": (2, 64)}),
        Bits({"buffer_pos": 3} | SMALL_NUMBERS, {"buffer": (4, 64)}),
    ),
    "SFC64": (Bits(vectors={"state": (4, 64)}), Bits(SMALL_NUMBERS)),
}
MAX_POSITIONS = {"MT19937": 624, "Philox": 4}


class SavedModel(NamedTuple):
    """A saved model whose sizes agree with each other and with the files."""

    config: Mapping[str, Any]
    tensors: TensorFile
    words: list[str]
    n_topics: int

    def read(self, name: str, field: Field, sizes: dict[str, int] | None = None) -> NDArray[Any]:
        """Read an array if it has this dtype and shape; then check its values."""
        sizes = {} if sizes is None else sizes
        sizes |= {"W": len(self.words), "K": self.n_topics}
        tensor = _find(self.tensors, name)
        is_empty = field.may_be_empty and tensor.shape == (0,)
        if len(tensor.shape) != len(field.axes) or tensor.dtype != np.dtype(field.dtype):
            raise InputError(f"wrong shape or dtype ({name})")
        for axis, n in zip(field.axes, tensor.shape, strict=True):
            if sizes.setdefault(axis, n) != n and not is_empty:
                raise InputError(f"wrong shape or dtype ({name})")
        values = self.tensors.read(name)
        check_values(values, field, sizes, name)
        return values


def check_values(values: NDArray[Any], field: Field, sizes: Mapping[str, int], name: str) -> None:
    """Reject values out of range, and NaN."""
    if field.into:
        if not are_indices(values.reshape(-1), sizes[field.into]):
            raise InputError(f"an index is out of range ({name})")
        return
    high = sizes[field.high] if isinstance(field.high, str) else field.high
    if values.size and not (field.low <= values.min() and values.max() <= high):
        raise InputError(f"a number is out of range ({name})")


def open_model(
    config: Mapping[str, Any], tensors: TensorFile, algorithm: Algorithm[Any]
) -> tuple[FitSettings, int]:
    """Return the parameters of the fit and the number of words, if the arrays agree with them."""
    settings = read_settings(config)
    check_memory(tensors.nbytes, "its arrays", "a machine with more memory")
    matrices = algorithm.matrices()
    if config["rng"] is not None and not matrices:
        raise InputError(f'algorithm "{algorithm.name}" has no state to continue from')
    name = "phi" if config["rng"] is None else f"state.{matrices[0]}"
    tensor = _find(tensors, name)
    if len(tensor.shape) != 2 or tensor.shape[1] != settings.n_topics:
        raise InputError(f"wrong shape or dtype ({name})")
    return settings, tensor.shape[0]


def read_state(model: SavedModel, algorithm: Algorithm[Any]) -> Any:
    """Return the state of an algorithm."""
    sizes: dict[str, int] = {}
    values: dict[str, Any] = {}
    missing = getattr(algorithm.state_type, "_field_defaults", {})
    for name, field in algorithm.layout.items():
        if f"state.{name}" not in model.tensors.tensors and name in missing:
            values[name] = missing[name]  # newer than the model
            continue
        array = model.read(f"state.{name}", field, sizes)
        values[name] = array if field.axes else array.item()
    state = algorithm.state_type(**values)
    algorithm.check_state(state)
    return state


def read_distributions(model: SavedModel) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return theta (K,) and phi (W, K) of a model without a state."""
    theta = model.read("theta", Field("float64", "K", high=2))
    phi = model.read("phi", Field("float32", "WK", high=2))
    for sums in (theta.sum(), phi.sum(axis=0, dtype=np.float64)):
        if not np.allclose(sums, 1, rtol=0, atol=SUM_TOLERANCE):
            raise InputError("its probabilities do not sum to 1")
    return theta, phi


def read_slices(model: SavedModel, carry: float) -> tuple[Slice, ...]:
    """Return the time slices; `carry` is for models that did not save it."""
    names = _strings(model.config["slices"], "slices")
    weights = model.config.get("slice_carry", [carry] * len(names))
    if not isinstance(weights, list) or len(weights) != len(names):
        raise InputError("its slices are incomplete")
    slices: list[Slice] = []
    for number, (name, weight) in enumerate(zip(names, weights, strict=True)):
        check_number("slice_carry", weight, 0, 1)
        smallest = slices[-1].words.shape[0] if slices else 0
        slices.append(_read_slice(model, number, name, float(weight), smallest))
    return tuple(slices)


def _read_slice(model: SavedModel, number: int, name: str, carry: float, smallest: int) -> Slice:
    """Return a time slice, which has at least the words of the one before it."""
    prefix = f"slice.{number}"
    biterms = model.read(f"{prefix}.biterms", Field("float64", "K"))
    shape = Field("int64", "2", high=MAX_INTEGER)
    n_words, n_topics = model.read(f"{prefix}.shape", shape, {"2": 2})
    is_long = _find(model.tensors, f"{prefix}.indices").dtype == np.int64
    dtype = "int64" if is_long else "int32"
    if n_topics != model.n_topics or not smallest <= n_words <= len(model.words):
        raise InputError(f"wrong shape or dtype ({prefix}.shape)")
    sizes = {"N": int(n_words) + 1}
    layout = {
        "data": Field("float32", "E"),
        "indices": Field(dtype, "E", into="K"),
        "indptr": Field(dtype, "N", high="E"),
    }
    parts = [model.read(f"{prefix}.{part}", layout[part], sizes) for part in SLICE_PARTS]
    indptr = parts[-1]
    if indptr[0] != 0 or indptr[-1] != sizes["E"] or (np.diff(indptr) < 0).any():
        raise InputError(f"its rows are out of order ({prefix}.indptr)")
    words = csr_array(tuple(parts), shape=(int(n_words), int(n_topics)))
    return Slice(name, biterms, words, carry)


def read_settings(config: Mapping[str, Any]) -> FitSettings:
    """Return the parameters of the fit; version 0.1.0 kept all duplicates."""
    given = {"duplicates": "keep"} | dict(_mapping(config, "parameters"))
    for name in given:
        if name not in FitSettings._fields:
            raise InputError(f"unknown parameter ({name})")
    for name in FitSettings._fields:
        if name not in given:
            raise InputError(f"missing parameter ({name})")
    settings = FitSettings(**given)
    check_integer("n_topics", settings.n_topics, 1)
    if settings.topic_prior is not None:
        check_number("topic_prior", settings.topic_prior, *TOPIC_PRIOR)
    if settings.word_prior != "auto":
        check_number("word_prior", settings.word_prior, *WORD_PRIOR)
    if settings.window is not None:
        check_integer("window", settings.window, 2)
    if settings.n_init != "auto":
        check_integer("n_init", settings.n_init, 1, maximum=MAX_REPEATS)
    if settings.random_state is not None:
        check_integer("random_state", settings.random_state, 0, maximum=MAX_SEED)
    check_duplicates(settings.duplicates)
    return settings


def read_prior(config: Mapping[str, Any]) -> Prior:
    """Return the priors; before version 0.1.0, there were models whose word prior varied."""
    numbers = config["prior"]
    if not isinstance(numbers, list) or len(numbers) not in (2, 3):
        raise InputError("its priors are incomplete")
    topic, word, *others = numbers
    if others and others[0] != 0:
        raise InputError("its word prior is of a kind that is gone; call fit() again")
    check_number("topic prior", topic, *TOPIC_PRIOR)
    check_number("word prior", word, *WORD_PRIOR)
    return Prior(float(topic), float(word))


def read_size(config: Mapping[str, Any], history: Sequence[Record], n_words: int) -> DataSize:
    """Return the size of the training data; version 0.1.0 did not save it."""
    if "size" not in config:
        n_biterms = float(max((record.biterms for record in history), default=0))
        return DataSize(n_biterms, 2 * n_biterms, n_words)
    size = DataSize(*config["size"])
    for name, value in size._asdict().items():
        check_number(name, value, 0, MAX_INTEGER)
    check_integer("n_words", size.n_words, 0)
    return size


def read_history(config: Mapping[str, Any]) -> tuple[Record, ...]:
    """Return the learning curve; version 0.1.0 had no stages."""
    columns = _mapping(config, "history")
    names = [name for name in HISTORY_SCHEMA if name in columns]
    if len(names) != len(columns) or names[:3] != list(HISTORY_SCHEMA)[:3]:
        raise InputError("its history has other columns than expected")
    lists = [columns[name] for name in names]
    if not all(isinstance(values, list) and len(values) == len(lists[0]) for values in lists):
        raise InputError("its history is incomplete")
    for name, values in zip(names, lists, strict=True):
        if not all(_is_valid_record(name, value) for value in values):
            raise InputError(f"its history has a wrong value ({name})")
    return tuple(Record(*row) for row in zip(*lists, strict=True))


def _is_valid_record(name: str, value: object) -> bool:
    if name == "stage":
        return value in ("pass", "sweep")
    if name == "log_likelihood":
        return isinstance(value, float | int) and value <= MAX_INTEGER
    return is_integer(value) and 0 <= value <= MAX_INTEGER


def read_flag(config: Mapping[str, Any], name: str) -> bool:
    """Return a flag."""
    if not isinstance(config[name], bool):
        raise InputError(f"{name} must be true or false")
    return bool(config[name])


def read_names(config: Mapping[str, Any], n_topics: int) -> dict[int, str]:
    """Return the names that topics were given."""
    names = {}
    for topic, name in _mapping(config, "names", {}).items():
        if not re.fullmatch("[0-9]{1,9}", topic) or int(topic) >= n_topics:
            raise InputError(f"a name is of a topic that does not exist ({topic})")
        check_name(int(topic), name)
        names[int(topic)] = name
    return names


def read_set_aside(config: Mapping[str, Any], n_topics: int) -> frozenset[int]:
    """Return the topics that are set aside; version 0.1.0 had none."""
    topics = config.get("set_aside", [])
    if not isinstance(topics, list) or not all(map(is_integer, topics)):
        raise InputError("set_aside must be a list of topics")
    if not all(0 <= topic < n_topics for topic in topics) or len(set(topics)) not in range(
        n_topics
    ):
        raise InputError("topics that are set aside do not exist, or are all topics")
    return frozenset(topics)


def read_generator(config: Mapping[str, Any]) -> np.random.Generator:
    """Return the random number generator, in a state that it can have."""
    saved = _mapping(config, "rng")
    name = saved.get("bit_generator")
    if not isinstance(name, str) or name not in GENERATORS:
        raise InputError(f"unknown random number generator {name!r}")
    inner, outer = GENERATORS[name]
    state = {
        "bit_generator": name,
        "state": _read_bits(_mapping(saved, "state"), inner),
        **_read_bits(saved, outer),
    }
    _check_generator(name, state)
    bits = getattr(np.random, name)()
    bits.state = state
    return np.random.Generator(bits)


def _read_bits(saved: Mapping[str, Any], bits: Bits) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, size in bits.numbers.items():
        found[name] = _read_number(saved.get(name), name, size)
    for name, (length, size) in bits.vectors.items():
        numbers = saved.get(name)
        if not isinstance(numbers, list) or len(numbers) != length:
            raise InputError(f"the state of the random number generator is damaged ({name})")
        checked = [_read_number(number, name, size) for number in numbers]
        found[name] = np.array(checked, f"uint{size}")
    return found


def _read_number(number: object, name: str, bits: int) -> int:
    if not is_integer(number) or not 0 <= number < 1 << bits:
        raise InputError(f"the state of the random number generator is damaged ({name})")
    return number


def _check_generator(name: str, state: Mapping[str, Any]) -> None:
    """Reject positions out of range, and states that give the same number forever."""
    inner = state["state"]
    position = inner.get("pos", state.get("buffer_pos", 0))
    is_stuck = "inc" in inner and inner["inc"] % 2 == 0
    if name == "MT19937":
        key = inner["key"]
        is_stuck = key[0] >> 31 == 0 and not key[1:].any()
    if position > MAX_POSITIONS.get(name, 0) or is_stuck:
        raise InputError("the state of the random number generator is damaged")


def read_options(config: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
    """Return the preprocessing options without the tokenizer, and its name."""
    if config["text"] is None:
        return None, None
    all_words = {"numbers": True, "letters": True, "min_df": 1}  # version 0.1.0
    options = all_words | dict(_mapping(config, "text"))
    tokenizer = options.pop("tokenizer", None)
    known = {field.name for field in fields(TextOptions)}
    stop_words = options.get("stop_words")
    if isinstance(stop_words, list):
        _strings(stop_words, "stop_words")
    elif not isinstance(stop_words, str | None):
        raise InputError("its stop words are neither a language nor a list of words")
    languages = (options.get("language"), options.get("segment"))
    are_texts = all(isinstance(value, str | None) for value in (tokenizer, *languages))
    if options.get("lemmas") is not None:
        _strings(options["lemmas"], "lemmas")
    if not options.keys() <= known or not are_texts:
        raise InputError("its preprocessing options are damaged")
    if isinstance(options.get("phrases"), list):
        _strings(options["phrases"], "phrases")
    for name in ("ngrams", "min_df", "max_df", "max_features"):
        value = options.get(name)
        if value is not None and (name, value) != ("min_df", "auto"):
            check_number(name, value, 0, MAX_INTEGER)
    return options, tokenizer


def read_algorithm(config: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of the algorithm, and its settings."""
    algorithm = _mapping(config, "algorithm")
    settings = _mapping(algorithm, "settings")
    for name, value in settings.items():
        if is_integer(value) and abs(value) > MAX_INTEGER:
            raise InputError(f"a setting is too large ({name})")
    if not isinstance(algorithm.get("name"), str):
        raise InputError("its algorithm has no name")
    return algorithm["name"], dict(settings)


def _find(tensors: TensorFile, name: str) -> Tensor:
    if name not in tensors.tensors:
        raise InputError(f"its files are incomplete ({name})")
    return tensors.tensors[name]


def _mapping(parent: Any, name: str, default: Any = None) -> Mapping[str, Any]:
    value = parent.get(name, default) if isinstance(parent, Mapping) else None
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is missing or not of the expected kind")
    return value


def _strings(values: Any, name: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"{name} must be a list of strings")
    return values
