#!/usr/bin/env bash
# Sends schemathesis's requests to a running demo: valid, borderline and malformed ones for each operation of the OpenAPI
# document, whose answers must be those that it describes.
#
#   scripts/rest.sh [HARRIER [SEED]]
#
# HARRIER is the binary (default: that of `cargo build`), SEED selects the requests.
set -euo pipefail
cd "$(dirname "$0")/.."
harrier=${1:-${CARGO_TARGET_DIR:-target}/debug/harrier}
seed=${2:-1}

./scripts/tools.sh schemathesis
work=$(mktemp -d)
"$harrier" demo --scenario pfc-storm --listen 127.0.0.1:0 --pace 8000 2>"$work/log" &
demo=$!
trap 'kill "$demo" 2>/dev/null; wait "$demo" 2>/dev/null || true; rm -rf "$work"' EXIT
address='' open=0
for _ in $(seq 600); do
    address=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$work/log" | head -1 || true)
    [ -n "$address" ] && open=$(curl -sf "$address/api/v1/incidents?limit=1" | grep -c '"id"' || true) && [ "$open" -gt 0 ] && break
    kill -0 "$demo" 2>/dev/null || {
        cat "$work/log" >&2
        exit 1
    }
    sleep 0.1
done
tool=$PWD/.tools/schemathesis/bin/schemathesis
# It keeps a folder of examples where it runs.
(cd "$work" && "$tool" run "$address/api/v1/openapi.json" --url "$address" --max-examples 15 --seed "$seed") >"$work/out" || {
    cat "$work/out" >&2
    echo "rest: answers differ from the document; the same requests again: scripts/rest.sh $harrier $seed" >&2
    exit 1
}
grep -E 'generated|Tested:' "$work/out"
kill -0 "$demo" || {
    echo "rest: the server has ended" >&2
    exit 1
}
echo "rest: every answer is one of those that the OpenAPI document describes"
