//! The P4 programs of the repository: seeds for the compiler, and programs for the packet and P4Runtime targets.

#![allow(clippy::disallowed_methods, reason = "a fuzz driver reads the repository's programs from its files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use p4_lang::ir::Program;
use p4_lang::{Options, SourceLoader, compile};

/// Folders with programs, relative to the repository.
const FOLDERS: &[&str] =
    &["p4/hawkeye", "p4/lang/tests/good", "p4/lang/tests/bad", "p4/switch/tests/programs"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns all P4 files of these folders, in a fixed order.
pub(crate) fn files() -> Vec<PathBuf> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => visit(&path, found),
                false if path.extension().is_some_and(|e| e == "p4") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = Vec::new();
    for folder in FOLDERS {
        visit(&root().join(folder), &mut found);
    }
    found.sort();
    found
}

/// A compiled program and its path.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) program: Arc<Program>,
}

struct Files;

impl SourceLoader for Files {
    fn load(&self, path: &str) -> Option<String> {
        fs::read_to_string(path).ok()
    }
}

/// Returns all programs that compile without errors.
pub(crate) fn all() -> &'static [Loaded] {
    static ALL: OnceLock<Vec<Loaded>> = OnceLock::new();
    ALL.get_or_init(|| {
        let compiled = files().into_iter().filter_map(|path| {
            let program = compile(&path.to_string_lossy(), &Files, &Options::default()).program?;
            Some(Loaded { path, program: Arc::new(program) })
        });
        let all: Vec<Loaded> = compiled.collect();
        assert!(!all.is_empty(), "no program found below {}", root().display());
        all
    })
}
