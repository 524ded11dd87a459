//! Public data outside the repository, and helpers that several suites use.

#![allow(clippy::disallowed_methods, reason = "tests read files")]
#![allow(dead_code, reason = "each suite uses its part")]

pub(crate) mod schema;
pub(crate) mod switch;
pub(crate) mod verdicts;

use std::path::PathBuf;

/// Returns a folder or file of `../shared/data/sonic`.
///
/// If it is absent, prints why the test is skipped and returns `None`, or panics if `HARRIER_REQUIRE_DATA` is set.
#[track_caller]
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/sonic").join(name);
    if path.exists() {
        return Some(path);
    }
    let is_required = std::env::var_os("HARRIER_REQUIRE_DATA").is_some_and(|value| value != "0");
    assert!(!is_required, "HARRIER_REQUIRE_DATA is set, but {} does not exist", path.display());
    eprintln!("skipped: {} does not exist", path.display());
    None
}

/// Text of a file.
pub(crate) fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files of a folder whose names end so, sorted.
pub(crate) fn files(folder: &std::path::Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}
