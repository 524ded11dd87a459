# Two commands do everything for a newcomer: `make run` and `make test`.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: run test setup ui build check unit foreign kit system browser bench audit clean

run: ui                    ## set up what is missing, build, start the demo, print the dashboard's address
	cargo run --release --locked -p harrier-cli -- demo $(ARGS)

test: check unit foreign kit browser   ## everything that CI runs

setup:                     ## install what is missing (Node, Chromium, Debian packages)
	./scripts/setup.sh

ui: setup                  ## build the dashboard into web/ui/dist, which the binary embeds
	./scripts/ui.sh

build: ui
	cargo build --release --locked -p harrier-cli

check: setup               ## formatting, lints, supply chain
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	./scripts/audit.sh

unit: ui                   ## every Rust test and the dashboard's own tests
	cargo test --workspace --locked
	cd web/ui && npm test

foreign: setup              ## other people's P4Runtime clients against our switch
	cargo build --locked -p harrier-cli
	./scripts/foreign-clients.sh

kit: setup                  ## what deploy/ci ships, run as its users would
	cargo build --locked -p harrier-cli
	./scripts/ci-kit.sh

browser: ui                ## the whole system in headless Chromium
	cargo build --locked -p harrier-cli
	./scripts/browser.sh

bench:                     ## the figures of docs/performance.md
	cargo bench --workspace

clean:
	cargo clean
	rm -rf web/ui/dist web/ui/node_modules tests/browser/node_modules .tools
