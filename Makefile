# Needs Python 3.11 or newer, pip and make. Everything else is installed into .venv and stored in var/.
#   make demo               the app with three demo projects (PORT=8000)
#   make demo STUDY=folder  the app with the published study
#   make install            the libraries of the app, in .venv
#   make check              style, types and the tests of what you changed, in under a minute
#   make test               the checks and the tests, in minutes
#   make test-all           every check and every test, before a release
#   make backup FOLDER=f    the database and the media, into a new folder (see docs/how-to/operations.md)
#   make restore FOLDER=f   the same, from that folder into an empty database

PY ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.PHONY: help install demo backup restore check test test-all tests tests-all tests-on-sqlite tests-on-sqlite-all races
.PHONY: compiled containers ledger load million runtime lint types format screenshots benchmarks clean

help:
	@sed -n 's/^#   //p' Makefile

install: .venv/.runtime

.venv/pyvenv.cfg:
	@test -n "$(PY)" || { echo "Python 3.11 or newer with pip was not found. Install it, or run make PY=/path/to/python3"; exit 1; }
	@echo "Creating .venv with $$($(PY) --version)"
	@$(PY) -m venv .venv >/dev/null 2>&1 || { rm -rf .venv && $(PY) -m venv --without-pip .venv; }

# Every other library of a lock at the same time as the others, because unpacking takes one processor only.
# A lock names all there is, so neither half looks for what its libraries need.
PIP = printf '0\n1\n' | xargs -n 1 -P 2 sh -c 'awk "/^[a-z]/ { n++ } n % 2 == $$0" $< >$@.$$0 && $(PY) -m pip --python \
	$(BIN)/python install --disable-pip-version-check --no-compile --require-hashes --no-deps -qq -r $@.$$0 && rm $@.$$0'

.venv/.runtime: requirements.lock | .venv/pyvenv.cfg
	@echo "Installing $$(grep -c '==' $<) libraries, in about a minute"
	@$(PIP)
	@touch $@

# Its lock contains that of the app.
.venv/.dev: requirements-dev.lock requirements.lock | .venv/pyvenv.cfg
	@echo "Installing $$(grep -c '==' $<) libraries for the app and its tests, in about a minute"
	@$(PIP)
	@touch .venv/.runtime $@

# The printed time includes the installation.
demo: STARTED := $(shell date +%s)
demo: .venv/.runtime
	@DEMO_STARTED=$(STARTED) $(BIN)/python manage.py demo $(if $(STUDY),--study "$(STUDY)")

backup:
	@config/backup.sh write "$(FOLDER)"

restore:
	@config/backup.sh restore "$(FOLDER)"

# If npm is available, the scripts are type-checked and their bundle is rebuilt and compared.
node_modules/.ok: package-lock.json
	@if command -v npm >/dev/null; then echo "Installing the tools that check the scripts"; \
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@ || echo "npm failed, so these checks are skipped"; fi

check: .venv/.dev
	@$(BIN)/python -m tests.check

# Several steps at a time; all of them run, also after one has failed. One process more than processors runs tests,
# because browsers and workers keep some of them waiting.
STEPS := $(MAKE) --no-print-directory -k
PYTEST := $(BIN)/python -m pytest --durations 20
SPREAD := -n $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 1 ))) --dist worksteal
EMBEDDED := env -u DATABASE_URL -u REDIS_URL
BOTH := databases and not (thorough or slow or postgres or redis)
# Compiled modules are kept, even where the machine says not to, because many processes read them.
unexport PYTHONDONTWRITEBYTECODE

test: .venv/.dev
	@begun=$$(date +%s); $(STEPS) -j2 types lint tests tests-on-sqlite; status=$$?; \
	echo "make test took $$(( $$(date +%s) - begun )) s"; exit $$status

# Containers add network interfaces, and Chromium aborts connections whenever one is added: they come first.
# The load has the machine to itself, because its rate is a promise, and the faults, because they count seconds.
test-all: .venv/.dev
	@begun=$$(date +%s); status=0; \
	$(STEPS) load ledger million || status=1; \
	$(STEPS) -j3 containers types lint races runtime || status=1; \
	THOROUGH=1 $(STEPS) -j2 tests-all tests-on-sqlite-all || status=1; \
	echo "make test-all took $$(( $$(date +%s) - begun )) s"; exit $$status

# Processes that begin together would each compile all modules. The tests themselves say what is wrong with one.
compiled: .venv/.dev
	@$(BIN)/python -m pytest --collect-only -qq tests >/dev/null || true

tests: compiled node_modules/.ok
	@$(PYTEST) $(SPREAD) -m "not thorough"

# Coverage costs half the time again, so it is measured over the cases of `make test`; each process writes its own data.
tests-all: compiled node_modules/.ok
	@rm -f .coverage .coverage.*; status=0; $(PYTEST) $(SPREAD) -m thorough || status=1; \
	$(BIN)/python -m coverage run -m pytest --durations 20 $(SPREAD) -m "not thorough" || status=1; \
	$(BIN)/python -m coverage combine -q && \
	echo "Coverage of lines: $$($(BIN)/python -m coverage report --format=total)%"; exit $$status

# What can differ by database runs on both; importing all other modules would take longer than running these.
tests-on-sqlite: compiled
	@test -z "$$DATABASE_URL" || $(EMBEDDED) $(PYTEST) -m "$(BOTH)" \
	$$(grep -rlE --include='test_*.py' 'databases|transaction(al_db|=True)|live_server' tests)

tests-on-sqlite-all: compiled
	@test -z "$$DATABASE_URL" || env -u THOROUGH $(EMBEDDED) $(PYTEST) $(SPREAD) \
	-m "(databases or stores and not thorough) and (main_path or not browser) and not postgres and not redis"

races: races-on-sqlite $(if $(DATABASE_URL),races-on-postgresql)

races-on-%:
	@$(BIN)/python -m benchmarks.races --database $*

load:
	@$(BIN)/python -m benchmarks.load

# Saves under faults, compared with a ledger outside; then a million rows of marks, within their memory.
ledger:
	@$(BIN)/python -m benchmarks.faults

million:
	@$(EMBEDDED) $(BIN)/python -m benchmarks.exports --annotations 200000 --only marks.csv

containers:
	@$(BIN)/python -m tests.containers

runtime:
	@$(BIN)/python -m tests.runtime

lint: .venv/.dev
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: .venv/.dev
	@$(EMBEDDED) $(BIN)/mypy .

format: .venv/.dev
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

screenshots: .venv/.dev
	@$(BIN)/python -m tools.screenshots

benchmarks: .venv/.dev
	@for question in page reports exports uploads planning load; do \
	echo "── $$question"; $(BIN)/python -m benchmarks.$$question || exit 1; done

clean:
	rm -rf .venv var node_modules .mypy_cache .ruff_cache .pytest_cache
