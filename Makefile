# Everything is installed into .venv by the first command that needs it.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test trust test-export lint rooms docs commands pictures bench dist check-dist clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: .venv/.demo  ## find topics in Python's own documentation, and write a report
	mkdir -p build
	$(BIN)/bittern demo --report build/demo.html

test: .venv/.dev lint  ## check style, types and imports, and run all tests
	$(BIN)/python -m pytest

trust: .venv/.dev  ## run thousands of random histories of calls, hostile models and saves at once
	BITTERN_HISTORIES=2000 BITTERN_CALLS=30 BITTERN_LOADS=20000 $(BIN)/python -m pytest \
	  -o faulthandler_timeout=7200 tests/test_histories.py tests/fitted/test_concurrency.py \
	  tests/fitted/test_hostile.py

test-export: build/export/.ready  ## test the export to other tools with these tools installed
	build/export/bin/python -m pytest -p no:dash tests/export

lint: .venv/.dev  ## check style, types and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

rooms: .venv/.dev  ## print which rooms import which, and check that there are no cycles
	$(BIN)/python tools/rooms.py

docs: .venv/.docs  ## build the documentation in build/docs
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs build/docs
	@echo "Open build/docs/index.html in a browser."

commands: .venv/.dev  ## write docs/commands.md from the commands
	$(BIN)/python tools/commands.py

pictures: .venv/.dev  ## take the documentation's pictures
	$(BIN)/python -m pytest tests/report/test_pictures.py --pictures

bench: .venv/.bench  ## compare with other tools and write docs/benchmarks.md; DATA= names corpora
	$(BIN)/python benchmarks/bench.py $(if $(DATA),--data $(DATA))

dist: .venv/.dev  ## build a wheel and an sdist in dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .

check-dist: dist  ## run the demo from the wheel in an empty environment
	rm -rf build/empty
	$(PYTHON) -m venv build/empty
	build/empty/bin/pip install --quiet dist/*.whl
	cd build && empty/bin/bittern demo

clean:  ## remove everything that was built or installed
	rm -rf .venv build dist

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "bittern needs Python 3.11 or newer; run: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip

.venv/.demo: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[report]"
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@ .venv/.demo

# Its own environment: dash, a dependency of topic-wizard, has an outdated pytest plugin that would
# make all other tests fail.
build/export/.ready: pyproject.toml
	$(PYTHON) -m venv build/export
	build/export/bin/pip install --quiet --editable ".[dev,export]"
	touch $@

.venv/.docs: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[docs]"
	touch $@ .venv/.demo

.venv/.bench: pyproject.toml | .venv/bin/python
	$(BIN)/pip install --quiet --editable ".[bench]"
	touch $@ .venv/.demo
