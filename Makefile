# make demo   sets everything up on a fresh machine and runs the main job on the embedded models
# make test   sets everything up and runs every test
# make interop  has Inspect AI, lm-eval, evalscope, lmms-eval and VLMEvalKit run our exports, and compares the marks
# make peers    measures keju against them
# make docs   builds the documentation's site, English and Chinese, into site/; a link that leads nowhere ends it
# make audit  asks for known holes of everything that any extra installs; without the advisories of PyPI it fails
# make soak   100,000 requests: memory, files and tasks must stay level
# make check  lint, types, floors of the house, then every test (what CI runs)

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
UV      = $(BIN)/python -m uv

.PHONY: demo test check lint audit soak docs format bench peers interop clean

demo: $(VENV)/.embedded
	$(BIN)/keju demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile

check: lint test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src

audit: $(VENV)/.dev
	$(UV) pip compile --quiet --all-extras --group dev pyproject.toml | $(BIN)/pip-audit --strict --disable-pip --no-deps --requirement /dev/stdin

soak: $(VENV)/.dev
	$(BIN)/python benchmarks/soak.py

docs: $(VENV)/.dev
	$(BIN)/python tools/site.py site

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/harness.py
	$(BIN)/python benchmarks/statistics_speed.py

# The same environments as `make interop`: make peers TOOLS="evalscope"
peers: $(VENV)/.dev
	$(BIN)/python benchmarks/peers.py --install $(TOOLS)

# Each tool in its own environment below .interop/ (5 GB in all, some minutes on the first run): make interop TOOLS="lm-eval"
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
	$(UV) pip install --quiet -e '.[all]' torchvision==0.28.0 --group dev --group docs --group interop-ci
	touch $@

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
