//! The switch program on the compiled engine and on the plain interpreter: random packets along its parser's states
//! and random entries, with the same frames, events and registers.

#![allow(
    clippy::disallowed_methods,
    reason = "the test reads the program, and from the environment what to repeat"
)]

#[path = "../../p4/switch/tests/harness/mod.rs"]
mod harness;

use std::path::Path;

#[test]
fn the_switch_program_does_the_same_on_both_engines() {
    harness::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../p4/hawkeye/hawkeye.p4"));
}
