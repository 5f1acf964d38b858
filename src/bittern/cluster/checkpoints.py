"""Checkpoints: the changes of each finished round, in a directory of its own."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from bittern._core.atomic import atomic_path
from bittern.algorithms import Changes, Record
from bittern.algorithms.changes import SparseRows
from bittern.errors import InputError

BASIS = "basis.json"


class Checkpoint:
    """A directory with one file for each round; None keeps nothing.

    A state follows from the changes of all rounds, so that a checkpoint is as small as what
    travels, and belongs to no engine.
    """

    def __init__(self, path: str | Path | None, resume: bool = False) -> None:
        self._path = None if path is None else Path(path)
        self._basis: dict[str, Any] | None = None
        if self._path is None:
            if resume:
                raise InputError("there is nothing to resume from; give the checkpoint")
            return
        if resume:
            try:
                self._basis = dict(json.loads((self._path / BASIS).read_text("utf-8")))
            except (OSError, ValueError):
                raise InputError(f"{path} has no checkpoint to resume from") from None
        elif self._path.exists() and not self._is_new():
            raise InputError(f"{path} is not empty; resume from it, or remove it to start again")

    def _is_new(self) -> bool:
        """Whether the directory has no rounds yet, and nothing else."""
        assert self._path is not None
        return self._path.is_dir() and {file.name for file in self._path.iterdir()} <= {BASIS}

    @property
    def n_parts(self) -> int | None:
        """The number of parts of the run that is resumed."""
        return None if self._basis is None else int(self._basis["n_parts"])

    @property
    def seed(self) -> int | None:
        """The seed of the run that is resumed."""
        return None if self._basis is None else int(self._basis["seed"])

    def begin(self, basis: dict[str, Any]) -> None:
        """Write what the run depends on, or check that the resumed run depends on the same."""
        if self._path is None:
            return
        if self._basis is None:
            self._path.mkdir(parents=True, exist_ok=True)
            with atomic_path(self._path / BASIS) as fresh:
                fresh.write_text(json.dumps(basis, indent=1), "utf-8")
            return
        for name, value in json.loads(json.dumps(basis)).items():
            if self._basis.get(name) != value:
                raise InputError(
                    f"{self._path} is a checkpoint of other texts or settings ({name} is "
                    f"{self._basis.get(name)}, not {value})"
                )

    def load(self) -> tuple[list[Changes], list[Record]]:
        """Return the changes and the records of all finished rounds."""
        rounds: list[tuple[Changes, Record]] = []
        while self._path is not None and self._file(len(rounds)).exists():
            rounds.append(_read(self._file(len(rounds))))
        return [changes for changes, _ in rounds], [record for _, record in rounds]

    def save(self, number: int, changes: Changes, record: Record) -> None:
        """Save a round, whole or not at all."""
        if self._path is None:
            return
        tensors = {"words": changes.words, "times": changes.times}
        for i, rows in enumerate(changes.news):
            tensors |= {f"{name}.{i}": array for name, array in rows._asdict().items()}
        numbers = [changes.n_topics, record.epoch, record.biterms, record.log_likelihood]
        with atomic_path(self._file(number)) as fresh:
            save_file(tensors | {"numbers": np.array(numbers, np.float64)}, fresh)

    def _file(self, number: int) -> Path:
        assert self._path is not None
        return self._path / f"round-{number:04d}.safetensors"


def remove_checkpoint(path: Path) -> None:
    """Remove the files of a checkpoint: the model has been saved."""
    if path.is_dir():
        for file in [path / BASIS, *path.glob("round-*.safetensors")]:
            file.unlink(missing_ok=True)
        if not any(path.iterdir()):
            path.rmdir()


def _read(file: Path) -> tuple[Changes, Record]:
    try:
        tensors = load_file(file)
        n_topics, epoch, biterms, log_likelihood = tensors["numbers"].tolist()
        news = tuple(
            SparseRows(*(tensors[f"{name}.{i}"] for name in SparseRows._fields))
            for i in range(sum(name.startswith("lengths.") for name in tensors))
        )
        changes = Changes(tensors["words"], tensors["times"], news, int(n_topics))
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"{file} is damaged: {error}; start without it") from None
    return changes, Record(int(epoch), int(biterms), log_likelihood)
