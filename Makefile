# make dev once · make test while working · make check before handing in. CI runs the same three.

PYTHON ?= python3
VENV ?= .venv
BIN := $(abspath $(VENV))/bin
CODEX_VERSION := 0.171.0
CLAUDE_VERSION := 2.1.332

.PHONY: demo dev agents golden test check format wheel bench bench-index bench-retrieval soak-index clean

demo: $(VENV)/installed
	$(BIN)/agenvantage demo

dev: $(VENV)/installed agents

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

# Pinned: on an older Node an unpinned install silently picks another version of Claude Code.
agents: .agents/codex-$(CODEX_VERSION) .agents/claude-$(CLAUDE_VERSION)

.agents/codex-$(CODEX_VERSION): PACKAGE = @openai/codex@$(CODEX_VERSION)
.agents/claude-$(CLAUDE_VERSION): PACKAGE = @anthropic-ai/claude-code@$(CLAUDE_VERSION)

.agents/codex-% .agents/claude-%:
	@if command -v npm >/dev/null; then \
	  npm install --silent --no-audit --no-fund --prefix $(firstword $(subst -, ,$@)) $(PACKAGE) && touch $@; \
	else echo "npm is not here: the tests that drive the real agents will be skipped"; fi

# Real public files that golden tests read; fetched once, by digest (see tests/real_files.py).
golden: $(VENV)/installed
	$(BIN)/python tests/real_files.py

test: dev golden
	$(BIN)/pytest

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Types and import contracts are read from the installed shape: the four folders as agenvantage.*.
check: $(VENV)/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	rm -rf build .check
	$(BIN)/pip install --quiet --no-deps --target .check .
	cd .check && $(BIN)/mypy --strict --config-file ../pyproject.toml -p agenvantage
	cd .check && $(BIN)/lint-imports ../pyproject.toml
	rm -rf build .check

wheel: $(VENV)/installed
	rm -rf build dist
	$(BIN)/python -m build --wheel
	rm -rf build

bench: $(VENV)/installed
	$(BIN)/python tests/benchmarks/help.py
	$(BIN)/python tests/benchmarks/overhead.py
	$(BIN)/python tests/benchmarks/mcp_start.py

# TREES: git work trees (they are only read); RIVALS: a folder made by tests/benchmarks/rivals.py install.
bench-index: $(VENV)/installed
	$(BIN)/python tests/benchmarks/bench_index.py $(or $(TREES),--generate 500 --rounds 1) $(if $(RIVALS),--rivals $(RIVALS)) --check --noisy

# TASKS, REPOS: see docs/retrieval.md (default: three tasks over the demo); OUT: predictions, gone on with; ABLATE=1; RIVALS as above.
TASKS ?= tests/data/retrieval/tasks.jsonl
REPOS ?= tests/data/retrieval
OUT ?= .bench/retrieval.jsonl
bench-retrieval: $(VENV)/installed
	$(BIN)/agenvantage bench retrieval --tasks $(TASKS) --repos $(REPOS) --out $(OUT) $(if $(ABLATE),--ablate)
	$(if $(RIVALS),$(BIN)/python tests/benchmarks/bench_retrieval_rivals.py --tasks $(TASKS) --repos $(REPOS) \
	  --rivals $(RIVALS) --out $(dir $(OUT))rivals --beside AgenVantage=$(OUT))

soak-index: $(VENV)/installed
	$(BIN)/python tests/benchmarks/soak_index.py all

clean:
	rm -rf build dist .check *.egg-info .pytest_cache .mypy_cache .ruff_cache
