#!/usr/bin/env bash
# Checks licences, sources and bans of every dependency against deny.toml with cargo-deny.
#
# Without cargo-deny the check is skipped with a warning. With HARRIER_REQUIRE_AUDIT=1 that is a failure. CI does
# not install cargo-deny, because compiling it takes longer than the tests; the release workflow does.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v cargo-deny >/dev/null; then
    echo "**********************************************************************" >&2
    echo "audit: SKIPPED: cargo-deny is not installed, dependencies are NOT checked" >&2
    echo "audit: install it with: cargo install --locked cargo-deny" >&2
    echo "**********************************************************************" >&2
    [ "${HARRIER_REQUIRE_AUDIT:-0}" = 1 ] && exit 1
    exit 0
fi
# The advisory database comes from the network; these three checks also work offline.
cargo deny --offline check bans licenses sources
