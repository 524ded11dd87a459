#!/usr/bin/env bash
# Checks that the dashboard's types are those of the REST API and that its pages are laid out as before and hold in states that a demo does not have, starts `harrier demo`
# and a server with tokens on free ports, and drives the dashboard in headless Chromium; then the same for a verdict from
# counters, and for the incident page of every built-in scenario.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d .tools/node_modules/.bin ] && export PATH="$PWD/.tools/node_modules/.bin:$PATH"

(cd tests/browser && { [ -d node_modules/axe-core ] || npm ci --no-audit --no-fund --silent; })

binary=${CARGO_TARGET_DIR:-target}/debug/harrier
HARRIER=$binary ./scripts/ui-types.sh --check
node tests/browser/layout.mjs
node tests/browser/states.mjs
work=$(mktemp -d)
log=$work/demo
"$binary" demo --listen 127.0.0.1:0 2>"$log" >/dev/null &
demo=$!
token=$("$binary" token create --name browser --role admin --file "$work/tokens.toml")
"$binary" serve --listen 127.0.0.1:0 --upload-listen 127.0.0.1:0 --store "$work/harrier.db" --tokens "$work/tokens.toml" \
    2>"$work/serve" >"$work/addresses" &
server=$!
trap 'kill "$demo" "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

# The demo prints the address when the port is open.
address=
while [ -z "$address" ]; do
    kill -0 "$demo" 2>/dev/null || { cat "$log" >&2; echo "browser: the demo ended before it was ready" >&2; exit 1; }
    address=$(grep -om1 'http://127\.0\.0\.1:[0-9]*' "$log" || true)
    [ -n "$address" ] || read -rt 0.2 <> <(:) || true
done
node tests/browser/run.mjs "$address" || { cat "$log" >&2; exit 1; }
# The server has been listening since the first incident of the demo.
tokens=$(sed -n 's/^listening on //p' "$work/addresses")
[ -n "$tokens" ] || { cat "$work/serve" >&2; echo "browser: the server with tokens has not started" >&2; exit 1; }
HARRIER_TOKEN=$token node tests/browser/access.mjs "http://$tokens" "$address" || { cat "$work/serve" >&2; exit 1; }
kill "$demo" "$server"
node tests/browser/counters.mjs "$binary"
node tests/browser/scenarios.mjs "$binary"
