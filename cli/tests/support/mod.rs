//! Helpers that run the binary as a user does.

#![allow(dead_code, reason = "each suite uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

pub(crate) mod broken_nic;
pub(crate) mod redis;
pub(crate) mod watch;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Parses the standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}\n{}", self.stdout, self.stderr))
    }
}

/// Runs `harrier` with these arguments and waits for its end.
pub(crate) fn harrier<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Ran {
    harrier_with(args, &[])
}

/// Runs `harrier` with more variables in its environment.
pub(crate) fn harrier_with<S: AsRef<std::ffi::OsStr>>(args: &[S], variables: &[(&str, &str)]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(args)
        .envs(variables.iter().copied())
        .output()
        .expect("the binary was built");
    Ran {
        status: output.status.code().expect("not killed"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Returns the path of a file or folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Returns the path of one of this crate's fixtures.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// Reports that a test or a part of it cannot run for lack of data or a program, and why. With `HARRIER_REQUIRE_DATA=1`, as
/// in CI, the test fails instead.
///
/// # Panics
/// `HARRIER_REQUIRE_DATA=1` is set.
pub(crate) fn skipped(why: impl std::fmt::Display) {
    report_skipped("HARRIER_REQUIRE_DATA", &why.to_string());
}

/// Reports that a test cannot run because the machine does not permit network namespaces. With `HARRIER_REQUIRE_LAB=1`, as
/// in CI, the test fails instead.
///
/// # Panics
/// `HARRIER_REQUIRE_LAB=1` is set.
pub(crate) fn lab_skipped(why: impl std::fmt::Display) {
    report_skipped("HARRIER_REQUIRE_LAB", &why.to_string());
}

fn report_skipped(required: &str, why: &str) {
    assert!(
        std::env::var_os(required).is_none_or(|value| value != "1"),
        "cannot run, and {required}=1 is set: {why}"
    );
    let thread = std::thread::current();
    let (test, why) = (thread.name().unwrap_or("?"), why.trim().replace('\n', " "));
    // Not with a macro: the harness captures what those print, and shows nothing of a test that passes.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
}

/// Returns a path below `shared/data` next to the repository. Without it the test is skipped.
pub(crate) fn shared_data(path: &str) -> Option<PathBuf> {
    let path = repository("../shared/data").join(path);
    if path.exists() {
        return Some(path);
    }
    skipped(format_args!("there is no {}", path.display()));
    None
}

/// Returns the folder of the poster's public data. Without it the test is skipped.
pub(crate) fn poster_data() -> Option<PathBuf> {
    shared_data("hawkeye-poster")
}

/// Creates an empty folder for a test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made in the target folder");
    folder
}

/// Returns the strings of a JSON list, sorted.
pub(crate) fn sorted(list: &Value) -> Vec<String> {
    let mut strings: Vec<String> =
        list.as_array().expect("a list").iter().map(|v| v.as_str().expect("a string").to_string()).collect();
    strings.sort();
    strings
}

/// Asserts that `diagnosis` has the values of `expected`, whose keys are JSON pointers. Lists may have any order,
/// except the pause path.
pub(crate) fn assert_verdict(diagnosis: &Value, expected: &Value) {
    for (pointer, wanted) in expected.as_object().expect("an object of JSON pointers") {
        let found = diagnosis.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in {diagnosis:#}"));
        let is_ordered = pointer.ends_with("pause_path");
        let equal =
            if wanted.is_array() && !is_ordered { sorted(found) == sorted(wanted) } else { found == wanted };
        assert!(equal, "{pointer}: expected {wanted}, found {found} in {diagnosis:#}");
    }
}
