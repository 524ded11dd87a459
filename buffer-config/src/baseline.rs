//! Filters findings: selected rules, suppressions with reason and expiry, and a baseline of known findings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};
use crate::source::{Position, Span, position};

/// The rules whose findings are reported. Words are codes, names or prefixes of codes (`BUF`, `PG0`).
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these rules; all if empty.
    pub select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
}

impl Selection {
    /// Whether findings of a rule are reported. The longest matching word decides.
    pub fn wants(&self, code: &str, name: &str) -> bool {
        let longest = |words: &[String]| {
            let matches =
                |w: &&String| *w == name || code.get(..w.len()).is_some_and(|c| c.eq_ignore_ascii_case(w));
            words.iter().filter(matches).map(|w| if w == name { code.len() } else { w.len() }).max()
        };
        let selected = if self.select.is_empty() { Some(0) } else { longest(&self.select) };
        match (selected, longest(&self.ignore)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(s), Some(i)) => s > i,
        }
    }

    /// Words that match no rule.
    pub fn unknown(&self) -> Vec<&str> {
        let known = |word: &str| {
            crate::rules::all().any(|r| {
                r.meta.name == word
                    || r.meta.code.get(..word.len()).is_some_and(|c| c.eq_ignore_ascii_case(word))
            })
        };
        self.select
            .iter()
            .chain(&self.ignore)
            .map(String::as_str)
            .filter(|w| w.is_empty() || !known(w))
            .collect()
    }
}

/// A file with suppressions (TOML).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppressions {
    /// The suppressions.
    #[serde(default, rename = "suppress")]
    pub entries: Vec<Suppression>,
}

/// One suppression.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppression {
    /// The rule's code or name.
    pub code: toml::Spanned<String>,
    /// The position of the code.
    #[serde(skip, default = "first")]
    position: Position,
    /// A file pattern with `*` for any characters, matched against the end of the path.
    pub file: String,
    /// The JSON pointer or a prefix of it; matches any pointer if absent.
    #[serde(default)]
    pub pointer: String,
    /// Why the finding is accepted.
    pub reason: String,
    /// The last day on which it applies, `YYYY-MM-DD`.
    pub until: Option<String>,
}

/// The first position of a file.
fn first() -> Position {
    Position { line: 1, column: 1 }
}

impl Suppression {
    fn matches(&self, finding: &Finding) -> bool {
        let code = self.code.get_ref();
        let is_rule = code.eq_ignore_ascii_case(finding.code) || code == finding.rule;
        let starts = |rest: &str| rest.is_empty() || rest.starts_with('/') || self.pointer.is_empty();
        is_rule
            && glob_end(&self.file, &finding.file)
            && finding.pointer.strip_prefix(self.pointer.as_str()).is_some_and(starts)
    }
}

/// Whether a path, or its end after a slash, matches a pattern with `*`.
fn glob_end(pattern: &str, path: &str) -> bool {
    let starts = path.match_indices('/').map(|(i, _)| i + 1);
    std::iter::once(0).chain(starts).any(|from| path.get(from..).is_some_and(|rest| glob(pattern, rest)))
}

fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Suppressions {
    /// Parses a suppressions file.
    ///
    /// # Errors
    /// If the text is not a valid suppressions file, with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        for (i, entry) in all.entries.iter_mut().enumerate() {
            entry.position = position(text, entry.code.span().start as u32);
            let code = entry.code.get_ref();
            if entry.reason.trim().is_empty() {
                return Err(format!("{}: suppression {} ({code}) has no reason", entry.position, i + 1));
            }
            if entry.until.as_deref().is_some_and(|d| !is_date(d)) {
                return Err(format!(
                    "{}: suppression {} ({code}): `until` must be YYYY-MM-DD",
                    entry.position,
                    i + 1
                ));
            }
        }
        Ok(all)
    }

    /// Expired and unused suppressions, as findings in `file`.
    fn remarks(&self, used: &[bool], file: &str, today: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (i, (entry, used)) in self.entries.iter().zip(used).enumerate() {
            let expired = entry.until.as_deref().is_some_and(|until| today > until);
            let code = entry.code.get_ref();
            let is_rule = crate::rules::find(code).is_some();
            let what = match (used, expired) {
                (false, _) if !is_rule => {
                    ("SRC012", "unused-suppression", "is not a rule (see harrier check --list-rules)")
                }
                (false, _) => ("SRC012", "unused-suppression", "matches no finding"),
                (true, true) => ("SRC013", "expired-suppression", "has expired"),
                (true, false) => continue,
            };
            findings.push(Finding {
                code: what.0,
                rule: what.1,
                severity: Severity::Warning,
                message: format!("suppression {} of {code} in {} {}", i + 1, entry.file, what.2),
                file: file.to_string(),
                span: Span::default(),
                position: entry.position,
                pointer: format!("/suppress/{i}"),
                ports: Vec::new(),
                deviation: None,
                patch: Vec::new(),
            });
        }
        findings
    }
}

/// Removes suppressed and known findings, file by file.
#[derive(Debug, Default)]
pub struct FindingFilter {
    suppressions: Suppressions,
    used: Vec<bool>,
    left: BTreeMap<String, usize>,
    /// `YYYY-MM-DD`.
    today: String,
    /// The number of findings removed so far.
    pub suppressed: usize,
}

impl FindingFilter {
    /// A filter for the suppressions that apply on `today` (`YYYY-MM-DD`) and for the findings of the baseline.
    pub fn new(suppressions: Suppressions, baseline: Baseline, today: &str) -> Self {
        let (used, left) = (vec![false; suppressions.entries.len()], baseline.fingerprints);
        Self { suppressions, used, left, today: today.to_string(), suppressed: 0 }
    }

    /// Removes suppressed and known findings.
    pub fn apply(&mut self, findings: &mut Vec<Finding>) {
        let before = findings.len();
        findings.retain(|finding| !self.is_suppressed(finding) && !self.is_known(finding));
        self.suppressed += before - findings.len();
    }

    fn is_suppressed(&mut self, finding: &Finding) -> bool {
        let mut held = false;
        for (entry, used) in self.suppressions.entries.iter().zip(&mut self.used) {
            if entry.matches(finding) {
                *used = true;
                held |= entry.until.as_deref().is_none_or(|until| self.today.as_str() <= until);
            }
        }
        held
    }

    fn is_known(&mut self, finding: &Finding) -> bool {
        if self.left.is_empty() {
            return false;
        }
        match self.left.get_mut(&finding.fingerprint()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Findings in `file` about the suppressions, after all findings were filtered.
    pub fn remarks(&self, file: &str) -> Vec<Finding> {
        self.suppressions.remarks(&self.used, file, &self.today)
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |s: &str, n: usize| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.as_slice(), [y, m, d] if digits(y, 4) && digits(m, 2) && digits(d, 2))
}

/// Known findings, by fingerprint.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Baseline {
    /// The number of occurrences of each fingerprint.
    pub fingerprints: BTreeMap<String, usize>,
}

impl Baseline {
    /// Adds findings.
    pub fn add(&mut self, findings: &[Finding]) {
        for finding in findings {
            *self.fingerprints.entry(finding.fingerprint()).or_default() += 1;
        }
    }

    /// Parses a baseline.
    ///
    /// # Errors
    /// If the text is not a baseline.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }
}
