"""Where a study keeps what it has found: a small file for each finished run."""

import json
from pathlib import Path
from typing import Any

from bittern._core.atomic import atomic_path
from bittern.errors import InputError


class Folder:
    """The directory of a study; a run that is in it is never done again."""

    def __init__(self, path: str | Path, basis: dict[str, Any]) -> None:
        """Make it, or go on in it where it was made for the same texts and settings (`basis`)."""
        self.path = Path(path)
        self._runs = self.path / "runs"
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{path} is a file: name a directory for the study")
        self.path.mkdir(parents=True, exist_ok=True)
        known = self.path / "basis.json"
        if known.exists():
            before = json.loads(known.read_text("utf-8"))
            for name in basis:
                if before.get(name) != basis[name]:
                    raise InputError(
                        f"{path} has a study of other texts or settings ({name} "
                        f"{before.get(name)}, not {basis[name]}): choose another directory"
                    )
        elif any(self.path.iterdir()):
            raise InputError(f"{path} has other things in it: choose an empty or a new directory")
        else:
            self.write_json("basis.json", basis)
        self._runs.mkdir(exist_ok=True)

    def has(self, run: str) -> bool:
        """Whether that run is finished."""
        return self._file(run).exists()

    def load(self, run: str) -> Any:
        """The result of a run."""
        return json.loads(self._file(run).read_text("utf-8"))

    def save(self, run: str, result: Any) -> None:
        """Keep the result of a run."""
        self.write_json(f"runs/{run}.json", result)

    def write_json(self, name: str, value: Any) -> None:
        """Write a file whole or not at all."""
        self.write_text(name, json.dumps(value, indent=1, allow_nan=False))

    def write_text(self, name: str, text: str) -> None:
        """Write a file whole or not at all."""
        with atomic_path(self.path / name) as fresh:
            fresh.write_text(text, "utf-8")

    def _file(self, run: str) -> Path:
        return self._runs / f"{run}.json"
