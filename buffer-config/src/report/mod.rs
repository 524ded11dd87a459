//! Findings as people and programs read them.

mod full;
mod machine;
mod sarif;

use std::collections::BTreeMap;

pub use full::{concise, full};
pub use machine::{github, json, junit};
pub use sarif::sarif;

use crate::finding::{Finding, Severity};

/// What was checked and found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All findings that were not suppressed, by file and place.
    pub findings: Vec<Finding>,
    /// Names of the files, in order.
    pub files: Vec<String>,
    /// Findings that a suppression or the baseline holds back.
    pub suppressed: usize,
}

impl Report {
    /// How many there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// How often each rule fired: findings, and files with any.
    pub fn by_rule(&self) -> BTreeMap<&'static str, (usize, usize)> {
        let mut counts: BTreeMap<&'static str, (usize, Vec<&str>)> = BTreeMap::new();
        for finding in &self.findings {
            let entry = counts.entry(finding.code).or_default();
            entry.0 += 1;
            if entry.1.last() != Some(&finding.file.as_str()) {
                entry.1.push(&finding.file);
            }
        }
        counts.into_iter().map(|(code, (n, files))| (code, (n, files.len()))).collect()
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let count = |severity, one: &str, many: &str| {
            let n = self.count(severity);
            format!("{n} {}", if n == 1 { one } else { many })
        };
        let held = match self.suppressed {
            0 => String::new(),
            n => format!(", {n} held back"),
        };
        format!(
            "{} files: {}, {}, {}{held}",
            self.files.len(),
            count(Severity::Error, "error", "errors"),
            count(Severity::Warning, "warning", "warnings"),
            count(Severity::Info, "note", "notes"),
        )
    }
}

/// Why a finding matters and what to do, from its rule's page.
pub(crate) fn advice(finding: &Finding) -> (String, String) {
    match crate::rules::find(finding.code) {
        Some(rule) => (rule.section("Why it matters"), rule.section("Fix")),
        None => (String::new(), String::new()),
    }
}
