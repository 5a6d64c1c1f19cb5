# The two commands of the README, and what else is needed now and then.
PYTHON ?= python3
VENV ?= .venv
STORE ?= data/store

.PHONY: demo test check unit bench lock clean

demo: ## install, then index the sample documents offline and look at the result
	@PYTHON=$(PYTHON) scripts/install $(VENV) requirements.lock
	$(VENV)/bin/pathgraph index data/sample --store $(STORE) --settings data/settings.example.yaml
	$(VENV)/bin/pathgraph status --store $(STORE)
	$(VENV)/bin/pathgraph sql --store $(STORE) "SELECT name, type, degree FROM top_entities LIMIT 5"

test: ## install, then lint, check types and run every test
	@PYTHON=$(PYTHON) scripts/install $(VENV)-dev requirements-dev.lock
	scripts/check $(VENV)-dev
	$(VENV)-dev/bin/pytest -q -n auto --dist loadscope --ignore tests/flow
	$(VENV)-dev/bin/pytest -q tests/flow

unit: ## the fast tests alone
	@PYTHON=$(PYTHON) scripts/install $(VENV)-dev requirements-dev.lock
	$(VENV)-dev/bin/pytest -q -n auto --dist loadscope tests/unit tests/test_architecture.py tests/test_docs.py

bench: ## the benchmarks at a small scale, some minutes; docs/benchmarks.md has the commands of the full ones
	@PYTHON=$(PYTHON) scripts/install $(VENV)-dev requirements-dev.lock
	$(VENV)-dev/bin/python benchmarks/communities.py --nodes 10000 --repeats 1
	$(VENV)-dev/bin/python benchmarks/paths.py --nodes 10000
	$(VENV)-dev/bin/python benchmarks/offline_quality.py --language en
	$(VENV)-dev/bin/python benchmarks/offline_quality.py --language ko
	$(VENV)-dev/bin/python benchmarks/calls.py --calls 320 --latency 0.5
	$(VENV)-dev/bin/python benchmarks/condensing.py
ifdef PATHGRAPH_CORPORA
	$(VENV)-dev/bin/python benchmarks/chunk_locality.py --rounds 5 --long 0
	$(VENV)-dev/bin/python benchmarks/replies.py
	$(VENV)-dev/bin/python benchmarks/real_inputs.py --corpus carol --vectors hashed
endif

lock: ## resolve the lock files anew
	scripts/lock --upgrade

clean: ## remove the environments and the demo's store
	rm -rf $(VENV) $(VENV)-dev $(STORE)
