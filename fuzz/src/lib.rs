//! Fuzz targets: no input may cause a panic, a hang or unbounded memory use.
//!
//! A [`Target`] is a function over bytes with two drivers. `cargo test -p harrier-fuzz` replays all inputs that once
//! failed and a fixed number of mutated seeds; it runs in CI. `scripts/fuzz.sh` runs libFuzzer with coverage feedback
//! for a given time. It stores failing inputs in `fuzz/crashes/TARGET/`, where the tests replay them.

mod bmv2;
mod config;
mod expansion;
pub mod mutate;
mod packets;
mod programs;
mod protocol;
mod samples;
mod source;
mod stf;

/// A component that processes untrusted input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the target, its fuzz binary and its folder of failing inputs.
    pub name: &'static str,
    /// Processes one input. Panics if a property does not hold.
    pub run: fn(&[u8]),
    /// Initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that are frequent in its inputs.
    pub words: &'static [&'static str],
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "p4_source", run: source::run, seeds: source::seeds, words: source::WORDS },
    Target { name: "p4_expansion", run: expansion::run, seeds: expansion::seeds, words: &[] },
    Target { name: "stf", run: stf::run, seeds: stf::seeds, words: stf::WORDS },
    Target { name: "bmv2", run: bmv2::run, seeds: bmv2::seeds, words: bmv2::WORDS },
    Target { name: "packets", run: packets::run, seeds: packets::seeds, words: &[] },
    Target { name: "config", run: config::run, seeds: config::seeds, words: config::WORDS },
    Target { name: "config_flat", run: config::run, seeds: config::flat_seeds, words: config::WORDS },
    Target { name: "config_array", run: config::run, seeds: config::array_seeds, words: config::WORDS },
    Target { name: "config_yang", run: config::run, seeds: config::yang_seeds, words: config::WORDS },
    Target {
        name: "config_lookup",
        run: config::lookup,
        seeds: config::lookup_seeds,
        words: &["40000", "40m"],
    },
    Target { name: "config_hosts", run: config::hosts, seeds: config::hosts_seeds, words: &["[[host]]"] },
    Target {
        name: "config_suppressions",
        run: config::suppressions,
        seeds: config::suppressions_seeds,
        words: &["[[suppress]]", "BUF", "*", "SRC004", "tor-1/"],
    },
    Target { name: "config_baseline", run: config::baseline, seeds: config::baseline_seeds, words: &[] },
    Target { name: "flow_samples", run: samples::run, seeds: samples::seeds, words: &[] },
    Target { name: "p4runtime", run: protocol::run, seeds: protocol::seeds, words: &[] },
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
