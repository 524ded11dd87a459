#!/usr/bin/env bash
# Searches for inputs that make a target panic, hang or exceed its memory limit: scripts/fuzz.sh TARGET [SECONDS]
# Runs libFuzzer with coverage feedback on the stable toolchain; requires a C++ compiler. Failing inputs are stored in
# fuzz/crashes/TARGET, and `cargo test -p harrier-fuzz` replays them.
set -euo pipefail
cd "$(dirname "$0")/.."
targets=(fuzz/libfuzzer/targets/*.rs)
target=${1:?usage: scripts/fuzz.sh TARGET [SECONDS]; targets: $(basename --suffix=.rs --multiple "${targets[@]}" | grep -v seeds | xargs)}
seconds=${2:-600}
work=${HARRIER_FUZZ_DIR:-target/fuzz}
mkdir -p "$work/corpus/$target" "fuzz/crashes/$target"
work=$(cd "$work" && pwd)

# With an explicit target triple, build scripts are not instrumented.
triple=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
RUSTFLAGS="$flags" CARGO_TARGET_DIR="$work/build" \
    cargo build --release --manifest-path fuzz/libfuzzer/Cargo.toml --target "$triple" --bin "$target"
CARGO_TARGET_DIR="$work/seeds-build" cargo build --manifest-path fuzz/libfuzzer/Cargo.toml --bin seeds
"$work/seeds-build/debug/seeds" "$target" "$work/corpus/$target" "$work/$target.dict"
words=()
[ -s "$work/$target.dict" ] && words=(-dict="$work/$target.dict")
"$work/build/$triple/release/$target" "$work/corpus/$target" "${words[@]}" \
    -artifact_prefix="fuzz/crashes/$target/" -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
