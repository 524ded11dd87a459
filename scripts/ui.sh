#!/usr/bin/env bash
# Builds the dashboard into web/ui/dist, unless nothing has changed since the last build.
set -euo pipefail
cd "$(dirname "$0")/../web/ui"
[ -d ../../.tools/node_modules/.bin ] && export PATH="$PWD/../../.tools/node_modules/.bin:$PATH"

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
    npm ci --no-audit --no-fund --silent
    touch node_modules
fi
if [ -f dist/index.html ] && [ -z "$(find src index.html package-lock.json vite.config.ts ../../docs/runbook -newer dist/index.html -print -quit)" ]; then
    exit 0
fi
npm run build --silent
