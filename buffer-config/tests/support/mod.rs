//! Public data beside the workspace.

#![allow(clippy::disallowed_methods, reason = "tests read files")]
#![allow(dead_code, reason = "each suite uses its part")]

pub(crate) mod schema;
pub(crate) mod switch;
pub(crate) mod verdicts;

use std::path::PathBuf;

/// A folder or file of `../shared/data/sonic`; `None`, said aloud, when it is not beside the workspace.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/sonic").join(name);
    if !path.exists() {
        eprintln!("SKIPPED: shared/data/sonic/{name} is not next to this workspace");
        return None;
    }
    Some(path)
}

/// Text of a file.
pub(crate) fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files of a folder with that ending, sorted.
pub(crate) fn files(folder: &std::path::Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}
