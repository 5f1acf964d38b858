"""Saved models: a directory with config.json, model.safetensors and vocabulary.txt.

Nothing in it is ever executed. A directory is written under another name and renamed when it is
complete, so that at any moment the old model or the new one is there, never half of one.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.atomic import replace_directory, replaced_name, sync, temporary_directory
from bittern._core.tensors import TensorFile, write_tensors
from bittern._core.untrusted import one_line, open_regular, parse_json, read_at_most
from bittern._core.validation import MAX_SEED, check_path
from bittern.algorithms import Slice, make_algorithm
from bittern.errors import InputError
from bittern.fitted import validation
from bittern.fitted.fitted import Distributions, FittedTopics
from bittern.fitted.tokenizers import MissingTokenizer, Tokenizer, tokenizer_name
from bittern.fitted.validation import SLICE_PARTS
from bittern.text import TextOptions

FORMAT = 1
CONFIG, TENSORS, VOCABULARY = "config.json", "model.safetensors", "vocabulary.txt"
MAX_CONFIG = 1 << 25  # bytes
MAX_RECORDS = 100_000  # of the learning curve; a longer one is saved with fewer points
MAX_VOCABULARY, MAX_WORD = 1 << 24, 1 << 12  # bytes in all, and for each word in addition
MAX_ATTEMPTS = 100  # to open a model while it is replaced again and again

Tensors = dict[str, NDArray[Any]]
Config = dict[str, Any]  # JSON
Result = TypeVar("Result")


class MovedError(OSError):
    """A directory was replaced while it was read."""


def write_fitted(fitted: FittedTopics, path: str | Path) -> None:
    """Write a fitted model to the directory `path`, replacing a model that is there."""
    target = check_target(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with temporary_directory(target) as temporary:
        _write_files(fitted, temporary)
        replace_directory(temporary, target, lambda: check_target(path))


def check_target(path: str | Path) -> Path:
    """Reject a path where no model can be saved: better before the fit than after it."""
    target = Path(os.path.realpath(check_path(path)))
    if str(path) == "-" or not target.name:
        raise InputError(f"a model is a directory and cannot be saved to {path}; choose a name")
    if target.exists():
        try:
            other = _with_retries(_find_other_files, target)
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
    """Read a model from the directory `path`; anyone may have written it."""
    directory = Path(os.path.realpath(check_path(path)))

    def read(found: Path) -> FittedTopics:
        with opened_files(found, (CONFIG, TENSORS, VOCABULARY)) as files:
            config = _read_config(files[CONFIG], directory)
            return _read_model(config, files[TENSORS], files[VOCABULARY], directory, tokenizer)

    fitted = _with_retries(read, directory)
    options = fitted.text_options
    if tokenizer is not None and (options is None or options.tokenizer is None):
        raise InputError(f"{path} was trained without a tokenizer of your own; leave it out")
    return fitted


def _with_retries(read: Callable[[Path], Result], directory: Path) -> Result:
    """Read a directory that others may replace at the same time."""
    for _ in range(MAX_ATTEMPTS):
        # while a directory is replaced, or if that was interrupted, it has another name
        for found in (directory, replaced_name(directory)):
            try:
                return read(found)
            except MovedError:
                continue
            except InputError:
                if found == directory:
                    raise  # otherwise, its writer may be removing it
    if directory.exists():
        raise InputError(f"{directory} is not a model but a file; a model is a directory")
    raise InputError(f"model {directory} not found")


@contextmanager
def opened_files(directory: Path, names: Iterable[str]) -> Iterator[dict[str, BinaryIO]]:
    """Open files of one directory: also if it is replaced by another one meanwhile."""
    with ExitStack() as stack:
        folder = None
        try:
            if os.open in os.supports_dir_fd:
                folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
                stack.callback(os.close, folder)
            elif not directory.exists():
                raise MovedError
        except (FileNotFoundError, NotADirectoryError):
            raise MovedError from None
        files = {}
        for name in names:
            try:
                path = name if folder is not None else directory / name
                files[name] = stack.enter_context(open_regular(path, folder))
            except FileNotFoundError:
                if folder is not None and not _is_at(folder, directory):
                    raise MovedError from None
                if name == CONFIG:
                    raise InputError(f"{directory} is not a model: it has no {CONFIG}") from None
                raise InputError(f"{directory}: the model is damaged: no {name}") from None
            except OSError as error:
                problem = error.strerror or "unknown error"
                raise InputError(f"cannot read {directory / name}: {problem}") from None
        yield files


def _is_at(folder: int, path: Path) -> bool:
    """Return whether an open directory still has this path."""
    try:
        return os.path.samestat(os.fstat(folder), path.stat())
    except FileNotFoundError:
        return False


def _find_other_files(directory: Path) -> set[str]:
    """Return the files of a saved model that are not part of it."""
    try:
        names = set(os.listdir(directory))
    except FileNotFoundError:
        raise MovedError from None
    except NotADirectoryError:
        raise InputError(f"{directory} is a file") from None
    with opened_files(directory, [CONFIG]) as files:
        _read_config(files[CONFIG], directory)
    return names - {CONFIG, TENSORS, VOCABULARY}


def _read_model(
    config: Config,
    tensors: BinaryIO,
    vocabulary: BinaryIO,
    directory: Path,
    tokenizer: Tokenizer | None,
) -> FittedTopics:
    try:
        arrays = TensorFile(tensors, TENSORS)
        return _build(config, arrays, vocabulary, tokenizer)
    except (
        *(OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
        *(RecursionError, pl.exceptions.PolarsError),
    ) as error:
        problem = error if isinstance(error, InputError) else repr(error)
        raise InputError(
            f"{directory}: the model is damaged: {one_line(problem)}; use another copy of it"
        ) from None


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
    vocabulary = "".join(f"{word}\n" for word in fitted.vocabulary).encode("utf-8")
    config = json.dumps(_config(fitted), indent=1, default=_to_python).encode("utf-8")
    if len(vocabulary) > MAX_VOCABULARY + MAX_WORD * len(fitted.vocabulary):
        raise InputError("its words are too long, so the model cannot be saved")
    if len(config) > MAX_CONFIG:
        raise InputError("its settings and names are too long, so the model cannot be saved")
    write_tensors(tensors, directory / TENSORS)
    for name, data in ((VOCABULARY, vocabulary), (CONFIG, config)):
        with (directory / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    sync(directory)


def _config(fitted: FittedTopics) -> Config:
    seed = fitted.settings.random_state
    parameters = fitted.settings._asdict()
    is_saved = isinstance(seed, int | np.integer) and seed <= MAX_SEED
    parameters["random_state"] = seed if is_saved else None
    history, step = fitted.history_table(), -(-len(fitted.history) // MAX_RECORDS)
    if step > 1:
        history = history.reverse().gather_every(step).reverse()  # the last one stays
    return {
        "format": FORMAT,
        "parameters": parameters,
        "prior": list(fitted.prior),
        "size": list(fitted.size),
        "algorithm": {"name": fitted.algorithm.name, "settings": fitted.algorithm.settings()},
        "named_columns": fitted.named_columns,
        "text": _describe_options(fitted.text_options),
        "history": history.to_dict(as_series=False),
        "slices": [piece.name for piece in fitted.slices],
        "slice_carry": [piece.carry for piece in fitted.slices],
        "names": fitted.given_names,
        "set_aside": sorted(fitted.set_aside),
        "rng": None if fitted.rng is None else fitted.rng.bit_generator.state,
    }


def _build(
    config: Config, tensors: TensorFile, vocabulary: BinaryIO, tokenizer: Tokenizer | None
) -> FittedTopics:
    algorithm = make_algorithm(*validation.read_algorithm(config))
    settings, n_words = validation.open_model(config, tensors, algorithm)
    words = _read_vocabulary(vocabulary, n_words)
    model = validation.SavedModel(config, tensors, words, settings.n_topics)
    history = validation.read_history(config)
    prior = validation.read_prior(config)
    size = validation.read_size(config, history, len(words))
    names = validation.read_names(config, settings.n_topics)
    options, tokenizer_name = validation.read_options(config)
    kept: Config
    if config["rng"] is not None:
        rng = validation.read_generator(config)
        kept = {"state": validation.read_state(model, algorithm), "rng": rng}
    else:
        theta, phi = validation.read_distributions(model)
        kept = {"distributions": Distributions(theta, phi.T)}
    carry = algorithm.settings().get("decay", 1.0)  # version 0.1.0
    return FittedTopics(
        algorithm,
        prior,
        settings,
        vocabulary=words,
        size=size,
        history=history,
        slices=validation.read_slices(model, carry),
        text_options=_make_options(options, tokenizer_name, tokenizer),
        given_names=names,
        set_aside=validation.read_set_aside(config, settings.n_topics),
        named_columns=validation.read_flag(config, "named_columns"),
        **kept,
    )


def _read_vocabulary(file: BinaryIO, n_words: int) -> list[str]:
    data = read_at_most(file, MAX_VOCABULARY + MAX_WORD * n_words, VOCABULARY)
    if data.count(b"\n") != n_words or not data.endswith(b"\n"):
        raise InputError(f"wrong shape: {VOCABULARY} does not have {n_words:,} words")
    words = data.decode("utf-8").split("\n")[:-1]
    if len(set(words)) != n_words:
        raise InputError("a word occurs twice in its vocabulary")
    return words


def _slice_tensors(number: int, piece: Slice) -> Tensors:
    prefix = f"slice.{number}"
    return {
        f"{prefix}.biterms": piece.biterms,
        f"{prefix}.shape": np.array(piece.words.shape, np.int64),
        **{f"{prefix}.{part}": getattr(piece.words, part) for part in SLICE_PARTS},
    }


def _to_python(value: object) -> object:
    """Convert NumPy numbers and arrays for JSON."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _read_config(file: BinaryIO, directory: Path) -> Config:
    try:
        config = parse_json(read_at_most(file, MAX_CONFIG, "the file"), "the file")
    except (OSError, InputError) as error:
        raise InputError(f"cannot read {directory / CONFIG}: {one_line(error)}") from None
    found = config.get("format") if isinstance(config, dict) else None
    if found != FORMAT or isinstance(found, bool):
        raise InputError(
            f"{directory} has format {one_line(found)} but this version of bittern reads format "
            f"{FORMAT}; use the version that saved it, or call fit() again"
        )
    return dict(config)


def _describe_options(options: TextOptions | None) -> Config | None:
    if options is None:
        return None
    described = {field.name: getattr(options, field.name) for field in fields(options)}
    described["tokenizer"] = options.tokenizer and tokenizer_name(options.tokenizer)
    return described


def _make_options(
    options: Config | None, name: str | None, tokenizer: Tokenizer | None
) -> TextOptions | None:
    if options is None:
        return None
    if name is None:
        return TextOptions(**options)
    return TextOptions(**options, tokenizer=tokenizer or MissingTokenizer(name))
