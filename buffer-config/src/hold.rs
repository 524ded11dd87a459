//! What is held back: selection of rules, suppressions with reason and expiry, a baseline of what is known.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};
use crate::source::{Place, Span};

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
    pub code: String,
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

impl Suppression {
    fn matches(&self, finding: &Finding) -> bool {
        let is_rule = self.code.eq_ignore_ascii_case(finding.code) || self.code == finding.rule;
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
        let all: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        for (i, entry) in all.entries.iter().enumerate() {
            if entry.reason.trim().is_empty() {
                return Err(format!("suppression {} ({}) has no reason", i + 1, entry.code));
            }
            if entry.until.as_deref().is_some_and(|d| !is_date(d)) {
                return Err(format!("suppression {} ({}): `until` must be YYYY-MM-DD", i + 1, entry.code));
            }
        }
        Ok(all)
    }

    /// Holds back what is suppressed on `today` (`YYYY-MM-DD`); expired and unused suppressions become findings in
    /// `file`. Returns how many were held back.
    pub fn apply(&self, findings: &mut Vec<Finding>, file: &str, today: &str) -> usize {
        let before = findings.len();
        let mut used = vec![false; self.entries.len()];
        findings.retain(|finding| {
            let mut held = false;
            for (entry, used) in self.entries.iter().zip(&mut used).filter(|(e, _)| e.matches(finding)) {
                *used = true;
                held |= entry.until.as_deref().is_none_or(|until| today <= until);
            }
            !held
        });
        let held = before - findings.len();
        for (i, (entry, used)) in self.entries.iter().zip(used).enumerate() {
            let expired = entry.until.as_deref().is_some_and(|until| today > until);
            let what = match (used, expired) {
                (false, _) => ("SRC012", "unused-suppression", "matches no finding"),
                (true, true) => ("SRC013", "expired-suppression", "has expired"),
                (true, false) => continue,
            };
            findings.push(Finding {
                code: what.0,
                rule: what.1,
                severity: Severity::Warning,
                message: format!("suppression {} of {} in {} {}", i + 1, entry.code, entry.file, what.2),
                file: file.to_string(),
                span: Span::default(),
                place: Place { line: 1, column: 1 },
                pointer: format!("/suppress/{i}"),
                patch: Vec::new(),
            });
        }
        held
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
    /// The baseline of these findings.
    pub fn of(findings: &[Finding]) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            *baseline.fingerprints.entry(finding.fingerprint()).or_default() += 1;
        }
        baseline
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// When it is not what [`Baseline`] writes.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    /// Holds back what is in it; returns how many.
    pub fn apply(&self, findings: &mut Vec<Finding>) -> usize {
        let mut left = self.fingerprints.clone();
        let before = findings.len();
        findings.retain(|finding| match left.get_mut(&finding.fingerprint()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        before - findings.len()
    }
}
