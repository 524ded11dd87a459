//! What is held back: selection of rules, suppressions with reason and expiry, a baseline of what is known.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};
use crate::source::{Position, Span, position};

/// Which rules run. Words are codes, names or prefixes of codes (`BUF`, `PG0`).
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these; all when empty.
    pub select: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
}

impl Selection {
    /// Whether findings of a rule are wanted. The longer of two matching words decides, as in ruff.
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

/// A side file with suppressions (TOML).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppressions {
    /// One by one.
    #[serde(default, rename = "suppress")]
    pub entries: Vec<Suppression>,
}

/// One suppression.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppression {
    /// The rule's code or name.
    pub code: toml::Spanned<String>,
    /// Where the code stands.
    #[serde(skip, default = "first")]
    position: Position,
    /// The file, `*` for any run of characters; compared with the end of the path.
    pub file: String,
    /// The JSON pointer, or a beginning of it; any when absent.
    #[serde(default)]
    pub pointer: String,
    /// Why it is accepted.
    pub reason: String,
    /// The last day it holds, `YYYY-MM-DD`.
    pub until: Option<String>,
}

/// The first place of a file.
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

/// Whether a path, or its end after a slash, has the form of a pattern with `*`.
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
    /// Reads the side file.
    ///
    /// # Errors
    /// When it is no TOML of this form, with line and column.
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

    /// What becomes of the suppressions themselves: expired and unused ones are findings in `file`.
    fn remarks(&self, used: &[bool], file: &str, today: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (i, (entry, used)) in self.entries.iter().zip(used).enumerate() {
            let expired = entry.until.as_deref().is_some_and(|until| today > until);
            let code = entry.code.get_ref();
            let is_rule = crate::rules::find(code).is_some();
            let what = match (used, expired) {
                (false, _) if !is_rule => {
                    ("SRC012", "unused-suppression", "names no rule (harrier check --list-rules)")
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

/// Holds findings back as they come, file by file.
#[derive(Debug, Default)]
pub struct FindingFilter {
    suppressions: Suppressions,
    used: Vec<bool>,
    left: BTreeMap<String, usize>,
    /// `YYYY-MM-DD`.
    today: String,
    /// How many were held back so far.
    pub suppressed: usize,
}

impl FindingFilter {
    /// Holds back what is suppressed on `today` (`YYYY-MM-DD`), and what the baseline knows.
    pub fn new(suppressions: Suppressions, baseline: Baseline, today: &str) -> Self {
        let (used, left) = (vec![false; suppressions.entries.len()], baseline.fingerprints);
        Self { suppressions, used, left, today: today.to_string(), suppressed: 0 }
    }

    /// Removes what is held back.
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

    /// What there is to say of the suppressions when all findings have come: findings in `file`.
    pub fn remarks(&self, file: &str) -> Vec<Finding> {
        self.suppressions.remarks(&self.used, file, &self.today)
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |s: &str, n: usize| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.as_slice(), [y, m, d] if digits(y, 4) && digits(m, 2) && digits(d, 2))
}

/// Findings that are known and accepted for now, by fingerprint.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Baseline {
    /// How often each fingerprint occurs.
    pub fingerprints: BTreeMap<String, usize>,
}

impl Baseline {
    /// Takes these findings too.
    pub fn add(&mut self, findings: &[Finding]) {
        for finding in findings {
            *self.fingerprints.entry(finding.fingerprint()).or_default() += 1;
        }
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// When it is not what [`Baseline`] writes.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }
}
