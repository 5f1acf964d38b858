"""Save a model that took long to train: if that fails, somewhere else."""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bittern.cli.output import print_message
from bittern.errors import InputError

if TYPE_CHECKING:
    from bittern.fitted import FittedTopics


def save_model(fitted: "FittedTopics", out: Path) -> Path:
    """Save a model and return where it is.

    If that fails, as on a full disk, ask for another path. Without a terminal, save it in the
    system's temporary directory, and report where.
    """
    from bittern.fitted import write_fitted

    while True:
        try:
            write_fitted(fitted, out)
            return out
        except (OSError, InputError) as error:
            problem = _describe(error, out)
        if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            raise InputError(f"{problem}; {_rescue(fitted, out)}")
        print_message(f"bittern: {problem}")
        out = Path(typer.prompt("Save the model to another path", err=True))


def _rescue(fitted: "FittedTopics", out: Path) -> str:
    """Save a model in the system's temporary directory; return what to tell the user."""
    from bittern.fitted import write_fitted

    try:
        place = Path(tempfile.mkdtemp(prefix="bittern-")) / out.name
        write_fitted(fitted, place)
    except (OSError, InputError):
        return f"saving it in {tempfile.gettempdir()} failed, too"
    return f"the model was saved to {place} instead"


def _describe(error: Exception, out: Path) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot save the model to {out}: {reason}" if reason else str(error)


def _is_terminal(stream: object) -> bool:
    """Return whether a stream, which may be closed or missing, is a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False
