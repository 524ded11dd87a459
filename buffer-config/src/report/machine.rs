//! For programs: JSON, JUnit XML, annotations of GitHub.

use std::fmt::Write;

use serde_json::{Value, json as value};

use super::{Report, advice};
use crate::finding::{Finding, Severity};

/// Annotations of one kind that GitHub shows for one step.
const GITHUB_LIMIT: usize = 10;

/// The report as JSON; docs/check.schema.json describes it.
pub fn json(report: &Report) -> String {
    let findings: Vec<Value> = report.findings.iter().map(one).collect();
    let rules: serde_json::Map<String, Value> = report
        .by_rule()
        .into_iter()
        .map(|(code, (findings, files))| (code.to_string(), value!({ "findings": findings, "files": files })))
        .collect();
    let summary = value!({
        "files": report.files.len(),
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "infos": report.count(Severity::Info),
        "suppressed": report.suppressed,
        "rules": rules,
    });
    let all = value!({ "findings": findings, "summary": summary });
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

fn one(finding: &Finding) -> Value {
    let (why, fix) = advice(finding);
    value!({
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "why": why,
        "fix": fix,
        "file": finding.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "pointer": finding.pointer,
        "patch": finding.patch,
        "fingerprint": finding.fingerprint(),
    })
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

/// JUnit: a suite for each file, a failed case for each error, a passed one when there is none.
pub fn junit(report: &Report) -> String {
    let errors = report.count(Severity::Error);
    let mut body = String::new();
    let mut cases = 0;
    for file in &report.files {
        let of_file: Vec<&Finding> = report.findings.iter().filter(|f| f.file == *file).collect();
        let failures = of_file.iter().filter(|f| f.severity == Severity::Error).count();
        let count = of_file.len().max(1);
        cases += count;
        let name = xml(file);
        let _ = writeln!(body, "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\">");
        if of_file.is_empty() {
            let _ = writeln!(body, "    <testcase classname=\"{name}\" name=\"no findings\"/>");
        }
        for f in of_file {
            let case = format!("{} {} line {}", f.code, f.rule, f.place.line);
            let message = xml(&f.message);
            let _ = writeln!(body, "    <testcase classname=\"{name}\" name=\"{}\">", xml(&case));
            let detail = xml(&format!("{}:{} {}", f.file, f.place, f.pointer));
            let _ = if f.severity == Severity::Error {
                writeln!(body, "      <failure type=\"{}\" message=\"{message}\">{detail}</failure>", f.code)
            } else {
                writeln!(body, "      <system-out>{}: {message} {detail}</system-out>", f.severity.name())
            };
            let _ = writeln!(body, "    </testcase>");
        }
        let _ = writeln!(body, "  </testsuite>");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"harrier check\" tests=\"{cases}\" failures=\"{errors}\">\n{body}</testsuites>\n"
    )
}

/// Workflow commands of GitHub: at most ten of each kind are shown there, so the rest is counted in one notice.
pub fn github(report: &Report) -> String {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    let mut left = 0;
    for (severity, command) in
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "notice")]
    {
        let all = report.findings.iter().filter(|f| f.severity == severity);
        // One place among the notices is for the summary.
        let room = if severity == Severity::Info { GITHUB_LIMIT - 1 } else { GITHUB_LIMIT };
        for (i, f) in all.enumerate() {
            if i >= room {
                left += 1;
                continue;
            }
            let (line, column) = (f.place.line, f.place.column);
            let (file, title) = (property(&f.file), property(&format!("{} {}", f.code, f.rule)));
            let _ = writeln!(
                out,
                "::{command} file={file},line={line},col={column},title={title}::{}",
                escape(&f.message)
            );
        }
    }
    if left > 0 {
        let _ = writeln!(
            out,
            "::notice title=harrier check::{}; {left} more are not shown here",
            escape(&report.summary())
        );
    }
    out
}
