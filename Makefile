# Everything is installed into .venv by the first command that needs it.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench dist check-dist clean

demo: .venv/.demo  ## topics of Python's own documentation
	$(BIN)/bittern demo

test: .venv/.dev lint  ## style, types and tests
	$(BIN)/python -m pytest

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.bench  ## bittern beside other tools: writes docs/benchmarks.md; DATA= names corpora
	$(BIN)/python benchmarks/bench.py $(if $(DATA),--data $(DATA))

dist: .venv/.dev  ## a wheel and an sdist in dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .

check-dist: dist  ## the wheel alone, in an empty environment, runs the demo
	rm -rf build/empty
	$(PYTHON) -m venv build/empty
	build/empty/bin/pip install --quiet dist/*.whl
	cd build && empty/bin/bittern demo

clean:
	rm -rf .venv build dist

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "bittern needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip

.venv/.demo: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@ .venv/.demo

.venv/.bench: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[bench]"
	touch $@ .venv/.demo
