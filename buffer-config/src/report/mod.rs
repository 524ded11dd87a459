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

/// How often each rule fired, as a table for people, the worst first; and the switches with the most errors.
pub fn table(report: &Report) -> String {
    let mut rules: Vec<(&str, (usize, usize))> = report.by_rule().into_iter().collect();
    rules.sort_by_key(|(_, (findings, files))| std::cmp::Reverse((*files, *findings)));
    let mut out = format!("{:<9} {:<28} {:>9} {:>9}\n", "rule", "name", "findings", "switches");
    for (code, (findings, files)) in rules {
        let name = crate::rules::find(code).map_or("", |rule| rule.meta.name);
        out.push_str(&format!("{code:<9} {name:<28} {findings:>9} {files:>9}\n"));
    }
    let mut switches: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for finding in &report.findings {
        let counts = switches.entry(&finding.file).or_default();
        counts.0 += usize::from(finding.severity == Severity::Error);
        counts.1 += usize::from(finding.severity == Severity::Warning);
    }
    let mut switches: Vec<(&str, (usize, usize))> =
        switches.into_iter().filter(|(_, c)| *c != (0, 0)).collect();
    switches.sort_by_key(|(name, counts)| (std::cmp::Reverse(*counts), *name));
    out.push_str(&format!("{:>7} {:>9}  switch\n", "errors", "warnings"));
    for (name, (errors, warnings)) in switches.iter().take(TABLE_ROWS) {
        out.push_str(&format!("{errors:>7} {warnings:>9}  {name}\n"));
    }
    if switches.len() > TABLE_ROWS {
        out.push_str(&format!("{:>18} {} more switches\n", "", switches.len() - TABLE_ROWS));
    }
    out
}

/// Switches that the table names.
const TABLE_ROWS: usize = 20;

/// Why a finding matters and what to do, from its rule's page.
pub(crate) fn advice(finding: &Finding) -> (String, String) {
    match crate::rules::find(finding.code) {
        Some(rule) => (rule.section("Why it matters"), rule.section("Fix")),
        None => (String::new(), String::new()),
    }
}
