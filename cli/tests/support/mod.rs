//! Runs the binary as a user does.

#![allow(dead_code, reason = "every suite uses its part")]
#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a command left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Its standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}\n{}", self.stdout, self.stderr))
    }
}

/// Runs `harrier` with these arguments.
pub(crate) fn harrier<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Ran {
    let output =
        Command::new(env!("CARGO_BIN_EXE_harrier")).args(args).output().expect("the binary was built");
    Ran {
        status: output.status.code().expect("not killed"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// A folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A file of this crate's fixtures.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// The public data of the poster beside the checkout, if it is there; says so when it is not.
pub(crate) fn poster_data() -> Option<PathBuf> {
    let folder = repository("../shared/data/hawkeye-poster");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the poster's public data is not at {}", folder.display());
    None
}

/// An empty folder of this test's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made in the target folder");
    folder
}

/// The strings of a JSON list, sorted.
pub(crate) fn sorted(list: &Value) -> Vec<String> {
    let mut strings: Vec<String> =
        list.as_array().expect("a list").iter().map(|v| v.as_str().expect("a string").to_string()).collect();
    strings.sort();
    strings
}

/// Asserts that every field of `expected` is in `diagnosis`; lists of flows in any order.
pub(crate) fn assert_verdict(diagnosis: &Value, expected: &Value) {
    for (pointer, wanted) in expected.as_object().expect("an object of JSON pointers") {
        let found = diagnosis.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in {diagnosis:#}"));
        let is_ordered = pointer.ends_with("pause_path");
        let equal =
            if wanted.is_array() && !is_ordered { sorted(found) == sorted(wanted) } else { found == wanted };
        assert!(equal, "{pointer}: expected {wanted}, found {found} in {diagnosis:#}");
    }
}
