//! The example of every rule's page, as `harrier check --example` writes it, has the finding that the page describes.

#![allow(clippy::disallowed_methods, reason = "tests run the binary")]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::scratch;

/// Runs a command line and returns its standard output.
#[track_caller]
fn check(folder: &Path, line: &str, more: &[&str]) -> String {
    let words = line.split_whitespace().skip(1);
    let mut command = Command::new(env!("CARGO_BIN_EXE_harrier"));
    command.args(words).args(more).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("harrier runs");
    String::from_utf8(output.stdout).expect("text")
}

/// Rules of which one example states two violations, and the finding that a suppression no longer hides.
const TWO_LINES: [&str; 5] = ["BUF005", "BUF030", "HOST008", "LINK015", "SRC013"];

#[test]
fn every_example_is_reproduced_by_its_command() {
    let here = scratch("rule-examples");
    let rules: serde_json::Value =
        serde_json::from_str(&check(&here, "harrier check --list-rules --format json", &[])).expect("JSON");
    let mut wrong = Vec::new();
    for rule in rules.as_array().expect("rules") {
        let code = rule["code"].as_str().expect("a code");
        let line = check(&here, &format!("harrier check --example {code} {code}"), &[]);
        let found = check(&here, line.trim(), &["--format", "concise"]);
        let lines = if TWO_LINES.contains(&code) { 2 } else { 1 };
        if !found.contains(&format!("[{code}]")) || found.lines().count() != lines {
            wrong.push(format!("{code}: {line}{found}"));
        }
        let page = check(&here, &format!("harrier check --explain {code}"), &[]);
        assert!(page.contains(&format!("`harrier check --example {code} DIR`")), "{page}");
    }
    assert!(
        wrong.is_empty(),
        "{} examples do not have their finding only:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
