#!/usr/bin/env bash
# Checks that the dashboard's types are those of the REST API, starts `harrier demo` on a free port and drives the dashboard in headless Chromium; then the same for the
# incident page of every built-in scenario.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d .tools/node_modules/.bin ] && export PATH="$PWD/.tools/node_modules/.bin:$PATH"

(cd tests/browser && { [ -d node_modules/axe-core ] || npm ci --no-audit --no-fund --silent; })

binary=${CARGO_TARGET_DIR:-target}/debug/harrier
HARRIER=$binary ./scripts/ui-types.sh --check
log=$(mktemp)
"$binary" demo --listen 127.0.0.1:0 2>"$log" >/dev/null &
demo=$!
trap 'kill "$demo" 2>/dev/null || true; rm -f "$log"' EXIT

# The demo prints the address when the port is open.
address=
while [ -z "$address" ]; do
    kill -0 "$demo" 2>/dev/null || { cat "$log" >&2; echo "browser: the demo ended before it was ready" >&2; exit 1; }
    address=$(grep -om1 'http://127\.0\.0\.1:[0-9]*' "$log" || true)
    [ -n "$address" ] || read -rt 0.2 <> <(:) || true
done
node tests/browser/run.mjs "$address" || { cat "$log" >&2; exit 1; }
kill "$demo"
node tests/browser/scenarios.mjs "$binary"
