//! For programs: JSON, JUnit XML, annotations of GitHub.

use std::fmt::Write;

use serde_json::{Value, json as value};

use super::{Summary, advice};
use crate::finding::{Finding, PatchOp, Severity};

/// Annotations of one kind that GitHub shows for one step.
const GITHUB_LIMIT: usize = 10;

/// A finding as JSON.
pub(super) fn json(finding: &Finding) -> Value {
    let (why, fix) = advice(finding);
    let patch: Vec<Value> = finding.patch.iter().map(operation).collect();
    value!({
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "verdict": if finding.is_not_provable() { "not_provable" } else { "found" },
        "message": finding.message,
        "why": why,
        "fix": fix,
        "file": finding.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "pointer": finding.pointer,
        "patch": patch,
        "fingerprint": finding.fingerprint(),
    })
}

/// An operation of JSON Patch; a member that the standard does not know says why a live switch refuses it.
fn operation(op: &PatchOp) -> Value {
    let mut all = value!(op);
    if let (Some(reason), Some(members)) = (&op.refused_live, all.as_object_mut()) {
        members.insert("refused_live".into(), reason.as_str().into());
    }
    all
}

/// Text inside XML, characters that XML 1.0 forbids replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c < ' ' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Suites of JUnit, kept to the end: the root element begins with the totals of all, which CI servers read there.
#[derive(Debug, Default)]
pub(super) struct Suites {
    text: String,
    tests: usize,
    failures: usize,
    errors: usize,
}

impl Suites {
    /// A suite for a file: a failed case for each error, one that could not be carried out (`error`) for what is not
    /// provable, a passed one when there is nothing.
    pub(super) fn add(&mut self, file: &str, findings: &[Finding]) {
        let failures = findings.iter().filter(|f| f.severity == Severity::Error).count();
        let errors = findings.iter().filter(|f| f.is_not_provable()).count();
        let tests = findings.len().max(1);
        (self.tests, self.failures) = (self.tests + tests, self.failures + failures);
        self.errors += errors;
        let out = &mut self.text;
        let name = xml(file);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
        );
        if findings.is_empty() {
            let _ = writeln!(out, "    <testcase classname=\"{name}\" name=\"no findings\"/>");
        }
        for f in findings {
            let case = format!("{} {} line {}", f.code, f.rule, f.place.line);
            let (message, class) = (xml(&f.message), xml(&f.file));
            let _ = writeln!(out, "    <testcase classname=\"{class}\" name=\"{}\">", xml(&case));
            let detail = xml(&format!("{}:{} {}", f.file, f.place, f.pointer));
            let failed = match f.severity {
                _ if f.is_not_provable() => Some("error"),
                Severity::Error => Some("failure"),
                _ => None,
            };
            let _ = match failed {
                Some(tag) => {
                    writeln!(out, "      <{tag} type=\"{}\" message=\"{message}\">{detail}</{tag}>", f.code)
                }
                None => {
                    writeln!(out, "      <system-out>{}: {message} {detail}</system-out>", f.severity.name())
                }
            };
            let _ = writeln!(out, "    </testcase>");
        }
        let _ = writeln!(out, "  </testsuite>");
    }

    /// The whole report.
    pub(super) fn report(&self) -> String {
        let Self { text, tests, failures, errors } = self;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"harrier check\" tests=\"{tests}\" \
             failures=\"{failures}\" errors=\"{errors}\">\n{text}</testsuites>\n"
        )
    }
}

/// Workflow commands of GitHub: at most ten of each kind are shown there, so the rest is counted in one notice.
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
            // One place among the notices is for the summary.
            Severity::Info => ("notice", GITHUB_LIMIT - 1),
        };
        let shown = &mut self.shown[f.severity as usize];
        if *shown >= room {
            self.left += 1;
            return;
        }
        *shown += 1;
        let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
        let (line, column) = (f.place.line, f.place.column);
        let (file, title) = (property(&f.file), property(&format!("{} {}", f.code, f.rule)));
        let message = escape(&f.message);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "::{command} file={file},line={line},col={column},title={title}::{message}");
    }

    pub(super) fn rest(&self, summary: &Summary) -> String {
        match self.left {
            0 => String::new(),
            left => format!(
                "::notice title=harrier check::{}; {left} more are not shown here\n",
                escape(&summary.line())
            ),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
