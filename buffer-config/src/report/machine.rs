//! Reports for programs: JSON, JUnit XML and GitHub annotations.

use std::fmt::Write;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json as value};

use super::{Catalogue, Summary, Unread};
use crate::finding::{Finding, PatchOp, Severity};

/// The number of annotations of one kind that GitHub shows for a step.
const GITHUB_LIMIT: usize = 10;

/// A finding as JSON.
pub(super) fn json(finding: &Finding, catalogue: &Catalogue) -> Value {
    let (why, fix) = catalogue.advice(finding.code);
    let patch: Vec<Value> = finding.patch.iter().map(operation).collect();
    value!({
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "verdict": if finding.is_not_provable() { "not_provable" } else { "found" },
        "message": finding.message,
        "why": why,
        "fix": fix,
        "commands": finding.commands,
        "file": finding.file,
        "line": finding.position.line,
        "column": finding.position.column,
        "pointer": finding.pointer,
        "patch": patch,
        "fingerprint": finding.fingerprint(),
    })
}

/// A JSON Patch operation. The non-standard member `refused_live` states why a live switch rejects it.
fn operation(op: &PatchOp) -> Value {
    let mut all = value!(op);
    if let (Some(reason), Some(members)) = (&op.refused_live, all.as_object_mut()) {
        members.insert("refused_live".into(), reason.as_str().into());
    }
    all
}

/// A JUnit report with one suite per file. It is written at the end, because the root element starts with the totals.
#[derive(Debug)]
pub(super) struct Suites(Report);

impl Suites {
    /// A report of a command.
    pub(super) fn new(command: &str) -> Self {
        Self(Report::new(command))
    }

    /// Adds a suite for a file: a `failure` for each error, an `error` for each finding that is not provable, and a
    /// passed test case if there is no finding.
    pub(super) fn add(&mut self, file: &str, findings: &[&Finding]) {
        let mut suite = TestSuite::new(xml(file));
        for finding in findings {
            suite.add_test_case(test_case(finding));
        }
        if findings.is_empty() {
            let mut case = TestCase::new("no findings", TestCaseStatus::success());
            case.set_classname(xml(file));
            suite.add_test_case(case);
        }
        self.0.add_test_suite(suite);
    }

    /// Adds a suite with an `error` for an input that could not be read.
    pub(super) fn unread(&mut self, unread: &Unread) {
        let mut suite = TestSuite::new(xml(&unread.file));
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("unread").set_message(xml(&unread.reason)).set_description(xml(&unread.file));
        let mut case = TestCase::new("the input can be read", status);
        case.set_classname(xml(&unread.file));
        suite.add_test_case(case);
        self.0.add_test_suite(suite);
    }

    /// The whole report.
    pub(super) fn report(&self) -> String {
        // Serialisation fails only if the writer does, and a String does not.
        self.0.to_string().unwrap_or_default()
    }
}

/// Replaces the two characters that XML 1.0 (section 2.2) excludes besides the control characters, which the library
/// removes.
fn xml(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn test_case(finding: &Finding) -> TestCase {
    let failed = match finding.severity {
        _ if finding.is_not_provable() => Some(NonSuccessKind::Error),
        Severity::Error => Some(NonSuccessKind::Failure),
        Severity::Warning | Severity::Info => None,
    };
    let location = xml(&format!("{}:{} {}", finding.file, finding.position, finding.pointer));
    let message = xml(&finding.message);
    let status = match failed {
        Some(kind) => {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(finding.code).set_message(&message).set_description(&location);
            status
        }
        None => TestCaseStatus::success(),
    };
    let name = format!("{} {} line {}", finding.code, finding.rule, finding.position.line);
    let mut case = TestCase::new(name, status);
    case.set_classname(xml(&finding.file));
    if failed.is_none() {
        case.set_system_out(format!("{}: {message} {location}", finding.severity.name()));
    }
    case
}

/// GitHub workflow commands. GitHub shows at most ten annotations of each kind, so one notice counts the rest.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    shown: [usize; 3],
    left: usize,
}

impl Annotations {
    pub(super) fn add(&mut self, out: &mut String, f: &Finding) {
        let (command, room) = match f.severity {
            Severity::Error => ("error", GITHUB_LIMIT),
            Severity::Warning => ("warning", GITHUB_LIMIT),
            // One notice is reserved for the summary.
            Severity::Info => ("notice", GITHUB_LIMIT - 1),
        };
        let shown = &mut self.shown[f.severity as usize];
        if *shown >= room {
            self.left += 1;
            return;
        }
        *shown += 1;
        let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
        let (line, column) = (f.position.line, f.position.column);
        let (file, title) = (property(&f.file), property(&format!("{} {}", f.code, f.rule)));
        let message = escape(&f.message);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "::{command} file={file},line={line},col={column},title={title}::{message}");
    }

    /// An input that could not be read, without a limit: it fails the run.
    pub(super) fn unread(&self, out: &mut String, unread: &Unread) {
        let file = escape(&unread.file).replace(':', "%3A").replace(',', "%2C");
        // Writing to a String cannot fail.
        let _ = writeln!(out, "::error file={file},title=not checked::{}", escape(&unread.reason));
    }

    pub(super) fn rest(&self, summary: &Summary, command: &str) -> String {
        match self.left {
            0 => String::new(),
            left => format!(
                "::notice title={command}::{}; {left} more findings are not shown here\n",
                escape(&summary.line())
            ),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
