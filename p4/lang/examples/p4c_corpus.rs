//! Compares the front end with p4c on p4c's own test programs (p4lang/p4c, `testdata`).
//!
//! ```text
//! cargo run -p p4-lang --example p4c_corpus -- errors  ../p4c [NAME]   programs that p4c rejects
//! cargo run -p p4-lang --example p4c_corpus -- samples ../p4c [NAME]   programs that p4c accepts
//! cargo run -p p4-lang --example p4c_corpus -- warnings ../p4c [NAME]  warnings about both
//! cargo run -p p4-lang --example p4c_corpus -- converted ../p4c [NAME] P4-14 programs that p4c has converted
//! ```
//!
//! For a program that p4c rejects, the lines of p4c's errors are read from the output that p4c's tests expect
//! (`p4_16_errors_outputs`), and compared with the lines of ours. The exit status is 1 if anything differs.
//! `warnings` compares kinds and lines of warnings, for programs that both accept.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a tool that reads a checkout of p4c")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use p4_lang::{Compilation, Options, SourceLoader, compile, render};

struct Files;

impl SourceLoader for Files {
    fn load(&self, path: &str) -> Option<String> {
        std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// File (without folders) and line of an error.
type Line = (String, u32);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (mode, root, only) = match args.as_slice() {
        [mode, root] => (mode, Path::new(root), None),
        [mode, root, only] => (mode, Path::new(root), Some(only)),
        _ => {
            eprintln!("usage: p4c_corpus errors|samples|warnings|converted P4C [NAME]");
            return ExitCode::from(2);
        }
    };
    if mode == "warnings" {
        return warnings(root, only.map(String::as_str));
    }
    let folder = match mode.as_str() {
        "errors" => "p4_16_errors",
        "converted" => "p4_14_samples_outputs",
        _ => "p4_16_samples",
    };
    let folder = root.join("testdata").join(folder);
    let programs = programs(&folder, only.map(String::as_str));
    if programs.is_empty() {
        eprintln!("no programs in {}", folder.display());
        return ExitCode::from(2);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &programs {
        let path = folder.join(name).display().to_string();
        // p4c's tests of errors generate P4Info.
        let includes = if mode == "errors" { Vec::new() } else { includes(root) };
        let options = Options { p4info: mode == "errors", includes, ..Options::default() };
        let compilation = compile(&path, &Files, &options);
        let outcome = if mode == "errors" {
            let expected = root.join("testdata/p4_16_errors_outputs").join(format!("{name}-stderr"));
            let expected = std::fs::read(expected).unwrap_or_default();
            rejected(name, &compilation, &String::from_utf8_lossy(&expected), only.is_some())
        } else {
            accepted(name, &compilation, only.is_some())
        };
        *counts.entry(outcome).or_default() += 1;
    }
    for (outcome, count) in &counts {
        println!("{count:5} {outcome}");
    }
    let fine = ["same lines", "same line", "no line", "accepted"];
    ExitCode::from(u8::from(
        mode == "errors" && counts.contains_key("accepted") || counts.keys().any(|k| !fine.contains(k)),
    ))
}

/// Returns the names of the programs in a directory.
fn programs(folder: &Path, only: Option<&str>) -> Vec<String> {
    let mut programs: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".p4") && !later_pass(name))
        .filter(|name| only.is_none_or(|only| name.starts_with(only)))
        .collect();
    programs.sort();
    programs
}

/// p4c's kinds of warnings (`--Wwarn=KIND`) and the corresponding codes.
const KINDS: &[(&str, &[&str])] = &[
    ("deprecated", &["W0401"]),
    ("duplicate-priorities", &["W0415"]),
    ("entries-out-of-priority-order", &["W0415"]),
    ("ignore-prop", &["W0413"]),
    ("invalid", &["W0406"]),
    ("invalid-header", &["W0409"]),
    ("keys", &["W0406"]),
    ("mismatch", &["W0402", "W0413", "W0414"]),
    ("ordering", &["W0412"]),
    ("overflow", &["W0402"]),
    ("parser-transition", &["W0405"]),
    ("shadow", &["W0411"]),
    ("uninitialized", &["W0404"]),
    ("uninitialized-out-param", &["W0404"]),
    ("uninitialized-use", &["W0404"]),
    ("unreachable", &["W0405"]),
    ("unused", &["W0403"]),
];

/// Number of warnings of one kind.
#[derive(Default)]
struct Tally {
    both: usize,
    p4c_only: usize,
    ours_only: usize,
}

