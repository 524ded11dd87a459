#!/usr/bin/env bash
# Formats the Rust sources. `cargo fmt` follows `mod` items only, and misses modules that a macro declares, as those of rules
# and detectors. Generated files are left out.
#
#   scripts/format.sh           formats
#   scripts/format.sh --check   fails if a file is not formatted
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard '*.rs' |
    xargs -0 rustfmt --edition 2024 "$@"
