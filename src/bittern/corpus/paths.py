"""The files that paths, patterns, directories and addresses stand for."""

import glob
from pathlib import Path

from bittern._core.validation import check_path
from bittern.corpus.formats import FORMATS
from bittern.corpus.remote import is_remote
from bittern.errors import InputError

STDIN = "-"
COMPRESSIONS = (".gz", ".zst")
HIDDEN = (".", "~$")  # how the names of files begin that were not put there for people
MODEL_FILE = "model.safetensors"  # in the directory of a saved model


def expand_paths(paths: tuple[str | Path, ...]) -> list[str]:
    """Return the files that paths, patterns and directories refer to, in order.

    Parameters
    ----------
    paths : tuple of str or Path
        Files, patterns, directories and addresses.

    Returns
    -------
    list of str
        Files and addresses. The files of a directory and of its subdirectories are those with a
        known format, by name; hidden files and saved models are left out.

    Raises
    ------
    FileNotFoundError
        If a path does not exist, or a directory has no such files.
    InputError
        If there are no paths.
    """
    if not paths:
        raise InputError("no files given; pass one or more paths or patterns")
    files: list[str] = []
    for given in paths:
        path = str(given if is_remote(given) else check_path(given))
        if path == STDIN or is_remote(path):
            files.append(path)
        elif Path(path).is_dir():
            files.extend(_directory_files(Path(path)))
        elif Path(path).exists():
            files.append(path)
        else:
            files.extend(_matches(path))
    return files


def _matches(pattern: str) -> list[str]:
    """Return the files that match a pattern."""
    found = sorted(match for match in glob.glob(pattern, recursive=True) if Path(match).is_file())
    if not found:
        raise FileNotFoundError(f"{pattern} does not exist")
    return found


def _directory_files(directory: Path) -> list[str]:
    """Return the files of a directory that can be read."""
    if (directory / MODEL_FILE).exists():
        raise InputError(f"{directory} is a saved model, not a directory of texts")
    known = tuple(suffix for format in FORMATS.values() for suffix in format.suffixes)
    files = [
        path
        for path in sorted(directory.rglob("*"))
        if _plain_name(path.name.lower()).endswith(known)
        and path.is_file()
        and not any(part.startswith(HIDDEN) for part in path.relative_to(directory).parts)
        and not (path.parent / MODEL_FILE).exists()
    ]
    if not files:
        raise FileNotFoundError(
            f"{directory} has no files that bittern can read ({', '.join(known)}); use a pattern "
            f"such as {directory / '*'}, and set the format"
        )
    return list(map(str, files))


def _plain_name(name: str) -> str:
    """Return the name of a file without the suffix of its compression."""
    compression = next((suffix for suffix in COMPRESSIONS if name.endswith(suffix)), "")
    return name.removesuffix(compression)
