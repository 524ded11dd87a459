#!/usr/bin/env bash
# Checks text: spelling (typos) and words that are not used (docs/words.toml).
#
#   scripts/prose.sh [report]
#
# `report` prints totals of listed words by folder and phrase and does not fail.
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/tools.sh typos
.tools/typos/bin/typos
# All workspace members are selected so that dependencies keep their features and are not compiled again.
HARRIER_WORDS=${1:-} cargo test --quiet --workspace --locked --test words -- --nocapture
