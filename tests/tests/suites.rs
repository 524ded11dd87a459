//! Every test file belongs to a test binary. Crates whose tests are one binary list their files in `tests/main.rs`, and
//! Cargo does not look for others there: a file that is missing in the list would never run.

#![allow(clippy::disallowed_methods, reason = "a test of the workspace reads its files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The names of the files that are declared with `mod` in the roots.
fn declared(roots: &[PathBuf]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for root in roots {
        let text =
            std::fs::read_to_string(root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
        let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        names.extend(modules.map(str::to_string));
    }
    names
}

/// The files in the tests folder of a crate that no test binary of the crate contains.
fn forgotten(folder: &Path) -> Vec<PathBuf> {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let tests = folder.join("tests");
    if !manifest.contains("autotests = false") || !tests.is_dir() {
        return Vec::new();
    }
    let paths = manifest.lines().filter_map(|line| line.strip_prefix("path = \"tests/")?.strip_suffix('"'));
    let roots: Vec<PathBuf> = paths.map(|path| tests.join(path)).collect();
    let known = declared(&roots);
    let files = std::fs::read_dir(&tests).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|end| end == "rs");
    let is_known = |path: &PathBuf| {
        roots.contains(path) || path.file_stem().is_some_and(|name| known.contains(&*name.to_string_lossy()))
    };
    files.filter(is_rust).filter(|path| !is_known(path)).collect()
}

#[test]
fn every_test_file_is_part_of_a_test_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("the workspace's manifest");
    let members = manifest.lines().skip_while(|line| !line.starts_with("members")).skip(1);
    let members = members.map_while(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    let folders: Vec<PathBuf> = members.map(|member| root.join(member)).collect();
    assert!(folders.len() > 10, "members of the workspace: {folders:?}");
    let missing: Vec<PathBuf> = folders.iter().flat_map(|folder| forgotten(folder)).collect();
    assert!(missing.is_empty(), "add `mod NAME;` to the crate's tests/main.rs for {missing:?}");
}
