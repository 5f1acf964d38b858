"""Public names, late imports, and scripts that follow the package."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import bittern
import bittern.corpus

ROOT = Path(__file__).parent.parent
SCRIPTS = [*ROOT.glob("benchmarks/*.py"), *ROOT.glob("tools/*.py")]


def test_public_names():
    assert bittern.__all__ == ["BTM", "Corpus", "load", "read"]
    assert all(callable(getattr(bittern, name)) for name in bittern.__all__)
    assert set(bittern.__all__) <= set(dir(bittern))
    assert re.fullmatch(r"\d+\.\d+\.\d+", bittern.__version__)
    assert all(callable(getattr(bittern.corpus, name)) for name in bittern.corpus.__all__)
    for package in (bittern, bittern.corpus):
        with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute"):
            package.nothing  # noqa: B018


def test_importing_bittern_is_fast():
    script = (
        "import sys, bittern\n"
        "slow = {'numba', 'polars', 'sklearn', 'numpy'} & set(sys.modules)\n"
        "assert not slow, slow"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_names_that_scripts_import_exist(script):
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bittern":
            module = import_module(node.module)
            missing = [name.name for name in node.names if not hasattr(module, name.name)]
            for name in missing:  # it may be a module
                import_module(f"{node.module}.{name}")
