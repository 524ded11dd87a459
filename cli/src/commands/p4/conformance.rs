//! `harrier p4 conformance`: runs p4c's programs and tests on both engines.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, bail};
use p4_lang::ir::Program;
use p4_lang::{Compilation, Options};
use p4_switch::{Engine, stf};
use serde::Serialize;

use super::loader::FileLoader;
use crate::Outcome;
use crate::input::write_all;
use crate::output::print_json;

/// Text after this line in the page is written by hand; a new page keeps it.
const BY_HAND: &str = "<!-- What follows is written by hand and stays when this page is written again. -->";
/// Code of the warning for an extern that belongs neither to v1model nor to the core library.
const FOREIGN_EXTERN: &str = "W0407";
/// A command that p4c's test driver for bmv2 reads and ignores.
const COUNTER_CHECK: &str = "check_counter";

/// Arguments of `harrier p4 conformance`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory with a checkout of p4lang/p4c
    #[arg(value_name = "PATH-TO-P4C")]
    p4c: PathBuf,
    /// Commit of the checkout [default: taken from git]
    #[arg(long)]
    commit: Option<String>,
    /// File for the results as Markdown
    #[arg(long, value_name = "FILE.md")]
    write: Option<PathBuf>,
    /// Print the results as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// A program with its test.
