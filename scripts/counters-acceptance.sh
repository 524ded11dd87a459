#!/usr/bin/env bash
# Counts in how many unseen runs of storms, incasts, slow receivers and deadlocks `harrier watch` names the right port or host
# by the counters of simulated SONiC switches over Redis and gNMI (docs/counters.md).
#
#   scripts/counters-acceptance.sh [FIRST_SEED [RUNS [JOBS]]]
#
# RUNS of each scenario (default: 25), JOBS at the same time (default: 4). Needs redis-server.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v redis-server >/dev/null || { echo "counters-acceptance: no redis-server; run scripts/setup.sh" >&2; exit 2; }
# All members of the workspace are selected, so that dependencies keep their features and are not compiled again.
cargo build --workspace --locked --quiet --tests --example sonic_switch
target=${CARGO_TARGET_DIR:-target}/debug
exec python3 scripts/counters_acceptance.py "$target/harrier" "$target/examples/sonic_switch" "${1:-1001}" "${2:-25}" "${3:-4}"
