# make demo         the main job once, end to end, without credentials
# make test         every check and every test but those of the next line
# make test-system  all of Dagster at once, in a browser, over PostgreSQL and Celery (some minutes)
# make check        types, lint, layers
# make bench        the measurements
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Both variables, since newer pips take the second one for what builds the package.
PIP    := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
          $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What Debian has and PyPI has not; a test that misses one of them is skipped and says so.
SYSTEM_PACKAGES := chromium postgresql

.PHONY: demo test test-system system-packages check format bench clean

# A stamp for each step, made only when the step went well: a second run has nothing to do, and one
# that failed half-way begins again.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …"; exit 1; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.dagster: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing (a minute or two the first time)"
	@$(PIP) --editable '.[dagster]'
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing with everything the tests need (two minutes or so the first time)"
	@$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.dagster

demo: $(VENV)/.dagster
	@$(BIN)/resources-graph demo $(if $(ARCHIVE),--archive '$(ARCHIVE)')

test: check
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-system: $(VENV)/.test system-packages
	$(BIN)/python -m pytest -m system $(PYTEST_ARGS)

system-packages:
	@if command -v chromium >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  echo "Installing $(SYSTEM_PACKAGES)"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(SYSTEM_PACKAGES) >/dev/null; \
	else echo "Without $(SYSTEM_PACKAGES) some tests are skipped (on Debian and Ubuntu: apt install $(SYSTEM_PACKAGES))"; fi

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.test
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist *.egg-info
