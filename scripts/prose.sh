#!/usr/bin/env bash
# Checks text: spelling (typos) and words that are not used (docs/words.toml).
#
#   scripts/prose.sh [report]
#
# `report` prints totals of listed words by folder and phrase and does not fail.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=.tools/prose
requirement=typos==1.52.0
if [ "$(cat "$tools/installed" 2>/dev/null)" != "$requirement" ]; then
    echo "prose: installing $requirement into $tools" >&2
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "$requirement"
    echo "$requirement" >"$tools/installed"
fi
"$tools/bin/typos"
# All workspace members are selected so that dependencies keep their features and are not compiled again.
HARRIER_WORDS=${1:-} cargo test --quiet --workspace --locked --test words -- --nocapture
