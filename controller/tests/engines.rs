//! The switch program on the compiled engine and the plain interpreter: for random packets along its parser states and
//! random entries, both produce the same frames, events and registers.

#![allow(
    clippy::disallowed_methods,
    reason = "the test reads the program, and from the environment which case to repeat"
)]

use std::path::Path;

#[test]
fn the_switch_program_gives_the_same_results_on_both_engines() {
    crate::harness::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../p4/hawkeye/hawkeye.p4"));
}
