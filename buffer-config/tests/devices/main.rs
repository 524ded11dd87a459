//! Switches of NVUE, EOS and NX-OS: what is read of a file, and a mutation suite: operators inject a defect into a correct
//! file, and the check must report it at its line with commands for its repair; harmless changes must not be reported.
//!
//! The fixtures have the structure of the vendors' guides and of configurations in public repositories.

#[path = "../support/mod.rs"]
mod support;

mod fixing;
mod fleet;
mod mutations;
mod operators;
mod reading;

use buffer_config::device::Device;
use buffer_config::finding::{Finding, Severity};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;

pub(crate) const EOS: &str = include_str!("fixtures/leaf.eos.cfg");
pub(crate) const NVUE: &str = include_str!("fixtures/spine.nvue.yaml");
pub(crate) const COMMANDS: &str = include_str!("fixtures/leaf.nvue.cmds.txt");
pub(crate) const NXOS: &str = include_str!("fixtures/leaf.nxos.cfg");

/// The device of a text.
#[track_caller]
pub(crate) fn device(text: &str) -> Device {
    let source = SourceText { name: "device", text };
    rules::check_file(source, None, &Options::default()).device.expect("a known system")
}

/// The warnings and errors of a text, one for each defect.
pub(crate) fn found(text: &str) -> Vec<Finding> {
    let mut found = reported(text);
    rules::one_per_defect(&mut found);
    found
}

/// All warnings and errors of a text.
pub(crate) fn reported(text: &str) -> Vec<Finding> {
    let source = SourceText { name: "device", text };
    let mut found = rules::check_file(source, None, &Options::default()).findings;
    found.retain(|finding| finding.severity > Severity::Info);
    found
}
