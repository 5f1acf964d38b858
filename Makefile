# Everything is installed into .venv by the first command that needs it.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-interop lint docs pictures bench dist check-dist clean

demo: .venv/.demo  ## topics of Python's own documentation, and a page to look at them
	mkdir -p build
	$(BIN)/bittern demo --report build/demo.html

test: .venv/.dev lint  ## style, types and tests
	$(BIN)/python -m pytest

test-interop: build/interop/.ready  ## the hand-overs, with the tools that take them
	build/interop/bin/python -m pytest -p no:dash tests/test_interop.py

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/.docs  ## the site, in build/docs
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs build/docs
	@echo "Open build/docs/index.html in a browser."

pictures: .venv/.dev  ## the documentation's pictures of the report; DATA= is a file of titles
	$(BIN)/python -m pytest tests/test_pictures.py --pictures $(DATA)

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
	$(BIN)/pip install --quiet --editable ".[report]"
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@ .venv/.demo

# An environment of its own: dash, which topicwizard brings, has a plugin for pytest that is out of
# date, and would fail all other tests.
build/interop/.ready: pyproject.toml
	$(PYTHON) -m venv build/interop
	build/interop/bin/pip install --quiet --editable ".[dev,interop]"
	touch $@

.venv/.docs: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[docs]"
	touch $@ .venv/.demo

.venv/.bench: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[bench]"
	touch $@ .venv/.demo
