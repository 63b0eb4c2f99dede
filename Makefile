# Two commands on a bare machine: `make demo` and `make test`. The first call sets up .venv.

PYTHON ?= python3
VENV ?= .venv
OUT ?= demo-out
JOBS ?= 2
BIN = $(VENV)/bin
FILES = setup.py constraints.txt scripts/set_up.sh

.PHONY: help demo test test-all mutants gui lint docs results dist soak clean

help:
	@echo "make demo       set up, sort a simulated array, show it (without a display: write $(OUT)/)"
	@echo "make test       set up and run the tests, JOBS=2 at a time"
	@echo "make test-all   the slow tests too"
	@echo "make mutants    small random changes of the program, and whether the tests notice; ARGS='--package core --n 20'"
	@echo "make gui        set up and open the application"
	@echo "make lint       ruff, mypy and the import contracts"
	@echo "make docs       the documentation as a site: build/docs/html/index.html"
	@echo "make results    every benchmark whose figures README and docs show, an hour and a quarter; goes on when stopped"
	@echo "make dist       build sdist and wheel, check them, try the wheel with every Python that is here"
	@echo "make soak       endurance: hours of channels, kills, full disks, damaged files; four to five hours"
	@echo "make clean      remove $(VENV) and what was built"

$(VENV)/.ready: $(FILES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" bash scripts/set_up.sh app

$(VENV)/.ready-test: $(FILES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" bash scripts/set_up.sh test

$(VENV)/.ready-dev: $(FILES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" bash scripts/set_up.sh dev

$(VENV)/.ready-docs: $(FILES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" bash scripts/set_up.sh docs

$(VENV)/.ready-bench: $(FILES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" bash scripts/set_up.sh bench

demo: $(VENV)/.ready
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && [ -z "$$CI" ]; then \
	    "$(BIN)/ncpgui" demo --out "$(OUT)"; \
	else \
	    "$(BIN)/ncpgui" demo --headless --out "$(OUT)"; \
	fi

gui: $(VENV)/.ready
	@"$(BIN)/ncpgui" gui

test: $(VENV)/.ready-test
	@PYTHONDONTWRITEBYTECODE= "$(BIN)/python" -m pytest -n $(JOBS) --dist loadfile $(ARGS)

test-all: $(VENV)/.ready-test
	@PYTHONDONTWRITEBYTECODE= "$(BIN)/python" -m pytest -m "slow or not slow" $(ARGS)

mutants: $(VENV)/.ready-test
	@"$(BIN)/python" scripts/mutants.py $(ARGS)

lint: $(VENV)/.ready-dev
	@"$(BIN)/ruff" check .
	@"$(BIN)/ruff" format --check .
	@"$(BIN)/mypy"
	@"$(BIN)/lint-imports"

docs: $(VENV)/.ready-docs
	@PATH="$(abspath $(BIN)):$$PATH" "$(BIN)/python" -m sphinx -W --keep-going -d build/docs/read docs build/docs/html
	@"$(BIN)/python" -m sphinx -W -q -b doctest -D nb_execution_mode=off -d build/docs/examples docs build/docs/doctest
	@echo "open build/docs/html/index.html"

results: $(VENV)/.ready-bench
	@"$(BIN)/python" -m benchmarks.common.all_results $(ARGS)

dist: $(VENV)/.ready-dev
	@"$(BIN)/python" scripts/make_dist.py $(ARGS)

soak: $(VENV)/.ready-bench
	@PATH="$(abspath $(BIN)):$$PATH" bash scripts/soak.sh $(ARGS)

clean:
	rm -rf "$(VENV)" build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