/// Compares the warnings about all programs that both compilers accept.
fn warnings(root: &Path, only: Option<&str>) -> ExitCode {
    let options = Options { p4info: true, includes: includes(root), ..Options::default() };
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for folder in ["p4_16_samples", "p4_16_errors"] {
        let folder = root.join("testdata").join(folder);
        for name in programs(&folder, only) {
            let outputs = format!("{}_outputs/{name}-stderr", folder.display());
            let output = std::fs::read(outputs).unwrap_or_default();
            let output = String::from_utf8_lossy(&output);
            let compilation = compile(&folder.join(&name).display().to_string(), &Files, &options);
            if output.contains("error:") || compilation.diagnostics.iter().any(p4_lang::Diagnostic::is_error)
            {
                continue;
            }
            let expected = expected_warnings(&output, &name);
            let found: BTreeSet<(u32, &str)> = compilation
                .diagnostics
                .iter()
                .map(|d| (compilation.sources.location(d.primary.span), d.code.id))
                .filter(|(at, _)| at.file.ends_with(&name))
                .map(|(at, id)| (at.line, id))
                .collect();
            let codes = |kind: &str| KINDS.iter().find(|(k, _)| *k == kind).map_or(&[][..], |(_, c)| c);
            for (line, kind) in &expected {
                let tally = tallies.entry(kind.clone()).or_default();
                if codes(kind).iter().any(|code| found.contains(&(*line, code))) {
                    tally.both += 1;
                } else {
                    tally.p4c_only += 1;
                    println!("missing: {name}:{line} {kind}");
                }
            }
            for (line, id) in &found {
                let wanted = expected.iter().any(|(l, kind)| l == line && codes(kind).contains(id));
                if !wanted && !matches!(*id, "W0101" | "W0102" | "W0407" | "W0408") {
                    tallies.entry((*id).to_owned()).or_default().ours_only += 1;
                    println!("additional: {name}:{line} {id}");
                }
            }
        }
    }
    println!("{:32} {:>5} {:>8} {:>10}", "kind", "both", "missing", "additional");
    for (kind, tally) in &tallies {
        println!("{kind:32} {:5} {:8} {:10}", tally.both, tally.p4c_only, tally.ours_only);
    }
    ExitCode::SUCCESS
}

/// Returns line and kind of p4c's warnings about the program itself.
fn expected_warnings(output: &str, name: &str) -> BTreeSet<(u32, String)> {
    output
        .lines()
        .filter_map(|text| {
            let rest = text.strip_prefix(name)?.strip_prefix('(')?;
            let (line, rest) = rest.split_once("): [--Wwarn=")?;
            let (kind, _) = rest.split_once(']')?;
            Some((line.parse().ok()?, kind.to_owned()))
        })
        .collect()
}

/// Returns the directories of p4c's architectures.
fn includes(root: &Path) -> Vec<String> {
    let folders = ["p4include", "backends/ebpf/p4include", "backends/ubpf/p4include"];
    folders.iter().map(|folder| root.join(folder).display().to_string()).collect()
}

/// Returns the lines of p4c's errors: `file(line): [--Werror=...] error: ...` and `file(line):syntax error, ...`.
fn expected_lines(output: &str) -> BTreeSet<Line> {
    output
        .lines()
        .filter_map(|text| {
            let (file, rest) = text.split_once('(')?;
            let (line, rest) = rest.split_once(')')?;
            let error = rest.starts_with(": [--Werror")
                || rest.starts_with(":syntax error")
                || rest.starts_with(": error");
            let file = file.rsplit('/').next().unwrap_or(file);
            (error && !file.contains(' ')).then_some((file.to_owned(), line.parse().ok()?))
        })
        .collect()
}

/// Compares the lines of our errors with p4c's.
fn rejected(name: &str, compilation: &Compilation, output: &str, verbose: bool) -> &'static str {
    let expected = expected_lines(output);
    // p4c's front end does not check `main` against the target.
    let target = |id: &str| id == "E0602";
    let errors: Vec<_> =
        compilation.diagnostics.iter().filter(|d| d.is_error() && !target(d.code.id)).collect();
    let ours: BTreeSet<Line> = errors
        .iter()
        .map(|d| {
            let at = compilation.sources.location(d.primary.span);
            let file = at.file.rsplit('/').next().unwrap_or_default();
            // Built-in files are shown as `<name>`.
            (file.trim_matches(['<', '>']).to_owned(), at.line)
        })
        .collect();
    let outcome = if ours.is_empty() {
        "accepted"
    } else if expected.is_empty() {
        "no line"
    } else if ours == expected {
        "same lines"
    } else if ours.is_disjoint(&expected) {
        "another line"
    } else {
        "same line"
    };
    let quiet = outcome == "same lines"
        || outcome == "no line" && std::env::var("ALL").is_err()
        || outcome == "same line" && std::env::var("ALL").is_err();
    if !quiet || verbose {
        println!("{outcome}: {name}");
        for line in
            output.lines().filter(|l| l.contains("error") || l.starts_with(char::is_alphabetic)).take(12)
        {
            println!("    p4c  {line}");
        }
        for error in errors.iter().take(12) {
            let at = compilation.sources.location(error.primary.span);
            println!("    ours {}:{} {} {}", at.line, at.column, error.code.id, error.message);
            if verbose {
                println!("{}", render(error, &compilation.sources, false));
            }
        }
    }
    outcome
}

/// Reports the errors about a program that p4c accepts.
fn accepted(name: &str, compilation: &Compilation, verbose: bool) -> &'static str {
    let target = |id: &str| id == "E0602";
    let errors: Vec<_> =
        compilation.diagnostics.iter().filter(|d| d.is_error() && !target(d.code.id)).collect();
    if errors.is_empty() {
        return "accepted";
    }
    let ours = errors.iter().map(|d| d.code.id).collect::<BTreeSet<_>>();
    println!("rejected: {name} {ours:?}");
    for error in errors.iter().take(if verbose { 20 } else { 2 }) {
        let at = compilation.sources.location(error.primary.span);
        println!("    {}:{}:{} {}", at.file, at.line, at.column, error.message);
        if verbose {
            println!("{}", render(error, &compilation.sources, false));
        }
    }
    "rejected"
}

/// Returns whether a file is the output of a p4c pass.
fn later_pass(name: &str) -> bool {
    ["-first.p4", "-frontend.p4", "-midend.p4"].iter().any(|end| name.ends_with(end))
}
