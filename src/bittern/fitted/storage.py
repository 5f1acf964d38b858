"""Saved models: a directory with config.json, model.safetensors and vocabulary.txt.

Nothing in it is ever executed. A directory is written under another name and renamed when it is
whole, so that at any moment the old model or the new one is there, never half of one.
"""

import json
import os
import shutil
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_array

from bittern._core.atomic import remove_stale, temporary_name
from bittern.algorithms import Prior, make
from bittern.biterms.biterms import Biterms
from bittern.errors import InputError
from bittern.fitted.learned import HISTORY, Estimates, Learned, Settings, Slice
from bittern.text.preprocessing import TextOptions

if TYPE_CHECKING:
    from bittern.estimator import BTM

FORMAT = 1
CONFIG, TENSORS, VOCABULARY = "config.json", "model.safetensors", "vocabulary.txt"


def save(model: "BTM", path: str | Path) -> None:
    """Write a fitted model to the directory `path`, in place of a model that may be there."""
    target = check_target(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_stale(target)
    fresh = temporary_name(target)
    try:
        fresh.mkdir()
        _write(model, fresh)
        old = _set_aside(target)
        if target.exists():
            if old.exists():
                shutil.rmtree(old)
            target.rename(old)
        fresh.rename(target)
        _sync(target.parent)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def check_target(path: str | Path) -> Path:
    """Refuse a place where no model can be saved: better before the fit than after it."""
    target = Path(path).resolve()
    if target.exists():
        try:
            _read_config(target)
            other = {file.name for file in target.iterdir()} - {CONFIG, TENSORS, VOCABULARY}
        except InputError:
            raise InputError(f"{path} exists and is not a model: choose another name") from None
        if other:
            raise InputError(f"{path} has other files than a model ({min(other)}): move them away")
    parent = next(folder for folder in target.parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise InputError(f"{path} cannot be written: look at {parent}")
    return target


def load(path: str | Path, tokenizer: Any = None) -> "BTM":
    """Read a model that was saved; `tokenizer` is the function it was fitted with, if any."""
    directory = Path(path).resolve()
    if not directory.exists() and _set_aside(directory).exists():
        directory = _set_aside(directory)  # a save was interrupted between its two renames
    config = _read_config(directory)
    try:
        tensors = load_file(directory / TENSORS)
        words = (directory / VOCABULARY).read_bytes().decode("utf-8").split("\n")[:-1]
        return _build(config, tensors, words, tokenizer)
    except (
        *(OSError, SafetensorError, UnicodeDecodeError, KeyError, TypeError, IndexError),
        *(ValueError, AttributeError, pl.exceptions.PolarsError),
    ) as error:
        what = str(error) if isinstance(error, InputError) else repr(error)
        raise InputError(f"{directory}: the model is incomplete: {what}") from None


def _build(
    config: dict[str, Any], tensors: dict[str, Any], words: list[str], tokenizer: Any
) -> "BTM":
    from bittern.estimator import BTM

    algorithm = make(config["algorithm"]["name"], config["algorithm"]["settings"])
    model = BTM(algorithm=algorithm, **config["parameters"])
    model.vocabulary_ = words
    model.n_features_in_ = len(words)
    if config["named_columns"]:
        model.feature_names_in_ = np.array(words, dtype=object)
    model.options_ = _options(config["text"], tokenizer)
    model.history_ = pl.DataFrame(config["history"], schema=HISTORY)
    model.slices_ = [_slice(*item, tensors) for item in enumerate(config["slices"])]
    model._names = {int(topic): str(name) for topic, name in config.get("names", {}).items()}
    model._how = how = model._settings()._replace(prior=Prior(*config["prior"]))
    model._learned = None
    if config["rng"] is not None:
        state = _state(how, tensors, words)
        model._estimates = Estimates(how, state)
        model._learned = Learned(state, _rng(config["rng"]), model.history_, model.slices_)
    else:
        theta, phi = tensors["theta"], tensors["phi"]
        if theta.shape != (how.n_topics,) or phi.shape != (len(words), how.n_topics):
            raise InputError("its files do not fit together")
        model._estimates = Estimates(how, None, (theta, phi.T))
    return model


def _write(model: "BTM", directory: Path) -> None:
    algorithm = model._settings().algorithm
    learned = model._learned
    if learned is not None:
        model._check_state(algorithm)
    tensors: dict[str, Any]
    if learned is None:
        tensors = {"theta": model.theta_, "phi": np.ascontiguousarray(model.phi_.T)}
    else:  # theta and phi follow from the state
        state = learned.state._asdict()
        tensors = {f"state.{name}": np.asarray(value) for name, value in state.items()}
    for number, piece in enumerate(model.slices_):
        tensors |= _slice_tensors(number, piece)
    seed = model.random_state
    config = {
        "format": FORMAT,
        "parameters": {
            "n_topics": model.n_topics,
            "topic_prior": model.topic_prior,
            "word_prior": model.word_prior,
            "window": model.window,
            "n_init": model.n_init,
            "random_state": seed if isinstance(seed, int | np.integer) else None,
        },
        "prior": list(model._how.prior),
        "algorithm": {"name": algorithm.name, "settings": asdict(algorithm)},
        "named_columns": hasattr(model, "feature_names_in_"),
        "text": _describe(model.options_),
        "history": model.history_.to_dict(as_series=False),
        "slices": [piece.name for piece in model.slices_],
        "names": model._names,
        "rng": None if learned is None else learned.rng.bit_generator.state,
    }
    if any("\n" in word for word in model.vocabulary_):
        raise InputError("a word of the vocabulary contains a line break: it cannot be saved")
    vocabulary = "".join(f"{word}\n" for word in model.vocabulary_)
    save_file(tensors, directory / TENSORS)
    (directory / VOCABULARY).write_bytes(vocabulary.encode("utf-8"))
    (directory / CONFIG).write_text(json.dumps(config, indent=1, default=_python), "utf-8")
    for name in (TENSORS, VOCABULARY, CONFIG, "."):
        _sync(directory / name)


def _slice_tensors(number: int, piece: Slice) -> dict[str, Any]:
    prefix = f"slice.{number}"
    words = piece.words
    return {
        f"{prefix}.biterms": piece.biterms,
        f"{prefix}.shape": np.array(words.shape),
        **{f"{prefix}.{part}": getattr(words, part) for part in ("data", "indices", "indptr")},
    }


def _slice(number: int, name: str, tensors: dict[str, Any]) -> Slice:
    biterms, shape, *parts = (
        tensors[f"slice.{number}.{part}"]
        for part in ("biterms", "shape", "data", "indices", "indptr")
    )
    return Slice(name, biterms, csr_array(tuple(parts), shape=tuple(shape.tolist())))


def _python(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's, for JSON."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _read_config(directory: Path) -> dict[str, Any]:
    if not directory.is_dir():
        raise InputError(f"{directory}: there is no such model")
    try:
        config = json.loads((directory / CONFIG).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{directory}: this is not a model: it has no {CONFIG}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{directory}: {CONFIG} cannot be read: {error}") from None
    found = config.get("format") if isinstance(config, dict) else None
    if found != FORMAT:
        raise InputError(
            f"{directory}: the model has format {found}, this bittern reads format {FORMAT}: "
            "use the bittern it was made with, or fit it anew"
        )
    return config  # type: ignore[no-any-return]


def _describe(options: TextOptions | None) -> dict[str, Any] | None:
    if options is None:
        return None
    described = {field.name: getattr(options, field.name) for field in fields(options)}
    described["tokenizer"] = options.tokenizer and getattr(
        options.tokenizer, "__qualname__", repr(options.tokenizer)
    )
    return described


def _options(described: dict[str, Any] | None, tokenizer: Any) -> TextOptions | None:
    if described is None:
        return None
    name = described["tokenizer"]
    if name is not None and tokenizer is None:

        def tokenizer(text: str) -> NoReturn:
            raise InputError(
                f"the model was fitted with the tokenizer {name}, which is not saved with it: "
                "bittern.load(path, tokenizer=...)"
            )

    return TextOptions(**(described | {"tokenizer": tokenizer if name is not None else None}))


def _state(how: Settings, tensors: dict[str, Any], words: list[str]) -> Any:
    """The state, if it has the form that the algorithm gives a state: kernels trust it."""
    few = how.n_topics + 1  # words: a small state tells the sides with words from those with topics
    nothing = Biterms.from_words([], [], vocabulary=list(map(str, range(few))))
    small = how.algorithm.init(nothing, how.n_topics, how.prior, np.random.default_rng(0))
    values = []
    for name, like in small._asdict().items():
        value, usual = tensors[f"state.{name}"], np.asarray(like)
        sides = zip(value.shape, usual.shape, strict=True)
        expected = tuple({few: len(words), 0: n}.get(m, m) for n, m in sides)
        if value.dtype != usual.dtype or value.shape != expected:
            raise InputError(f"{name} in its state has another form than it must have")
        if value.dtype.kind == "i" and value.min(initial=0) < 0:
            raise InputError(f"{name} in its state has a negative number")
        values.append(value.item() if value.ndim == 0 else value)
    return type(small)(*values)


def _rng(state: dict[str, Any]) -> np.random.Generator:
    kind = {"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"} & {state["bit_generator"]}
    bits = getattr(np.random, kind.pop())()
    bits.state = state
    return np.random.Generator(bits)


def _set_aside(target: Path) -> Path:
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
