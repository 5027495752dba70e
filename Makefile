# Everything needed is installed into .venv once; a stamp remembers it, so that a second run needs no network.
#
#   make demo     grade the example cohort in the real sandbox, into ./demo
#   make portal   start the web portal, its data in ./attest-portal
#   make test     run Attest's own tests, or those that ONLY names
#   make hostile  every hostile submission on every backend that this machine has (minutes)
#   make check    formatting, lint, types, import rules, and a proof of every assignment
#   make fuzz     damaged inputs by the ten thousand to everything that reads; takes some minutes
#   make soak     grade 5,000 submissions in one process and look whether anything grows; takes some minutes
#   make bench    measure Attest against a floor and against other graders
#   make image    build the image of the docker sandbox, with the options in IMAGE (attest image build --help)
#   make schema   write docs/result.schema.json again after a change of the Result
#   make clean    remove what these made, but not .venv
#
# On a machine without an NVIDIA card, the CPU build of torch saves about 3 GB: give the address of PyTorch's
# index of CPU builds, which its installation page names:
#     make demo PIP_EXTRA_INDEX_URL=...

PYTHON ?= python3
VENV := .venv
AXE := 4.14.1
OPENEDX := 11.4.4
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

ifdef PIP_EXTRA_INDEX_URL
export PIP_EXTRA_INDEX_URL
endif

.DEFAULT_GOAL := help
.PHONY: help demo portal test hostile check fuzz soak bench image schema clean bubblewrap axe openedx

help:
	@sed -n 's/^#   make \([a-z]* \)/make \1/p' Makefile

demo: $(VENV)/run.stamp bubblewrap
	@# Exit status 1 means that some of the cohort cannot be graded, which is part of the example.
	@$(BIN)/attest grade basics examples/cohort -o demo --force || [ $$? -eq 1 ]
	@echo "Open demo/index.html in a browser."

portal: $(VENV)/portal.stamp bubblewrap
	@$(BIN)/attest serve

test: $(VENV)/test.stamp bubblewrap axe openedx
	@$(BIN)/python -m pytest $(ONLY)

hostile: $(VENV)/test.stamp bubblewrap
	@ATTEST_HOSTILE=all $(BIN)/python -m pytest tests/hostile tests/conformance

check: $(VENV)/check.stamp bubblewrap
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/attest validate --all --seeds 1

fuzz: $(VENV)/fuzz.stamp bubblewrap
	@$(BIN)/python -m tests.fuzz

soak: $(VENV)/test.stamp bubblewrap
	@$(BIN)/python -m tests.faults.soak

bench: $(VENV)/run.stamp bubblewrap
	@$(BIN)/python -m benchmarks

image: $(VENV)/docker.stamp
	@$(BIN)/attest image build $(IMAGE)

schema: $(VENV)/run.stamp
	@$(BIN)/python -c 'import json, graders.result as r; print(json.dumps(r.json_schema(), indent=1))' > docs/result.schema.json

clean:
	rm -rf demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Attest needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Use: make PYTHON=python3.12 demo" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	    { echo "On Debian and Ubuntu: sudo apt-get install python3-venv, then run make again." >&2; rm -rf $(VENV); exit 1; }

$(VENV)/run.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing Attest into $(VENV): once, a few minutes, mostly for torch."
	@$(PIP) install -c constraints.txt --upgrade pip hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation --editable .
	@touch $@

$(VENV)/test.stamp: $(VENV)/run.stamp
	@$(PIP) install -c constraints.txt --group test
	@touch $@

$(VENV)/portal.stamp: $(VENV)/run.stamp
	@$(PIP) install -c constraints.txt --no-build-isolation --editable '.[portal,marking]'
	@touch $@

$(VENV)/docker.stamp: $(VENV)/run.stamp
	@$(PIP) install -c constraints.txt 'docker>=7.1'
	@touch $@

$(VENV)/check.stamp: $(VENV)/run.stamp
	@$(PIP) install -c constraints.txt --group check
	@touch $@

# Without atheris, which has no build for every Python, there are only no coverage-guided inputs.
$(VENV)/fuzz.stamp: $(VENV)/test.stamp
	-@$(PIP) install -c constraints.txt --group fuzz
	@touch $@

bubblewrap:
	@command -v bwrap >/dev/null && exit 0; \
	echo "Installing bubblewrap, which the sandbox is built with."; \
	if ! command -v apt-get >/dev/null; then \
	    echo "Install the package bubblewrap with this system's package manager, then run make again." >&2; exit 1; \
	elif [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && apt-get install -y -qq bubblewrap; \
	elif sudo -n true 2>/dev/null; then \
	    sudo -n apt-get update -qq && sudo -n apt-get install -y -qq bubblewrap; \
	else \
	    echo "Run: sudo apt-get install bubblewrap, then run make again." >&2; exit 1; \
	fi

# One file, which the tests put into pages; without it those tests are skipped.
axe: $(VENV)/test.stamp
	@if [ "$$(cat $(VENV)/axe.stamp 2>/dev/null)" = "$(AXE)" ]; then exit 0; fi; \
	npm install --prefix $(VENV)/axe --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --silent axe-core@$(AXE) \
	    && echo $(AXE) > $(VENV)/axe.stamp \
	    || echo "npm could not install axe-core: whether pages are accessible is not tested."

# Open edX's LTI platform, a peer that tests launch from, in an environment of its own: with it come a second
# Django and thirty packages that Attest has no use for. Without it those tests are skipped.
openedx: $(VENV)/test.stamp
	@if [ "$$(cat $(VENV)/openedx.stamp 2>/dev/null)" = "$(OPENEDX)" ]; then exit 0; fi; \
	echo "Installing Open edX's LTI platform into $(VENV)/openedx, for tests."; \
	$(BIN)/python -m venv --clear --without-pip $(VENV)/openedx \
	    && $(PIP) --python $(VENV)/openedx install -c constraints.txt cryptography lti-consumer-xblock==$(OPENEDX) \
	    && echo $(OPENEDX) > $(VENV)/openedx.stamp \
	    || echo "pip could not install lti-consumer-xblock: launches from Open edX are not tested."
