"""Checkpoints: the changes of each finished round, in a directory of its own."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bittern._core.atomic import atomic_path, is_temporary
from bittern._core.tensors import TensorFile, write_tensors
from bittern._core.untrusted import one_line, open_regular, parse_json, read_at_most
from bittern._core.validation import MAX_INTEGER, MAX_SEED, check_integer
from bittern.algorithms import Changes, Record
from bittern.algorithms.changes import SparseRows
from bittern.errors import InputError

BASIS = "basis.json"
MAX_BASIS = 1 << 22  # bytes


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
            self._basis = _read_basis(self._path / BASIS)
        elif self._path.exists() and not self._is_new():
            raise InputError(f"{path} is not empty; resume from it, or remove it to start again")

    def _is_new(self) -> bool:
        """Whether the directory has no rounds yet, and nothing else."""
        assert self._path is not None
        return self._path.is_dir() and all(
            file.name == BASIS or is_temporary(file) for file in self._path.iterdir()
        )

    @property
    def n_parts(self) -> int | None:
        """The number of parts of the run that is resumed."""
        return None if self._basis is None else self._basis["n_parts"]

    @property
    def seed(self) -> int | None:
        """The seed of the run that is resumed."""
        return None if self._basis is None else self._basis["seed"]

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

    def load(
        self, n_words: int, n_topics: int, n_matrices: int
    ) -> tuple[list[Changes], list[Record]]:
        """Return the changes and the records of all finished rounds, if they are of such states."""
        rounds: list[tuple[Changes, Record]] = []
        while self._path is not None and self._file(len(rounds)).exists():
            rounds.append(_read(self._file(len(rounds)), n_words, n_topics, n_matrices))
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
            write_tensors(tensors | {"numbers": np.array(numbers, np.float64)}, fresh)

    def _file(self, number: int) -> Path:
        assert self._path is not None
        return self._path / f"round-{number:04d}.safetensors"


def remove_checkpoint(path: Path) -> None:
    """Remove the files of a checkpoint: the model has been saved."""
    if path.is_dir():
        unfinished = filter(is_temporary, path.iterdir())
        for file in [path / BASIS, *path.glob("round-*.safetensors"), *unfinished]:
            file.unlink(missing_ok=True)
        if not any(path.iterdir()):
            path.rmdir()


def _read_basis(file: Path) -> dict[str, Any]:
    """Return what a run depends on; anyone may have written it."""
    try:
        with open_regular(file) as opened:
            basis = parse_json(read_at_most(opened, MAX_BASIS, BASIS), BASIS)
        check_integer("n_parts", basis["n_parts"], 1)
        check_integer("seed", basis["seed"], 0, maximum=MAX_SEED)
    except OSError:
        raise InputError(f"{file.parent} has no checkpoint to resume from") from None
    except (KeyError, TypeError, InputError):
        raise InputError(f"{file} is damaged; remove {file.parent} and start again") from None
    return dict(basis)


def _read(file: Path, n_words: int, n_topics: int, n_matrices: int) -> tuple[Changes, Record]:
    try:
        with open_regular(file) as opened:
            tensors = TensorFile(opened, file.name)
            arrays = {name: tensors.read(name) for name in tensors.tensors}
        news = tuple(
            SparseRows(*(arrays[f"{name}.{i}"] for name in SparseRows._fields))
            for i in range(n_matrices)
        )
        changes_topics, record = _parse_numbers(arrays["numbers"])
        changes = Changes(arrays["words"], arrays["times"], news, changes_topics)
        changes.check(n_words, n_topics)
    except (OSError, KeyError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise InputError(f"{file} is damaged: {one_line(problem)}; start without it") from None
    return changes, record


def _parse_numbers(numbers: NDArray[Any]) -> tuple[int, Record]:
    """Return the number of topics, and the point of the learning curve."""
    if numbers.shape != (4,) or not (np.abs(numbers) <= MAX_INTEGER).all():
        raise InputError("a number is out of range")
    n_topics, epoch, biterms, log_likelihood = numbers.tolist()
    return int(n_topics), Record(int(epoch), int(biterms), float(log_likelihood))
