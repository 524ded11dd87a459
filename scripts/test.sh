#!/usr/bin/env bash
# Runs Rust tests and prints the test time per crate at the end.
#
#   scripts/test.sh              every crate
#   scripts/test.sh CRATE        one crate, by folder (analyzer, p4/lang) or package name (harrier-analyzer)
#
# Arguments after CRATE go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/.."

selection=(--workspace)
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
    selection=(-p "$package")
    shift
fi
# Of the whole workspace, clippy compiles the examples; linking them takes a minute, and no test runs them.
targets=()
[ "${selection[0]}" != --workspace ] || targets=(--tests)
cargo test --locked --no-run "${selection[@]}" "${targets[@]}"
# A test that hangs must fail while its name is still the last line. All tests together take about half of this; the time
# for compiling, which depends most on the machine, is not part of it.
status=0
timeout --kill-after=10 1800 cargo test --locked --no-fail-fast "${selection[@]}" "${targets[@]}" "$@" 2>&1 |
    python3 -u scripts/test_times.py || status=$?
# With `--tests`, cargo runs no examples of the documentation.
[ "${#targets[@]}" -eq 0 ] || cargo test --locked --workspace --no-fail-fast --doc || status=$?
exit "$status"
