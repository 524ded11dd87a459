#!/usr/bin/env bash
# Runs Rust tests; of all crates, it prints the test time of each at the end (scripts/run_tests.py).
#
#   scripts/test.sh              every crate
#   scripts/test.sh CRATE        one crate, by folder (analyzer, p4/lang) or package name (harrier-analyzer)
#
# Arguments after CRATE go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    package=$(cargo metadata --format-version 1 --no-deps --locked | python3 -c '
import json, pathlib, sys

wanted = sys.argv[1].strip("/")
root = pathlib.Path.cwd()
names = []
for package in json.load(sys.stdin)["packages"]:
    folder = pathlib.Path(package["manifest_path"]).parent.relative_to(root)
    names.append(package["name"])
    if wanted in (package["name"], str(folder), folder.name):
        print(package["name"])
        break
else:
    sys.exit("test: there is no crate " + wanted + "; crates: " + ", ".join(sorted(names)))
' "$1")
    shift
    cargo test --locked --no-run -p "$package"
    # A test that hangs must fail while its name is still the last line.
    timeout --kill-after=10 1800 cargo test --locked --no-fail-fast -p "$package" "$@"
    exit
fi
# Of the whole workspace, clippy compiles the examples; linking them takes a minute, and no test runs them.
cargo test --locked --no-run --workspace --tests
status=0
cargo test --locked --no-run --workspace --tests --message-format=json-render-diagnostics 2>/dev/null |
    python3 -u scripts/run_tests.py || status=$?
# With `--tests`, cargo runs no examples of the documentation.
cargo test --locked --workspace --no-fail-fast --doc || status=$?
exit "$status"
