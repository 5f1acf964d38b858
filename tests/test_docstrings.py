"""The examples in docstrings run."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import bittern

MODULES = [
    module.name
    for module in pkgutil.walk_packages(bittern.__path__, "bittern.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(import_module(name)).failed == 0
