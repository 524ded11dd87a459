//! The controller's tests, one binary: most of the time goes into compiling what they share.

mod bit_positions;
mod collection;
mod conservation;
mod discovery;
mod engines;
#[path = "../../p4/switch/tests/files/mod.rs"]
mod files;
#[path = "../../p4/switch/tests/harness/mod.rs"]
mod harness;
mod layout;
mod live;
mod plan;
mod polling;
mod program;
mod real;
mod retry;
mod support;
