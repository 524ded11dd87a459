#!/bin/sh
# Regenerates the Rust translations that the translator's tests compare with (p4/switch/tests/translated). Run it after
# a change of a test program, the bytecode compiler or the translator; the tests fail when a translation is out of date.
set -eu
cd "$(dirname "$0")/.."
cargo build -q -p p4-switch --example translate
translate="${CARGO_TARGET_DIR:-target}/debug/examples/translate"
regenerate() {
    "$translate" "$1" > "$2.new"
    mv "$2.new" "$2"
}
for old in p4/switch/tests/translated/*.rs; do
    regenerate "p4/switch/tests/programs/$(basename "$old" .rs).p4" "$old"
done