#[derive(Serialize)]
struct Test {
    program: String,
    packets: usize,
    /// `pass` if it passes on both engines, otherwise the first failure.
    result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Test {
    fn passes(&self) -> bool {
        self.result == "pass"
    }
}

/// Programs that p4c accepts.
#[derive(Default, Serialize)]
struct Accepted {
    programs: usize,
    accepted: usize,
    refused: Vec<String>,
}

/// Programs that p4c rejects.
#[derive(Default, Serialize)]
struct Refused {
    /// Programs for which p4c prints an error.
    programs: usize,
    refused: usize,
    accepted: Vec<String>,
    /// Rejected programs with an error at a line that p4c reports too.
    same_line: usize,
    other_line: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    p4c_commit: String,
    p4_16: Vec<Test>,
    p4_16_programs: Accepted,
    p4_14: Vec<Test>,
    p4_14_programs: Accepted,
    p4_16_errors: Refused,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let data = args.p4c.join("testdata");
    if !data.is_dir() {
        bail!("{} is not a checkout of p4c: it has no testdata directory", args.p4c.display());
    }
    let (samples, converted) = (data.join("p4_16_samples"), data.join("p4_14_samples_outputs"));
    let is_sample = |name: &str| name.ends_with("-bmv2.p4");
    // The directory also contains the output of p4c's passes.
    let is_converted =
        |name: &str| !["-first.p4", "-frontend.p4", "-midend.p4"].iter().any(|stage| name.ends_with(stage));
    let (p4_16, p4_16_programs) = programs(&samples, &samples, is_sample)?;
    let (p4_14, p4_14_programs) = programs(&converted, &data.join("p4_14_samples"), is_converted)?;
    let report = Report {
        p4c_commit: args.commit.clone().unwrap_or_else(|| commit(&args.p4c)),
        p4_16,
        p4_16_programs,
        p4_14,
        p4_14_programs,
        p4_16_errors: errors(&data.join("p4_16_errors"), &data.join("p4_16_errors_outputs"))?,
    };
    if let Some(path) = &args.write {
        let kept = fs::read_to_string(path).ok();
        let manual = kept.as_deref().and_then(|text| text.split_once(BY_HAND)).map_or("\n", |(_, text)| text);
        let page = format!("{}\n{BY_HAND}{manual}", markdown(&report));
        write_all(&[(path, page.into_bytes())])?;
    }
    if args.json {
        print_json(&report)?;
    } else {
        stderr_text!("{}", summary(&report));
    }
    let failed = report.p4_16.iter().chain(&report.p4_14).any(|test| !test.passes() && test.note.is_none());
    let wrong = !report.p4_16_programs.refused.is_empty() || !report.p4_16_errors.accepted.is_empty();
    Ok(if failed || wrong { Outcome::Findings } else { Outcome::Fine })
}

/// Returns the commit of a checkout according to git.
fn commit(path: &Path) -> String {
    let output = Command::new("git").arg("-C").arg(path).args(["rev-parse", "--short=7", "HEAD"]).output();
    let text = output.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    text.map_or_else(|| "an unknown commit".to_string(), |text| text.trim().to_string())
}

/// Returns the files of a directory whose names end in `.p4`, sorted.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "p4"));
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Compiles a program; with `p4info` the rules for P4Info are checked too. Converted P4-14 programs contain duplicate
/// control-plane names, so p4c runs their tests without P4Info; it checks the erroneous programs with it.
fn compiled(path: &Path, p4info: bool) -> Compilation {
    let options = Options { p4info, ..Options::default() };
    p4_lang::compile(&path.display().to_string(), &FileLoader::default(), &options)
}

/// Compiles the v1model programs of one directory, and runs those that have a test in another.
fn programs(
    folder: &Path,
    tests: &Path,
    wanted: impl Fn(&str) -> bool,
) -> anyhow::Result<(Vec<Test>, Accepted)> {
    let mut found = Vec::new();
    let mut accepted = Accepted::default();
    for path in files(folder)? {
        let name = stem(&path);
        let is_v1model = fs::read_to_string(&path).is_ok_and(|text| text.contains("v1model.p4"));
        if !wanted(&format!("{name}.p4")) || !is_v1model {
            continue;
        }
        accepted.programs += 1;
        let compilation = compiled(&path, false);
        let foreign = compilation.diagnostics.iter().any(|d| d.code.id == FOREIGN_EXTERN);
        let test = fs::read_to_string(tests.join(format!("{name}.stf"))).ok();
        match (compilation.program, test) {
            (Some(program), test) => {
                accepted.accepted += 1;
                found.extend(test.map(|test| run(&name, &Arc::new(program), &test, foreign)));
            }
            (None, test) => {
                accepted.refused.push(name.clone());
                let result = "does not compile".to_string();
                found.extend(test.map(|_| Test { program: name, packets: 0, result, note: None }));
            }
        }
    }
    Ok((found, accepted))
}

/// Runs a test on both engines.
fn run(name: &str, program: &Arc<Program>, test: &str, foreign: bool) -> Test {
    let on = |engine| stf::run_on(program, test, &stf::Settings { engine, ..stf::Settings::default() });
    let ((compiled, result), (interpreted, other)) = (on(Engine::MachineCode), on(Engine::Interpreter));
    let same = compiled.sent == interpreted.sent && compiled.events == interpreted.events && result == other;
    let (packets, result) = match &result {
        _ if !same => (0, "the engines differ".to_string()),
        Ok(report) => (report.packets, "pass".to_string()),
        Err(failures) => (0, failures.first().map_or_else(String::new, |f| first_line(&f.to_string()))),
    };
    let note = foreign.then(|| "uses an extern that bmv2 loads as a module".to_string());
    let found = Test { program: name.to_string(), packets, result, note };
    if found.passes() || !test.contains(COUNTER_CHECK) {
        return found;
    }
    let unchecked: Vec<&str> = test
        .lines()
        .map(|line| if line.trim_start().starts_with(COUNTER_CHECK) { "" } else { line })
        .collect();
    match run(name, program, &unchecked.join("\n"), foreign) {
        passed if passed.passes() => {
            let why = "except counters, which p4c's driver for bmv2 does not check";
            Test { note: Some(format!("{why}: {}", found.result)), ..passed }
        }
        _ => found,
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

/// Compiles the programs that p4c rejects.
fn errors(folder: &Path, outputs: &Path) -> anyhow::Result<Refused> {
    let mut result = Refused::default();
    for path in files(folder)? {
        let name = stem(&path);
        let printed = fs::read_to_string(outputs.join(format!("{name}.p4-stderr"))).unwrap_or_default();
        let lines = p4c_lines(&printed, &format!("{name}.p4"));
        if !printed.contains("error:") {
            continue;
        }
        result.programs += 1;
        let compilation = compiled(&path, true);
        if !compilation.diagnostics.iter().any(|d| d.is_error()) {
            result.accepted.push(name);
            continue;
        }
        result.refused += 1;
        let errors = compilation.diagnostics.iter().filter(|d| d.is_error());
        let own: BTreeSet<usize> =
            errors.map(|d| compilation.sources.location(d.primary.span).line as usize).collect();
        if lines.is_empty() || lines.intersection(&own).next().is_some() {
            result.same_line += 1;
        } else {
            result.other_line.push(name);
        }
    }
    Ok(result)
}

/// Returns the lines of a program in p4c's errors, which have the form `NAME.p4(LINE)`.
fn p4c_lines(printed: &str, name: &str) -> BTreeSet<usize> {
    let errors = printed.lines().filter(|line| line.contains("error:"));
    let places = errors.filter_map(|line| line.split_once(&format!("{name}(")));
    places.filter_map(|(_, rest)| rest.split_once(')')?.0.parse().ok()).collect()
}

fn counted(tests: &[Test]) -> String {
    let passed = tests.iter().filter(|test| test.passes()).count();
    let packets: usize = tests.iter().map(|test| test.packets).sum();
    format!("{passed} of {} pass on both engines ({packets} packets)", tests.len())
}

fn summary(report: &Report) -> String {
    let mut text = format!("p4c at {}\n", report.p4c_commit);
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "{what:>22}  {value}");
    };
    let of = |a: &Accepted| format!("{} of {} accepted", a.accepted, a.programs);
    line("P4-16 with STF", counted(&report.p4_16));
    line("P4-16 for v1model", of(&report.p4_16_programs));
    line("converted P4-14 with STF", counted(&report.p4_14));
    line("converted P4-14", of(&report.p4_14_programs));
    let errors = &report.p4_16_errors;
    line(
        "erroneous programs",
        format!("{} of {} rejected, {} at p4c's line", errors.refused, errors.programs, errors.same_line),
    );
    for test in report.p4_16.iter().chain(&report.p4_14).filter(|test| !test.passes()) {
        line("fails", format!("{}: {}", test.program, test.note.as_ref().unwrap_or(&test.result)));
    }
    text
}

fn markdown(report: &Report) -> String {
    let mut text = format!(
        "# Conformance with p4c's tests\n\n\
        Results with p4lang/p4c at {}. This command runs all programs and tests below on both engines and writes this page:\n\n\
        ```\nharrier p4 conformance PATH-TO-P4C --write docs/p4-conformance.md\n```\n\n\
        It exits with status 1 if a program or test does not behave as p4c expects. An STF test passes if exactly the \
        expected packets leave on the compiled engine and on the plain interpreter, and both engines behave the same. A \
        test with a note in brackets that does not pass was not judged. Programs that are counted as accepted are \
        compiled without the rules for P4Info, as in p4c's tests.\n\n",
        report.p4c_commit
    );
    let mut row = |what: &str, folder: &str, value: String| {
        let _ = writeln!(text, "| {what} | `testdata/{folder}` | {value} |");
    };
    row("tests", "folder", "result".to_string());
    row("---", "---", "---".to_string());
    let of = |a: &Accepted| format!("{} of {} accepted", a.accepted, a.programs);
    row("P4-16 programs with a test", "p4_16_samples", counted(&report.p4_16));
    row("P4-16 programs for v1model", "p4_16_samples", of(&report.p4_16_programs));
    row("P4-14 programs, converted by p4c, with a test", "p4_14_samples_outputs", counted(&report.p4_14));
    row("P4-14 programs, converted", "p4_14_samples_outputs", of(&report.p4_14_programs));
    let errors = &report.p4_16_errors;
    let refused = format!(
        "{} of {} rejected, {} at a line that p4c reports",
        errors.refused, errors.programs, errors.same_line
    );
    row("erroneous programs", "p4_16_errors", refused);
    text = text.replacen("`testdata/folder`", "folder", 1).replacen("`testdata/---`", "---", 1);
    let mut list = |title: &str, names: &[String]| {
        if !names.is_empty() {
            let _ = writeln!(text, "\n{title}: {}.", names.join(", "));
        }
    };
    list("P4-16 programs that are not accepted", &report.p4_16_programs.refused);
    list("Converted programs that are not accepted", &report.p4_14_programs.refused);
    list("Erroneous programs that are accepted", &errors.accepted);
    list("Erroneous programs that are rejected at another line", &errors.other_line);
    for (title, tests) in [("P4-16", &report.p4_16), ("P4-14, converted by p4c", &report.p4_14)] {
        let _ = writeln!(text, "\n## Tests: {title}\n\n| program | packets | result |\n|---|---|---|");
        for test in tests {
            let note = test.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            let _ = writeln!(text, "| {} | {} | {}{note} |", test.program, test.packets, test.result);
        }
    }
    text
}
