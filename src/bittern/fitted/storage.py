"""Saved models: a directory with config.json, model.safetensors and vocabulary.txt.

Nothing in it is ever executed. A directory is written under another name and renamed when it is
complete, so that at any moment the old model or the new one is there, never half of one.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_array

from bittern._core.atomic import remove_stale, temporary_name
from bittern._core.validation import check_integer
from bittern.algorithms import Algorithm, DataSize, Prior, Record, Slice, make_algorithm
from bittern.biterms import Biterms
from bittern.errors import InputError
from bittern.fitted.fitted import HISTORY_SCHEMA, Distributions, FitSettings, FittedTopics
from bittern.text import TextOptions

FORMAT = 1
CONFIG, TENSORS, VOCABULARY = "config.json", "model.safetensors", "vocabulary.txt"
SLICE_PARTS = ("data", "indices", "indptr")
RANDOM_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")

Tensors = dict[str, NDArray[Any]]
Config = dict[str, Any]  # JSON
Tokenizer = Callable[[str], Iterable[str]]


def write_fitted(fitted: FittedTopics, path: str | Path) -> None:
    """Write a fitted model to the directory `path`, replacing a model that is there."""
    target = check_target(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_stale(target)
    temporary = temporary_name(target)
    try:
        temporary.mkdir()
        _write_files(fitted, temporary)
        old = _replaced_name(target)
        if target.exists():
            if old.exists():
                shutil.rmtree(old)
            target.rename(old)
        temporary.rename(target)
        _sync(target.parent)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_target(path: str | Path) -> Path:
    """Reject a path where no model can be saved: better before the fit than after it."""
    target = Path(path).resolve()
    if target.exists():
        try:
            _read_config(target)
            other = {file.name for file in target.iterdir()} - {CONFIG, TENSORS, VOCABULARY}
        except InputError:
            raise InputError(f"{path} exists and is not a model; choose another path") from None
        if other:
            raise InputError(
                f"{path} contains files that are not part of a model ({min(other)}); move them away"
            )
    parent = next(folder for folder in target.parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise InputError(f"cannot write {path}; check the permissions of {parent}")
    return target


def read_fitted(path: str | Path, tokenizer: Tokenizer | None = None) -> FittedTopics:
    """Read a model from the directory `path`."""
    directory = Path(path).resolve()
    if not directory.exists() and _replaced_name(directory).exists():
        directory = _replaced_name(directory)  # a save was interrupted between its two renames
    config = _read_config(directory)
    try:
        tensors = load_file(directory / TENSORS)
        words = (directory / VOCABULARY).read_bytes().decode("utf-8").split("\n")[:-1]
        return _build(config, tensors, words, tokenizer)
    except (
        *(OSError, SafetensorError, UnicodeDecodeError, KeyError, TypeError, IndexError),
        *(ValueError, AttributeError, pl.exceptions.PolarsError),
    ) as error:
        problem = str(error) if isinstance(error, InputError) else repr(error)
        raise InputError(f"{directory}: the model is damaged: {problem}") from None


def _write_files(fitted: FittedTopics, directory: Path) -> None:
    if any("\n" in word for word in fitted.vocabulary):
        raise InputError("a word contains a line break, so the model cannot be saved")
    tensors: Tensors
    if fitted.state is None:
        tensors = {"theta": fitted.theta, "phi": np.ascontiguousarray(fitted.phi.T)}
    else:  # theta and phi follow from the state
        state = fitted.state._asdict()
        tensors = {f"state.{name}": np.asarray(value) for name, value in state.items()}
    for number, piece in enumerate(fitted.slices):
        tensors |= _slice_tensors(number, piece)
    vocabulary = "".join(f"{word}\n" for word in fitted.vocabulary)
    config = json.dumps(_config(fitted), indent=1, default=_to_python)
    save_file(tensors, directory / TENSORS)
    (directory / VOCABULARY).write_bytes(vocabulary.encode("utf-8"))
    (directory / CONFIG).write_text(config, "utf-8")
    (directory / TENSORS).chmod((directory / CONFIG).stat().st_mode)  # safetensors makes it private
    for name in (TENSORS, VOCABULARY, CONFIG, "."):
        _sync(directory / name)


def _config(fitted: FittedTopics) -> Config:
    seed = fitted.settings.random_state
    parameters = fitted.settings._asdict()
    parameters["random_state"] = seed if isinstance(seed, int | np.integer) else None
    return {
        "format": FORMAT,
        "parameters": parameters,
        "prior": list(fitted.prior),
        "size": list(fitted.size),
        "algorithm": {"name": fitted.algorithm.name, "settings": fitted.algorithm.settings()},
        "named_columns": fitted.named_columns,
        "text": _describe_options(fitted.text_options),
        "history": fitted.history_table().to_dict(as_series=False),
        "slices": [piece.name for piece in fitted.slices],
        "slice_carry": [piece.carry for piece in fitted.slices],
        "names": fitted.given_names,
        "rng": None if fitted.rng is None else fitted.rng.bit_generator.state,
    }


def _build(
    config: Config, tensors: Tensors, words: list[str], tokenizer: Tokenizer | None
) -> FittedTopics:
    algorithm = make_algorithm(config["algorithm"]["name"], config["algorithm"]["settings"])
    settings = FitSettings(**config["parameters"])
    check_integer("n_topics", settings.n_topics, 1)
    prior = _read_prior(config["prior"])
    history = _read_history(config["history"])
    default_carry = config["algorithm"]["settings"].get("decay", 1.0)  # version 0.1.0
    carry = config.get("slice_carry", [default_carry] * len(config["slices"]))
    kept: Config
    if config["rng"] is not None:
        state = _read_state(algorithm, settings.n_topics, prior, tensors, words)
        kept = {"state": state, "rng": _read_rng(config["rng"])}
    else:
        theta, phi = tensors["theta"], tensors["phi"]
        expected = (settings.n_topics,), (len(words), settings.n_topics)
        if (theta.shape, phi.shape) != expected:
            raise InputError("its files do not belong together")
        kept = {"distributions": Distributions(theta, phi.T)}
    return FittedTopics(
        algorithm,
        prior,
        settings,
        vocabulary=words,
        size=_read_size(config, words),
        history=history,
        slices=tuple(
            _read_slice(number, name, weight, tensors)
            for number, (name, weight) in enumerate(zip(config["slices"], carry, strict=True))
        ),
        text_options=_read_options(config["text"], tokenizer),
        given_names={int(topic): str(name) for topic, name in config.get("names", {}).items()},
        named_columns=bool(config["named_columns"]),
        **kept,
    )


def _read_prior(numbers: list[float]) -> Prior:
    """Return the priors; before version 0.1.0, there were models whose word prior varied."""
    topic, word, *others = numbers
    if others and others[0] != 0:
        raise InputError("its word prior is of a kind that is gone; call fit() again")
    return Prior(topic, word)


def _read_history(columns: Config) -> tuple[Record, ...]:
    """Return the learning curve; version 0.1.0 had no stages."""
    schema = {name: HISTORY_SCHEMA[name] for name in columns}
    table = pl.DataFrame(columns, schema=schema)
    return tuple(Record(**row) for row in table.iter_rows(named=True))


def _read_size(config: Config, words: list[str]) -> DataSize:
    """Return the size of the training data; version 0.1.0 did not save it."""
    if "size" in config:
        return DataSize(*config["size"])
    n_biterms = float(max(config["history"]["biterms"], default=0))
    return DataSize(n_biterms, 2 * n_biterms, len(words))


def _slice_tensors(number: int, piece: Slice) -> Tensors:
    prefix = f"slice.{number}"
    return {
        f"{prefix}.biterms": piece.biterms,
        f"{prefix}.shape": np.array(piece.words.shape),
        **{f"{prefix}.{part}": getattr(piece.words, part) for part in SLICE_PARTS},
    }


def _read_slice(number: int, name: str, carry: float, tensors: Tensors) -> Slice:
    prefix = f"slice.{number}"
    parts = tuple(tensors[f"{prefix}.{part}"] for part in SLICE_PARTS)
    shape = tuple(tensors[f"{prefix}.shape"].tolist())
    return Slice(name, tensors[f"{prefix}.biterms"], csr_array(parts, shape=shape), float(carry))


def _to_python(value: object) -> object:
    """Convert NumPy numbers and arrays for JSON."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _read_config(directory: Path) -> Config:
    if not directory.is_dir():
        raise InputError(f"model {directory} not found")
    try:
        config = json.loads((directory / CONFIG).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{directory} is not a model: it has no {CONFIG}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {directory / CONFIG}: {error}") from None
    found = config.get("format") if isinstance(config, dict) else None
    if found != FORMAT:
        raise InputError(
            f"{directory} has format {found} but this version of bittern reads format {FORMAT}; "
            "use the version that saved it, or call fit() again"
        )
    return dict(config)


def _describe_options(options: TextOptions | None) -> Config | None:
    if options is None:
        return None
    described = {field.name: getattr(options, field.name) for field in fields(options)}
    described["tokenizer"] = options.tokenizer and getattr(
        options.tokenizer, "__qualname__", repr(options.tokenizer)
    )
    return described


def _read_options(described: Config | None, tokenizer: Tokenizer | None) -> TextOptions | None:
    if described is None:
        return None
    name = described["tokenizer"]
    if name is not None and tokenizer is None:

        def tokenizer(text: str) -> NoReturn:
            raise InputError(
                f"the model was fitted with the tokenizer {name}, which is not saved with it; "
                "pass it: bittern.load(path, tokenizer=...)"
            )

    return TextOptions(**(described | {"tokenizer": tokenizer if name is not None else None}))


def _read_state(
    algorithm: Algorithm[Any], n_topics: int, prior: Prior, tensors: Tensors, words: list[str]
) -> Any:
    """Return the state if it has the dtypes and shapes of the algorithm: kernels trust it."""
    n_words = n_topics + 1  # of a small state, which tells axes of words from axes of topics
    empty = Biterms.from_words([], [], vocabulary=list(map(str, range(n_words))))
    small = algorithm.init(empty, n_topics, prior, np.random.default_rng(0))
    values = []
    for name, like in small._asdict().items():
        usual = np.asarray(like)
        value = tensors.get(f"state.{name}")
        if value is None and name in small._field_defaults:  # newer than the model
            value = np.asarray(small._field_defaults[name])
        if value is None:
            raise InputError(f"its state is incomplete ({name})")
        axes = zip(value.shape, usual.shape, strict=True)
        expected = tuple({n_words: len(words), 0: n}.get(m, m) for n, m in axes)
        if value.dtype != usual.dtype or value.shape != expected:
            raise InputError(f"its state has a wrong shape or dtype ({name})")
        if value.dtype.kind == "i" and value.min(initial=0) < 0:
            raise InputError(f"its state has a negative number ({name})")
        values.append(value.item() if value.ndim == 0 else value)
    return type(small)(*values)


def _read_rng(state: Config) -> np.random.Generator:
    name = state["bit_generator"]
    if name not in RANDOM_GENERATORS:
        raise InputError(f"unknown random number generator {name}")
    bits = getattr(np.random, name)()
    bits.state = state
    return np.random.Generator(bits)


def _replaced_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.replaced")


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on disk."""
    if os.name == "nt":  # cannot open directories, and writes names through
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
