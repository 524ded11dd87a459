//! Replays inputs that once failed, and runs a fixed number of mutated seeds of each target, without coverage
//! feedback.
//!
//! `HARRIER_FUZZ_SEED` and `HARRIER_FUZZ_RUNS` change the seed and the number of runs; `scripts/fuzz.sh` searches for
//! new failures.

#![allow(
    clippy::disallowed_methods,
    reason = "a fuzz driver reads its inputs from files and its seed from the environment"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use harrier_fuzz::mutate::mutated;
use harrier_fuzz::target;
use rand_core::SeedableRng;
use rand_xoshiro::SplitMix64;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check(name: &str, runs: u64) {
    let target = target(name).expect("a target of that name");
    let crashes = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes").join(name);
    let files = std::fs::read_dir(&crashes).into_iter().flatten().flatten();
    let mut files: Vec<_> = files.map(|file| file.path()).collect();
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).expect("a file that was just listed");
        let outcome = catch_unwind(|| (target.run)(&bytes));
        assert!(outcome.is_ok(), "{name} panics at {}", file.display());
    }
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{name} has seeds");
    seeds.iter().for_each(|seed| (target.run)(seed));
    let first = number("HARRIER_FUZZ_SEED", 1);
    for seed in first..first + number("HARRIER_FUZZ_RUNS", runs) {
        let bytes = mutated(&seeds, target.words, &mut SplitMix64::seed_from_u64(seed));
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes)));
        assert!(
            outcome.is_ok(),
            "repeat with: HARRIER_FUZZ_SEED={seed} HARRIER_FUZZ_RUNS=1 cargo test -p harrier-fuzz {name}\n{}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn p4_source() {
    check("p4_source", 1_000);
}

#[test]
fn bmv2() {
    check("bmv2", 1_000);
}

#[test]
fn p4_expansion() {
    check("p4_expansion", 200);
}

#[test]
fn stf() {
    check("stf", 2_000);
}

#[test]
fn packets() {
    check("packets", 5_000);
}

#[test]
fn flow_samples() {
    check("flow_samples", 5_000);
}

#[test]
fn p4runtime() {
    check("p4runtime", 300);
}

#[test]
fn configurations_in_all_forms() {
    for name in ["config", "config_flat", "config_array", "config_yang"] {
        check(name, 1_000);
    }
}

#[test]
fn files_beside_configurations() {
    for name in ["config_lookup", "config_hosts", "config_suppressions", "config_baseline"] {
        check(name, 1_000);
    }
}
