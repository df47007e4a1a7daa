# Everything sets itself up: a target needs Python (3.11 or newer) and nothing else.
# PYTHON=/path/to/python picks the interpreter; otherwise the newest that works is taken.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

NEWEST := 3.14 3.13 3.12 3.11
# CPU wheels of the pinned PyTorch are found for 3.11 wherever this is tested; elsewhere the same
# requirement may mean gigabytes of GPU libraries. So the tests against PyTorch have their own
# environment, which at the same time proves the oldest supported Python and jaxlib.
OLDEST := 3.11 3.12 3.13 3.14
TORCH := torch==2.13.0
# The reference implementations of published nets. Without their dependencies: what the tests build
# needs none of them, and torchvision's would be the GPU build of PyTorch.
REFERENCES := torchvision==0.28.0 timm==1.0.31

DEMO := runs/demo
RANDOM_TESTS := tests/hlo/test_hlo_random.py tests/certify/kernel tests/certify/random tests/data
# A process per core; each begins with a half of the suite in order, so that what a file shares is
# seldom made twice. Without new workers: the test that kills one would kill each in turn.
PARALLEL := -n auto --dist worksteal --max-worker-restart=0
SOURCES := src tests benchmarks tools

.PHONY: help demo picture proof proofs browser test test-newest test-oldest bench sweep parity lint data clean

help:
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-8s %s\n", $$1, $$2 }' Makefile

.venv-demo/.stamp: pyproject.toml tools/environment.sh
	@tools/environment.sh build .venv-demo "$(NEWEST)" ""
	@touch $@

.venv/.stamp: pyproject.toml tools/environment.sh
	@tools/environment.sh build .venv "$(NEWEST)" iree,jax,test,browser,lint
	@touch $@

.venv-torch/.stamp: pyproject.toml tools/environment.sh
	@tools/environment.sh build .venv-torch "$(OLDEST)" jax,test $(TORCH)
	@.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check \
		--only-binary :all: --no-deps $(REFERENCES)
	@touch $@

demo: .venv-demo/.stamp ## train digits-cnn on the embedded digits; ends with accuracy, curves, JSON
	@tools/demo.sh .venv-demo/bin/gradwright $(DEMO)

picture: demo ## draw the picture of the README from the demo
	.venv-demo/bin/python tools/picture.py runs/digits-cnn.mlir $(DEMO) docs/pictures/overview.png

proof: .venv/.stamp browser ## take the picture of a page that certify writes
	PYTHONPATH=tests .venv/bin/python tools/proof_picture.py docs/pictures/proof-page.png

browser: ## a headless Chromium for the tests of pages, from Debian's packages if there is none
	@tools/browser.sh

proofs: ## build the Coq proofs of the rules, with Debian's packages of Coq if there is none
	@tools/coq.sh

test: lint test-newest test-oldest ## lint, then every test but the sweeps, on two Pythons

test-newest: .venv/.stamp browser proofs
	.venv/bin/python -m pytest $(PARALLEL) -m "not torch and not slow"

test-oldest: .venv-torch/.stamp
	.venv-torch/bin/python -m pytest $(PARALLEL) -m "torch and not slow"

lint: .venv/.stamp ## ruff, strict pyright, import arrows
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/pyright --pythonpath .venv/bin/python
	.venv/bin/lint-imports

bench: .venv/.stamp .venv-torch/.stamp ## ms per step beside JAX and PyTorch, into benchmarks/RESULTS.md
	.venv/bin/python benchmarks/train_step.py --torch .venv-torch/bin/python --write

# Those against PyTorch in one process: VGG-16 beside its reference takes 13 GB.
sweep: .venv/.stamp .venv-torch/.stamp ## the slow tests, new random programs, the table of the zoo
	HYPOTHESIS_PROFILE=others .venv/bin/python -m pytest $(PARALLEL) $(RANDOM_TESTS)
	.venv/bin/python -m pytest $(PARALLEL) -m "slow and not torch"
	.venv-torch/bin/python -m pytest -m "slow and torch"
	.venv/bin/python benchmarks/zoo_steps.py --jobs 2 --write

parity: .venv-torch/.stamp ## compare the zoo with torchvision and timm, into docs/parity.md
	PYTHONPATH=tests .venv-torch/bin/python tools/parity.py --write

kernel: ## the trusted kernel in reading order, and the lines of it and of the checker, empty ones left out
	@sed -n 's/^| \(`[a-z, `]*`\) | \([^|]*\) | .*/\1|\2/p' docs/kernel.md | while IFS='|' read -r names says; do \
		for name in $$(tr -d '`,' <<< "$$names"); do \
			printf '%4d  %-13s %s\n' "$$(grep -c . src/gradwright/certify/kernel/$$name.py)" "$$name" "$$says"; \
		done; \
	done
	@for part in certify/kernel check; do \
		cat src/gradwright/$$part/*.py | grep -c . | sed "s|^|$$part in all\t|"; \
	done

data: .venv-demo/.stamp ## fetch the complete MNIST and Fashion-MNIST into data/
	.venv-demo/bin/python tools/get_data.py

clean: ## remove environments, caches and the demo's run (data/ stays)
	rm -rf .venv .venv-demo .venv-torch .pytest_cache .ruff_cache .hypothesis \
		.import_linter_cache $(DEMO)
