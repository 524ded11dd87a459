//! Small programs with one error each, by the stage that detects it: `bad/STAGE/*.p4`.
//!
//! A program marks its errors: `//~ E0401` on the line of an error, `//~^ E0401` on the line below it. No other errors
//! may be reported. One snapshot for each stage pins the texts of the diagnostics.

#![allow(clippy::disallowed_methods, reason = "the programs are files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use p4_lang::diagnostic::codes;
use p4_lang::{Compilation, MemoryLoader, Options, compile};

const STAGES: &[&str] = &[
    "lex",
    "preprocess",
    "syntax",
    "names",
    "types",
    "parser",
    "tables",
    "controls",
    "lowering",
    "tofino",
    "habits",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

/// Returns name and text of the programs of a stage, sorted by name.
fn programs(stage: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder().join(stage)).expect("a folder for each stage");
    let mut programs: Vec<(String, String)> = files
        .map(|file| file.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "p4"))
        .map(|path| {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            (name, std::fs::read_to_string(&path).expect("a readable program"))
        })
        .collect();
    programs.sort();
    programs
}

/// Returns line and code of the errors that a program marks.
fn expected(text: &str) -> Vec<(u32, String)> {
    let marks = |(line, text): (u32, &str)| {
        let mark = text.split_once("//~").map_or("", |(_, mark)| mark);
        let line = line - u32::from(mark.starts_with('^'));
        let codes: Vec<_> = mark.trim_start_matches('^').split_whitespace().map(str::to_owned).collect();
        codes.into_iter().map(move |code| (line, code))
    };
    (1..).zip(text.lines()).flat_map(marks).collect()
}

/// Compiles a program, which may include `head.p4` and `tail.p4` to form a complete v1model program.
fn run(name: &str, text: &str) -> Compilation {
    let frame = |part: &str| std::fs::read_to_string(folder().join(part)).expect("a readable frame");
    let loader = MemoryLoader::new()
        .with(name, text)
        .with("head.p4", frame("head.p4"))
        .with("tail.p4", frame("tail.p4"));
    compile(name, &loader, &Options { p4info: true, ..Options::default() })
}

fn check(stage: &str) {
    let mut report = String::new();
    let mut differences = Vec::new();
    for (name, text) in programs(stage) {
        let compilation = run(&name, &text);
        let found: Vec<(u32, String)> = compilation
            .diagnostics
            .iter()
            .filter(|d| d.is_error())
            .map(|d| (compilation.sources.location(d.primary.span).line, d.code.id.to_owned()))
            .collect();
        if found != expected(&text) || found.is_empty() || compilation.program.is_some() {
            differences.push(format!("{name}: {found:?}\n{}", compilation.report(false)));
        }
        report.push_str(&format!("{}\n\n", compilation.report(false)));
    }
    assert!(differences.is_empty(), "{stage}: errors differ from those marked\n{}", differences.join("\n\n"));
    insta::assert_snapshot!(stage, report);
}

macro_rules! stages {
    ($($stage:ident),* $(,)?) => {
        $(
            #[test]
            fn $stage() {
                check(stringify!($stage));
            }
        )*

        #[test]
        fn every_stage_has_a_test() {
            assert_eq!(STAGES, [$(stringify!($stage)),*]);
        }
    };
}

stages!(lex, preprocess, syntax, names, types, parser, tables, controls, lowering, tofino, habits);

#[test]
fn every_error_code_has_a_program() {
    let shown: BTreeSet<String> = STAGES
        .iter()
        .flat_map(|stage| programs(stage))
        .flat_map(|(_, text)| expected(&text))
        .map(|(_, code)| code)
        .collect();
    let all: BTreeSet<String> =
        codes::ALL.iter().map(|c| c.id.to_owned()).filter(|id| id.starts_with('E')).collect();
    assert_eq!(shown, all);
}
