//! GitLab's Code Quality report: the subset of the Code Climate format that GitLab reads
//! (<https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Unread;
use crate::finding::{Finding, Severity};

/// Counts equal fingerprints. GitLab shows only the first of several issues with the same fingerprint.
#[derive(Debug, Default)]
pub(super) struct Fingerprints(BTreeMap<String, usize>);

impl Fingerprints {
    fn distinct(&mut self, fingerprint: String) -> String {
        let count = self.0.entry(fingerprint.clone()).or_default();
        *count += 1;
        if *count == 1 { fingerprint } else { format!("{fingerprint}-{count}") }
    }
}

/// A finding. What is not provable fails the run, so it is more than minor.
pub(super) fn issue(known: &mut Fingerprints, finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::Error => "critical",
        _ if finding.is_not_provable() => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    };
    json!({
        "description": format!("{}: {}", finding.code, finding.message),
        "check_name": finding.code,
        "fingerprint": known.distinct(finding.fingerprint()),
        "severity": severity,
        "location": { "path": path(&finding.file), "lines": { "begin": finding.position.line.max(1) } },
    })
}

/// An input that could not be read.
pub(super) fn unread(known: &mut Fingerprints, unread: &Unread) -> Value {
    json!({
        "description": format!("not checked: {}", unread.reason),
        "check_name": "unread",
        "fingerprint": known.distinct(format!("unread-{}", path(&unread.file))),
        "severity": "blocker",
        "location": { "path": path(&unread.file), "lines": { "begin": 1 } },
    })
}

/// A path relative to the repository; GitLab does not accept a leading `./`.
fn path(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}
