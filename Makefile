# Two commands are enough to start: `make run` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := run
.PHONY: help run lab build test together tools check prose unit test-crate examine exam foreign kit browser packages monitoring rest postgres docs api pictures bench setup ui audit clean

# Tests that compare with public data fail without it where it must be present; elsewhere they print SKIPPED.
# HARRIER_REQUIRE_DATA=0 turns that off.
ifneq ($(wildcard ../shared/data)$(filter true,$(CI)),)
    export HARRIER_REQUIRE_DATA ?= 1
endif
ifeq ($(HARRIER_REQUIRE_DATA),0)
    unexport HARRIER_REQUIRE_DATA
endif

help:                      ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The binary of `run` and `lab` is 3 MB larger than that of `build`, and ready in half the time.
run lab: export CARGO_PROFILE_RELEASE_LTO = thin

run: ui                    ## install what is missing, build, start the demo and print the dashboard's address
	cargo run --release --locked -p harrier-cli -- demo $(ARGS)

lab: ui                    ## a real network of namespaces with an incident: make lab SCENARIO=host-storm (needs root)
	cargo build --release --locked -p harrier-cli
	target/release/harrier lab up $(SCENARIO)
	target/release/harrier lab traffic
	@echo "the verdict follows in about 15 s; 'target/release/harrier lab down' removes the lab"

build: ui                  ## build the release binary, target/release/harrier
	cargo build --release --locked -p harrier-cli

# An idle job (SCHED_IDLE) is preempted at once by other processes.
IDLE = $(if $(shell command -v chrt),chrt --idle 0)

# How a development build of the binary is made. `make test` uses the one that the unit tests have built, with the features
# of all crates: another selection of crates has other features, and would compile most dependencies once more.
CLI ?= cargo build --locked -p harrier-cli
test: export CLI = cargo build --locked --workspace --tests
test: export HARRIER_WORKSPACE_TESTS = 1
test: tools check unit together   ## everything that CI runs

# The examination and the documentation compute; the others mostly wait for servers, installers and pages, and run at the same
# time. All use one build.
together: setup ui
	$(CLI)
	@mkdir -p target
	@echo "the examination and the documentation are made at the same time as the following, and print their results after it"; \
	$(MAKE) --no-print-directory CLI=true examine docs >target/together.out 2>&1 & computing=$$!; status=0; \
	$(MAKE) --no-print-directory CLI=true postgres foreign kit packages monitoring rest browser || status=$$?; \
	wait $$computing || status=$$?; cat target/together.out; exit $$status

# They wait for the network, while `check` compiles; what needs a tool waits for it.
tools: setup
	@mkdir -p .tools
	@./scripts/tools.sh --all >.tools/log 2>&1 &

check: setup prose         ## formatting, lints, text, dependencies
	./scripts/format.sh --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	./scripts/audit.sh
	./scripts/judge-apart.sh

prose: setup               ## spelling, and words that docs/words.toml lists
	./scripts/prose.sh

unit: ui                   ## every Rust test, with the time per crate, and the dashboard's unit tests
	./scripts/test.sh
	cd web/ui && npm test

test-crate: setup          ## the tests of one crate: make test-crate CRATE=analyzer
	./scripts/test.sh $(or $(CRATE),$(error usage: make test-crate CRATE=analyzer))

postgres: setup            ## the tests of the store on a PostgreSQL server, which the script starts
	./scripts/postgres.sh

foreign: setup             ## P4Runtime clients of other projects against `harrier switch`
	$(CLI)
	./scripts/foreign-clients.sh

kit: setup                 ## the CI integrations in deploy/ci, run as their users run them
	$(CLI)
	./scripts/ci-kit.sh

packages: setup            ## the Debian package and the Kubernetes manifests, checked
	$(CLI)
	./scripts/packages.sh

monitoring: setup          ## Prometheus rules, the Grafana dashboard and the metrics of a demo
	$(CLI)
	./scripts/monitoring.sh

rest: setup                ## schemathesis against the REST interface of a demo
	$(CLI)
	./scripts/rest.sh

examine: setup             ## 40 generated scenarios that nobody has seen, judged by intervention
	$(CLI)
	$(IDLE) ./scripts/exam.sh

exam: setup                ## the examination that docs/evaluation/exam.md shows: make exam SEED=2000000 RUNS=2000
	cargo build --locked --release -p harrier-cli
	HARRIER=target/release/harrier ./scripts/exam.sh $(or $(SEED),$(error usage: make exam SEED=2000000 RUNS=2000)) $(or $(RUNS),2000)

browser: ui                ## the dashboard of a running demo in headless Chromium
	$(CLI)
	./scripts/browser.sh

docs: setup                ## the documentation site with the Rust API, target/docs/site
	$(CLI)
	HARRIER=$${CARGO_TARGET_DIR:-target}/debug/harrier $(IDLE) ./scripts/docs.sh

api: setup                 ## the Rust API alone; warnings are errors
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace --locked

pictures: ui               ## the README's pictures
	$(CLI)
	./scripts/pictures.sh

bench:                     ## the measurements in docs/performance.md
	cargo bench --workspace

audit: setup               ## licences, sources and bans of dependencies
	./scripts/audit.sh
	./scripts/judge-apart.sh

setup:                     ## install missing packages (Node.js, Chromium, Debian packages)
	./scripts/setup.sh

ui: setup                  ## build the dashboard into web/ui/dist, which the binary embeds
	./scripts/ui.sh

clean:                     ## remove everything that was built or installed in this folder
	cargo clean
	rm -rf web/ui/dist web/ui/node_modules tests/browser/node_modules .tools
