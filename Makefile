# `make run` and `make test` need nothing but make and Python >= 3.11: each makes .venv and installs what it uses.
# The browser tests of `make test` want Chromium: as root it is installed with apt-get where none is found.
# Files named .installed-* inside .venv remember what is done, so a second call starts at once.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

PYTHON ?=
CHROMIUM ?=
WORKERS ?= 2
OUT ?= out
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
INSTALL := $(PIP) install --constraint constraints.txt
EDITABLE := $(INSTALL) --no-build-isolation --editable

.PHONY: help run test lint bench validate format clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: .venv/.installed-run  ## a first answer: limits of known machines as a table, and an HTML report in out/
	@$(BIN)/python examples/first_answer.py

test: .venv/.installed-dev .venv/.installed-browser lint  ## lint, types and all tests
	@for search in reference full; do \
	  $(BIN)/python -m scalewall limits --machine ref-h100 --search $$search --json 2>&1 >/dev/null | grep -i compiling || true; \
	done
	@CHROMIUM="$(CHROMIUM)" $(BIN)/pytest --numprocesses $(WORKERS) -p no:benchmark

lint: .venv/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: .venv/.installed-dev  ## speed as ratios against plain Python and against bounds
	@for script in benchmarks/bench_*.py; do PYTHONPATH=. $(BIN)/python "$$script"; done

validate: .venv/.installed-run  ## every published claim and run beside our number, the planner fitted again
	@$(BIN)/python -m scalewall reproduce
	@$(BIN)/python -m scalewall validate --refit

format: .venv/.installed-dev  ## rewrite the sources in the house style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:  ## remove .venv and everything that was generated
	@rm -rf .venv dist build $(OUT) .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.installed-run: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing scalewall into .venv ..."
	@$(INSTALL) hatchling editables
	@$(EDITABLE) .
	@touch $@

.venv/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing scalewall and its development tools into .venv ..."
	@$(INSTALL) hatchling editables
	@$(EDITABLE) '.[dev]'
	@touch $@ .venv/.installed-run

.venv/.installed-browser: | $(BIN)/python
	@for candidate in $(CHROMIUM) chromium chromium-browser google-chrome; do \
	  if command -v "$$candidate" >/dev/null; then touch $@; exit 0; fi; \
	done; \
	if [ "$$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "The browser tests need Chromium, and none was found. Install it, or name it: make test CHROMIUM=/path/to/chromium" >&2; \
	  exit 1; \
	fi; \
	echo "Installing Chromium for the browser tests ..."; \
	apt-get update -qq >/dev/null; \
	DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	touch $@

$(BIN)/python:
	@for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Making .venv with $$("$$candidate" --version) ..."; \
	    "$$candidate" -m venv .venv || { rm -rf .venv; exit 1; }; \
	    exit 0; \
	  fi; \
	done; \
	echo "scalewall needs Python 3.11 or newer, and none was found. Install one, or name it: make PYTHON=/path/to/python3" >&2; \
	exit 1
