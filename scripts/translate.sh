#!/bin/sh
# Prints the programs that are built in as Rust anew: the telemetry program for the fabric, and those of the translator's
# tests. Run it after a change of a program, of the compiler of operations or of the translator; tests say when.
set -eu
cd "$(dirname "$0")/.."
cargo build -q -p p4-switch --example translate
translate="${CARGO_TARGET_DIR:-target}/debug/examples/translate"
renew() {
    "$translate" "$1" > "$2.new"
    mv "$2.new" "$2"
}
renew p4/hawkeye/hawkeye.p4 fabric/src/translated.rs
for old in p4/switch/tests/translated/*.rs; do
    renew "p4/switch/tests/programs/$(basename "$old" .rs).p4" "$old"
done
