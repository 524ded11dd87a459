//! Random packets and table entries: the bytecode engine and the plain interpreter give the same results.
//!
//! `P4_SEED=N P4_PROGRAM=FILE cargo test -p p4-switch --test switch random` repeats a case. `P4_CASES=N` sets the number of
//! cases per program, and `P4_PROGRAMS=FOLDER:FOLDER` adds the v1model programs of other folders.

#![allow(
    clippy::disallowed_methods,
    reason = "a test reads its programs, and from the environment what to repeat"
)]

use std::path::Path;
use std::sync::Arc;

use crate::files::Files;
use crate::harness::{case, check, environment};
use p4_lang::{Options, compile};

/// Checks all programs of a folder.
fn check_all(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| {
        let is_program = |text: &String| text.contains("V1Switch(") || text.contains("FRAME(");
        path.extension().is_some_and(|e| e == "p4")
            && std::fs::read_to_string(path).as_ref().is_ok_and(is_program)
            && !path.ends_with("frame.p4")
    });
    paths.sort();
    paths.iter().for_each(|path| check(path));
    paths.len()
}

#[test]
fn engines_agree_on_the_programs_of_the_repository() {
    if let Ok(path) = std::env::var("P4_PROGRAM") {
        return check(Path::new(&path));
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(check_all(&here.join("tests/programs")) > 10);
    assert!(check_all(&here.join("tests/language")) > 2);
    check(&here.join("../runtime/tests/foreign/l2.p4"));
}

/// Checks every v1model program in the folders that `P4_PROGRAMS` lists.
#[test]
fn engines_agree_on_other_programs() {
    let Ok(folders) = std::env::var("P4_PROGRAMS") else {
        eprintln!("skipped: P4_PROGRAMS is not set");
        return;
    };
    for folder in folders.split(':').map(Path::new) {
        let Ok(entries) = std::fs::read_dir(folder) else { panic!("{} cannot be read", folder.display()) };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "p4")) {
            let is_v1model = std::fs::read_to_string(path).is_ok_and(|text| text.contains("v1model.p4"));
            let compilation = compile(&path.display().to_string(), &Files, &Options::default());
            if let (true, Some(program)) = (is_v1model, compilation.program) {
                let program = Arc::new(program);
                let seeds =
                    environment("P4_SEED").map_or(0..environment("P4_CASES").unwrap_or(5), |s| s..s + 1);
                seeds.for_each(|seed| case(&path.display().to_string(), &program, seed));
            }
        }
    }
}
