"""A real corpus that is always there: the docstrings of Python's standard library."""

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from bittern._core.progress import ProgressBar

LEFT_OUT = {"test", "tests", "idle_test", "site-packages", "lib2to3", "turtledemo", "__pycache__"}


def docstrings(verbose: int = 0) -> tuple[list[str], list[str]]:
    """The first paragraph of each docstring, and the top-level module that it is from."""
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [
        file
        for file in sorted(library.rglob("*.py"))
        if not LEFT_OUT.intersection(file.relative_to(library).parts)
    ]
    texts: list[str] = []
    modules: list[str] = []
    with ProgressBar("reading", len(files), "files", verbose) as bar:
        for file in files:
            module = file.relative_to(library).parts[0].removesuffix(".py")
            found = list(_first_paragraphs(file))
            texts += found
            modules += [module] * len(found)
            bar.advance(1)
    return texts, modules


def _first_paragraphs(file: Path) -> Iterator[str]:
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
