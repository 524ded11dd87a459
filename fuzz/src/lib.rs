//! Fuzz targets: whatever comes in, nothing panics, hangs or grows without bound.
//!
//! A [`Target`] is a plain function over bytes. Two drivers run it: `cargo test -p harrier-fuzz` replays the inputs
//! that once did harm and a fixed number of mutated seeds, on every machine and in every CI run; `scripts/fuzz.sh`
//! runs libFuzzer with coverage feedback for as long as one likes. An input that does harm goes to
//! `fuzz/crashes/TARGET/` and so becomes a test.

mod config;
pub mod mutate;
mod packets;
mod programs;
mod protocol;
mod source;

/// Something that takes input from strangers.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: of the fuzz binary, and of the folder with its crashes.
    pub name: &'static str,
    /// Feeds it one input. Panics when a property does not hold.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that its inputs are likely to hold.
    pub words: &'static [&'static str],
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "p4_source", run: source::run, seeds: source::seeds, words: source::WORDS },
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
    Target { name: "p4runtime", run: protocol::run, seeds: protocol::seeds, words: &[] },
];

/// The target of that name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
