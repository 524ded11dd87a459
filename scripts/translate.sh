#!/bin/sh
# Regenerates the programs that are built in as Rust: the telemetry program for the fabric, and the programs of the
# translator's tests. Run it after a change of a program, the compiler or the translator; a test fails when it is needed.
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
