"""A corpus that is available everywhere: the docstrings of Python's standard library."""

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from bittern._core.progress import ProgressBar

EXCLUDED_NAMES = frozenset(
    ("test", "tests", "idle_test", "site-packages", "lib2to3", "turtledemo", "__pycache__")
)


def docstrings(verbose: int = 0) -> tuple[list[str], list[str]]:
    """Collect the docstrings of Python's standard library.

    Parameters
    ----------
    verbose : int
        1 shows a progress bar.

    Returns
    -------
    texts : list of str
        The first paragraph of each docstring.
    modules : list of str
        The top-level module of each docstring.

    Examples
    --------
    >>> from bittern.datasets import docstrings
    >>> texts, modules = docstrings()
    >>> "json" in modules
    True
    """
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [
        file
        for file in sorted(library.rglob("*.py"))
        if not EXCLUDED_NAMES.intersection(file.relative_to(library).parts)
    ]
    texts: list[str] = []
    modules: list[str] = []
    with ProgressBar("reading", len(files), "files", verbose) as bar:
        for file in files:
            module = file.relative_to(library).parts[0].removesuffix(".py")
            paragraphs = list(_first_paragraphs(file))
            texts += paragraphs
            modules += [module] * len(paragraphs)
            bar.advance(1)
    return texts, modules


def _first_paragraphs(file: Path) -> Iterator[str]:
    """Yield the first paragraph of each docstring in a file; skip files that do not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring and docstring.strip():
                yield " ".join(docstring.strip().split("\n\n")[0].split())
