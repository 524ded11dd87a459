//! Counts of findings by severity, rule and switch.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::finding::{Finding, Severity};

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Files that were checked.
    pub files: usize,
    /// Findings that a suppression or the baseline removed.
    pub suppressed: usize,
    /// Findings that are not provable ([`Finding::is_not_provable`]). They are also counted as warnings.
    pub not_provable: usize,
    /// Inputs that could not be read.
    pub unread: usize,
    /// Files of folders that are no switch configurations and were not checked.
    pub skipped: Vec<String>,
    /// Entries of the baseline without a finding.
    pub stale: Vec<String>,
    /// Whether reports leave notes out.
    pub notes_are_hidden: bool,
    counts: [usize; 3],
    rules: BTreeMap<&'static str, RuleCount>,
    switches: BTreeMap<String, [usize; 3]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RuleCount {
    name: &'static str,
    findings: usize,
    files: usize,
}

/// The number of switches in the table.
const TABLE_ROWS: usize = 20;

impl Summary {
    /// Counts a file. Files of one switch (several chips) have the same `switch`.
    pub fn add(&mut self, name: &str, switch: &str, findings: &[Finding]) {
        self.files += 1;
        self.count(findings.iter().map(|f| (f, if f.file == name { switch } else { f.file.as_str() })));
    }

    /// Counts findings across files; `switch_of` returns the switch of a file.
    pub fn add_rest<'f>(&mut self, findings: &'f [Finding], switch_of: impl Fn(&'f str) -> &'f str) {
        self.count(findings.iter().map(|f| (f, switch_of(f.file.as_str()))));
    }

    fn count<'f>(&mut self, findings: impl Iterator<Item = (&'f Finding, &'f str)>) {
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (finding, switch) in findings {
            self.counts[finding.severity as usize] += 1;
            self.not_provable += usize::from(finding.is_not_provable());
            let rule = self.rules.entry(finding.code).or_default();
            rule.name = finding.rule;
            rule.findings += 1;
            rule.files += usize::from(seen.insert((finding.code, finding.file.as_str())));
            if finding.severity > Severity::Info {
                let counts = match self.switches.get_mut(switch) {
                    Some(counts) => counts,
                    None => self.switches.entry(switch.to_string()).or_default(),
                };
                counts[finding.severity as usize] += 1;
            }
        }
    }

    /// The number of findings of a severity.
    pub fn of(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// The number of findings of at least that severity.
    pub fn at_least(&self, severity: Severity) -> usize {
        self.counts[severity as usize..].iter().sum()
    }

    /// A summary in one line.
    pub fn line(&self) -> String {
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let held = match self.suppressed {
            0 => String::new(),
            n => format!(", {n} suppressed"),
        };
        let unknown = match self.not_provable {
            0 => String::new(),
            n => format!(", {n} not provable (unknown ASIC)"),
        };
        let hidden = match self.of(Severity::Info) {
            0 => "",
            _ if self.notes_are_hidden => " (shown with --notes)",
            _ => "",
        };
        let unread = match self.unread {
            0 => String::new(),
            n => format!(", {n} not read"),
        };
        format!(
            "{}: {}, {}, {}{hidden}{held}{unknown}{unread}",
            count(self.files, "file", "files"),
            count(self.of(Severity::Error), "error", "errors"),
            count(self.of(Severity::Warning), "warning", "warnings"),
            count(self.of(Severity::Info), "note", "notes"),
        )
    }

    pub(super) fn json(&self) -> Value {
        let rules: serde_json::Map<String, Value> = self
            .rules
            .iter()
            .map(|(code, n)| (code.to_string(), json!({ "findings": n.findings, "files": n.files })))
            .collect();
        json!({
            "files": self.files,
            "errors": self.of(Severity::Error),
            "warnings": self.of(Severity::Warning),
            "infos": self.of(Severity::Info),
            "suppressed": self.suppressed,
            "not_provable": self.not_provable,
            "unread": self.unread,
            "skipped": self.skipped,
            "stale_baseline": self.stale,
            "rules": rules,
        })
    }

    /// A table of the rules by number of findings, and of the switches with the most errors; empty without findings.
    pub fn table(&self) -> String {
        if self.rules.is_empty() {
            return String::new();
        }
        let mut rules: Vec<(&str, RuleCount)> = self.rules.iter().map(|(code, n)| (*code, *n)).collect();
        rules.sort_by_key(|(_, n)| std::cmp::Reverse((n.files, n.findings)));
        let mut out = format!("{:<9} {:<28} {:>9} {:>9}\n", "rule", "name", "findings", "files");
        for (code, n) in rules {
            out.push_str(&format!("{code:<9} {:<28} {:>9} {:>9}\n", n.name, n.findings, n.files));
        }
        let mut switches: Vec<(&str, (usize, usize))> =
            self.switches.iter().map(|(name, n)| (name.as_str(), (n[2], n[1]))).collect();
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
}
