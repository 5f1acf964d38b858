"""The directory of a study: one small file per finished run."""

import json
from pathlib import Path
from typing import Any

from bittern._core.atomic import atomic_path, is_temporary
from bittern.errors import InputError


class Folder:
    """The directory of a study; a run that is in it is never executed again."""

    def __init__(self, path: str | Path, basis: dict[str, Any]) -> None:
        """Create it, or resume it if it was created for the same texts and settings (`basis`)."""
        self.path = Path(path)
        self._runs = self.path / "runs"
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{path} is a file; choose a directory for the study")
        self.path.mkdir(parents=True, exist_ok=True)
        saved = self.path / "basis.json"
        if saved.exists():
            before = _read_json(saved, "choose another directory")
            if not isinstance(before, dict):
                raise _damaged(saved, "choose another directory")
            for name in basis:
                if before.get(name) != basis[name]:
                    raise InputError(
                        f"{path} contains a study of other texts or settings ({name} is "
                        f"{before.get(name)}, not {basis[name]}); choose another directory"
                    )
        elif not all(map(is_temporary, self.path.iterdir())):
            raise InputError(f"{path} is not empty; choose an empty or new directory")
        else:
            self.write_json("basis.json", basis)
        self._runs.mkdir(exist_ok=True)

    def has(self, run: str) -> bool:
        """Return whether a run is finished."""
        return self._file(run).exists()

    def load(self, run: str) -> Any:
        """Return the result of a run."""
        return _read_json(self._file(run), "remove it to repeat this run")

    def save(self, run: str, result: Any) -> None:
        """Save the result of a run."""
        self.write_json(f"runs/{run}.json", result)

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file, whole or not at all."""
        self.write_text(name, json.dumps(value, indent=1, allow_nan=False))

    def write_text(self, name: str, text: str) -> None:
        """Write a text file, whole or not at all."""
        with atomic_path(self.path / name) as fresh:
            fresh.write_text(text, "utf-8")

    def _file(self, run: str) -> Path:
        return self._runs / f"{run}.json"


def _read_json(file: Path, remedy: str) -> Any:
    """Return the contents of a JSON file."""
    try:
        return json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise _damaged(file, remedy) from None


def _damaged(file: Path, remedy: str) -> InputError:
    return InputError(f"{file} is damaged; {remedy}")
