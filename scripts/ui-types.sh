#!/usr/bin/env bash
# Writes web/ui/src/data/openapi.ts, the dashboard's types of the REST answers, from the OpenAPI document.
#
#   scripts/ui-types.sh [--check]
#
# --check writes nothing and fails if the file differs. HARRIER is the binary that prints the document (default: the one
# that `cargo build -p harrier-cli` makes). The file is in the repository, because the binary embeds the dashboard and
# so cannot be built before it.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d .tools/node_modules/.bin ] && export PATH="$PWD/.tools/node_modules/.bin:$PATH"

document=$(mktemp)
trap 'rm -f "$document"' EXIT
"${HARRIER:-${CARGO_TARGET_DIR:-target}/debug/harrier}" openapi >"$document"
cd web/ui
[ -d node_modules/openapi-typescript ] || npm ci --no-audit --no-fund --silent
node openapi.mjs "$document" "$@"
