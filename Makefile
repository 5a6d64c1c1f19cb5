# The two commands of the README, and what else is needed now and then.
PYTHON ?= python3
VENV ?= .venv
STORE ?= data/store

.PHONY: demo test check unit lock clean

demo: ## install, then index the sample documents offline and look at the result
	@PYTHON=$(PYTHON) scripts/install $(VENV) requirements.lock
	$(VENV)/bin/pathgraph index data/sample --store $(STORE) --settings data/settings.example.yaml
	$(VENV)/bin/pathgraph status --store $(STORE)
	$(VENV)/bin/pathgraph sql --store $(STORE) "SELECT name, type, degree FROM top_entities LIMIT 5"

test: ## install, then lint, check types and run every test
	@PYTHON=$(PYTHON) scripts/install $(VENV)-dev requirements-dev.lock
	scripts/check $(VENV)-dev
	$(VENV)-dev/bin/pytest

unit: ## the fast tests alone
	@PYTHON=$(PYTHON) scripts/install $(VENV)-dev requirements-dev.lock
	$(VENV)-dev/bin/pytest -q tests/unit tests/test_architecture.py

lock: ## resolve the lock files anew
	scripts/lock --upgrade

clean: ## remove the environments and the demo's store
	rm -rf $(VENV) $(VENV)-dev $(STORE)
