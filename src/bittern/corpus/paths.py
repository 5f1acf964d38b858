"""The files that paths, patterns, directories and addresses stand for."""

import difflib
import glob
from pathlib import Path

from bittern._core.validation import check_path, is_unicode
from bittern.corpus.formats import FORMATS
from bittern.corpus.remote import is_remote
from bittern.errors import InputError

STDIN = "-"
COMPRESSIONS = (".gz", ".zst")
HIDDEN = (".", "~$")  # how the names of files begin that were not put there for people
N_SIMILAR = 3  # names that are suggested for a file that does not exist
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
        raise missing_file(pattern)
    return found


def missing_file(path: str) -> FileNotFoundError:
    """Return the error for a file that does not exist, with the names of similar ones."""
    if glob.has_magic(path):
        return FileNotFoundError(f"no file matches {path}")
    folder, name = Path(path).parent, Path(path).name
    if not folder.is_dir():
        return FileNotFoundError(f"{path} does not exist, because there is no directory {folder}")
    names = [file.name for file in folder.iterdir() if is_unicode(file.name)]
    similar = difflib.get_close_matches(name, names, N_SIMILAR)
    hint = f"; did you mean {' or '.join(str(folder / name) for name in similar)}?"
    return FileNotFoundError(f"{path} does not exist{hint if similar else ''}")


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
