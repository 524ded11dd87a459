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
cargo test --locked --no-run "${selection[@]}"
# A test that hangs must fail while its name is still the last line. All tests together take about half of this; the time
# for compiling, which depends most on the machine, is not part of it.
timeout --kill-after=10 1800 cargo test --locked --no-fail-fast "${selection[@]}" "$@" 2>&1 | python3 -u scripts/test_times.py
