# make demo   sets everything up on a fresh machine and runs the main job on the embedded models
# make test   sets everything up and runs every test
# make interop  has lm-eval, evalscope, lmms-eval and VLMEvalKit run our exports, and compares the marks
# make check  lint, types, floors of the house, then every test (what CI runs)

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
UV      = $(BIN)/python -m uv

.PHONY: demo test check lint format bench interop clean

demo: $(VENV)/.embedded
	$(BIN)/keju demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: lint test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/harness.py
	$(BIN)/python benchmarks/statistics_speed.py

# Each tool in its own environment below .interop/ (4.5 GB in all, 4 minutes on the first run): make interop TOOLS="lm-eval"
interop: $(VENV)/.dev
	$(BIN)/python tools/interop/run.py $(TOOLS)

$(VENV)/.uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	touch $@

$(VENV)/.embedded: $(VENV)/.uv pyproject.toml
	$(UV) pip install --quiet -e '.[embedded]'
	touch $@

# pip, not uv, fetches PyTorch: it honours a wheel for the processor alone where the machine is set up with one.
$(VENV)/.dev: $(VENV)/.embedded
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps torch==2.13.0
	$(UV) pip install --quiet -e '.[all]' torchvision==0.28.0 --group dev --group interop-ci
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
