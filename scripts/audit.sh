#!/usr/bin/env bash
# Licences, sources and bans of every dependency (deny.toml), with cargo-deny where it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v cargo-deny >/dev/null; then
    echo "audit: skipped, cargo-deny is not installed (cargo install --locked cargo-deny)" >&2
    exit 0
fi
# The advisory database is fetched from the network; a machine without it still checks the rest.
cargo deny --offline check bans licenses sources
